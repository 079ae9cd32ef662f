/** The types of responses are those that their schemas render. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RESPONSE_TYPES, renderResponseTypes } from '../docs/render-response-types.ts';

it('equals what docs/render-response-types.ts renders from the schemas', async () => {
  expect(readFileSync(RESPONSE_TYPES, 'utf8')).toBe(await renderResponseTypes());
});
