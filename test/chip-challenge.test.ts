/** Chip challenge route over a socket (interface, Chip challenge; evidence 2, 4, 12 and 13). */
import { METHODS } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vectorNamespace, worldOf } from '../testing/fixtures/evidence-vectors.ts';
import { nonceHashOf, toHex } from '../src/domain/evidence/signed-bytes.ts';
import { chainUnreadable } from '../src/domain/faults.ts';
import {
  CHALLENGE_PATH,
  EVIDENCE_PATH,
  jsonHeaders,
  NONCE,
  startChipHarness,
  type ChipHarness,
  type Headers,
} from '../testing/harness/chip-service.ts';
import { createTrustedClock } from '../src/indexing/head/trusted-clock.ts';
import { sendRaw } from '../testing/harness/raw-http.ts';
import { rule } from './conformance/rule.ts';
import { ABSENT, present, unreadable } from '../src/domain/read-result.ts';

const WORLD = worldOf({ world: { challenge: { consumedBy: `0x${'1'.repeat(64)}` } } });
const MACHINE_ID = WORLD.machine!.machineId;
const BODY = JSON.stringify({ machineId: MACHINE_ID });
const TOKEN = jsonHeaders(WORLD.onboardingToken);
const AUTHORIZATION = TOKEN[0]!;
const JSON_TYPE = TOKEN[1]!;

let harness: ChipHarness;
beforeEach(async () => {
  harness = await startChipHarness(WORLD);
});
afterEach(() => harness.close());

const judge = (headers: Headers = TOKEN, body: string | Uint8Array = BODY) =>
  harness.judge('POST', CHALLENGE_PATH, headers, body);
const issue = async () => {
  const { status, text } = await harness.ask('POST', CHALLENGE_PATH, TOKEN, BODY);
  return { status, text };
};

/** Returns the stored challenge of `NONCE`. */
const findRow = () => harness.store.findChallenge(nonceHashOf(toHex(NONCE)), `0x${'0'.repeat(64)}`);
const distinctNonces = () => {
  let next = 0;
  const chip = { ...harness.ctx.onboarding!, createNonce: () => new Uint8Array(32).fill(++next) };
  Object.assign(harness.ctx, { onboarding: chip });
};

describe('a challenge', () => {
  it('has exactly nine members, all texts', async () => {
    rule('challenge.members', 'challenge.effective-controller', 'versioning.challenge-constants');
    const expected = {
      chainId: '31337',
      didController: WORLD.machine!.controller,
      expiresAt: String(WORLD.now + 270),
      machineDid: `did:${vectorNamespace.did_method}:${MACHINE_ID}`,
      machineId: MACHINE_ID,
      nonce: toHex(NONCE),
      profile: 'chipvendor-trustchip-express-ca306/1',
      protocol: 'svc.verify.chip-proof/1',
      verifier: 'svc.verify',
    };
    expect(await issue()).toEqual({ status: 201, text: JSON.stringify(expected) });
  });

  it('is stored under the hash of its nonce', async () => {
    rule('challenge.nonce-hash-only', 'challenge.no-side-effects');
    await issue();
    expect(await findRow()).toMatchObject({
      state: 'stored',
      challenge: { machineId: BigInt(MACHINE_ID), chainId: 31_337, expiresAt: WORLD.now + 270, consumedBy: undefined },
    });
  });

  it('stores the hash of its nonce and no evidence, within the caps of 5 per machine and 10,000 in total', async () => {
    rule('challenge.nonce-hash-only', 'challenge.no-side-effects', 'limits.challenge');
    const stored: unknown[] = [];
    const records = await harness.store.listEvidenceRecords(undefined, 2);
    const insertChallenge = harness.store.insertChallenge.bind(harness.store);
    Object.assign(harness.ctx.store, {
      insertChallenge: (...given: Parameters<typeof insertChallenge>) => (
        stored.push(given),
        insertChallenge(...given)
      ),
    });
    expect(await judge()).toBe('201');
    const challenge = {
      nonceHash: nonceHashOf(toHex(NONCE)),
      machineId: BigInt(MACHINE_ID),
      didController: WORLD.machine!.controller.toLowerCase(),
      chainId: 31_337,
      issuedAt: WORLD.now,
      expiresAt: WORLD.now + 270,
    };
    expect(stored).toEqual([[challenge, { perMachine: 5, total: 10_000 }]]);
    expect(await harness.store.listEvidenceRecords(undefined, 2)).toEqual(records);
  });

  it('expires its lifetime after the second of its issuance', async () => {
    rule('challenge.expires-at', 'limits.challenge-lifetime');
    harness.ctx.time.milliseconds += 999;
    Object.assign(harness.ctx, { onboarding: { ...harness.ctx.onboarding!, challengeLifetimeSeconds: 60 } });
    expect(JSON.parse((await issue()).text)).toMatchObject({ expiresAt: String(WORLD.now + 60) });
  });

  it('names the owner where no controller is set', async () => {
    rule('challenge.effective-controller');
    harness.snapshot.controller = ABSENT;
    expect(JSON.parse((await issue()).text)).toMatchObject({ didController: WORLD.machine!.owner });
  });

  it('returns 201, no-store, after one chain read', async () => {
    rule('challenge.created');
    expect(await judge()).toBe('201');
    expect(harness.reads).toBe(1);
  });
});

describe('a token', () => {
  it.each<[name: string, headers: Headers]>([
    ['is missing', []],
    ['is another', [['Authorization', 'Bearer another']]],
    ['has another scheme', [['Authorization', `Basic ${WORLD.onboardingToken}`]]],
    ['is empty', [['Authorization', 'Bearer ']]],
    ['is sent twice', [AUTHORIZATION, AUTHORIZATION]],
    ['is joined with itself', [['Authorization', `${AUTHORIZATION[1]}, ${AUTHORIZATION[1]}`]]],
    ['has two blanks before it', [['Authorization', `Bearer  ${WORLD.onboardingToken}`]]],
  ])('that %s returns 401 without the body', async (_name, headers) => {
    rule('challenge.one-token', 'auth.token-first', 'auth.no-secret-echo', 'challenge-errors.auth-required');
    expect(await judge([...headers, JSON_TYPE], '')).toBe('401 ONBOARDING_AUTH_REQUIRED');
    const { headers: received } = await harness.ask('POST', CHALLENGE_PATH, [...headers, JSON_TYPE], BODY);
    expect(received['www-authenticate']).toBe('Bearer');
    expect(harness.reads).toBe(0);
  });

  it('is checked before the first byte of the body arrives', async () => {
    rule('auth.token-first');
    const headers: Headers = [JSON_TYPE, ['Content-Length', '100']];
    const { status } = await harness.ask('POST', CHALLENGE_PATH, headers, '');
    expect(status).toBe(401);
  });

  it('is checked before 100 Continue is sent', async () => {
    rule('auth.token-first');
    const { port } = new URL(harness.url);
    const head = ['POST ' + CHALLENGE_PATH + ' HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 2'];
    const { responses } = await sendRaw(Number(port), `${head.join('\r\n')}\r\n\r\n`);
    expect(responses.map(({ status, headers }) => [status, headers['connection']])).toEqual([[401, 'close']]);
  });

  it('that is missing does not count against the rate limit', async () => {
    await harness.close();
    harness = await startChipHarness(WORLD, { rateLimits: 'on' });
    for (let n = 0; n < 130; n++) expect(await judge([JSON_TYPE])).toBe('401 ONBOARDING_AUTH_REQUIRED');
    expect(await judge()).toBe('201');
  });
});

it('refuses the 121st request of a minute with 429 and no Retry-After', async () => {
  rule('limits.challenge');
  await harness.close();
  harness = await startChipHarness(WORLD, { rateLimits: 'on' });
  for (let n = 0; n < 120; n++) expect(await judge(TOKEN, '{}')).toBe('400 INVALID_REQUEST');
  expect(await judge()).toBe('429 RATE_LIMITED');
  expect((await harness.ask('POST', CHALLENGE_PATH, TOKEN, BODY)).headers['retry-after']).toBeUndefined();
});

describe('headers', () => {
  rule('challenge.headers', 'challenge-errors.not-acceptable');

  it.each<[name: string, headers: Headers, expected: string]>([
    ['a charset', [AUTHORIZATION, ['Content-Type', 'application/json; charset=utf-8']], '201'],
    ['a quoted charset in capitals', [AUTHORIZATION, ['Content-Type', 'Application/JSON;CHARSET="UTF-8"']], '201'],
    ['an Accept that has JSON', [...TOKEN, ['Accept', 'text/html, application/*;q=0.1']], '201'],
    ['an Accept without JSON', [...TOKEN, ['Accept', 'text/html']], '406 NOT_ACCEPTABLE'],
    ['JSON at weight 0', [...TOKEN, ['Accept', '*/*, application/json;q=0']], '406 NOT_ACCEPTABLE'],
    ['no type', [AUTHORIZATION], '400 INVALID_REQUEST'],
    ['two types', [...TOKEN, JSON_TYPE], '400 INVALID_REQUEST'],
    ['another type', [AUTHORIZATION, ['Content-Type', 'text/json']], '400 INVALID_REQUEST'],
    ['another charset', [AUTHORIZATION, ['Content-Type', 'application/json; charset=latin1']], '400 INVALID_REQUEST'],
    ['an encoding', [...TOKEN, ['Content-Encoding', 'identity']], '400 INVALID_REQUEST'],
  ])('with %s return %s', async (_name, headers, expected) => {
    expect(await judge(headers)).toBe(expected);
  });
});

describe('a body', () => {
  it.each<[name: string, body: string | Uint8Array]>([
    ['that is empty', ''],
    ['that is no JSON', '{"machineId":'],
    ['that is no object', `["${MACHINE_ID}"]`],
    ['with a number', `{"machineId":${MACHINE_ID}}`],
    ['with a DID', JSON.stringify({ machineId: `did:svc:${MACHINE_ID}` })],
    ['with an address', JSON.stringify({ machineId: `0x${'1'.repeat(40)}` })],
    ['with a leading zero', '{"machineId":"01"}'],
    ['with a sign', '{"machineId":"+1"}'],
    ['with a blank', '{"machineId":" 1"}'],
    ['with id 0', '{"machineId":"0"}'],
    ['with 2^256', JSON.stringify({ machineId: String(2n ** 256n) })],
    ['with another digit', '{"machineId":"١"}'],
    ['with a member twice', '{"machineId":"1","machineId":"1"}'],
    ['with a member twice, once escaped', '{"machineId":"1","machine\\u0049d":"1"}'],
    ['with a further member', '{"machineId":"1","nonce":"0x"}'],
    ['with an inherited name', '{"machineId":"1","__proto__":"1"}'],
    ['without the member', '{}'],
    ['with something after it', '{"machineId":"1"} x'],
    ['that starts with a byte-order mark', `\ufeff${BODY}`],
    ['that is no UTF-8', Buffer.concat([Buffer.from('{"machineId":"1'), Buffer.from([0xff]), Buffer.from('"}')])],
    ['of 1,025 bytes', BODY.padEnd(1_025, ' ')],
    ['of 32,768 bytes', BODY.padEnd(32_768, ' ')],
  ])('%s returns 400 without a chain read', async (_name, body) => {
    rule('challenge.body', 'challenge-errors.invalid-request');
    expect(await judge(TOKEN, body)).toBe('400 INVALID_REQUEST');
    expect(harness.reads).toBe(0);
  });

  it('of 1,024 bytes is accepted', async () => {
    rule('limits.challenge-body');
    expect(await judge(TOKEN, BODY.padEnd(1_024, ' '))).toBe('201');
  });

  it('of more than 32,768 bytes returns 413, declared or received', async () => {
    rule('challenge-errors.invalid-request');
    expect(await judge(TOKEN, BODY.padEnd(32_769, ' '))).toBe('413 REQUEST_TOO_LARGE');
    const declared: Headers = [...TOKEN, ['Content-Length', '32769']];
    expect(await judge(declared, BODY)).toBe('413 REQUEST_TOO_LARGE');
    const chunk = `${(32_769).toString(16)}\r\n${' '.repeat(32_769)}\r\n`;
    expect(await judge([...TOKEN, ['Transfer-Encoding', 'chunked']], `${chunk}0\r\n\r\n`)).toBe(
      '413 REQUEST_TOO_LARGE',
    );
  });

  it('may come in chunks', async () => {
    const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
    expect(await judge([...TOKEN, ['Transfer-Encoding', 'chunked']], chunked)).toBe('201');
  });
});

describe('the machine', () => {
  rule(
    'challenge.issuance',
    'challenge.alt-chain',
    'challenge-errors.not-found',
    'challenge-errors.deactivated',
    'challenge-errors.chain',
  );

  it.each<[name: string, snapshot: ChipHarness['snapshot'], expected: string]>([
    ['has no token here', { owner: ABSENT }, '404 MACHINE_NOT_FOUND'],
    ['has no token here and relocates', { owner: ABSENT, relocating: present(true) }, '404 MACHINE_NOT_FOUND'],
    ['is homed on the alt chain', { owner: ABSENT, homeOrdinal: present(5) }, '404 MACHINE_NOT_FOUND'],
    ['relocates', { relocating: present(true) }, '503 CHAIN_UNAVAILABLE'],
    ['has a token here and a home elsewhere', { homeOrdinal: present(5) }, '503 CHAIN_UNAVAILABLE'],
    ['has an unreadable owner', { owner: unreadable('undecodable') }, '503 CHAIN_UNAVAILABLE'],
    ['has an unreadable controller', { controller: unreadable('undecodable') }, '503 CHAIN_UNAVAILABLE'],
    ['is deactivated', { generalPaused: present(true) }, '409 MACHINE_DEACTIVATED'],
  ])('that %s returns %s', async (_name, snapshot, expected) => {
    Object.assign(harness.snapshot, snapshot);
    expect(await judge()).toBe(expected);
    expect(await findRow()).toEqual({ state: 'gone', isDocumentAccepted: false });
  });
});

describe('open challenges', () => {
  it('are limited to five of one machine', async () => {
    rule('challenge.issuance', 'challenge-errors.rate-limited', 'limits.challenge');
    distinctNonces();
    for (let n = 0; n < 5; n++) expect(await judge()).toBe('201');
    expect(await judge()).toBe('429 RATE_LIMITED');
    harness.ctx.time.milliseconds += 270_000;
    expect(await judge()).toBe('201');
  });
});

describe('the clock', () => {
  it.each([
    ['before 2024', 1_704_067_199_999],
    ['not a number', Number.NaN],
  ])('returns 503 when it is %s', async (_name, milliseconds) => {
    harness.ctx.time.milliseconds = milliseconds;
    expect(await judge()).toBe('503 VERIFY_CLOCK_INVALID');
  });

  it('may be set back by 30 seconds and no more', async () => {
    rule('challenge-errors.clock');
    distinctNonces();
    const clock = createTrustedClock(harness.ctx.clock, { nowMilliseconds: () => 0 });
    Object.assign(harness.ctx, { trustedClock: clock });
    expect(await judge()).toBe('201');
    harness.ctx.time.milliseconds -= 30_000;
    expect(await judge()).toBe('201');
    harness.ctx.time.milliseconds -= 1;
    expect(await judge()).toBe('503 VERIFY_CLOCK_INVALID');
  });
});

it('returns 503 when the store cannot write', async () => {
  rule('challenge-errors.store');
  await harness.close();
  harness = await startChipHarness({ ...WORLD, store: 'unavailable' });
  expect(await judge()).toBe('503 VERIFY_STORE_UNAVAILABLE');
});

it('distinguishes a store that does not respond from a chain that does not respond', async () => {
  rule('challenge-errors.store');
  await harness.close();
  harness = await startChipHarness(WORLD, { deadlineMilliseconds: { 'chip-challenge': 1_000 } });
  Object.assign(harness.ctx.store, { insertChallenge: () => new Promise(() => undefined) });
  expect(await judge()).toBe('503 VERIFY_STORE_UNAVAILABLE');
  Object.assign(harness.ctx.main!.chain, { readMachineUncached: () => new Promise(() => undefined) });
  expect(await judge()).toBe('503 CHAIN_UNAVAILABLE');
});

it('returns 401 to every caller without configured onboarding tokens', async () => {
  rule('auth.onboarding-token');
  await harness.close();
  harness = await startChipHarness({ ...WORLD, onboardingToken: 'x' });
  Object.assign(harness.ctx, { onboarding: undefined });
  expect(await judge()).toBe('401 ONBOARDING_AUTH_REQUIRED');
});

describe.each([
  ['/v1/verify/machines/1', 'GET'],
  [CHALLENGE_PATH, 'POST'],
  [EVIDENCE_PATH, 'POST'],
])('a request to %s', (path, allow) => {
  it.each([...METHODS.filter((method) => method !== allow), 'FOO'])('returns 405 for %s', async (method) => {
    rule('challenge-errors.method');
    const { status, headers } = await harness.ask(method, path, [], '');
    expect([status, headers['allow'], headers['pragma']]).toEqual([405, allow, 'no-cache']);
  });
});

it('returns 405 for a method other than POST', async () => {
  const { status, headers } = await harness.ask('GET', CHALLENGE_PATH, [], '');
  expect([status, headers['allow']]).toEqual([405, 'POST']);
});

/** Each entry fails one step of evidence 4, in order. A request that fails two neighboring steps gets the error of the first. */
const STEPS: readonly [expected: string, apply: (request: Request) => void][] = [
  ['404 VERIFY_ROUTE_NOT_FOUND', (request) => (request.path += 's')],
  ['405 METHOD_NOT_ALLOWED', (request) => (request.method = 'PUT')],
  ['401 ONBOARDING_AUTH_REQUIRED', (request) => request.headers.splice(0, 1)],
  ['406 NOT_ACCEPTABLE', (request) => request.headers.push(['Accept', 'text/html'])],
  ['400 INVALID_REQUEST', (request) => request.headers.push(['Content-Encoding', 'gzip'])],
  ['413 REQUEST_TOO_LARGE', (request) => (request.body = request.body.padEnd(40_000, ' '))],
  ['400 INVALID_REQUEST', (request) => (request.body = `x${request.body}`)],
  ['404 MACHINE_NOT_FOUND', () => (harness.snapshot.owner = ABSENT)],
  ['503 CHAIN_UNAVAILABLE', () => (harness.snapshot.relocating = present(true))],
  ['409 MACHINE_DEACTIVATED', () => (harness.snapshot.generalPaused = present(true))],
  ['503 VERIFY_CLOCK_INVALID', () => (harness.ctx.time.milliseconds = 0)],
];
interface Request {
  method: string;
  path: string;
  headers: (readonly [string, string])[];
  body: string;
}

it.each(STEPS.slice(1).map((later, k) => [STEPS[k]![0], later[0], STEPS[k]![1], later[1]] as const))(
  'reports %s before %s',
  async (expected, _later, first, second) => {
    const request: Request = { method: 'POST', path: CHALLENGE_PATH, headers: [...TOKEN], body: BODY };
    second(request);
    first(request);
    expect(await harness.judge(request.method, request.path, request.headers, request.body)).toBe(expected);
  },
);

it('returns 500 for an unexpected error', async () => {
  rule('challenge-errors.internal');
  Object.assign(harness.ctx.main!.chain, { readMachineUncached: () => Promise.reject(new TypeError('secret')) });
  expect(await judge()).toBe('500 INTERNAL_ERROR');
});

it('returns 503 when the chain cannot be read', async () => {
  Object.assign(harness.ctx.main!.chain, {
    readMachineUncached: () => Promise.reject(chainUnreadable('main', 'deadline')),
  });
  expect(await judge()).toBe('503 CHAIN_UNAVAILABLE');
});
