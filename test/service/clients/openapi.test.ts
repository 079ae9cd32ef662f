/** Responses about every persona have the documented status, headers and members, and the shape of the documented example. */
import { describe, expect, inject, it } from 'vitest';
import { conformanceOf, type OpenapiDocument } from '../../../testing/harness/openapi-conformance.ts';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines, operators, wallets } = inject('fixtures');

const response = await fetch(`${baseUrl}/openapi.json`);
const conformance = conformanceOf((await response.json()) as OpenapiDocument);

async function request(path: string, init: RequestInit = {}) {
  const received = await fetch(baseUrl + path, { redirect: 'manual', ...init });
  return { status: received.status, headers: Object.fromEntries(received.headers), text: await received.text() };
}

async function expectDocumented(path: string, init: RequestInit = {}): Promise<number> {
  const received = await request(path, init);
  conformance.expectDocumented(init.method ?? 'GET', path, received);
  return received.status;
}

describe.each(machines)('the service, for $name', ({ did, id }) => {
  it.each([`/mcr/${did}`, `/mcr/${did}/explanation`, `/machine/${did}`, `/metadata/${id}`, `/machines/${id}`])(
    'returns documented responses to GET and HEAD %s',
    async (path) => {
      const status = await expectDocumented(path);
      expect(await expectDocumented(path, { method: 'HEAD' })).toBe(status);
    },
  );
});

it.each(machines)('returns documented Verify responses for $name', async ({ id }) => {
  await expectDocumented(`/v1/verify/machines/${id}`);
  expect(await expectDocumented(`/v1/verify/machines/${id}`, { method: 'HEAD' })).toBe(405);
});

describe.each(operators)('the service, for the operator $name', ({ address }) => {
  it.each(['', '?limit=2&offset=1', '?offset=999', '?limit=0'])(
    'returns a documented list with the query "%s"',
    async (query) => {
      await expectDocumented(`/operator/${address}/machines${query}`);
    },
  );
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
])('returns a documented response to GET %s', async (path) => {
  await expectDocumented(path);
});

const { did, id } = findMachine(machines, 'visibility-onchain');
/** Paths about bound wallets whose response is neither an error nor an empty list. */
const walletPaths = wallets.flatMap((wallet) =>
  Object.entries(wallet.expect).flatMap(([path, { status, body }]) => {
    const { machines: listed } = body as { readonly machines?: readonly unknown[] };
    return status === 200 && listed?.length !== 0 ? [path] : [];
  }),
);
const { address } = operators.find((operator) => operator.machines.includes(id)) ?? operators[0]!;

it.each([
  `/mcr/${did}`,
  `/mcr/${did}/explanation`,
  // Its rating has changed.
  `/mcr/${findMachine(machines, 'flagged').did}/history`,
  `/machine/${did}`,
  `/metadata/${id}`,
  `/machines/${id}`,
  `/machines/${id}/events?limit=2`,
  `/machine/${did}/monetization`,
  `/operator/${address}/machines`,
  '/active-machines',
  '/.well-known/svc-monetization',
  `/v1/verify/machines/${id}`,
  '/health',
  '/ready',
  '/status',
  ...walletPaths,
])('documents an example of GET %s with exactly the members of the response', async (path) => {
  rule('documents.openapi-answers');
  const received = await request(path);
  expect(received.status).toBe(200);
  conformance.expectDocumented('GET', path, received);
  conformance.expectExampleShape('GET', path, received);
});

it.each([
  [undefined, 'application/did+json', 'id'],
  ['application/did-resolution', 'application/did-resolution', 'didDocument'],
])('returns the DID document as %s with the type %s', async (accept, type, member) => {
  rule('documents.did');
  for (const name of ['visibility-onchain', 'alt-rated']) {
    const path = `/identifiers/${findMachine(machines, name).did}`;
    const received = await request(path, accept === undefined ? {} : { headers: { accept } });
    expect([received.status, received.headers['content-type']]).toEqual([200, type]);
    conformance.expectDocumented('GET', path, received);
    expect(JSON.parse(received.text)).toHaveProperty(member);
  }
});

it('returns a documented 304', async () => {
  rule('documents.openapi-answers');
  const etag = (await fetch(`${baseUrl}/machines/${id}`)).headers.get('etag')!;
  expect(await expectDocumented(`/machines/${id}`, { headers: { 'if-none-match': etag } })).toBe(304);
});

it('returns a documented 406 when the caller does not accept JSON', async () => {
  expect(await expectDocumented('/v1/verify/machines/1', { headers: { accept: 'text/html' } })).toBe(406);
});

it.each(['POST', 'DELETE'])('returns a documented 405 to %s, and 404 on an unknown path', async (method) => {
  expect(await expectDocumented('/health', { method })).toBe(405);
  expect(await expectDocumented('/nothing', { method })).toBe(404);
});
