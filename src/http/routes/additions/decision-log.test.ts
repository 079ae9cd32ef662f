/** Decision log over HTTP, with a real store and a fake chain. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rule } from '../../../../test/conformance/rule.ts';
import { decisionOf, listApplied } from '../../../../testing/contracts/store/samples.ts';
import { createStubCtx, type StubCtx } from '../../../../testing/fakes/stub-ctx.ts';
import {
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
} from '../../../../testing/fixtures/deciding-machines.ts';
import { createMainChainKey } from '../../../../testing/fixtures/signing-keys.ts';
import { conformanceOfApp, type OpenapiConformance } from '../../../../testing/harness/openapi-conformance.ts';
import { createMemoryStore } from '../../../../testing/fixtures/memory-store.ts';
import { buildApp } from '../../../app.ts';
import { Fault } from '../../../domain/faults.ts';
import type { MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { DecisionRow } from '../../../domain/monetization/decision-log.ts';
import { hashDecisionRow } from '../../../domain/monetization/decision-log.ts';
import type { Ctx, MainChainPorts } from '../../../ports/ctx.ts';
import type { Store } from '../../../ports/store.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

const STATE = `/machine/${ID}/monetization`;
const PATH = `${STATE}/history`;
const BLOCK = { number: 120_340, hash: `0x${'b1'.repeat(32)}`, timestamp: NOW - 3 };
const STATEMENT_KEY = createMainChainKey(new Uint8Array(32).fill(9));

let facts: Partial<MachineSnapshot>;
let isReadable: boolean;
let store: Store;
let ctx: StubCtx;
let app: FastifyInstance | undefined;
let conformance: OpenapiConformance;

async function build(parts: Partial<Ctx> = {}): Promise<void> {
  const read = () => {
    if (!isReadable) throw new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' });
    const snapshot = {
      id: ID,
      block: BLOCK,
      ...ELIGIBLE,
      relocating: present(false),
      homeOrdinal: present(1),
      ...facts,
    };
    return { snapshot, deployment: { localOrdinal: 1, ...NO_GLOBALS } };
  };
  const chain = {
    chainId: Number(DEPLOYMENT.chainId),
    machineRegistry: DEPLOYMENT.registry,
    getCached: read,
    readMachineUncached: async () => read(),
  };
  await app?.close();
  ctx = createStubCtx({ store, main: { chain } as unknown as MainChainPorts, ...parts });
  app = await buildApp(ctx, { rateLimits: 'off' });
  conformance = await conformanceOfApp(app, ctx);
}

beforeEach(async () => {
  facts = {};
  isReadable = true;
  store = await createMemoryStore();
  await build();
});
afterEach(async () => {
  await app!.close();
  app = undefined;
  await store.close();
});

interface Page {
  readonly decisions: readonly (DecisionRow & { readonly hash: string; readonly unverifiable?: true })[];
  readonly head: string | null;
  readonly next_cursor: number | null;
  readonly checkpoint?: { readonly head: object };
}

async function read(path = PATH) {
  const { statusCode: status, headers, body: text } = await app!.inject(path);
  conformance.expectDocumented('GET', path, { status, headers, text });
  return { status, headers, text, page: JSON.parse(text) as Page };
}

async function decide(timestamp: number, key = OWNER): Promise<void> {
  const optedIn = timestamp % 2 === 0;
  const signature = key.sign(messageOf({ machineId: ID, optedIn, timestamp }));
  const payload = { opted_in: optedIn, timestamp, signature };
  expect((await app!.inject({ method: 'PUT', url: STATE, payload })).statusCode).toBe(200);
}

const setSecond = (second: number) => (ctx.time.milliseconds = 1000 * second);

test('lists the decisions newest first, each with what proves it', async () => {
  rule('decision-log.row', 'decision-log.history');
  await decide(NOW);
  await decide(NOW + 1, CONTROLLER);
  setSecond(NOW + 400);
  const { page, headers } = await read();
  const [second, first] = page.decisions;
  expect(first).toEqual({
    machine_id: '42',
    opted_in: true,
    timestamp: NOW,
    signer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
    signature: OWNER.sign(messageOf(OPT_IN)),
    message: Buffer.from(messageOf(OPT_IN)).toString(),
    authority: {
      owner: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
      controller: '0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c',
      block: { number: '120340', hash: BLOCK.hash },
      slot: null,
    },
    previous: null,
    hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(Object.keys(first!).join()).toBe(
    'machine_id,opted_in,timestamp,signer,signature,message,authority,previous,hash',
  );
  for (const row of page.decisions) expect(hashDecisionRow(row)).toBe(row.hash);
  expect([second!.previous, page.head, page.next_cursor]).toEqual([first!.hash, second!.hash, null]);
  expect(Object.keys(page)).toEqual(['decisions', 'head', 'next_cursor']);
  expect(headers).not.toHaveProperty('chain-block');
});

test('names the owner as controller where none is set', async () => {
  facts = { controller: ABSENT };
  await decide(NOW);
  const { owner, controller } = (await read()).page.decisions[0]!.authority;
  expect(controller).toBe(owner);
});

test('is read in pages by cursor and limit', async () => {
  for (const second of [0, 1, 2]) await decide(NOW + second);
  const seen: number[] = [];
  let query = '?limit=2';
  for (let pages = 0; pages < 2; pages += 1) {
    const { page } = await read(PATH + query);
    seen.push(...page.decisions.map(({ timestamp }) => timestamp));
    query = `?limit=2&cursor=${page.next_cursor}`;
  }
  expect([seen, query]).toEqual([[NOW + 2, NOW + 1, NOW], '?limit=2&cursor=null']);
});

test.each([
  [`${PATH}?limit=0`, 422],
  [`${PATH}?limit=101`, 422],
  [`${PATH}?cursor=-1`, 422],
  [`${PATH}?cursor=x`, 422],
  ['/machine/0/monetization/history', 400],
  ['/machine/x/monetization/history', 400],
])('rejects %s with %i', async (path, status) => {
  expect((await read(path)).status).toBe(status);
});

test.each([
  [329, null],
  [330, expect.stringMatching(/^0x/)],
])('shows the signature after %i s as %s', async (age, shown) => {
  rule('decision-log.signature-delay');
  await decide(NOW);
  setSecond(NOW + age);
  expect((await read()).page.decisions[0]!.signature).toEqual(shown);
});

test('withholds signatures while the clock is in doubt', async () => {
  await decide(NOW);
  const milliseconds = 1000 * (NOW + 10_000);
  await build({ trustedClock: { judge: () => ({ state: 'doubtful', milliseconds }) } });
  expect((await read()).page.decisions[0]!.signature).toBeNull();
});

test('is served without a chain, and for a machine that no longer exists', async () => {
  await decide(NOW);
  isReadable = false;
  expect((await read()).status).toBe(200);
  [isReadable, facts] = [true, { owner: ABSENT, homeOrdinal: present(0) }];
  expect((await read()).page.decisions).toHaveLength(1);
});

test('of a machine without decisions is empty if the machine exists', async () => {
  const { page, headers } = await read();
  expect([page, headers['chain-block']]).toEqual([{ decisions: [], head: null, next_cursor: null }, '120340']);
  facts = { owner: ABSENT, homeOrdinal: present(0) };
  expect((await read()).status).toBe(404);
});

test('marks rows that are older than the chain', async () => {
  rule('decision-log.unverifiable');
  await decide(NOW);
  const listDecisions: Store['listDecisions'] = async (...page) => {
    const log = await store.listDecisions(...page);
    return { ...log, head: undefined, decisions: log.decisions.map((row) => ({ ...row, record: undefined })) };
  };
  await build({ store: { ...store, listDecisions } });
  const [row] = (await read()).page.decisions;
  const nothing = { message: null, authority: null, previous: null, hash: null };
  expect(row).toMatchObject({ timestamp: NOW, ...nothing, unverifiable: true });
});

test('prunes what is old behind a checkpoint of the statement key, and nothing without one', async () => {
  rule('decision-log.retention');
  const rows = 501;
  const start = NOW - 40 * 86_400;
  const signed = {
    machineId: ID,
    signature: OWNER.sign(messageOf(OPT_IN)),
    message: Buffer.from(messageOf(OPT_IN)).toString(),
  };
  for (let n = 0; n < rows; n += 1) await store.applyDecision(decisionOf(start + n, signed));
  await decide(NOW);
  const oldest = await listApplied(store, ID);
  expect(oldest).toHaveLength(rows + 1);

  const published = { address: STATEMENT_KEY.address, notBefore: 0, notAfter: undefined, revokedAt: undefined };
  const statements = { key: STATEMENT_KEY, lifetimeSeconds: 3600 };
  await build({ statements, store: { ...store, listStatementKeys: async () => [published] } });
  setSecond(NOW + 1);
  await decide(NOW + 1);
  expect((await listApplied(store, ID)).map(({ timestamp }) => timestamp)).toEqual(
    [...oldest.map(({ timestamp }) => timestamp), NOW + 1].slice(-500),
  );
  const { page } = await read(`${PATH}?cursor=${start + 4}`);
  const last = page.decisions.at(-1)!;
  expect(page.checkpoint).toMatchObject({
    head: { machineId: '42', hash: last.previous, count: 3, signedAt: NOW + 1 },
  });
  expect((await read()).page).not.toHaveProperty('checkpoint');
});

test.each<[name: string, facts: Partial<MachineSnapshot>, isCurrent: boolean | null]>([
  ['owner', {}, true],
  ['controller', { owner: present(STRANGER.address), controller: present(OWNER.address) }, true],
  ['neither, after a sale', { owner: present(STRANGER.address) }, false],
  ['neither, or an unreadable controller', { owner: present(STRANGER.address), controller: UNREADABLE }, null],
])('state shows that the signer is %s', async (_name, later, isCurrent) => {
  rule('decision-log.signer-is-current');
  await app!.inject({ method: 'PUT', url: STATE, payload: membersOf(OPT_OUT) });
  facts = later;
  const { text } = await read(STATE);
  expect(text).toMatch(new RegExp(`"updated_at":${NOW},"signer_is_current":${isCurrent}}$`));
});

test('is not registered with additions off, and the state has no added member', async () => {
  rule('additions.off');
  await build({ additions: 'off' });
  await decide(NOW);
  expect((await app!.inject(PATH)).statusCode).toBe(404);
  expect((await app!.inject(STATE)).body).not.toContain('signer_is_current');
});
