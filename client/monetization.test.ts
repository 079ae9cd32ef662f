/** Opt-in decisions from input to the state in force, on either home, with real signatures and the real service. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MACHINE, MAIN_MACHINE, openAltService, type AltService } from '../testing/harness/alt-chain.ts';
import { createMemoryStore } from '../testing/fixtures/memory-store.ts';
import { ALT_OWNER, DEPLOYMENT, ELIGIBLE, NOW, OWNER, STRANGER } from '../testing/fixtures/deciding-machines.ts';
import { present } from '../src/domain/read-result.ts';
import type { Store } from '../src/ports/store.ts';
import { createClient, type Result, type Client } from './client.ts';
import { prepareDecision, sendDecision, type DecisionInput } from './monetization.ts';

/** Ids of the machines. */
const [ALT, MAIN, LEAVING_MAIN, LEAVING_ALT] = [1n, 2n, 3n, 4n];

let store: Store;
let service: AltService;
let client: Client;
/** Changes the response body of a path. */
let forge: (path: string, body: object) => object;

beforeEach(async () => {
  forge = (_, body) => body;
  store = await createMemoryStore();
  const main = { ...MAIN_MACHINE, ...ELIGIBLE };
  const leaving = [
    { main: { ...main, relocating: present(true) } },
    { account: present({ ...MACHINE, relocating: true }) },
  ];
  service = await openAltService({ machines: [{}, { main }, ...leaving], ctx: { store } });
  client = createClient({
    baseUrl: 'https://svc.example',
    fetch: async (input, { method = 'GET', body } = {}) => {
      const { pathname } = new URL(new Request(input).url);
      const payload = typeof body === 'string' ? { payload: body } : {};
      const { status, text } = await service.request(pathname, { method: method as 'GET' | 'PUT', ...payload });
      return Response.json(forge(pathname, JSON.parse(text) as object), { status });
    },
  });
});
afterEach(async () => {
  await service.close();
  await store.close();
});

const prepare = (wish: Partial<DecisionInput> = {}) =>
  prepareDecision(client.connection, { machine: MAIN, optedIn: true, nowSeconds: NOW, ...wish });

async function prepared(wish: Partial<DecisionInput> = {}) {
  const answer = await prepare(wish);
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value;
}

/** Returns the kind of its error. */
async function errorOf(answer: Promise<Result<unknown>>): Promise<string> {
  const settled = await answer;
  return settled.ok ? 'none' : settled.error.kind;
}

it('opts a main-chain machine in by its owner, and out again in the same second', async () => {
  const first = await prepared({
    expected: { chainId: DEPLOYMENT.chainId, registry: DEPLOYMENT.registry.toUpperCase().replace('0X', '0x') },
  });
  expect([first.scheme, first.text.split('\n').slice(1)]).toEqual([
    'eip191',
    [`registry: ${DEPLOYMENT.registry}`, 'chain_id: 31337', 'machine_id: 2', 'opted_in: true', `timestamp: ${NOW}`],
  ]);
  const signed = { signature: OWNER.sign(first.message), address: OWNER.address };
  const state = { machine_id: '2', status: 'OPTED_IN', signer: expect.stringMatching(/^0x/), updated_at: NOW };
  expect(await sendDecision(client.connection, first, signed)).toMatchObject({ ok: true, value: state });
  const second = await prepared({ optedIn: false });
  expect(second.decision.timestamp).toBe(NOW + 1);
  expect(await sendDecision(client.connection, second, { signature: OWNER.sign(second.message) })).toMatchObject({
    value: { status: 'OPTED_OUT', updated_at: NOW + 1 },
  });
  expect(await errorOf(sendDecision(client.connection, first, signed))).toBe('stale-signature');
});

it('opts an alt-chain machine in by the key of its owner', async () => {
  const wish = await prepared({ machine: ALT });
  expect([wish.scheme, wish.text.split('\n').slice(1, 3)]).toEqual(['ed25519', ['audience: 31337', 'home_chain: 5']]);
  const signed = { signature: ALT_OWNER.sign(wish.message), signerKey: ALT_OWNER.key };
  expect(await sendDecision(client.connection, wish, signed)).toMatchObject({
    value: { status: 'OPTED_IN', signer: ALT_OWNER.key },
  });
});

it('opts a relocating machine out on the chain that the caller names', async () => {
  const main = await prepared({ machine: LEAVING_MAIN, optedIn: false, holder: { chain: 'main' } });
  expect(await sendDecision(client.connection, main, { signature: OWNER.sign(main.message) })).toMatchObject({
    value: { status: 'OPTED_OUT', updated_at: NOW },
  });
  const alt = await prepared({ machine: LEAVING_ALT, optedIn: false, holder: { chain: 'alt', ordinal: 5 } });
  const signed = { signature: ALT_OWNER.sign(alt.message), signerKey: ALT_OWNER.key };
  expect(await sendDecision(client.connection, alt, signed)).toMatchObject({ value: { status: 'OPTED_OUT' } });
});

describe('prepareDecision', () => {
  it('reads the home of any other machine, and opts no relocating machine in', async () => {
    const holder = { chain: 'main' } as const;
    expect((await prepared({ machine: ALT, optedIn: false, holder })).scheme).toBe('ed25519');
    expect(await errorOf(prepare({ machine: LEAVING_MAIN, holder }))).toBe('machine-unavailable');
    expect(await errorOf(prepare({ machine: LEAVING_MAIN, optedIn: false }))).toBe('machine-unavailable');
  });

  it.each([
    ['another chain is expected', { expected: { chainId: '1' } }, 'unexpected-response'],
    ['another registry is expected', { expected: { registry: `0x${'b'.repeat(40)}` } }, 'unexpected-response'],
    ['the id is malformed', { machine: '02' }, 'invalid-argument'],
    ['the machine does not exist', { machine: 7n }, 'machine-not-found'],
  ])('fails where %s', async (_, wish, kind) => {
    expect(await errorOf(prepare(wish))).toBe(kind);
  });

  it.each([
    ['of another version', '/.well-known/', { version: 'other' }],
    ['whose chain is a number', '/.well-known/', { chain_id: 31_337 }],
    ['whose registry is spelled in other letters', '/.well-known/', { registry: `0x${'A'.repeat(40)}` }],
    ['whose card names a home that is not a chain', '/machines/', { home_chain: 'alt' }],
    ['that answers for another machine', '/machine/', { machine_id: '3' }],
  ])('rejects a service %s', async (_, path, members) => {
    forge = (pathname, body) => (pathname.startsWith(path) ? { ...body, ...members } : body);
    expect(await errorOf(prepare())).toBe('unexpected-response');
  });

  it('fails while the decision in force is too far ahead of the clock', async () => {
    forge = (pathname, body) => (pathname.startsWith('/machine/') ? { ...body, updated_at: NOW + 30 } : body);
    expect(await errorOf(prepare())).toBe('invalid-argument');
  });
});

describe('sendDecision', () => {
  it('fails with a signature of a stranger', async () => {
    const wish = await prepared();
    const signature = STRANGER.sign(wish.message);
    expect(await errorOf(sendDecision(client.connection, wish, { signature }))).toBe('unauthorized-signer');
  });

  it.each([
    ['of the other home', () => ({ signature: ALT_OWNER.sign(new Uint8Array()), signerKey: ALT_OWNER.key })],
    ['that is malformed', () => ({ signature: '0x12' })],
  ])('does not send a signature %s', async (_, sign) => {
    const wish = await prepared();
    service.chainCalls.length = 0;
    expect(await errorOf(sendDecision(client.connection, wish, sign()))).toBe('invalid-argument');
    expect(service.chainCalls).toEqual([]);
  });

  it.each([
    ['the opposite decision', { status: 'OPTED_OUT' }],
    ['another time', { updated_at: NOW - 1 }],
    ['another signer', { signer: STRANGER.address }],
    ['another machine', { machine_id: '3' }],
  ])('rejects a response with %s', async (_, members) => {
    const wish = await prepared();
    forge = (_path, body) => ({ ...body, ...members });
    const signed = { signature: OWNER.sign(wish.message), address: OWNER.address };
    expect(await errorOf(sendDecision(client.connection, wish, signed))).toBe('unexpected-response');
  });
});
