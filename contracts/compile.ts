/** Compiler run for `artifacts.json`: `node contracts/compile.ts` writes the file. Only this module needs solc. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import solc from 'solc';
import type { Abi } from 'viem';
import { ARTIFACTS_URL, CONTRACT_NAMES } from './artifacts.ts';
import type { Artifacts, ContractName } from './artifacts.ts';

/** Cancun, because the ERC-721 library copies memory with `mcopy`. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};

const LIBRARIES = ['@openzeppelin/contracts', '@openzeppelin/contracts-upgradeable'];

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }>>
    >
  >;
}

const require = createRequire(import.meta.url);

/** The package types both members as `any`. */
const compiler = solc as {
  version(): string;
  compile(input: string, callbacks: { readonly import: typeof readImport }): string;
};

/** Reads the sources in this folder, sorted by file name. */
function readSources(): Record<string, { content: string }> {
  const folder = new URL('.', import.meta.url);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sol'))
    .sort();
  return Object.fromEntries(names.map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }]));
}

/** Returns a hash of all compiler inputs, without compiling. */
export function hashSources(): string {
  const versions = LIBRARIES.map((name) => [name, (require(`${name}/package.json`) as { version: string }).version]);
  const input = JSON.stringify([compiler.version(), SETTINGS, versions, readSources()]);
  return createHash('sha256').update(input).digest('hex');
}

/** Compiles all sources. Throws the compiler's messages on an error or a warning. */
export function compileContracts(): Artifacts {
  const sources = readSources();
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const output = JSON.parse(compiler.compile(JSON.stringify(input), { import: readImport })) as CompilerOutput;
  const findings = output.errors ?? [];
  if (findings.length > 0) throw new Error(findings.map((finding) => finding.formattedMessage).join('\n'));
  const compiled = Object.keys(sources).flatMap((file) => Object.entries(output.contracts[file] ?? {}));
  const byName = new Map(compiled);
  const contracts = CONTRACT_NAMES.map((name) => {
    const contract = byName.get(name);
    if (contract === undefined) throw new Error(`no contract ${name} in the sources`);
    return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }] as const;
  });
  return {
    sourceHash: hashSources(),
    contracts: Object.fromEntries(contracts) as Record<ContractName, Artifacts['contracts'][ContractName]>,
  };
}

/** Formats the content of `artifacts.json`. */
export function formatArtifacts(artifacts: Artifacts): string {
  return `${JSON.stringify(artifacts, null, 1)}\n`;
}

function readImport(path: string): { contents: string } | { error: string } {
  const library = LIBRARIES.find((name) => path.startsWith(`${name}/`));
  if (library === undefined) return { error: `unknown library ${path}` };
  const folder = dirname(require.resolve(`${library}/package.json`));
  return { contents: readFileSync(join(folder, path.slice(library.length)), 'utf8') };
}

if (import.meta.main) writeFileSync(ARTIFACTS_URL, formatArtifacts(compileContracts()));
