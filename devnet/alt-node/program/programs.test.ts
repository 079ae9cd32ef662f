/** Committed programs, compared with the committed hashes and, where the compiler is installed, with the committed C sources. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildProgram, hasCompiler } from './build.ts';
import { formatHashes, HASHES_FILE, PROGRAM_NAMES, readProgram } from './programs.ts';
import { linkProgram } from './sbpf-linker.ts';

it('match SHA256SUMS', () => {
  const committed = PROGRAM_NAMES.map((name) => [name, readProgram(name)] as const);
  expect(formatHashes(committed)).toBe(readFileSync(HASHES_FILE, 'utf8'));
});

describe.runIf(hasCompiler())('a rebuilt program', () => {
  it.each(PROGRAM_NAMES)('%s equals the committed bytes', (name) => {
    expect(buildProgram(name).equals(readProgram(name))).toBe(true);
  });
});

it('rejects a file that is not an object file', () => {
  expect(() => linkProgram(readProgram('caller'))).toThrow('not a relocatable BPF object');
});
