/**
 * Which bugs must the simulation find? Each is a change of one line of `src/` that somebody could make by mistake, and so many seeds suffice.
 * A line that is no longer there as it is written here fails loudly, so the list keeps up with the code. What several checks hold together is
 * not here: without one of them the service still tells no lie, and only the tests of that one find it.
 */

export interface PlantedBug {
  readonly name: string;
  /** Below `src/`. */
  readonly file: string;
  readonly line: string;
  readonly instead: string;
  /** What the simulation reports of it; a failure for another reason does not count. */
  readonly symptom: RegExp;
  /** A seed that finds it. When it no longer does, `node sim/planted.ts` names another. */
  readonly seed: number;
  /** One of the seeds from 1 to this finds it. */
  readonly within: number;
}

const FALSE_ANSWER = /: not what block \d+ says$/;
const FALSE_ALT_ANSWER = /: not what block \d+ and the slots [\d, ]* say$/;
const FALSE_LISTING = /\/machines: not what was held at block \d+$/;
const OUTDATED_ANSWER = /: true at block \d+, but every block that was told since says otherwise$/;

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'believes receipts that do not hash to the root in the header',
    file: 'adapters/main-chain/receipts/block-receipts.ts',
    line: 'if (computeReceiptsRoot(told.receipts.map(({ bytes }) => bytes)) !== header.receiptsRoot) return undefined;',
    instead: '',
    symptom: FALSE_LISTING,
    seed: 85,
    within: 100,
  },
  {
    name: 'proves nothing of new blocks',
    file: 'indexing/main/block-reader.ts',
    line: 'return !isAccountedFor(header, told);',
    instead: 'return false;',
    symptom: OUTDATED_ANSWER,
    seed: 93,
    within: 150,
  },
  {
    name: 'keeps a snapshot of all fleets from which rows were left out',
    file: 'domain/alt-chain/alt-fleet.ts',
    line: "return countBefore === BigInt(rowCount) ? 'whole' : 'incomplete';",
    instead: "return 'whole';",
    symptom: FALSE_LISTING,
    seed: 21,
    within: 100,
  },
  {
    name: 'believes logs that are of every contract which the bloom names',
    file: 'indexing/main/block-reader.ts',
    line: 'return logs.length === 0 && findContractsMissingLogs(contracts, header, logs).length === 0;',
    instead: 'return findContractsMissingLogs(contracts, header, logs).length === 0;',
    symptom: /^15 minutes after all faults: .*Event index is syncing/,
    seed: 109,
    within: 200,
  },
  {
    name: 'stores a checkpoint and its logs one after the other',
    file: 'adapters/sql/main-chain/main-chain-index.ts',
    line: 'database.exclusive(',
    instead: 'database.run(',
    symptom: FALSE_LISTING,
    seed: 16,
    within: 100,
  },
  {
    name: 'takes the next block for a child of the head whatever its parent is',
    file: 'indexing/head/head-follower.ts',
    line: 'if (headers[0]!.parentHash !== base.blockHash) return undefined;',
    instead: '',
    symptom: FALSE_ANSWER,
    seed: 20,
    within: 120,
  },
  {
    name: 'keeps snapshots that a log has touched',
    file: 'adapters/main-chain/cache/machine-snapshots.ts',
    line: 'for (const id of touched.machines) {',
    instead: 'for (const id of [...touched.machines].slice(1)) {',
    symptom: OUTDATED_ANSWER,
    seed: 9,
    within: 100,
  },
  {
    name: 'keeps snapshots when the head jumps',
    file: 'adapters/main-chain/cache/head-tracker.ts',
    line: 'if (!isSameBlock && !isNextStep) onJump();',
    instead: '',
    symptom: OUTDATED_ANSWER,
    seed: 5,
    within: 150,
  },
  {
    name: 'indexes up to the newest block instead of the finalized one',
    file: 'indexing/main/main-chain-index.ts',
    line: "source.chain.readHeader('finalized'),",
    instead: "source.chain.readHeader('latest'),",
    symptom: /^15 minutes after all faults: the listing answers 200/,
    seed: 67,
    within: 300,
  },
  {
    name: 'stores a window that does not follow the checkpoint',
    file: 'indexing/main/main-chain-index.ts',
    line: 'window.parentHash !== checkpoint.blockHash',
    instead: 'window.parentHash === undefined',
    symptom: /^15 minutes after all faults: .*Chain unavailable/,
    seed: 4,
    within: 120,
  },
  {
    name: 'believes an aggregate of another block',
    file: 'adapters/main-chain/reads/multicall.ts',
    line: "return isProven ? answers : 'other-block';",
    instead: "return isProven || answers.length > 0 ? answers : 'other-block';",
    symptom: FALSE_ANSWER,
    seed: 2,
    within: 100,
  },
  {
    name: 'serves a kept snapshot past a boundary of its subscription',
    file: 'adapters/main-chain/cache/machine-snapshots.ts',
    line: 'if (!isFresh || isPastBoundary) {',
    instead: 'if (!isFresh) {',
    symptom: OUTDATED_ANSWER,
    seed: 42,
    within: 500,
  },
  {
    name: 'rates a machine of the alt chain from what is indexed, whatever its log account counts',
    file: 'indexing/alt/event-history.ts',
    line: 'const isComplete = isWhole && isOfSlot(stored.events, count, snapshot.slot);',
    instead: 'const isComplete = true; if (isComplete) return { isComplete, fold, tail: known.map(toRatingEvent) };',
    symptom: FALSE_ALT_ANSWER,
    seed: 3,
    within: 100,
  },
  {
    name: 'takes an account of the alt chain that it cannot read for none',
    file: 'domain/alt-chain/alt-machine-home.ts',
    line: "if (reading.state === 'unreadable') throw chainUnreadable('alt', reading.cause);",
    instead: '',
    symptom: FALSE_ALT_ANSWER,
    seed: 42,
    within: 100,
  },
  {
    name: 'believes an answer of the alt chain of an older slot than it has seen',
    file: 'adapters/alt-chain/rpc/alt-nodes.ts',
    line: "if (slot < seen) throw new RpcFailure('block-mismatch', 'behind');",
    instead: '',
    symptom: FALSE_ALT_ANSWER,
    seed: 57,
    within: 180,
  },
];
