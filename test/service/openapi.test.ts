/** Is every answer about every persona what the document says, status, headers and members? */
import { describe, expect, inject, it } from 'vitest';
import { OpenapiConformance, type OpenapiDocument } from '../../testing/harness/openapi-conformance.ts';
import { rule } from '../conformance/rule.ts';

const baseUrl = inject('baseUrl');
const { machines, operators } = inject('fixtures');

const response = await fetch(`${baseUrl}/openapi.json`);
const conformance = new OpenapiConformance((await response.json()) as OpenapiDocument);

async function expectDocumented(path: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(baseUrl + path, { redirect: 'manual', ...init });
  const { status, headers } = answer;
  const text = await answer.text();
  conformance.expectDocumented(init.method ?? 'GET', path, { status, headers: Object.fromEntries(headers), text });
  return status;
}

describe.each(machines)('$name', ({ did, id }) => {
  it.each([`/mcr/${did}`, `/mcr/${did}/explanation`, `/machine/${did}`, `/metadata/${id}`, `/machines/${id}`])(
    '%s',
    async (path) => {
      const status = await expectDocumented(path);
      expect(await expectDocumented(path, { method: 'HEAD' })).toBe(status);
    },
  );
});

it.each(machines)('/v1/verify/machines/{machineId} of $name', async ({ id }) => {
  await expectDocumented(`/v1/verify/machines/${id}`);
  expect(await expectDocumented(`/v1/verify/machines/${id}`, { method: 'HEAD' })).toBe(405);
});

describe.each(operators)('$name', ({ address }) => {
  it.each(['', '?limit=2&offset=1', '?offset=999', '?limit=0'])('/operator/…/machines%s', async (query) => {
    await expectDocumented(`/operator/${address}/machines${query}`);
  });
});

it.each([
  '/health',
  '/ready',
  '/openapi.json',
  '/mcr/5',
  '/machine/0',
  '/metadata/x',
  '/machines/0',
  '/operator/x/machines',
  '/nothing',
  '/v1/verify/nothing',
  '/v1/verify/machines/1',
  '/v1/verify/machines/0',
  '/v1/verify/machines/1?a=b',
])('%s', async (path) => {
  await expectDocumented(path);
});

it('answers 304 as documented', async () => {
  rule('documents.openapi-answers');
  const { did } = machines.find(({ name }) => name === 'rated-aaa')!;
  const etag = (await fetch(`${baseUrl}/machines/${did.split(':')[2]}`)).headers.get('etag')!;
  expect(await expectDocumented(`/machines/${did.split(':')[2]}`, { headers: { 'if-none-match': etag } })).toBe(304);
});

it('refuses a reader of another type as documented', async () => {
  expect(await expectDocumented('/v1/verify/machines/1', { headers: { accept: 'text/html' } })).toBe(406);
});

it.each(['POST', 'DELETE'])('refuses %s as documented', async (method) => {
  expect(await expectDocumented('/health', { method })).toBe(405);
  expect(await expectDocumented('/nothing', { method })).toBe(404);
});
