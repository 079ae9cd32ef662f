/**
 * Property test of the indexers on a chain that reorganizes and a node that returns false data at random: only true
 * rows are returned, and eventually all of them.
 */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { pairEvents } from '../../domain/machine/event-pairing.ts';
import { Fault } from '../../domain/faults.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused, type ChainLog } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { EVENTS, emitted, imported, submitted, transferred, type FakeLog } from '../../../testing/fakes/fake-logs.ts';
import {
  FINGERPRINT,
  NEVER,
  createHarness,
  machine,
  type IndexerHarness,
} from '../../../testing/fixtures/indexer-harness.ts';

const MACHINES = [1, 2, 3].map(machine);
const FINALITY_LAG = 6;

/** Reads a machine's event logs up to a block straight from the chain. */
function truthOf(chain: FakeChain, id: MachineId, upTo: number): { blockNumber: number; value: bigint }[] {
  let truth: { blockNumber: number; value: bigint }[] = [];
  for (let number = 0; number <= upTo; number++) {
    for (const { event } of chain.logsAt(number)) {
      if (event?.machineId !== id) continue;
      if (event.kind === 'imported') truth = [];
      else truth.push({ blockNumber: number, value: event.value });
    }
  }
  return truth;
}

function createDice(seed: number) {
  let state = seed;
  // Mulberry32: small, and deterministic on every machine.
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  return { below, chance: (percent: number) => below(100) < percent };
}

type Dice = ReturnType<typeof createDice>;

function rollLogs({ below, chance }: Dice): FakeLog[] {
  return Array.from({ length: chance(60) ? below(4) : 0 }, () => {
    const id = MACHINES[below(MACHINES.length)]!;
    if (chance(3)) return imported(id, 5n);
    if (chance(10)) return transferred(id);
    if (chance(2)) return emitted({ kind: 'unknown' });
    return submitted(id, { value: BigInt(below(100_000)) });
  });
}

function spoilLogs(logs: readonly ChainLog[], { below }: Dice): readonly ChainLog[] {
  if (logs.length === 0) return logs;
  const at = below(logs.length);
  const spoiled = [
    [],
    logs.slice(0, at),
    logs.toSpliced(at, 1),
    logs.toSpliced(at, 0, logs[at]!),
    logs.toReversed(),
    logs.toSpliced(at, 1, { ...logs[at]!, blockHash: '0xfork' }),
  ];
  return spoiled[below(spoiled.length)]!;
}

function makeHostile(chain: FakeChain, dice: Dice): void {
  const { below, chance } = dice;
  /** Block with false logs among those queried by hash; one request in three, as for the others. */
  let spoiledBlock: number | undefined;
  chain.faults = {
    before(request, blocks) {
      const [from, to] = blocks;
      if (request === 'block-logs') spoiledBlock = chance(30) ? blocks[below(blocks.length)] : undefined;
      if (chance(5)) throw new Fault('ChainUnreadable', { chain: 'main', cause: 'transport' });
      if (chance(5)) throw new LogQueryRefused('rate-limited', below(3));
      if (request === 'logs' && to! - from! > below(12)) throw new LogQueryRefused('range-too-large');
      chain.behind = chance(10) ? below(9) : 0;
    },
    logs: (logs) => (chance(30) ? spoilLogs(logs, dice) : logs),
    blockLogs: (logs) => (logs[0]?.blockNumber === spoiledBlock ? spoilLogs(logs, dice) : logs),
  };
}

/** Runs one step; a bad node may cause failures, but nothing worse. */
async function attempt(step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const isExpected = error instanceof Fault || error instanceof ResponseRejected || error instanceof LogQueryRefused;
    if (!isExpected) throw error;
  }
}

async function work({ index, folder }: IndexerHarness): Promise<void> {
  const advanced = await index.advance(NEVER);
  if (advanced.kind === 'caught-up') await folder.fold(advanced.block, NEVER);
}

/** Checks that returned rows which agree with the records are those of the chain up to the pinned block. */
async function checkRows({ chain, eventTimes }: IndexerHarness, dice: Dice, blockNumber: number): Promise<number> {
  const block = chain.headerAt(blockNumber);
  const id = MACHINES[dice.below(MACHINES.length)]!;
  const truth = truthOf(chain, id, blockNumber);
  const from = dice.below(truth.length + 1);
  const records = chain.recordsOf('current', id, blockNumber).slice(from);
  let toldRows = 0;
  await attempt(async () => {
    const rows = await eventTimes.readEventLogs({
      generation: 'current',
      id,
      from,
      to: truth.length,
      block,
      hasPriorEvents: false,
    });
    pairEvents(records, rows, from, true);
    const returned = rows.map((row) => ({ blockNumber: row.blockNumber, value: row.value }));
    expect(returned).toEqual(truth.slice(from));
    expect(rows.every((row) => row.blockTimestamp === chain.headerAt(row.blockNumber).timestamp)).toBe(true);
    toldRows = rows.length;
  });
  return toldRows;
}

describe('indexers on a hostile chain', () => {
  it.each(Array.from({ length: 12 }, (_, i) => i + 1))('return only true rows (seed %i)', async (seed) => {
    const dice = createDice(seed);
    const { below, chance } = dice;
    const chain = new FakeChain();
    chain.finalityLag = FINALITY_LAG;
    const store = await createMemoryStore();
    let harness = createHarness({ chain, store, maxWindowBlocks: 16 });
    makeHostile(chain, dice);
    let toldRows = 0;

    for (let round = 0; round < 300; round++) {
      if (chance(60)) chain.mine(rollLogs(dice), chance(10) ? [EVENTS] : []);
      if (chance(5) && chain.head.number > FINALITY_LAG) {
        chain.rollBack(1 + below(FINALITY_LAG - 1));
        for (let i = below(FINALITY_LAG); i >= 0; i--) chain.mine(rollLogs(dice));
      }
      if (chance(3)) harness = createHarness({ chain, store, maxWindowBlocks: 16 });
      if (chance(70)) await attempt(harness.follower.poll);
      if (chance(20)) await attempt(() => work(harness));
      if (chance(50))
        toldRows += await checkRows(
          harness,
          dice,
          chain.head.number - (below(3 * FINALITY_LAG) % (chain.head.number + 1)),
        );
      harness.time.jump(1_000 * below(20));
    }

    expect(toldRows).toBeGreaterThan(100);
    chain.faults = {};
    chain.behind = 0;
    harness.time.jump(3_600_000);
    chain.mineMany(FINALITY_LAG);
    for (let i = 0; i < 3; i++) await work(harness);
    await harness.follower.poll();
    const final = chain.head.number - FINALITY_LAG;
    expect((await store.readMainChainCheckpoint())!.blockHash).toBe(chain.headerAt(final).hash);
    expect(harness.integrity.refusal()).toBeUndefined();
    for (const id of MACHINES) {
      const truth = truthOf(chain, id, final);
      const rows = await store.listEventLogs('current', id, 0, 10_000);
      expect(rows.map(({ blockNumber, value }) => ({ blockNumber, value }))).toEqual(truth);
      const { epoch } = await store.readEventLogCount('current', id);
      const fold = await store.readRatingState('current', id, FINGERPRINT);
      expect(fold?.epoch === epoch ? fold.nextSeq : 0).toBe(truth.length);
    }
  });
});
