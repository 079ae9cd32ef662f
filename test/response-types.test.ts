/** The response types match their schemas. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RESPONSE_TYPES, renderResponseTypes } from '../docs/render-response-types.ts';

it('response-types.ts equals the output of docs/render-response-types.ts', async () => {
  expect(readFileSync(RESPONSE_TYPES, 'utf8')).toBe(await renderResponseTypes());
});
