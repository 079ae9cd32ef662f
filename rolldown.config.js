import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import { SCRIPT_OUTPUT } from './src/adapters/pages/page-bundle.ts';

/** The engine keeps the whole text of what it runs; names stay, so that a trace can be read. */
const WHITESPACE = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Native modules and what loads files of its own stay in node_modules; so does the maker of the pages, which a built service has beside it. */
export default defineConfig([
  {
    input: {
      svc: 'cli/svc.ts',
      'large-response-worker': 'src/adapters/main-chain/rpc/large-response-worker.ts',
    },
    platform: 'node',
    external: ['better-sqlite3', 'secp256k1/bindings.js', 'pg', 'pino', 'pino-pretty', 'rolldown', '@resvg/resvg-js'],
    output: { dir: 'dist', format: 'esm', minify: WHITESPACE, cleanDir: true },
  },
  {
    input: { page: 'explorer/page.tsx' },
    platform: 'browser',
    tsconfig: 'explorer/tsconfig.json',
    plugins: [{ name: 'plain-files', generateBundle: emitPlainFiles }],
    output: { dir: 'dist/explorer', ...SCRIPT_OUTPUT },
  },
]);

function emitPlainFiles() {
  for (const fileName of ['page.css', 'icon.svg']) {
    this.emitFile({ type: 'asset', fileName, source: readFileSync(`explorer/${fileName}`) });
  }
}
