/** Committed artifacts, compared with the sources in this folder. After a source change run `node contracts/compile.ts`. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARTIFACTS_URL, CONTRACT_NAMES, loadArtifacts } from './artifacts.ts';
import { compileContracts, formatArtifacts, hashSources } from './compile.ts';

/** Limit of EIP-170, in bytes. */
const LARGEST_CODE_BYTES = 24_576;

test('artifacts.json has the hash of the current sources, compiler and libraries', () => {
  expect(loadArtifacts().sourceHash).toBe(hashSources());
});

test('compiling the sources produces artifacts.json byte for byte', { timeout: 180_000 }, () => {
  expect(readFileSync(ARTIFACTS_URL, 'utf8')).toBe(formatArtifacts(compileContracts()));
});

test.each(CONTRACT_NAMES)('the code of %s is within the size limit', (name) => {
  const bytes = (loadArtifacts().contracts[name].bytecode.length - 2) / 2;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(LARGEST_CODE_BYTES);
});
