/** From a wish to the state in force, on either home, with keys that really sign and a service that really judges. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN_MACHINE, openAltService, type AltService } from '../testing/harness/alt-chain.ts';
import { createStore } from '../src/adapters/sql/create-store.ts';
import { ALT_OWNER, DEPLOYMENT, ELIGIBLE, NOW, OWNER, STRANGER } from '../testing/fixtures/deciding-machines.ts';
import type { Store } from '../src/ports/store.ts';
import { createClient, type Answer, type Client } from './client.ts';
import { prepareDecision, sendDecision, type DecisionWish } from './monetization.ts';

/** Ids of the scene. */
const [ALT, MAIN] = [1n, 2n];

let store: Store;
let scene: AltService;
let client: Client;
/** Changes what the service answers to a path. */
let forge: (path: string, body: object) => object;

beforeEach(async () => {
  forge = (_, body) => body;
  store = await createStore('sqlite::memory:');
  scene = await openAltService({ machines: [{}, { main: { ...MAIN_MACHINE, ...ELIGIBLE } }], ctx: { store } });
  client = createClient({
    baseUrl: 'https://svc.example',
    fetch: async (url, { method = 'GET', body } = {}) => {
      const { pathname } = new URL(String(url));
      const payload = typeof body === 'string' ? { payload: body } : {};
      const { status, text } = await scene.request(pathname, { method: method as 'GET' | 'PUT', ...payload });
      return Response.json(forge(pathname, JSON.parse(text) as object), { status });
    },
  });
});
afterEach(async () => {
  await scene.close();
  await store.close();
});

const prepare = (wish: Partial<DecisionWish> = {}) =>
  prepareDecision(client.connection, { machine: MAIN, optedIn: true, nowSeconds: NOW, ...wish });

async function prepared(wish: Partial<DecisionWish> = {}) {
  const answer = await prepare(wish);
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value;
}

/** Its kind. */
async function errorOf(answer: Promise<Answer<unknown>>): Promise<string> {
  const settled = await answer;
  return settled.ok ? 'none' : settled.error.kind;
}

it('a machine of the main chain is opted in by its owner, and out again in the same second', async () => {
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

it('a machine of the alt chain is decided about by the key of its owner', async () => {
  const wish = await prepared({ machine: ALT });
  expect([wish.scheme, wish.text.split('\n').slice(1, 3)]).toEqual(['ed25519', ['audience: 31337', 'home_chain: 5']]);
  const signed = { signature: ALT_OWNER.sign(wish.message), signerKey: ALT_OWNER.key };
  expect(await sendDecision(client.connection, wish, signed)).toMatchObject({
    value: { status: 'OPTED_IN', signer: ALT_OWNER.key },
  });
});

describe('nothing is prepared', () => {
  it.each([
    ['another chain is expected', { expected: { chainId: '1' } }, 'foreign-answer'],
    ['another registry is expected', { expected: { registry: `0x${'b'.repeat(40)}` } }, 'foreign-answer'],
    ['the machine is none', { machine: '02' }, 'invalid-argument'],
    ['the machine is not there', { machine: 7n }, 'machine-not-found'],
  ])('where %s', async (_, wish, kind) => {
    expect(await errorOf(prepare(wish))).toBe(kind);
  });

  it.each([
    ['of another version', '/.well-known/', { version: 'other' }],
    ['whose chain is a number', '/.well-known/', { chain_id: 31_337 }],
    ['whose registry is spelled in other letters', '/.well-known/', { registry: `0x${'A'.repeat(40)}` }],
    ['that tells a home that is no chain', '/machines/', { home_chain: 'alt' }],
    ['that answers for another machine', '/machine/', { machine_id: '3' }],
  ])('for a service %s', async (_, path, members) => {
    forge = (asked, body) => (asked.startsWith(path) ? { ...body, ...members } : body);
    expect(await errorOf(prepare())).toBe('foreign-answer');
  });

  it('while the decision in force lies too far ahead of this clock', async () => {
    forge = (asked, body) => (asked.startsWith('/machine/') ? { ...body, updated_at: NOW + 30 } : body);
    expect(await errorOf(prepare())).toBe('invalid-argument');
  });
});

describe('nothing is taken for done', () => {
  it('that somebody else signed', async () => {
    const wish = await prepared();
    const signature = STRANGER.sign(wish.message);
    expect(await errorOf(sendDecision(client.connection, wish, { signature }))).toBe('unauthorized-signer');
  });

  it.each([
    ['of the other home', () => ({ signature: ALT_OWNER.sign(new Uint8Array()), signerKey: ALT_OWNER.key })],
    ['that is none', () => ({ signature: '0x12' })],
  ])('with a signature %s, which is not even sent', async (_, sign) => {
    const wish = await prepared();
    scene.chainCalls.length = 0;
    expect(await errorOf(sendDecision(client.connection, wish, sign()))).toBe('invalid-argument');
    expect(scene.chainCalls).toEqual([]);
  });

  it.each([
    ['the other will', { status: 'OPTED_OUT' }],
    ['another time', { updated_at: NOW - 1 }],
    ['another signer', { signer: STRANGER.address }],
    ['another machine', { machine_id: '3' }],
  ])('where the service tells of %s', async (_, members) => {
    const wish = await prepared();
    forge = (_path, body) => ({ ...body, ...members });
    const signed = { signature: OWNER.sign(wish.message), address: OWNER.address };
    expect(await errorOf(sendDecision(client.connection, wish, signed))).toBe('foreign-answer');
  });
});
