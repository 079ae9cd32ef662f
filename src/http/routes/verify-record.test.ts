/** Verify records on a frozen clock with a fake chain. */
import { readFileSync } from 'node:fs';
import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { conformanceOfApp, type OpenapiConformance } from '../../../testing/harness/openapi-conformance.ts';
import { createStubCtx, type StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { buildApp, type AppOptions } from '../../app.ts';
import { Fault } from '../../domain/faults.ts';
import { parseAddress, type Address, type MachineId } from '../../domain/identifiers/identifiers.ts';
import { ABSENT, present, unreadable } from '../../domain/read-result.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { AttestationRecord, VerifyStatus } from '../../domain/evidence/verify-status.ts';
import type { MainChainPorts } from '../../ports/ctx.ts';
import type { CachedMachine, MachineReadOptions } from '../../ports/main-chain.ts';

type Built = Awaited<ReturnType<typeof buildApp>>;

const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/evidence/records.json', import.meta.url), 'utf8'),
) as { cases: { kyb: VerifyStatus; chip: VerifyStatus; bodyText: string }[] };

interface VectorRecord {
  readonly machineId: string;
  readonly didController: { readonly address: string };
  readonly operator: { readonly address: string };
}
const first = JSON.parse(cases[0]!.bodyText) as VectorRecord;
const ID = first.machineId;
const PATH = `/v1/verify/machines/${ID}`;
const OPERATOR = parseAddress(first.operator.address)!;
const CONTROLLER = parseAddress(first.didController.address)!;
const STRANGER = `0x${'5'.repeat(40)}` as Address;
const NOW = 1_800_000_000;

const UNREADABLE = unreadable('undecodable');

const VERIFIED: AttestationRecord = { issuedAt: 1n, expiresAt: BigInt(NOW) + 1n, revokedAt: undefined };
const RECORDS: { readonly [S in VerifyStatus]: AttestationRecord | undefined } = {
  unverified: undefined,
  verified: VERIFIED,
  expired: { ...VERIFIED, expiresAt: BigInt(NOW) },
  revoked: { ...VERIFIED, expiresAt: 2n, revokedAt: 2n },
};

const attested = (kyb: VerifyStatus, chip: VerifyStatus, operator: Address | undefined = OPERATOR) => ({
  attestations: present({ operator, kyb: RECORDS[kyb], chip: RECORDS[chip] }),
});

const COMMON: Partial<MachineSnapshot> = {
  block: { number: 7, hash: '0x', timestamp: NOW - 3 },
  owner: present(OPERATOR),
  controller: present(CONTROLLER),
  operator: present(OPERATOR),
  relocating: present(false),
  homeOrdinal: present(1),
};

let facts: Partial<MachineSnapshot>;
let readMachine: () => CachedMachine | Promise<CachedMachine>;
let reads: number;
/** Event positions that were requested. */
let positions: number[];
let readRatingState: () => Promise<{ nextSeq: number } | undefined>;
let ctx: StubCtx;
let app: Built;
let conformance: OpenapiConformance;

const kept = (): CachedMachine => ({
  snapshot: { id: BigInt(ID), ...COMMON, ...facts } as MachineSnapshot,
  deployment: { localOrdinal: 1 } as DeploymentFacts,
});

async function build(options: AppOptions = {}): Promise<void> {
  const chain = {
    chainId: 31_337,
    getCached: () => undefined,
    readDeployment: async () => kept().deployment,
    async readMachine(_id: MachineId, { eventsFrom }: MachineReadOptions) {
      reads += 1;
      positions.push(await eventsFrom());
      return (await readMachine()).snapshot;
    },
  };
  ctx = createStubCtx({
    main: { chain } as unknown as MainChainPorts,
    store: { readRatingState } as unknown as StubCtx['store'],
    fxRates: { current: () => ({ fingerprint: 'x' }) } as unknown as StubCtx['fxRates'],
  });
  ctx.time.milliseconds = NOW * 1000;
  app = await buildApp(ctx, { rateLimits: 'off', limiterMemoryBytes: 1_000_000, ...options });
  conformance = await conformanceOfApp(app, ctx);
}

async function rebuild(options: AppOptions): Promise<void> {
  await app.close();
  await build(options);
}

beforeEach(async () => {
  facts = attested('unverified', 'unverified');
  readMachine = kept;
  reads = 0;
  positions = [];
  readRatingState = () => Promise.resolve({ nextSeq: 5 });
  await build();
});
afterEach(() => app.close());

/** Returns status and body, and checks every response against the document and evidence 2. */
async function send(options: InjectOptions = {}): Promise<[status: number, text: string]> {
  const method = (options.method ?? 'GET').toUpperCase();
  const url = typeof options.url === 'string' ? options.url : PATH;
  const { statusCode: status, headers, body: text } = await app.inject({ ...options, method: method as 'GET', url });
  conformance.expectDocumented(method, url, { status, headers, text });
  const allow = status === 405 ? { allow: 'GET' } : {};
  expect({ connection: 'keep-alive', ...headers }).toEqual({
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'content-type': 'application/json; charset=utf-8',
    'content-length': expect.stringMatching(/^\d+$/),
    date: expect.any(String),
    connection: 'keep-alive',
    ...allow,
  });
  expect(Number(headers['content-length'])).toBeLessThanOrEqual(4096);
  return [status, text];
}

/** Returns status and code of an error, whose body has only a code and a message. */
async function refusal(options: InjectOptions = {}): Promise<string> {
  const [status, text] = await send(options);
  if (status < 400) return String(status);
  const { detail, ...rest } = JSON.parse(text) as { detail: Record<string, string> };
  expect([Object.keys(rest), Object.keys(detail), typeof detail.message]).toEqual([[], ['code', 'message'], 'string']);
  return `${status} ${detail.code}`;
}

const UNAVAILABLE = '503 VERIFY_READ_UNAVAILABLE';

describe('the record', () => {
  test.each(cases)('equals the vector of kyb $kyb and chip $chip byte for byte', async ({ kyb, chip, bodyText }) => {
    rule(
      'identifier.verify-home-chain',
      'verify.members',
      'verify.chain-id',
      'verify.no-aggregate',
      'verify.body-size',
      'limits.verify-body',
    );
    facts = attested(kyb, chip);
    expect(await send()).toEqual([200, bodyText]);
  });

  test('has 16 vectors', () => {
    expect(new Set(cases.map(({ kyb, chip }) => `${kyb} ${chip}`)).size).toBe(16);
  });

  const recordOf = async () => JSON.parse((await send())[1]) as VectorRecord & { readonly verification: object };

  test('names the owner without a controller and an operator', async () => {
    facts = { ...attested('verified', 'revoked'), controller: ABSENT, operator: ABSENT };
    expect(await recordOf()).toMatchObject({
      didController: { kind: 'evm', address: first.operator.address },
      operator: { kind: 'evm', address: first.operator.address },
      verification: { kyb: { status: 'verified' }, chip: { status: 'revoked' } },
    });
  });

  test('names the operator where it differs from the owner', async () => {
    facts = { ...attested('verified', 'verified', STRANGER), operator: present(STRANGER), controller: ABSENT };
    expect(await recordOf()).toMatchObject({
      didController: { address: first.operator.address },
      operator: { address: STRANGER },
    });
  });

  test('is unverified in both topics without an attestation registry', async () => {
    rule('verify.unverified');
    facts = { attestations: ABSENT };
    expect(await send()).toEqual([200, cases[0]!.bodyText]);
  });

  test('expires by the clock, without a change on the chain', async () => {
    rule('verify.expires-by-clock');
    facts = attested('verified', 'unverified');
    const snapshot = kept();
    readMachine = () => snapshot;
    ctx.time.milliseconds += 999;
    expect((await recordOf()).verification).toEqual({ kyb: { status: 'verified' }, chip: { status: 'unverified' } });
    ctx.time.milliseconds += 1;
    expect((await recordOf()).verification).toEqual({ kyb: { status: 'expired' }, chip: { status: 'unverified' } });
  });
});

describe('without a record', () => {
  test.each<[name: string, facts: Partial<MachineSnapshot>, response: string]>([
    ['no token and no home', { owner: ABSENT, homeOrdinal: present(0) }, '404 MACHINE_NOT_FOUND'],
    ['no token, homed here', { owner: ABSENT }, '404 MACHINE_NOT_FOUND'],
    ['no token, homed on the alt chain', { owner: ABSENT, homeOrdinal: present(5) }, UNAVAILABLE],
    ['no token, homed on a third chain', { owner: ABSENT, homeOrdinal: present(9) }, UNAVAILABLE],
    ['relocating', { relocating: present(true) }, UNAVAILABLE],
    ['relocating away', { owner: ABSENT, relocating: present(true) }, UNAVAILABLE],
    ['a token, homed elsewhere', { homeOrdinal: present(5) }, UNAVAILABLE],
    ['an owner that is unreadable, or zero', { owner: UNREADABLE }, UNAVAILABLE],
    ['a controller that is unreadable', { controller: UNREADABLE }, UNAVAILABLE],
    ['an operator that is unreadable', { operator: UNREADABLE }, UNAVAILABLE],
    ['a home that is unreadable', { homeOrdinal: UNREADABLE }, UNAVAILABLE],
    ['a relocation that is unreadable', { relocating: UNREADABLE }, UNAVAILABLE],
    ['attestations that are unreadable', { attestations: UNREADABLE }, UNAVAILABLE],
    ['KYB of another operator', attested('verified', 'verified', STRANGER), UNAVAILABLE],
    [
      'KYB without an operator',
      { attestations: present({ operator: undefined, kyb: VERIFIED, chip: undefined }) },
      UNAVAILABLE,
    ],
  ])('returns its error for %s', async (_name, given, response) => {
    rule(
      'availability.relocating-verify',
      'verify-read.alt-chain',
      'verify-errors.not-found',
      'verify-errors.unavailable',
    );
    facts = { ...facts, ...given };
    expect(await refusal()).toBe(response);
  });

  test.each<[name: string, error: unknown, response: string]>([
    ['a chain that cannot be read', new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' }), UNAVAILABLE],
    ['a store that cannot be read', new Fault('StoreUnavailable', {}), UNAVAILABLE],
    ['an unexpected error', new TypeError('secret'), '500 INTERNAL_ERROR'],
  ])('returns its error for %s', async (_name, error, response) => {
    readMachine = () => Promise.reject(error);
    expect(await refusal()).toBe(response);
  });

  test('returns 503 when the chain does not respond within 3.5 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await rebuild({});
    const queries = new Promise<void>((resolve) => {
      readMachine = () => (resolve(), new Promise(() => undefined));
    });
    let isAnswered = false;
    const response = refusal().finally(() => (isAnswered = true));
    await queries;
    vi.advanceTimersByTime(3_499);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    vi.advanceTimersByTime(101);
    expect(await response).toBe(UNAVAILABLE);
  });
});

describe('the order of checks', () => {
  rule('verify-read.id-form', 'verify-errors.invalid-id', 'limits.id-range');
  const json = { accept: 'application/json' };
  const html = { accept: 'text/html' };
  const body = { 'content-length': '2', ...json };

  /** Each request also violates every later check. */
  test.each<[response: string, name: string, options: InjectOptions]>([
    ['404 VERIFY_ROUTE_NOT_FOUND', 'no such path', { method: 'POST', url: '/v1/verify/machine/0?a=b', headers: html }],
    ['404 VERIFY_ROUTE_NOT_FOUND', 'an empty id', { method: 'POST', url: '/v1/verify/machines/', headers: html }],
    ['404 VERIFY_ROUTE_NOT_FOUND', 'a trailing slash', { method: 'POST', url: `${PATH}/`, headers: html }],
    ['405 METHOD_NOT_ALLOWED', 'another method', { method: 'POST', url: '/v1/verify/machines/0?a=b', headers: html }],
    ['405 METHOD_NOT_ALLOWED', 'OPTIONS', { method: 'OPTIONS', headers: { ...html, origin: 'https://a.example' } }],
    ['413 REQUEST_TOO_LARGE', 'a target that is too long', { url: `${PATH}?${'0'.repeat(17_000)}`, headers: html }],
    ['413 REQUEST_TOO_LARGE', 'headers that are too long', { headers: { ...html, x: '0'.repeat(17_000) } }],
    [
      '406 NOT_ACCEPTABLE',
      'an Accept without JSON',
      { url: '/v1/verify/machines/0?a=b', headers: { ...body, ...html } },
    ],
    ['406 NOT_ACCEPTABLE', 'JSON with weight 0', { headers: { accept: 'application/json;q=0, */*' } }],
    ['400 INVALID_REQUEST', 'a query', { url: '/v1/verify/machines/0?a=b', headers: json }],
    ['400 INVALID_REQUEST', 'a body', { url: '/v1/verify/machines/0', headers: body, payload: '{}' }],
    ['400 INVALID_REQUEST', 'a body in chunks', { headers: { ...json, 'transfer-encoding': 'chunked' } }],
    ['400 INVALID_MACHINE_ID', 'a wrong id', { url: '/v1/verify/machines/0', headers: json }],
  ])('returns %s for %s', async (response, _name, options) => {
    rule('verify-read.no-query-no-body', 'verify-read.accept');
    facts = { attestations: UNREADABLE };
    expect(await refusal(options)).toBe(response);
    expect(reads).toBe(0);
  });

  test('returns 405 without a body for HEAD', async () => {
    expect(await send({ method: 'HEAD' })).toEqual([405, '']);
  });

  test.each([
    {},
    { accept: '*/*' },
    { 'content-length': '0' },
    { 'if-none-match': '*' },
    { 'accept-encoding': 'gzip' },
  ])('serves a bare read with %j', async (headers) => {
    expect((await send({ headers }))[0]).toBe(200);
  });

  test.each(
    [
      '00',
      '007',
      '+1',
      '-1',
      '1.0',
      '1e3',
      '0x2a',
      '%201',
      '1%20',
      '1%0A',
      '1%00',
      '1%2F2',
      '%2531',
      '%3',
      '%ZZ',
      '%FF',
    ]
      .concat(['٥', '５'].map(encodeURIComponent))
      .concat([`did:svc:${ID}`, `did%3Asvc%3A${ID}`, OPERATOR, String(2n ** 256n), '9'.repeat(79), '9'.repeat(9_000)]),
  )('rejects the machine id %s', async (text) => {
    expect(await refusal({ url: `/v1/verify/machines/${text}` })).toBe('400 INVALID_MACHINE_ID');
  });

  test.each([String(2n ** 256n - 1n), '1', '%31'])('accepts the machine id %s', async (text) => {
    expect((await send({ url: `/v1/verify/machines/${text}` }))[0]).toBe(200);
  });
});

describe('the rate limit', () => {
  beforeEach(() => rebuild({ rateLimits: 'on' }));

  async function countAdmitted(times: number, options: (i: number) => InjectOptions = () => ({})): Promise<number> {
    let admitted = 0;
    for (let i = 0; i < times; i++) if (!(await refusal(options(i))).startsWith('429')) admitted += 1;
    return admitted;
  }

  test('is 60 per minute and address over all ids; the 61st is coded, without Retry-After', async () => {
    rule('verify-errors.rate-limited', 'limits.verify-read');
    expect(await countAdmitted(60, (i) => ({ url: `/v1/verify/machines/${i}` }))).toBe(60);
    expect(await refusal({ headers: { accept: 'text/html' } })).toBe('429 RATE_LIMITED');
    expect(await refusal({ remoteAddress: '192.0.2.9' })).toBe('200');
    ctx.time.milliseconds += 59_999;
    expect(await refusal()).toBe('429 RATE_LIMITED');
    ctx.time.milliseconds += 1;
    expect(await countAdmitted(61)).toBe(60);
  });

  test('is independent of other reads and of requests that are no read of a record', async () => {
    for (let i = 0; i < 100; i++) await app.inject('/health');
    expect(await countAdmitted(100, () => ({ url: '/v1/verify/nothing' }))).toBe(100);
    expect(await countAdmitted(100, () => ({ method: 'POST' }))).toBe(100);
    expect(await countAdmitted(61)).toBe(60);
    expect((await app.inject('/openapi.json')).statusCode).toBe(200);
    expect(await refusal({ method: 'DELETE' })).toBe('405 METHOD_NOT_ALLOWED');
  });

  test('counts the address reported by a trusted proxy', async () => {
    await rebuild({ rateLimits: 'on', trustedProxies: ['127.0.0.0/8'] });
    const from = (caller: string) => () => ({ headers: { 'x-forwarded-for': `6.6.6.6, ${caller}` } });
    expect(await countAdmitted(61, from('192.0.2.1'))).toBe(60);
    expect(await countAdmitted(61, from('192.0.2.2'))).toBe(60);
  });

  test('can be switched off', async () => {
    await rebuild({ rateLimits: 'off' });
    expect(await countAdmitted(100)).toBe(100);
  });
});

describe('a cold read', () => {
  test('uses the stored position of the newest events', async () => {
    expect((await send())[0]).toBe(200);
    expect(positions).toEqual([5]);
  });

  test.each<[name: string, read: () => Promise<undefined>]>([
    ['is down', () => Promise.reject(new Fault('StoreUnavailable', {}))],
    ['does not respond', () => new Promise(() => undefined)],
  ])('needs no database: one that %s', async (_name, read) => {
    readRatingState = read;
    await rebuild({});
    expect((await send())[0]).toBe(200);
    expect(positions).toEqual([0]);
  });
});

test.each(['behind', 'doubtful'] as const)('returns 503 while the clock is %s', async (state) => {
  Object.assign(ctx, { trustedClock: { judge: () => ({ state, milliseconds: NOW * 1000 }) } });
  expect(await send()).toEqual([503, expect.stringContaining('VERIFY_READ_UNAVAILABLE')]);
});
