/** Allowed imports of each folder: the table of CONTRIBUTING.md, row by row. */

export interface Row {
  /** A folder or a file; the longest row that is a prefix of a path applies to it. */
  readonly of: string;
  /** Folders and files of this repository, itself included. */
  readonly mayImport: readonly string[];
  /** Packages by name; `node:` means all modules of Node. */
  readonly packages: readonly string[];
}

const PURE = ['@noble/hashes', '@noble/curves', 'hash-wasm', 'secp256k1', 'node:crypto', 'node:buffer'];

/** An SDK that appears in one row only is imported nowhere else. */
export const IMPORT_TABLE: readonly Row[] = [
  { of: 'src/domain', mayImport: ['src/domain'], packages: PURE },
  { of: 'src/ports', mayImport: ['src/ports', 'src/domain'], packages: [] },
  { of: 'src/actions', mayImport: ['src/actions', 'src/domain', 'src/ports'], packages: [] },
  {
    of: 'src/http',
    mayImport: [
      ...['src/http', 'src/actions', 'src/domain'],
      ...['src/ports/ctx.ts', 'src/ports/runtime.ts', 'src/ports/presentation.ts'],
    ],
    packages: ['node:', 'fastify', 'ipaddr.js'],
  },
  adapter('rpc', ['undici']),
  adapter('main-chain', ['viem', 'undici'], ['src/adapters/rpc']),
  adapter('alt-chain', ['undici', ...PURE], ['src/adapters/rpc']),
  adapter('sql', ['kysely', 'better-sqlite3', 'pg']),
  adapter('files', []),
  adapter('fx', ['fast-xml-parser'], ['src/adapters/files']),
  adapter(
    'payment-sources',
    ['viem', ...PURE],
    ['src/adapters/rpc', 'src/adapters/main-chain', 'src/adapters/alt-chain', 'src/adapters/files'],
  ),
  adapter('redis', ['ioredis']),
  adapter('trust', [], ['src/adapters/files']),
  adapter('pages', ['rolldown']),
  adapter('png', ['@resvg/resvg-js']),
  adapter('mcp', ['@modelcontextprotocol/server'], ['client']),
  adapter('outbound', ['ipaddr.js']),
  adapter('partner', ['undici'], ['src/adapters/outbound']),
  adapter('webhooks', ['undici'], ['src/adapters/outbound', 'src/adapters/files']),
  {
    of: 'src/telemetry',
    mayImport: ['src/telemetry', 'src/actions', 'src/domain', 'src/ports'],
    packages: [
      ...['node:', '@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http'],
      ...['@opentelemetry/resources', '@opentelemetry/sdk-trace'],
    ],
  },
  { of: 'src/indexing', mayImport: ['src/indexing', 'src/domain', 'src/ports'], packages: [] },
  { of: 'src/config', mayImport: ['src/config', 'src/config.ts', 'src/domain'], packages: ['node:', 'tldts'] },
  { of: 'src/config.ts', mayImport: ['src/config', 'src/domain'], packages: ['node:'] },
  { of: 'src/app.ts', mayImport: ['src/http', 'src/domain', 'src/ports'], packages: ['fastify'] },
  {
    of: 'src/composition',
    mayImport: [
      ...['src/composition', 'src/adapters', 'src/indexing', 'src/telemetry'],
      ...['src/config.ts', 'src/domain', 'src/ports'],
    ],
    packages: ['node:', 'fastify'],
  },
  { of: 'src/main.ts', mayImport: ['src'], packages: ['node:', 'fastify'] },
  { of: 'client', mayImport: ['client', 'src/domain', 'src/http/wire/response-types.ts'], packages: PURE },
  { of: 'explorer', mayImport: ['explorer', 'client', 'src/domain'], packages: ['preact'] },
  {
    of: 'cli',
    mayImport: ['cli', 'client', 'src', 'devnet'],
    // `package.json`, which holds the version, is treated like a package.
    packages: ['node:', 'pino', 'pino-pretty', 'package.json', '@modelcontextprotocol/server'],
  },
  // The independent model shares no code with the served one.
  { of: 'cli/replay', mayImport: ['cli/replay'], packages: ['node:', '@noble/hashes', '@noble/curves'] },
  { of: 'contracts', mayImport: ['contracts'], packages: ['node:', 'viem', 'solc'] },
  { of: 'devnet', mayImport: ['devnet', 'contracts', 'src/domain'], packages: ['node:', 'viem', '@noble/hashes'] },
  { of: 'devnet/alt-node', mayImport: ['devnet/alt-node', 'src/domain'], packages: ['node:', '@solana/kit'] },
];

function adapter(name: string, packages: readonly string[], folders: readonly string[] = []): Row {
  const folder = `src/adapters/${name}`;
  return { of: folder, mayImport: [folder, ...folders, 'src/domain', 'src/ports'], packages: ['node:', ...packages] };
}

/** Returns the row of a path, or undefined when no row covers it. */
export function findRow(path: string): Row | undefined {
  const rows = IMPORT_TABLE.filter(({ of }) => isWithin(path, of));
  return rows.sort((a, b) => b.of.length - a.of.length)[0];
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
