import { defineConfig } from 'rolldown';

/** Native modules and what loads files of its own stay in node_modules. */
export default defineConfig({
  input: { svc: 'cli/svc.ts' },
  platform: 'node',
  external: ['better-sqlite3', 'secp256k1/bindings.js', 'pg', 'pino', 'pino-pretty'],
  output: { dir: 'dist', format: 'esm', minify: false, cleanDir: true },
});
