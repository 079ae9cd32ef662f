/** Committed programs and their C sources, compared with the committed hashes. `test/campaigns/rebuilt-programs.test.ts` builds them again. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatHashes, HASHES_FILE, PROGRAM_NAMES, readProgram } from './programs.ts';
import { linkProgram } from './sbpf-linker.ts';

it('match SHA256SUMS together with their sources', () => {
  const committed = PROGRAM_NAMES.map((name) => [name, readProgram(name)] as const);
  expect(formatHashes(committed)).toBe(readFileSync(HASHES_FILE, 'utf8'));
});

it('rejects a file that is not an object file', () => {
  expect(() => linkProgram(readProgram('caller'))).toThrow('not a relocatable BPF object');
});
