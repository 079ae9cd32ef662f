/** Programs that the devnet installs on the alt chain. Each is one C file in this folder and the program built from it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const PROGRAM_NAMES = ['event-registry', 'caller', 'stand-in'] as const;
export type ProgramName = (typeof PROGRAM_NAMES)[number];

/** The sources that the programs are built from. */
const SOURCES = ['solana.h', ...PROGRAM_NAMES.map((name) => `${name}.c`)];

/** Lines of `<sha256>  <file>`, as `sha256sum -c` reads them: the sources, and the programs built from them. */
export const HASHES_FILE = programFile('SHA256SUMS');

export function programFile(name: string): URL {
  return new URL(name, import.meta.url);
}

/** Returns the committed bytes of a program, ready for the loader. */
export function readProgram(name: ProgramName): Buffer {
  return readFileSync(programFile(`${name}.so`));
}

/** Formats the hashes of the committed sources and of these programs. */
export function formatHashes(programs: readonly (readonly [name: ProgramName, bytes: Uint8Array])[]): string {
  const files = [
    ...SOURCES.map((name) => [name, readFileSync(programFile(name))] as const),
    ...programs.map(([name, bytes]) => [`${name}.so`, bytes] as const),
  ];
  return files.map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`).join('');
}
