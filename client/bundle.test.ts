/** Size of the client in a page: bundled as a page would, with everything it needs and nothing of Node. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { rule } from '../test/conformance/rule.ts';
import manifest from './package.json' with { type: 'json' };

async function bundle(file: string): Promise<string> {
  const build = await rolldown({ input: join(import.meta.dirname, file), platform: 'browser' });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  const [{ code, imports, dynamicImports }, ...others] = output;
  expect([imports, dynamicImports, others]).toEqual([[], [], []]);
  return code;
}

/** Sizes in kB of 1,000 bytes, gzip. */
it.each([
  ['.', 8],
  ['./monetization', 8],
  ['./statements', 24],
  ['./decision-log', 28],
  ['./evidence', 24],
] as const)('bundles the entry %s into at most %d kB', async (entry, most) => {
  rule('client.size');
  const code = await bundle(manifest.exports[entry].source);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(most * 1000);
  expect(code.match(/\b(?:process|Buffer|require)\b\s*[.[]/)).toBeNull();
});

it('needs no package for reads', async () => {
  expect((await bundle(manifest.exports['.'].source)).match(/keccak|Uint32Array/)).toBeNull();
  expect(manifest).not.toHaveProperty('dependencies');
});
