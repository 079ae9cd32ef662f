/** Progress and results of the index's proof (`IndexProofStore`; design/real-chains.md 1). */
import type { IndexProofStore } from '../../../ports/index-proof.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import type { SqlDatabase } from '../engine/sql-program.ts';
import { createBlockStream } from './block-stream.ts';
import { createEventLogs } from './event-logs.ts';
import { createEventRepair } from './event-repair.ts';
import { createOwnershipRows } from './ownership-rows.ts';
import { createProofProgress } from './proof-progress.ts';

export function createIndexProofStore(database: SqlDatabase): IndexProofStore {
  const { dialect } = database;
  const stream = createBlockStream(dialect, 'main-chain');
  const ownershipRows = createOwnershipRows(dialect);
  const progress = createProofProgress(dialect);
  const repair = createEventRepair(dialect);
  const eventLogs = createEventLogs(dialect);
  const observed = createTouchedMachines(dialect);

  return {
    listUnreadMachines: (after, limit) => database.run(progress.listUnread(after, limit)),
    storeOwnershipReads: (expected, reads) =>
      database.exclusive(
        (function* () {
          if (!(yield* stream.isAt(expected))) return false;
          const ids = reads.changes.map(({ id }) => id);
          yield* ownershipRows.apply(reads);
          yield* observed.touch({ machines: ids, kybOperators: [] });
          yield* progress.removeUnread(ids);
          return true;
        })(),
      ),
    listRereads: (limit) => database.run(progress.listRereads(limit)),
    storeRereads: (expected, changes) =>
      database.exclusive(
        (function* () {
          if (!(yield* stream.isAt(expected))) return undefined;
          const differing = yield* ownershipRows.apply({ readAtBlock: expected.blockNumber, changes });
          yield* observed.touch({ machines: differing, kybOperators: [] });
          yield* progress.recordRereads(changes.at(-1)!.id);
          return differing;
        })(),
      ),
    listUntimedBlocks: (below, limit) => database.run(progress.listUntimed(below, limit)),
    writeBlockTimes: (times) =>
      database.exclusive(
        (function* () {
          const untimed = yield* repair.listUntimed(times.map(({ blockNumber }) => blockNumber));
          yield* progress.setTimes(times);
          yield* repair.judgeAgain(untimed);
        })(),
      ),
    listUnprovenBlocks: (below, limit) => database.run(progress.listUnproven(below, limit)),
    readUnprovenExtent: () => database.run(progress.readExtent()),
    recordProvenBlocks: (blocks) => database.exclusive(progress.markProven(blocks)),
    repairBlocks: (expected, repairs, ownership, touched) =>
      database.exclusive(
        (function* () {
          if (!(yield* stream.isAt(expected))) return false;
          if (ownership.changes.length > 0 && (yield* ownershipRows.areNewer(ownership.readAtBlock))) return false;
          const rewritten = yield* repair.replaceBlocks(repairs);
          const differing = yield* ownershipRows.apply(ownership);
          yield* observed.touch({ ...touched, machines: [...rewritten, ...differing, ...touched.machines] });
          yield* progress.removeUnread(ownership.changes.map(({ id }) => id));
          yield* progress.replace(repairs);
          return true;
        })(),
      ),
    recordForgottenBlocks: (blocks) =>
      database.exclusive(
        (function* () {
          const forgotten = yield* progress.filterForgotten(blocks);
          const differing = yield* repair.listDifferingBlocks(forgotten);
          const same = forgotten.filter(({ block }) => !differing.includes(block.blockNumber));
          yield* progress.replace(same);
          return same.map(({ block }) => block.blockNumber);
        })(),
      ),
    areBlocksProven: (fromBlock, toBlock) => database.run(progress.isProven(fromBlock, toBlock)),
    areEventLogsProven: (generation, id, epoch) =>
      database.snapshot(
        (function* () {
          if ((yield* eventLogs.count(generation, id)).epoch !== epoch) return false;
          const first = yield* progress.findFirstBlock({ generation, id });
          return first === undefined || (yield* progress.isProven(first, Number.MAX_SAFE_INTEGER));
        })(),
      ),
    listProofSegments: () => database.run(progress.listSegments()),
    listLogBlocks: (fromBlock, toBlock) => database.run(progress.listRange(fromBlock, toBlock)),
    filterLogBlocks: (numbers) => database.run(progress.filterWithLogs(numbers)),
    findNewestLogBlock: (fromBlock, toBlock) => database.run(progress.findNewest(fromBlock, toBlock)),
    addProofSegment: (segment) => database.exclusive(progress.addSegment(segment)),
    forgetProvenBlocks: (fromBlock, toBlock) => database.exclusive(progress.forgetProven(fromBlock, toBlock)),
  };
}
