/**
 * Simulation of the service: every response must be true, whatever happens to its chain, its nodes and its own process. Runs a
 * short campaign of `sim/` (`node sim/run.ts` runs a long one), and asserts that the simulation detects planted bugs.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFigures, createFigures } from '../sim/figures.ts';
import { findPlanted, runInProcess, seedsUpTo } from '../sim/find-planted.ts';
import { PLANTED_BUGS } from '../sim/planted-bugs.ts';
import { runSeed, type SeedResult } from '../sim/run-seed.ts';
import { InjectClient } from '../sim/service/service.ts';
import type { IndexProof } from '../src/domain/index-rules/index-proof.ts';
import type { Store } from '../src/ports/store.ts';

/** The last one rejects a stored index that is not on the chain. `node sim/run.ts` plays thousands. */
const SEEDS = [...seedsUpTo(30), 46];
const POISONED_SEEDS = 10;
const TIMEOUT_MILLISECONDS = 600_000;

let client: InjectClient;

const results = new Map<string, Promise<SeedResult>>();

/** Returns the result of a seed without a bug. It depends on nothing else, so a seed runs once. */
function playSeed(seed: number, indexProof: IndexProof = 'background'): Promise<SeedResult> {
  const key = `${seed} ${indexProof}`;
  const result = results.get(key) ?? runSeed({ seed, client, indexProof });
  results.set(key, result);
  return result;
}

beforeAll(async () => {
  client = await InjectClient.open();
});

afterAll(() => client.close());

describe('simulation', { timeout: TIMEOUT_MILLISECONDS }, () => {
  it(`holds for each of ${SEEDS.length} seeds`, async ({ signal }) => {
    const total = createFigures();
    const failures: string[] = [];
    // The client serves one run at a time: what has run out of time must not disturb those after it.
    for (const seed of SEEDS) {
      if (signal.aborted) break;
      const { failure, trace, figures } = await playSeed(seed);
      addFigures(total, figures);
      if (failure === undefined) continue;
      failures.push([`SEED=${seed} node sim/run.ts`, failure, ...trace.slice(-20)].join('\n'));
    }
    expect(failures).toEqual([]);
    // A campaign of rejected requests proves nothing.
    expect(total.responses['200']).toBeGreaterThan(total.requests / 4);
    expect(total.responses['404']).toBeGreaterThan(SEEDS.length / 2);
    expect(total.altRatings).toBeGreaterThan(SEEDS.length / 2);
    expect(total.reorgs).toBeGreaterThan(SEEDS.length / 2);
    expect(total.deaths).toBeGreaterThan(SEEDS.length / 4);
    expect(total.rejectedIndexes).toBeGreaterThan(0);
  });

  it.each<[seed: number, indexProof?: IndexProof]>([
    // A hidden log whose bits other logs of its block set too: logs that explain a bloom were accepted as complete.
    [50491],
    // The same in a new block: one of two logs of one contract was hidden, and the other was accepted as complete.
    [63470],
    [67105],
    // Of the oracle: an index up to a final block that is newer than every received head.
    [2081],
    // An import that the followed blocks did not join to the index: the first record after it got the time of the first one before.
    [813],
    // Of the oracle: a head in use while the follower waits for the next one, for a gap of the schedule and an interval.
    [1117],
    // Receipts in a batch with other responses, when only those of a separate response were read for the proof.
    [214],
    // Facts of the deployment that an indexer read at an old block were cached for readers of the newest.
    [298],
    // A profile that showed the events of an earlier incarnation as those of the next.
    [780],
    // A machine whose every log was hidden before it was burned: the total of events was never repaired, and no payment was judged again.
    [1000228, 'off'],
    // Events of a machine were found before its transfers: without its claims, payments to its account were paid to another machine.
    [1004469, 'off'],
    // Of the oracle: payout accounts whose claims were ended only by hidden transfers that lead back to an owner.
    [1005163, 'off'],
    // Of the oracle: a hidden transfer of a machine from an address and a later one of another to it, which leave its balance equal.
    [1006016, 'off'],
    // A hidden mint before a followed sale: the machine was served without its change of hands.
    [2000941, 'off'],
    // A hidden mint whose absence was still cached: the listing skipped the indexed machine.
    [2000421, 'off'],
    // A hidden burn and a hidden arrival, which leave the balance equal: the listing skipped the machine that its total counts.
    [2001528, 'off'],
    // A hidden departure to the alt chain, which lists the machine: cached facts showed it as returned, and the listing skipped it.
    [4002711, 'off'],
    // A hidden burn of a machine that the alt chain lists: the index held it for its old owner, and the listing lacked it.
    [4308771, 'off'],
    // A hidden change of the home of a machine whose token stayed here: the same, because its owner was right.
    [5001501, 'off'],
    // A repair that stored as many chip logs of another fork: the machine was refused for good, because their number was right.
    [5004500, 'off'],
    // Stale facts of an arrived machine, which were right when they were read again: the listing took it for one that had left.
    [5009142, 'off'],
    // Of the oracle: a hidden mint, and since the listed block a hidden burn of another machine of the same owner.
    [28003740, 'off'],
    // Of the oracle: a response from a cache whose age a clock hid that was set right before the response was stored.
    [29000399, 'full'],
    // Of the oracle: a request of a new process, sent while the time of the first slot it received was examined.
    [30000213, 'before'],
    // Of the oracle: a request that joins the read of another, whose account had arrived before.
    [30005118],
    // A transaction without balances, which its time alone decided: what it sent was missing when a later payment was judged.
    [30004104],
    // A false time of a log in the first backfill: the machine, whose events then fell in time, was refused for good.
    [49010878, 'off'],
    // A read that shared one whose turn was refused began again at its old block, and was cached as of the newest.
    [54120002, 'before'],
    // Each receipt that one of several machines behind a URL lacked was asked of nodes that serve none.
    [55210192, 'full'],
    [57000607, 'before'],
    // A count of machines from a node that was behind hid a lost row of the alt chain.
    [63101373],
  ])('holds for seed %i, which once found a bug', async (seed, indexProof) => {
    expect((await runSeed({ seed, client, indexProof })).failure).toBeUndefined();
  });

  it(`holds for each of ${POISONED_SEEDS} seeds whose nodes have wrong profiles`, async ({ signal }) => {
    const failures: string[] = [];
    let served = 0;
    for (let seed = 1; seed <= POISONED_SEEDS && !signal.aborted; seed++) {
      const { failure, figures } = await runSeed({ seed, client, poisonsProfiles: true });
      served += figures.responses['200'] ?? 0;
      if (failure !== undefined) failures.push(`SEED=${seed} node sim/run.ts --poisoned-profiles: ${failure}`);
    }
    expect(failures).toEqual([]);
    expect(served).toBeGreaterThan(100);
  });

  it('returns the same trace for the same seed, whatever ran before', async () => {
    const seeds = [3, 11, 19, 27, 40];
    const hashes = new Map<number, string>();
    for (const seed of seeds) hashes.set(seed, (await playSeed(seed)).hash);
    for (const seed of seeds.toReversed()) {
      expect((await runSeed({ seed, client })).hash).toBe(hashes.get(seed));
    }
  });

  it('returns the same trace for the same seed as the first and as a later run of a process', async () => {
    // A seed whose first service dies after few writes.
    const hashes: string[] = [];
    for await (const { hash } of runInProcess([3, 3])) hashes.push(hash);
    expect(hashes).toEqual([hashes[0], hashes[0]]);
  });

  it('finds the line of every planted bug exactly once', async () => {
    const lost: string[] = [];
    for (const { name, file, line } of PLANTED_BUGS) {
      const parts = (await readFile(join(import.meta.dirname, '../src', file), 'utf8')).split(line);
      if (parts.length !== 2) lost.push(name);
    }
    expect(lost).toEqual([]);
  });

  // `node sim/planted.ts` runs them all. The recorded seed suffices; the others serve a simulation whose draws changed.
  it.each(PLANTED_BUGS.filter(({ within }) => within <= 130))(
    'detects by its symptom a service that $name',
    async (bug) => {
      const found = await findPlanted(bug, [bug.seed, ...seedsUpTo(bug.within)]);
      expect(found).toMatchObject({ failure: expect.stringMatching(bug.symptom) });
      // Without the bug, the same seed holds.
      expect((await playSeed(found!.seed, bug.indexProof)).failure).toBeUndefined();
    },
  );

  // In mode `before`, because the background proof repairs what the first two lose.
  it.each<{ bug: string; symptom: RegExp; seed: number; alterStore: (store: Store) => Store }>([
    {
      // Without its repairs, because those find what is missing.
      bug: 'loses the newest log of a window, and repairs of events',
      symptom: /^15 minutes after all faults: .*Event index is syncing/,
      seed: 2,
      alterStore: (store) => ({
        ...store,
        advanceMainChain: (expected, next, logs, ...others) =>
          store.advanceMainChain(expected, next, logs.slice(0, -1), ...others),
        replaceEventLogs: () => Promise.resolve(true),
      }),
    },
    {
      bug: 'retains the previous holder of a machine',
      symptom: /\/machines: not what was held at block \d+$/,
      seed: 7,
      alterStore: (store) => ({
        ...store,
        advanceMainChain: (expected, next, logs, ownership, ...others) =>
          store.advanceMainChain(
            expected,
            next,
            logs,
            { ...ownership, changes: ownership.changes.slice(1) },
            ...others,
          ),
      }),
    },
    {
      bug: 'returns the rating state of another machine',
      symptom: /: not what block \d+ says$/,
      seed: 7,
      alterStore: (store) => {
        let first: Awaited<ReturnType<Store['readRatingState']>>;
        return { ...store, readRatingState: async (...args) => (first ??= await store.readRatingState(...args)) };
      },
    },
  ])('detects by its symptom a store that $bug', async ({ symptom, seed, alterStore }) => {
    expect((await runSeed({ seed, client, indexProof: 'before', alterStore })).failure).toMatch(symptom);
    expect((await playSeed(seed, 'before')).failure).toBeUndefined();
  });
});
