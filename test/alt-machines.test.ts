/**
 * Alt-chain machines end to end: the local alt chain with real transactions, the adapter, both workers and a database under the routes. Only
 * the main chain is a fake.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeConfig,
  encodeMachine,
  encodeRegistry,
  encodeSubscriptionTerminal,
} from '../devnet/alt-chain/accounts.ts';
import { startAltNode, type AltNode } from '../devnet/alt-node/alt-node.ts';
import { submitEvent } from '../devnet/alt-node/event-transactions.ts';
import { machineAddresses, singletonAddresses } from '../devnet/alt-node/program-addresses.ts';
import { placeEventRegistry, REVENUE } from '../devnet/alt-node/registered-machine.ts';
import { createMemoryStore } from '../testing/fixtures/memory-store.ts';
import { createAltChainHarness, type AltChainHarness } from '../testing/fixtures/alt-chain-harness.ts';
import type { AltKey } from '../src/domain/identifiers/alt-identifiers.ts';
import type { AltMachine } from '../src/domain/alt-chain/alt-machine-facts.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { ALT, membersOf } from '../testing/fixtures/deciding-machines.ts';
import { createAltFleetWorker } from '../src/indexing/alt/fleet-snapshot.ts';
import { createAltIndexers } from '../src/indexing/alt/alt-indexers.ts';
import type { PollLoop } from '../src/indexing/loops/poll-loop.ts';
import { createFixedRates } from '../src/adapters/fx/feed-rates.ts';
import type { Store } from '../src/ports/store.ts';
import type { Timers } from '../src/ports/runtime.ts';
import {
  MACHINE,
  MAIN_MACHINE,
  NOW,
  openAltService,
  OPERATOR,
  OWNER_KEY,
  type AltService,
} from '../testing/harness/alt-chain.ts';
import { rule } from './conformance/rule.ts';
import { present } from '../src/domain/read-result.ts';

const DAY = 86_400;
const OWNER_SEED = new Uint8Array(32).fill(7);
const EVENTS = 40;
const ZERO_KEY = '1'.repeat(32) as AltKey;
const RATED = 1n as MachineId;
const NEW = 2n as MachineId;
const RELOCATING = 3n as MachineId;
const HERE = 4n as MachineId;
const UNLINKED = 5n as MachineId;

const clock = { nowMilliseconds: () => NOW * 1000 };
const timers: Timers = {
  async wait(milliseconds, signal) {
    await delay(Math.min(milliseconds, 20), undefined, { signal }).catch(() => undefined);
  },
};

let node: AltNode;
let adapter: AltChainHarness;
let store: Store;
let harness: AltService;
const loops: PollLoop[] = [];

const at = (day: number) => NOW - (EVENTS - day) * 2 * DAY;
const revenue = (day: number) => ({ ...REVENUE, value: 100_000n, timestamp: BigInt(at(day)), trustLevel: 2 });
const submit = (day: number) => submitEvent(node, { machineId: RATED, signer: OWNER_SEED, record: revenue(day) });

async function place(machineId: MachineId, parts: Partial<AltMachine> = {}): Promise<void> {
  const { machine, subscriptionTerminal } = await machineAddresses(machineId);
  const account = encodeMachine({ machineId, bump: machine.bump }, { ...MACHINE, ...parts });
  node.setAccount(machine.address, { owner: node.programs.machineRegistry, data: account });
  const mirrored = {
    tier: 1,
    status: 'Active',
    periodEnd: 0n,
    lastSeq: 1n,
    lastNonce: 0n,
    openRequestNonce: 0n,
    updatedAt: 0n,
  } as const;
  const terminal = encodeSubscriptionTerminal({ machineId, bump: subscriptionTerminal.bump }, mirrored);
  node.setAccount(subscriptionTerminal.address, { owner: node.programs.subscription, data: terminal });
}

async function placeSingletons(machineCount: bigint): Promise<void> {
  const { registry, config } = await singletonAddresses();
  const { machineRegistry, stateAndSync } = node.programs;
  const fields = { admin: ZERO_KEY, lifecycleAuthority: ZERO_KEY, localOrdinal: 5 };
  const registryData = encodeRegistry({ ...fields, machineCount, bump: registry.bump });
  node.setAccount(registry.address, { owner: machineRegistry, data: registryData });
  const configData = encodeConfig({
    ...fields,
    adapterStore: ZERO_KEY,
    registryProgram: machineRegistry,
    generalPausedGlobal: false,
    technicalPausedGlobal: false,
    bump: config.bump,
  });
  node.setAccount(config.address, { owner: stateAndSync, data: configData });
  await placeEventRegistry(node);
}

beforeAll(async () => {
  node = await startAltNode({ genesisTimestamp: NOW - 100 * DAY });
  await placeSingletons(4n);
  await place(RATED);
  await place(NEW);
  await place(RELOCATING, { relocating: true });
  await place(UNLINKED);
  for (let day = 0; day < EVENTS; day++) {
    node.advanceTo(at(day));
    await submit(day);
  }
  node.advanceTo(NOW - 60);

  adapter = createAltChainHarness([node.rpcUrl], node.genesisHash);
  const { machines } = adapter.open({ ordinal: 5, programs: node.programs, binding: undefined });
  const { chain, history } = machines!;
  store = await createMemoryStore();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const shared = { history, store, clock, timers, log };
  const genesisHash = node.genesisHash as AltKey;
  const { eventRegistry, machineRegistry } = node.programs;
  const indexers = createAltIndexers({
    ...shared,
    fxRates: createFixedRates([]),
    deployment: { genesisHash, eventRegistry, firstSlot: 0 },
    pollIntervalMilliseconds: 20,
  });
  const fleet = createAltFleetWorker({
    ...shared,
    deployment: { genesisHash, machineRegistry },
    pollIntervalSeconds: 60,
  });
  expect(await indexers.claimIndex()).toBe(true);
  loops.push(indexers.worker, fleet.loop);
  for (const loop of loops) loop.start();
  await Promise.all([indexers.caughtUp, fleet.caughtUp]);

  const changes = [{ kind: 'held', id: HERE, owner: OPERATOR, controller: undefined } as const];
  const block = { blockNumber: 120_340, blockHash: '0x' };
  await store.advanceMainChain(undefined, block, [], { readAtBlock: block.blockNumber, changes });
  harness = await openAltService({
    machines: [{}, {}, {}, { main: MAIN_MACHINE }, { main: { homeOrdinal: present(0) } }],
    ctx: { alt: { chain, index: indexers.index }, store },
  });
});
afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  await harness.close();
  await adapter.close();
  await store.close();
  await node.stop();
});

const read = async (path: string) => {
  const { status, text } = await harness.request(path);
  return [status, JSON.parse(text)];
};

describe('a machine of the local alt chain', () => {
  it('is rated from its transactions', async () => {
    rule('service.alt-chain-reads', 'profile.alt-rating-from-events');
    expect(await read(`/mcr/did:svc:${RATED}`)).toEqual([
      200,
      {
        did: 'did:svc:1',
        machine_id: '1',
        mcr_score: 47,
        mcr: 'BB',
        mcr_degraded: false,
        bond_status: 'bonded',
        negative_flag: false,
        event_count: EVENTS,
        revenue_event_count: EVENTS,
        activity_event_count: 0,
        revenue_trend: 'stable',
        total_revenue: 100_000 * EVENTS,
        average_revenue_per_event: 100_000,
        last_updated: at(EVENTS - 1),
        home_chain: 5,
        summary: 'Rated BB with 47 of 100 points; largest deduction: low trust.',
      },
    ]);
  });

  it.each([NEW, UNLINKED])('has no rating without an event (%d)', async (id) => {
    expect(await read(`/mcr/did:svc:${id}`)).toMatchObject([
      200,
      { rating_unavailable: 'no_events_yet', home_chain: 5 },
    ]);
  });

  it('shows its owner', async () => {
    expect(await read(`/machine/did:svc:${RATED}`)).toMatchObject([
      200,
      { svcos: { owner: OWNER_KEY, rating_unavailable: 'not_rated_here', event_count: EVENTS, relocating: false } },
    ]);
  });

  it('returns 503 while it relocates, and 404 when no chain has it', async () => {
    expect(await read(`/mcr/did:svc:${RELOCATING}`)).toEqual([503, { detail: 'Machine is relocating' }]);
    expect(await read('/mcr/did:svc:99')).toEqual([404, { detail: 'Machine not found' }]);
  });

  it('is opted in by its owner', async () => {
    const decision = { machineId: RATED, optedIn: true, timestamp: NOW };
    const payload = JSON.stringify(membersOf(decision, ALT));
    const { status, text } = await harness.request(`/machine/did:svc:${RATED}/monetization`, {
      method: 'PUT',
      payload,
    });
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { machine_id: '1', status: 'OPTED_IN', signer: OWNER_KEY, updated_at: NOW, signer_is_current: true },
    ]);
  });
});

describe('the list of both chains', () => {
  const ids = (body: { machines: { machine_id: string }[] }) => body.machines.map(({ machine_id }) => machine_id);

  it('contains the machines of the snapshot, with one call for the page', async () => {
    const calls: string[] = [];
    node.faults.request = (method) => void calls.push(method);
    await Promise.all(loops.map((loop) => loop.stop()));
    calls.length = 0;
    const [status, body] = await read(`/operator/${OPERATOR}/machines`);
    node.faults.clear();
    for (const loop of loops) loop.start();
    expect([status, ids(body), body.unreadable, body.pagination.total]).toEqual([200, ['1', '2', '4', '5'], 1, 5]);
    expect(body.index.alt_snapshot_age_seconds).toBe(0);
    expect(calls).toEqual(['getMultipleAccounts']);
  });

  it('serves main-chain machines while the alt chain is unreachable', async () => {
    node.faults.request = () => ({ kind: 'http-error', status: 500 });
    const [status, body] = await read(`/operator/${OPERATOR}/machines`);
    const alone = await read(`/mcr/did:svc:${RATED}`);
    node.faults.clear();
    expect([status, ids(body), body.unreadable]).toEqual([200, ['4'], 4]);
    expect(alone).toEqual([503, { detail: 'Home chain unavailable' }]);
  });
});

it('reports the rating as unavailable until a new event is indexed', async () => {
  rule('profile.alt-rating-from-events');
  await Promise.all(loops.map((loop) => loop.stop()));
  node.advanceTo(NOW - 40);
  await submit(EVENTS - 1);
  node.advanceTo(NOW - 10);
  expect(await read(`/mcr/did:svc:${RATED}`)).toMatchObject([
    200,
    { rating_unavailable: 'indexer_behind', event_count: EVENTS, mcr: 'Provisioned', revenue_trend: null },
  ]);
  for (const loop of loops) loop.start();
  await expect
    .poll(async () => (await read(`/mcr/did:svc:${RATED}`))[1].event_count, { timeout: 20_000 })
    .toBe(EVENTS + 1);
  const [, body] = await read(`/mcr/did:svc:${RATED}`);
  expect([body.rating_unavailable, body.last_updated]).toEqual([undefined, NOW - 40]);
});
