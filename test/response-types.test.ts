/** The response types match their schemas. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GO_TYPES, PYTHON_TYPES, renderGoTypes, renderPythonTypes } from '../docs/render-client-types.ts';
import { RESPONSE_TYPES, renderResponseTypes } from '../docs/render-response-types.ts';

it('response-types.ts equals the output of docs/render-response-types.ts', async () => {
  expect(readFileSync(RESPONSE_TYPES, 'utf8')).toBe(await renderResponseTypes());
});

it('the types of the Python and Go clients equal the output of docs/render-client-types.ts', () => {
  expect(readFileSync(PYTHON_TYPES, 'utf8')).toBe(renderPythonTypes());
  expect(readFileSync(GO_TYPES, 'utf8')).toBe(renderGoTypes());
});
