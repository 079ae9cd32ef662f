/** What does a request for a challenge get? (interface, Chip challenge; evidence 2, 4, 12 and 13.) */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vectorNamespace, worldOf } from '../testing/fixtures/evidence-vectors.ts';
import { nonceHashOf, toHex } from '../src/domain/evidence/signed-bytes.ts';
import { chainUnreadable } from '../src/domain/faults.ts';
import {
  CHALLENGE_PATH,
  jsonHeaders,
  NONCE,
  startChipScene,
  type ChipScene,
  type Headers,
} from '../testing/harness/chip-service.ts';
import { sendRaw } from '../testing/harness/raw-http.ts';
import { rule } from './conformance/rule.ts';

const WORLD = worldOf({ world: { challenge: { consumedBy: `0x${'1'.repeat(64)}` } } });
const MACHINE_ID = WORLD.machine!.machineId;
const BODY = JSON.stringify({ machineId: MACHINE_ID });
const TOKEN = jsonHeaders(WORLD.onboardingToken);
const AUTHORIZATION = TOKEN[0]!;
const JSON_TYPE = TOKEN[1]!;

let scene: ChipScene;
beforeEach(async () => {
  scene = await startChipScene(WORLD);
});
afterEach(() => scene.close());

const judge = (headers: Headers = TOKEN, body: string | Uint8Array = BODY) =>
  scene.judge('POST', CHALLENGE_PATH, headers, body);
const issue = async () => {
  const { status, text } = await scene.ask('POST', CHALLENGE_PATH, TOKEN, BODY);
  return { status, text };
};

/** The row of the challenge that `NONCE` was made for. */
const findRow = () => scene.store.findChallenge(nonceHashOf(toHex(NONCE)), `0x${'0'.repeat(64)}`);
const distinctNonces = () => {
  let next = 0;
  const chip = { ...scene.ctx.onboarding!, createNonce: () => new Uint8Array(32).fill(++next) };
  Object.assign(scene.ctx, { onboarding: chip });
};

describe('a challenge', () => {
  it('is nine texts and no tenth', async () => {
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

  it('is kept by the hash of its nonce', async () => {
    rule('challenge.nonce-hash-only', 'challenge.no-side-effects');
    await issue();
    expect(await findRow()).toMatchObject({
      state: 'kept',
      challenge: { machineId: BigInt(MACHINE_ID), chainId: 31_337, expiresAt: WORLD.now + 270, consumedBy: undefined },
    });
  });

  it('leaves no more than it needs: the hash of its nonce, five for a machine and ten thousand in all', async () => {
    rule('challenge.nonce-hash-only', 'challenge.no-side-effects', 'limits.challenge');
    const kept: unknown[] = [];
    const intakes = await scene.store.listEvidenceRecords(undefined, 2);
    const insertChallenge = scene.store.insertChallenge.bind(scene.store);
    Object.assign(scene.ctx.store, {
      insertChallenge: (...given: Parameters<typeof insertChallenge>) => (kept.push(given), insertChallenge(...given)),
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
    expect(kept).toEqual([[challenge, { perMachine: 5, inAll: 10_000 }]]);
    expect(await scene.store.listEvidenceRecords(undefined, 2)).toEqual(intakes);
  });

  it('ends so many whole seconds after the second of its issue', async () => {
    rule('challenge.expires-at', 'limits.challenge-lifetime');
    scene.ctx.time.milliseconds += 999;
    Object.assign(scene.ctx, { onboarding: { ...scene.ctx.onboarding!, challengeLifetimeSeconds: 60 } });
    expect(JSON.parse((await issue()).text)).toMatchObject({ expiresAt: String(WORLD.now + 60) });
  });

  it('is for the owner where no controller is set', async () => {
    rule('challenge.effective-controller');
    scene.snapshot.controller = { state: 'absent' };
    expect(JSON.parse((await issue()).text)).toMatchObject({ didController: WORLD.machine!.owner });
  });

  it('is answered without a cache, and reads the chain once', async () => {
    rule('challenge.created');
    expect(await judge()).toBe('201');
    expect(scene.reads).toBe(1);
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
  ])('that %s: 401, and nothing of the body is needed', async (_name, headers) => {
    rule('challenge.one-token', 'auth.token-first', 'auth.no-secret-echo', 'challenge-errors.auth-required');
    expect(await judge([...headers, JSON_TYPE], '')).toBe('401 ONBOARDING_AUTH_REQUIRED');
    const { headers: answered } = await scene.ask('POST', CHALLENGE_PATH, [...headers, JSON_TYPE], BODY);
    expect(answered['www-authenticate']).toBe('Bearer');
    expect(scene.reads).toBe(0);
  });

  it('is judged before a byte of the body has come', async () => {
    rule('auth.token-first');
    const headers: Headers = [JSON_TYPE, ['Content-Length', '100']];
    const { status } = await scene.ask('POST', CHALLENGE_PATH, headers, '');
    expect(status).toBe(401);
  });

  it('is judged before the body is asked for', async () => {
    rule('auth.token-first');
    const { port } = new URL(scene.url);
    const head = ['POST ' + CHALLENGE_PATH + ' HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 2'];
    const { responses: answers } = await sendRaw(Number(port), `${head.join('\r\n')}\r\n\r\n`);
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[401, 'close']]);
  });

  it('without which nothing counts against the rate', async () => {
    await scene.close();
    scene = await startChipScene(WORLD, { rateLimits: 'on' });
    for (let n = 0; n < 130; n++) expect(await judge([JSON_TYPE])).toBe('401 ONBOARDING_AUTH_REQUIRED');
    expect(await judge()).toBe('201');
  });
});

it('120 requests a minute are taken, and the next is refused without Retry-After', async () => {
  rule('limits.challenge');
  await scene.close();
  scene = await startChipScene(WORLD, { rateLimits: 'on' });
  for (let n = 0; n < 120; n++) expect(await judge(TOKEN, '{}')).toBe('400 INVALID_REQUEST');
  expect(await judge()).toBe('429 RATE_LIMITED');
  expect((await scene.ask('POST', CHALLENGE_PATH, TOKEN, BODY)).headers['retry-after']).toBeUndefined();
});

describe('headers', () => {
  rule('challenge.headers', 'challenge-errors.not-acceptable');

  it.each<[name: string, headers: Headers, answer: string]>([
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
  ])('%s: %s', async (_name, headers, answer) => {
    expect(await judge(headers)).toBe(answer);
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
    ['that begins with a mark of byte order', `\ufeff${BODY}`],
    ['that is no UTF-8', Buffer.concat([Buffer.from('{"machineId":"1'), Buffer.from([0xff]), Buffer.from('"}')])],
    ['of 1,025 bytes', BODY.padEnd(1_025, ' ')],
    ['of 32,768 bytes', BODY.padEnd(32_768, ' ')],
  ])('%s: 400, and the chain is not read', async (_name, body) => {
    rule('challenge.body', 'challenge-errors.invalid-request');
    expect(await judge(TOKEN, body)).toBe('400 INVALID_REQUEST');
    expect(scene.reads).toBe(0);
  });

  it('of 1,024 bytes is taken', async () => {
    rule('limits.challenge-body');
    expect(await judge(TOKEN, BODY.padEnd(1_024, ' '))).toBe('201');
  });

  it('of more than 32,768 bytes is too large, declared or received', async () => {
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

  it.each<[name: string, snapshot: ChipScene['snapshot'], answer: string]>([
    ['has no token here', { owner: { state: 'absent' } }, '404 MACHINE_NOT_FOUND'],
    [
      'has no token here and relocates',
      { owner: { state: 'absent' }, relocating: { state: 'present', value: true } },
      '404 MACHINE_NOT_FOUND',
    ],
    [
      'lives on the alt chain',
      { owner: { state: 'absent' }, homeOrdinal: { state: 'present', value: 5 } },
      '404 MACHINE_NOT_FOUND',
    ],
    ['relocates', { relocating: { state: 'present', value: true } }, '503 CHAIN_UNAVAILABLE'],
    ['has a token here and a home elsewhere', { homeOrdinal: { state: 'present', value: 5 } }, '503 CHAIN_UNAVAILABLE'],
    ['has an unreadable owner', { owner: { state: 'unreadable', cause: 'undecodable' } }, '503 CHAIN_UNAVAILABLE'],
    [
      'has an unreadable controller',
      { controller: { state: 'unreadable', cause: 'undecodable' } },
      '503 CHAIN_UNAVAILABLE',
    ],
    ['is deactivated', { generalPaused: { state: 'present', value: true } }, '409 MACHINE_DEACTIVATED'],
  ])('%s: %s', async (_name, snapshot, answer) => {
    Object.assign(scene.snapshot, snapshot);
    expect(await judge()).toBe(answer);
    expect(await findRow()).toEqual({ state: 'gone', isDocumentAccepted: false });
  });
});

describe('open challenges', () => {
  it('are five of a machine', async () => {
    rule('challenge.issuance', 'challenge-errors.rate-limited', 'limits.challenge');
    distinctNonces();
    for (let n = 0; n < 5; n++) expect(await judge()).toBe('201');
    expect(await judge()).toBe('429 RATE_LIMITED');
    scene.ctx.time.milliseconds += 270_000;
    expect(await judge()).toBe('201');
  });
});

describe('a clock', () => {
  it.each([
    ['before 2024', 1_704_067_199_999],
    ['that is no number', Number.NaN],
  ])('%s: 503', async (_name, milliseconds) => {
    scene.ctx.time.milliseconds = milliseconds;
    expect(await judge()).toBe('503 VERIFY_CLOCK_INVALID');
  });

  it('may be set back by 30 seconds', async () => {
    rule('challenge-errors.clock');
    distinctNonces();
    expect(await judge()).toBe('201');
    scene.ctx.time.milliseconds -= 30_000;
    expect(await judge()).toBe('201');
    scene.ctx.time.milliseconds -= 1;
    expect(await judge()).toBe('503 VERIFY_CLOCK_INVALID');
  });
});

it('a store that cannot keep it: 503', async () => {
  rule('challenge-errors.store');
  await scene.close();
  scene = await startChipScene({ ...WORLD, store: 'unavailable' });
  expect(await judge()).toBe('503 VERIFY_STORE_UNAVAILABLE');
});

it('a store that does not answer is not taken for the chain: 503', async () => {
  rule('challenge-errors.store');
  await scene.close();
  scene = await startChipScene(WORLD, { deadlineMilliseconds: { 'chip-challenge': 1_000 } });
  Object.assign(scene.ctx.store, { insertChallenge: () => new Promise(() => undefined) });
  expect(await judge()).toBe('503 VERIFY_STORE_UNAVAILABLE');
  Object.assign(scene.ctx.main!.chain, { readMachineUncached: () => new Promise(() => undefined) });
  expect(await judge()).toBe('503 CHAIN_UNAVAILABLE');
});

it('without onboarding tokens everyone is refused', async () => {
  rule('auth.onboarding-token');
  await scene.close();
  scene = await startChipScene({ ...WORLD, onboardingToken: 'x' });
  Object.assign(scene.ctx, { onboarding: undefined });
  expect(await judge()).toBe('401 ONBOARDING_AUTH_REQUIRED');
});

it('a method other than POST: 405', async () => {
  const { status, headers } = await scene.ask('GET', CHALLENGE_PATH, [], '');
  expect([status, headers['allow']]).toEqual([405, 'POST']);
});

/** Each breaks one step of evidence 4, in its order; whoever breaks two neighbours is told of the first. */
const STEPS: readonly [answer: string, apply: (request: Request) => void][] = [
  ['404 VERIFY_ROUTE_NOT_FOUND', (request) => (request.path += 's')],
  ['405 METHOD_NOT_ALLOWED', (request) => (request.method = 'PUT')],
  ['401 ONBOARDING_AUTH_REQUIRED', (request) => request.headers.splice(0, 1)],
  ['406 NOT_ACCEPTABLE', (request) => request.headers.push(['Accept', 'text/html'])],
  ['400 INVALID_REQUEST', (request) => request.headers.push(['Content-Encoding', 'gzip'])],
  ['413 REQUEST_TOO_LARGE', (request) => (request.body = request.body.padEnd(40_000, ' '))],
  ['400 INVALID_REQUEST', (request) => (request.body = `x${request.body}`)],
  ['404 MACHINE_NOT_FOUND', () => (scene.snapshot.owner = { state: 'absent' })],
  ['503 CHAIN_UNAVAILABLE', () => (scene.snapshot.relocating = { state: 'present', value: true })],
  ['409 MACHINE_DEACTIVATED', () => (scene.snapshot.generalPaused = { state: 'present', value: true })],
  ['503 VERIFY_CLOCK_INVALID', () => (scene.ctx.time.milliseconds = 0)],
];
interface Request {
  method: string;
  path: string;
  headers: (readonly [string, string])[];
  body: string;
}

it.each(STEPS.slice(1).map((later, k) => [STEPS[k]![0], later[0], STEPS[k]![1], later[1]] as const))(
  '%s comes before %s',
  async (answer, _later, first, second) => {
    const request: Request = { method: 'POST', path: CHALLENGE_PATH, headers: [...TOKEN], body: BODY };
    second(request);
    first(request);
    expect(await scene.judge(request.method, request.path, request.headers, request.body)).toBe(answer);
  },
);

it('anything unforeseen: 500', async () => {
  rule('challenge-errors.internal');
  Object.assign(scene.ctx.main!.chain, { readMachineUncached: () => Promise.reject(new TypeError('secret')) });
  expect(await judge()).toBe('500 INTERNAL_ERROR');
});

it('nobody is told of a challenge whose chain could not be read', async () => {
  Object.assign(scene.ctx.main!.chain, { readMachineUncached: () => Promise.reject(chainUnreadable('main', 'deadline')) });
  expect(await judge()).toBe('503 CHAIN_UNAVAILABLE');
});
