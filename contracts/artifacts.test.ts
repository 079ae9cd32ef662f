/**
 * Are the committed artifacts those of the sources beside them? If not: `node contracts/compile.ts`.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARTIFACTS_URL, CONTRACT_NAMES, loadArtifacts } from './artifacts.ts';
import { compileContracts, formatArtifacts, hashSources } from './compile.ts';

/** EIP-170. */
const LARGEST_CODE_BYTES = 24_576;

test('the artifacts name the sources, the compiler and the libraries they come from', () => {
  expect(loadArtifacts().sourceHash).toBe(hashSources());
});

test('compiling gives the artifacts, byte for byte', { timeout: 60_000 }, () => {
  expect(readFileSync(ARTIFACTS_URL, 'utf8')).toBe(formatArtifacts(compileContracts()));
});

test.each(CONTRACT_NAMES)('%s fits into a block chain', (name) => {
  const bytes = (loadArtifacts().contracts[name].bytecode.length - 2) / 2;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(LARGEST_CODE_BYTES);
});
