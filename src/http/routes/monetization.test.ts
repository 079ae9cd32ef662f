/** Monetization routes on a frozen clock, with a fake chain and a real store. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conformanceOfApp, type OpenapiConformance } from '../../../testing/harness/openapi-conformance.ts';
import { createStubCtx, type StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { buildApp, type AppOptions } from '../../app.ts';
import { Fault } from '../../domain/faults.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import {
  ALT,
  ALT_OWNER,
  CONTROLLER,
  DEPLOYMENT,
  ELIGIBLE,
  ID,
  membersOf,
  messageOf,
  NO_GLOBALS,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  STRANGER,
  UNREADABLE,
} from '../../../testing/fixtures/deciding-machines.ts';
import type { MainChainPorts } from '../../ports/ctx.ts';
import type { CachedMachine } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';
import { listApplied } from '../../../testing/contracts/store/samples.ts';
import { ABSENT, present } from '../../domain/read-result.ts';

const PATH = `/machine/${ID}/monetization`;
const BLOCK = { number: 120_340, hash: `0x${'b1'.repeat(32)}`, timestamp: NOW - 3 };

let facts: Partial<MachineSnapshot>;
let globals: typeof NO_GLOBALS;
let readNow: (read: CachedMachine) => Promise<CachedMachine>;
let reads: number;
let store: Store;
let ctx: StubCtx;
let app: FastifyInstance | undefined;
let conformance: OpenapiConformance;

const readFacts = (): CachedMachine => ({
  snapshot: {
    id: ID,
    block: BLOCK,
    ...ELIGIBLE,
    relocating: present(false),
    homeOrdinal: present(1),
    ...facts,
  } as MachineSnapshot,
  deployment: { localOrdinal: 1, ...globals } as DeploymentFacts,
});

async function build(options: AppOptions = {}, isInitialised = true): Promise<void> {
  const chain = {
    chainId: Number(DEPLOYMENT.chainId),
    machineRegistry: DEPLOYMENT.registry,
    getCached: () => ((reads += 1), readFacts()),
    readMachineUncached: () => ((reads += 1), readNow(readFacts())),
  };
  const main = isInitialised ? ({ chain } as unknown as MainChainPorts) : undefined;
  await app?.close();
  ctx = createStubCtx({ store, main });
  app = await buildApp(ctx, { rateLimits: 'off', ...options });
  conformance = await conformanceOfApp(app, ctx);
}

beforeEach(async () => {
  facts = {};
  globals = NO_GLOBALS;
  readNow = async (read) => read;
  reads = 0;
  store = await createMemoryStore();
  await build();
});
afterEach(async () => {
  await app!.close();
  app = undefined;
  await store.close();
});

/** Returns status and code, or the body where it has no code, and checks the response against the OpenAPI document. */
async function send(method: 'GET' | 'PUT' | 'HEAD', path: string, payload?: string | object): Promise<string> {
  const {
    statusCode: status,
    headers,
    body: text,
  } = await app!.inject({
    method,
    url: path,
    ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  conformance.expectDocumented(method, path, { status, headers, text });
  const code = (JSON.parse(text || '{}') as { detail?: { code?: string } }).detail?.code;
  return `${status} ${code ?? text}`;
}

const put = (payload: string | object = membersOf(OPT_IN), path = PATH) => send('PUT', path, payload);

const stateOf = (status: string, signer: string, updatedAt: number) =>
  `200 {"machine_id":"42","status":"${status}","signer":"${signer}","updated_at":${updatedAt},"signer_is_current":true}`;
const OWNER_SHOWN = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const PENDING = '200 {"machine_id":"42","status":"PENDING","signer":null,"updated_at":null,"signer_is_current":null}';

describe('the well-known document', () => {
  const WELL_KNOWN = '/.well-known/svc-monetization';

  test('contains what clients compare, and reads no chain', async () => {
    rule('monetization.well-known');
    expect(await send('GET', WELL_KNOWN)).toBe(
      '200 {"version":"tokenomics-2.0-monetization-v1","chain_id":"31337","registry":"0x00000000000000000000000000000000000000aa"}',
    );
    expect(reads).toBe(0);
  });

  test('supports HEAD and no writing method', async () => {
    expect(await send('HEAD', WELL_KNOWN)).toBe('200 ');
    expect(await send('PUT', WELL_KNOWN, {})).toBe('405 {"detail":"Method Not Allowed"}');
  });
});

test('returns 503 when not initialised, bare for the well-known document and coded for the others, after 4xx of malformed input', async () => {
  await build({}, false);
  expect([
    await send('GET', '/.well-known/svc-monetization'),
    await send('GET', PATH),
    await put(),
    await put({}),
    await put('{'),
    await put(membersOf(OPT_IN), '/machine/x/monetization'),
  ]).toEqual([
    '503 {"detail":"Service not initialised"}',
    '503 CHAIN_UNAVAILABLE',
    '503 CHAIN_UNAVAILABLE',
    '400 INVALID_REQUEST',
    expect.stringMatching(/^422 /),
    '400 INVALID_REQUEST',
  ]);
});

describe('a decision', () => {
  test('of the specification example is applied, stored whole and returned', async () => {
    rule('monetization.main-message');
    const signature =
      '0x601f9a7f25c756d37132371e2d3d3aa36d871cc3946b8b42aac039f0aadc9f717bc0e5a5d86fd41ab79cdeedb630ad380f8b42259c96fb4e195a1d327c658a691c';
    expect(await send('GET', PATH)).toBe(PENDING);
    const applied = stateOf('OPTED_IN', OWNER_SHOWN, NOW);
    expect(await put(`{"opted_in":true,"timestamp":${NOW},"signature":"${signature}"}`)).toBe(applied);
    expect(await send('GET', PATH)).toBe(applied);
    expect(await send('GET', '/machine/did%3Asvc%3A42/monetization')).toBe(applied);
    const authority = {
      owner: OWNER.address,
      controller: CONTROLLER.address,
      block: { number: BLOCK.number, hash: BLOCK.hash },
      slot: undefined,
    };
    const message = Buffer.from(messageOf(OPT_IN)).toString();
    expect(await listApplied(store, ID)).toEqual([
      { ...OPT_IN, signer: OWNER.address, signature, message, authority, appliedAtMilliseconds: 1000 * NOW },
    ]);
  });

  test('of the controller has equal weight; the newer one is in force', async () => {
    await put();
    const later = { ...OPT_OUT, timestamp: NOW + 1 };
    const members = { opted_in: false, timestamp: NOW + 1, signature: CONTROLLER.sign(messageOf(later)) };
    expect(await put(members, '/machine/did:svc:42/monetization')).toMatch(/^200 .*"OPTED_OUT"/);
    expect(await store.readDecision(ID)).toEqual({ ...later, signer: CONTROLLER.address });
  });

  test('is no-store and names its block', async () => {
    const { headers } = await app!.inject({ method: 'PUT', url: PATH, payload: membersOf(OPT_IN) });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'chain-block': '120340', 'chain-block-age': '3' });
  });

  test('may have unknown members and any media type', async () => {
    expect(await put({ ...membersOf(OPT_IN), note: [{}] })).toMatch(/^200/);
    const text = { method: 'PUT', url: PATH, headers: { 'content-type': 'text/plain' } } as const;
    const later = membersOf({ ...OPT_IN, timestamp: NOW + 1 });
    expect((await app!.inject({ ...text, payload: JSON.stringify(later) })).statusCode).toBe(200);
  });

  test.each([
    [-301, '409 STALE_SIGNATURE'],
    [-300, '200'],
    [30, '200'],
    [31, '409 STALE_SIGNATURE'],
  ])('signed at %i s from now returns %s', async (offset, response) => {
    expect(await put(membersOf({ ...OPT_IN, timestamp: NOW + offset }))).toContain(response);
  });

  test('is applied once: a replay and an opposite decision of the same second are stale', async () => {
    rule('opt-in.strictly-newer', 'monetization-errors.stale-signature');
    await put();
    expect([await put(), await put(membersOf(OPT_OUT))]).toEqual(['409 STALE_SIGNATURE', '409 STALE_SIGNATURE']);
    expect(await listApplied(store, ID)).toHaveLength(1);
  });
});

describe('the machine key', () => {
  test.each([
    '0',
    '007',
    '+42',
    '42.0',
    'did:svc:0',
    'did:svc:042',
    'did:web:42',
    'DID:svc:42',
    '%2042',
    '%FF',
    String(2n ** 256n),
    OWNER_SHOWN,
    `did:svc:${OWNER_SHOWN}`,
  ])('rejects %s', async (key) => {
    rule('monetization.key-form', 'monetization-errors.invalid-request', 'limits.id-range');
    const path = `/machine/${key}/monetization`;
    expect([await send('GET', path), await put('{', path)]).toEqual(['400 INVALID_REQUEST', '400 INVALID_REQUEST']);
  });

  test('returns the decimal-DID message for an address', async () => {
    const { body } = await app!.inject(`/machine/did:svc:${OWNER_SHOWN}/monetization`);
    expect(body).toContain('Only decimal machine DIDs are supported');
  });
});

describe('the body', () => {
  test.each([
    ['nothing', ''],
    ['not JSON', 'opted_in=true'],
    ['a truncated object', '{"opted_in":true'],
    ['two values', '{}{}'],
    ['NaN', '{"timestamp":NaN}'],
    ['a byte-order mark', '\uFEFF{}'],
    ['truncated 33 levels deep', '['.repeat(33)],
    ['truncated at the maximum depth', '{"a":'.repeat(800)],
  ])('that is %s returns the 422 list', async (_name, text) => {
    rule('envelope.invalid-json', 'monetization-errors.invalid-json');
    const response = await put(text);
    expect(response).toMatch(/^422 \{"detail":\[\{"type":"json_invalid","loc":\["body",\d+\]/);
    expect(response).not.toContain('"code"');
  });

  test.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"opted_in"'],
    ['a number', '1e9'],
    ['a repeated member', `{"opted_in":true,${JSON.stringify(membersOf(OPT_OUT)).slice(1)}`],
    ['a repeated unknown member', JSON.stringify(membersOf(OPT_IN)).replace('{', '{"a":1,"a":1,')],
    ['a lone surrogate', JSON.stringify(membersOf(OPT_IN)).replace('{', '{"a":"\\ud800",')],
    ['33 levels deep', `${'['.repeat(33)}${']'.repeat(33)}`],
  ])('that is %s returns INVALID_REQUEST', async (_name, text) => {
    expect(await put(text)).toBe('400 INVALID_REQUEST');
  });

  test.each([
    ['a repeated member', '{"a":1,"a":1}', 'with each member once'],
    ['a lone surrogate', '{"a":"\\ud800"}', 'half of a surrogate pair'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, 'more than 32 levels deep'],
  ])('names the cause for %s', async (_name, text, cause) => {
    const { body } = await app!.inject({ method: 'PUT', url: PATH, payload: text });
    expect(JSON.parse(body).detail.message).toContain(cause);
  });

  test('is read up to 4,096 bytes', async () => {
    const pad = (length: number) => JSON.stringify(membersOf(OPT_IN)).padEnd(length, ' ');
    expect([await put(pad(4097)), await put(pad(4096))]).toEqual([
      '413 REQUEST_TOO_LARGE',
      stateOf('OPTED_IN', OWNER_SHOWN, NOW),
    ]);
  });

  const WRONG = [null, true, 0, 1, -1, 1.5, 2 ** 53, '', 'true', `${NOW}`, '0x', [], {}, [NOW], { a: 1 }];
  const soundFor = (member: string, value: unknown) => member === 'opted_in' && value === true;

  test.each(['opted_in', 'timestamp', 'signature', 'signer_pubkey'])(
    'with a wrong %s returns INVALID_REQUEST',
    async (member) => {
      rule('monetization.opted-in-boolean', 'monetization.signer-pubkey-form', 'monetization-errors.invalid-request');
      const wrong = WRONG.filter((value) => !soundFor(member, value) && !(member === 'timestamp' && value === 1));
      for (const value of wrong)
        expect([value, await put({ ...membersOf(OPT_IN), [member]: value })]).toEqual([value, '400 INVALID_REQUEST']);
      if (member === 'signer_pubkey') return;
      const rest = Object.entries(membersOf(OPT_IN, ALT)).filter(([name]) => name !== member);
      expect(await put(Object.fromEntries(rest))).toBe('400 INVALID_REQUEST');
    },
  );

  test.each([`${NOW}.0`, `${NOW / 1000}e3`, `${NOW}.5`, '1e9', '9007199254740992', '0', '-5', `0${NOW}`])(
    'with a timestamp written as %s returns INVALID_REQUEST',
    async (text) => {
      rule('monetization.timestamp-integer');
      const body = JSON.stringify(membersOf(OPT_IN)).replace(String(NOW), text);
      expect(await put(body)).toMatch(text.startsWith('0') && text !== '0' ? /^422/ : /^400 INVALID_REQUEST$/);
    },
  );

  test.each([
    ['129 digits', (signature: string) => signature.slice(0, -1)],
    ['131 digits', (signature: string) => `${signature}0`],
    ['no 0x', (signature: string) => signature.slice(2)],
    ['a non-hex letter', (signature: string) => `${signature.slice(0, -1)}g`],
  ])('with a signature of %s returns INVALID_REQUEST', async (_name, spoil) => {
    rule('monetization.signature-form');
    const signature = spoil(membersOf(OPT_IN)['signature'] as string);
    expect(await put({ ...membersOf(OPT_IN), signature })).toBe('400 INVALID_REQUEST');
  });
});

describe('the signer', () => {
  const signedOver = (deployment: Partial<typeof DEPLOYMENT>) => ({
    ...membersOf(OPT_IN),
    signature: OWNER.sign(messageOf(OPT_IN, { deployment: { ...DEPLOYMENT, ...deployment } })),
  });
  const signedFor = (decision: Partial<typeof OPT_IN>) => ({
    ...membersOf(OPT_IN),
    signature: OWNER.sign(messageOf({ ...OPT_IN, ...decision })),
  });

  test.each([
    ['a stranger', { ...membersOf(OPT_IN), signature: STRANGER.sign(messageOf(OPT_IN)) }],
    ['the owner, for another chain', signedOver({ chainId: '1' })],
    ['the owner, for another registry', signedOver({ registry: OWNER.address })],
    ['the owner, for another machine', signedFor({ machineId: (ID + 1n) as typeof ID })],
    ['the owner, for the opposite decision', signedFor({ optedIn: false })],
    ['the owner, at another second', signedFor({ timestamp: NOW - 1 })],
    ['a key of the alt chain', membersOf(OPT_IN, ALT)],
    ['the owner, beside a key of the alt chain', { ...membersOf(OPT_IN), signer_pubkey: ALT_OWNER.key }],
  ])('returns 403 when it is %s', async (_name, members) => {
    rule(
      'monetization.signer-pubkey-main-chain',
      'auth.signature-only',
      'auth.bound-to-deployment',
      'monetization-errors.unauthorized-signer',
    );
    expect(await put(members)).toBe('403 UNAUTHORIZED_SIGNER');
    expect(await store.readDecision(ID)).toBeUndefined();
  });

  test('returns 401 when it cannot be recovered', async () => {
    const signature = (membersOf(OPT_IN)['signature'] as string).replace(/..$/, '1d');
    expect(await put({ ...membersOf(OPT_IN), signature })).toBe('401 INVALID_SIGNATURE');
  });

  test('returns 403 when it was owner until the previous block', async () => {
    readNow = async ({ snapshot, deployment }) => ({
      snapshot: { ...snapshot, owner: present(STRANGER.address), controller: ABSENT },
      deployment,
    });
    expect(await put()).toBe('403 UNAUTHORIZED_SIGNER');
  });
});

describe('the machine', () => {
  const rows: readonly (readonly [
    name: string,
    facts: Partial<MachineSnapshot>,
    get: string,
    put: string,
    out: string,
  ])[] = [
    [
      'absent',
      { owner: ABSENT, homeOrdinal: present(0) },
      '404 MACHINE_NOT_FOUND',
      '404 MACHINE_NOT_FOUND',
      '404 MACHINE_NOT_FOUND',
    ],
    [
      'homed on the alt chain',
      { owner: ABSENT, homeOrdinal: present(5) },
      '409 MACHINE_HOMED_ELSEWHERE',
      '409 MACHINE_HOMED_ELSEWHERE',
      '409 MACHINE_HOMED_ELSEWHERE',
    ],
    ['relocating', { relocating: present(true) }, '503 MACHINE_UNAVAILABLE', '503 MACHINE_UNAVAILABLE', 'OUT'],
    [
      'relocating, without a token here',
      { relocating: present(true), owner: ABSENT },
      '503 MACHINE_UNAVAILABLE',
      '503 MACHINE_UNAVAILABLE',
      '503 MACHINE_UNAVAILABLE',
    ],
    ['unreadable', { owner: UNREADABLE }, '503 CHAIN_UNAVAILABLE', '503 CHAIN_UNAVAILABLE', '503 CHAIN_UNAVAILABLE'],
    ['of an unreadable controller', { controller: UNREADABLE }, PENDING, '503 CHAIN_UNAVAILABLE', 'OUT'],
    ['of an unreadable document', { document: UNREADABLE }, PENDING, 'IN', 'OUT'],
    ['unbonded', { subscriptionStatus: present('Terminated') }, PENDING, '409 MACHINE_NOT_BONDED', 'OUT'],
    ['of an unreadable bond', { subscriptionStatus: UNREADABLE }, PENDING, '503 CHAIN_UNAVAILABLE', 'OUT'],
    ['in Grace', { subscriptionStatus: present('Grace'), available: present(false) }, PENDING, 'IN', 'OUT'],
    [
      'deactivated',
      { generalPaused: present(true), available: present(false) },
      PENDING,
      '409 MACHINE_DEACTIVATED',
      'OUT',
    ],
    [
      'paused by its owner',
      { operatorPaused: present(true), available: present(false) },
      PENDING,
      '503 MACHINE_UNAVAILABLE',
      'OUT',
    ],
    [
      'paused for an upgrade',
      { technicalPaused: present(true), available: present(false) },
      PENDING,
      '503 MACHINE_UNAVAILABLE',
      'OUT',
    ],
  ];
  const resultOf = (response: string) => {
    if (response === 'IN') return stateOf('OPTED_IN', OWNER_SHOWN, NOW);
    return response === 'OUT' ? stateOf('OPTED_OUT', OWNER_SHOWN, NOW) : response;
  };

  test.each(rows)('that is %s returns its status for each request', async (name, given, read, optIn, optOut) => {
    facts = given;
    expect(await send('GET', PATH)).toBe(read);
    expect(await put()).toBe(resultOf(optIn));
    if (optIn === 'IN') return;
    expect(await store.readDecision(ID)).toBeUndefined();
    // The authority depends on the controller, and so does opting out.
    if (name !== 'of an unreadable controller') expect(await put(membersOf(OPT_OUT))).toBe(resultOf(optOut));
  });

  test.each(['generalPausedGlobal', 'technicalPausedGlobal'] as const)(
    'that is stopped with all others by %s returns its status',
    async (flag) => {
      facts = { available: present(false) };
      globals = { ...NO_GLOBALS, [flag]: true };
      expect([await put(), await put(membersOf(OPT_OUT))]).toEqual([
        '503 MACHINE_UNAVAILABLE',
        stateOf('OPTED_OUT', OWNER_SHOWN, NOW),
      ]);
    },
  );

  test('that is homed elsewhere returns its home as a number', async () => {
    rule('monetization-errors.homed-elsewhere');
    facts = { owner: ABSENT, homeOrdinal: present(3) };
    const { body } = await app!.inject(PATH);
    expect(body).toContain('"home_protocol_chain_id":3');
  });
});

describe('the order of checks', () => {
  const stale = membersOf({ ...OPT_IN, timestamp: NOW - 301 });
  const strange = { ...membersOf(OPT_IN), signature: STRANGER.sign(messageOf(OPT_IN)) };

  test('is the window before the machine, without a chain call', async () => {
    facts = { owner: ABSENT, homeOrdinal: present(0) };
    expect([await put(stale), reads]).toEqual(['409 STALE_SIGNATURE', 0]);
  });

  test('is the machine, then the signature, then the time, then the bond', async () => {
    facts = { owner: ABSENT, homeOrdinal: present(0) };
    expect(await put(strange)).toBe('404 MACHINE_NOT_FOUND');
    facts = {};
    await put();
    facts = { subscriptionStatus: present('Runoff') };
    expect(await put(strange)).toBe('403 UNAUTHORIZED_SIGNER');
    expect(await put()).toBe('409 STALE_SIGNATURE');
    expect(await put(membersOf({ ...OPT_IN, timestamp: NOW + 1 }))).toBe('409 MACHINE_NOT_BONDED');
  });

  test('is the bond, then deactivation, then the pause', async () => {
    const stopped = { generalPaused: present(true), operatorPaused: present(true), available: present(false) };
    facts = { ...stopped, subscriptionStatus: present('Terminated') };
    expect(await put()).toBe('409 MACHINE_NOT_BONDED');
    facts = stopped;
    expect(await put()).toBe('409 MACHINE_DEACTIVATED');
  });
});

describe('a failure', () => {
  test('of the store returns 500 for both methods', async () => {
    await store.close();
    expect([await send('GET', PATH), await put()]).toEqual(['500 INTERNAL_ERROR', '500 INTERNAL_ERROR']);
  });

  test('of the chain returns 503', async () => {
    readNow = async () => {
      throw new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' });
    };
    expect(await put()).toBe('503 CHAIN_UNAVAILABLE');
  });

  test('by deadline returns 503, and the decision is not applied afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await build({ deadlineMilliseconds: { general: 1 } });
    readNow = (read) => promise.then(() => read);
    expect(await put()).toBe('503 CHAIN_UNAVAILABLE');
    resolve(undefined);
    await new Promise((settled) => setImmediate(settled));
    expect(await store.readDecision(ID)).toBeUndefined();
  });

  test('by deadline while writing returns 500', async () => {
    await build({ deadlineMilliseconds: { general: 1_000 } });
    Object.assign(ctx, { store: { ...store, applyDecision: () => new Promise(() => undefined) } });
    expect(await put()).toBe('500 INTERNAL_ERROR');
  });

  test('discloses nothing of the request in log or body', async () => {
    rule('auth.no-body-echo');
    const sent = { ...membersOf(OPT_IN), signature: STRANGER.sign(messageOf(OPT_IN)) };
    const { body } = await app!.inject({ method: 'PUT', url: PATH, payload: sent });
    expect([body, JSON.stringify(ctx.lines)].join()).not.toContain(sent.signature.slice(2, 20));
    expect(ctx.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ fault: 'SignerUnauthorized', cause: 'not-entitled' }),
    );
  });
});

test('returns Allow for other methods', async () => {
  const { statusCode, headers } = await app!.inject({ method: 'DELETE', url: PATH });
  expect([statusCode, String(headers['allow']).split(', ').toSorted()]).toEqual([405, ['GET', 'HEAD', 'PUT']]);
  expect(await send('HEAD', PATH)).toBe('200 ');
});
