/** docs/providers.md matches the behaviors that the provider matrix imitates. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROVIDERS_PAGE, renderProviders } from '../docs/render-providers.ts';

it('docs/providers.md equals the output of docs/render-providers.ts', async () => {
  expect(readFileSync(PROVIDERS_PAGE, 'utf8')).toBe(await renderProviders());
});
