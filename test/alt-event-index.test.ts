/** Event index of the alt chain over real transactions, read through the adapter, with a sound and a faulty node. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAltNode, type AltNode } from '../devnet/alt-node/alt-node.ts';
import { adoptCarriedEvent, closeLog, importMachine, submitEvent } from '../devnet/alt-node/event-transactions.ts';
import {
  ACTIVITY,
  ADMIN_SEED,
  GENESIS,
  LIFECYCLE_SEED,
  OWNER_SEED,
  placeEventRegistry,
  placeMachine,
  REVENUE,
} from '../devnet/alt-node/registered-machine.ts';
import type { Stopwatch } from '../src/adapters/rpc/deadline.ts';
import { createAltChainHarness, type AltChainHarness } from '../testing/fixtures/alt-chain-harness.ts';
import { createMemoryStore } from '../testing/fixtures/memory-store.ts';
import type { AltKey } from '../src/domain/identifiers/alt-identifiers.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { EventRecord } from '../src/domain/machine/machine-facts.ts';
import { createAltIndexers, type AltIndexers } from '../src/indexing/alt/alt-indexers.ts';
import { createRecordingLog } from '../testing/fakes/recording-log.ts';
import { FixedRates, FINGERPRINT } from '../testing/fixtures/indexer-harness.ts';
import { VirtualTime } from '../testing/fakes/virtual-time.ts';
import type { Store } from '../src/ports/store.ts';
import { ABSENT, present } from '../src/domain/read-result.ts';

const LAG_SLOTS = 31;
const PLAIN = 1n as MachineId;
const MOVED = 2n as MachineId;
const FORMS = ['plain', 'cpi', 'v0-lookup-table'] as const;

let node: AltNode;
let harness: AltChainHarness;
let store: Store;
let time: VirtualTime;
let log: ReturnType<typeof createRecordingLog>;
let indexers: AltIndexers;
/** Records of the current incarnations. */
let records: Map<MachineId, EventRecord[]>;

/** Creates a stopwatch whose pauses take no time: the learned call budget would wait for half a minute. Its timeouts are real. */
function createStopwatch(): Stopwatch {
  let now = 0;
  return {
    nowMilliseconds: () => now,
    startTimeout: (milliseconds) => AbortSignal.timeout(milliseconds),
    async pause(milliseconds, signal) {
      const until = now + milliseconds;
      await setImmediate(undefined, { signal });
      now = Math.max(now, until);
    },
  };
}

async function submit(machineId: MachineId, value: number): Promise<string> {
  const record = { ...(value % 4 === 0 ? ACTIVITY : REVENUE), value: BigInt(value) };
  const form = { via: FORMS[value % 3], noisyLogs: value % 5 < 2 };
  records.set(machineId, [...(records.get(machineId) ?? []), record]);
  return (await submitEvent(node, { machineId, signer: OWNER_SEED, record, ...form })).signature;
}

/** Submits three events per slot. */
async function submitMany(machineId: MachineId, from: number, to: number): Promise<string[]> {
  const signatures: string[] = [];
  for (let value = from; value < to; value++) {
    if (value % 3 === 0) node.advanceTo(node.unixTime + 3_600);
    signatures.push(await submit(machineId, value));
  }
  return signatures;
}

beforeEach(async () => {
  records = new Map();
  node = await startAltNode({ genesisTimestamp: GENESIS });
  harness = createAltChainHarness([node.rpcUrl], node.genesisHash);
  store = await createMemoryStore();
  time = new VirtualTime();
  log = createRecordingLog();
  indexers = createAltIndexers({
    history: harness.open({ programs: node.programs, binding: undefined, stopwatch: createStopwatch() }).machines!
      .history,
    store,
    fxRates: new FixedRates(),
    clock: time,
    timers: { wait: async (milliseconds) => time.jump(milliseconds) },
    log,
    deployment: { genesisHash: node.genesisHash as AltKey, eventRegistry: node.programs.eventRegistry, firstSlot: 0 },
    pollIntervalMilliseconds: 60_000,
  });
  await placeEventRegistry(node);
  for (const id of [PLAIN, MOVED]) await placeMachine(node, id);
});
afterEach(async () => {
  // Pauses that take no time would keep the loop of a failed test running for good.
  await indexers.worker.stop();
  await harness.close();
  await node.stop();
  await store.close();
});

async function catchUp(): Promise<void> {
  indexers.worker.start();
  await indexers.caughtUp;
  await indexers.worker.stop();
}

async function read(id: MachineId, priorEventCount = 0n) {
  const known = records.get(id)!;
  const value = { count: BigInt(known.length), priorEventCount, lastEvent: known.at(-1) };
  const { isComplete, tail } = await indexers.index.readHistory(
    {
      id,
      slot: node.slot - LAG_SLOTS,
      machine: ABSENT,
      pauseFlags: ABSENT,
      subscription: ABSENT,
      eventLog: present(value),
    },
    FINGERPRINT,
  );
  return { isComplete, values: tail.map((event) => event.value) };
}

function valuesOf(id: MachineId): bigint[] {
  return records.get(id)!.map(({ value }) => value);
}

describe('the index of real transactions', () => {
  it('contains every event of every form in order, of the current incarnation', async () => {
    await submitMany(PLAIN, 0, 40);
    const carried = { machineId: MOVED, priorEventCount: 5n };
    await importMachine(node, { ...carried, authority: LIFECYCLE_SEED, record: ACTIVITY });
    await submitMany(MOVED, 100, 110);
    await closeLog(node, { machineId: MOVED, authority: LIFECYCLE_SEED });
    await importMachine(node, { machineId: MOVED, priorEventCount: 7n, authority: LIFECYCLE_SEED, record: undefined });
    await adoptCarriedEvent(node, { machineId: MOVED, priorEventCount: 7n, authority: ADMIN_SEED, record: REVENUE });
    records.set(MOVED, [REVENUE]);
    await submitMany(MOVED, 200, 207);
    node.advanceSlots(LAG_SLOTS + 1);
    await catchUp();

    expect(await read(PLAIN)).toEqual({ isComplete: true, values: valuesOf(PLAIN) });
    expect(await read(MOVED, 7n)).toEqual({ isComplete: true, values: valuesOf(MOVED) });
    expect(await store.listOldestListed(1)).toEqual([]);
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(indexers.worker.report().failures).toBe(0);
  });

  it('becomes complete after a node omitted, refused, forgot and reordered data', async () => {
    const signatures = await submitMany(PLAIN, 0, 20);
    await submitMany(MOVED, 100, 110);
    node.advanceSlots(LAG_SLOTS + 1);
    node.faults.oldestFirstInSlot = true;
    node.faults.missingRows.add(signatures[3]!);
    node.faults.unknownTransactions.add(signatures[7]!);
    node.faults.logs.set(signatures[9]!, 'null');
    let calls = 0;
    node.faults.request = () => (++calls % 9 === 4 ? { kind: 'too-many-requests', retryAfterSeconds: 0 } : undefined);
    indexers.worker.start();
    await expect.poll(() => indexers.worker.report().lastFailure, { timeout: 20_000 }).toBe('missing-transaction');
    node.faults.unknownTransactions.clear();
    await indexers.caughtUp;
    await indexers.worker.stop();
    expect((await read(PLAIN)).isComplete).toBe(false);
    expect(await read(MOVED)).toEqual({ isComplete: true, values: valuesOf(MOVED) });

    node.faults.clear();
    time.jump(3_600_000);
    indexers.worker.start();
    await expect.poll(async () => (await read(PLAIN)).isComplete, { timeout: 20_000 }).toBe(true);
    await indexers.worker.stop();
    expect(await read(PLAIN)).toEqual({ isComplete: true, values: valuesOf(PLAIN) });
  });
});
