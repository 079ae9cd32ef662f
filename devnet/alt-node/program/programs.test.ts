/** The committed programs are those of the committed hashes and, where there is a compiler, those of the committed C. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildProgram, hasCompiler } from './build.ts';
import { formatHashes, HASHES_FILE, PROGRAM_NAMES, readProgram } from './programs.ts';
import { linkProgram } from './sbpf-linker.ts';

it('are what SHA256SUMS says', () => {
  const committed = PROGRAM_NAMES.map((name) => [name, readProgram(name)] as const);
  expect(formatHashes(committed)).toBe(readFileSync(HASHES_FILE, 'utf8'));
});

describe.runIf(hasCompiler())('made again', () => {
  it.each(PROGRAM_NAMES)('%s has the same bytes', (name) => {
    expect(buildProgram(name).equals(readProgram(name))).toBe(true);
  });
});

it('is made from an object file only', () => {
  expect(() => linkProgram(readProgram('caller'))).toThrow('not a relocatable BPF object');
});
