/**
 * Causes that stop or slow the index of the main chain while they last, for the log and `/status`. Failed reads are
 * attributed to what was read; the distance to finality and the pace of a first index are measured on the way.
 */
import {
  MAX_FIRST_INDEX_SECONDS,
  type ExplainedCause,
  type IndexCause,
  type PlainIndexCause,
} from '../../domain/index-rules/index-cause.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { ChainLog, Header, LogQuery, MainChainLog } from '../../ports/main-chain.ts';
import { createLastingCauses } from '../loops/lasting-causes.ts';
import { findCauseOfFailure, type ReadKind } from './cause-of-failure.ts';

export interface IndexCauses {
  /** Returns the same chain with its failures attributed. */
  watch(chain: MainChainLog): MainChainLog;
  /** Runs a step of a loop; its failure is a cause until the next step of the loop succeeds. */
  observe<T>(loop: LoopName, step: () => Promise<T>): Promise<T>;
  /** Returns what lasts now, each cause once. */
  list(): readonly ExplainedCause[];
}

export type LoopName = 'index' | 'head';

type HeaderName = 'latest' | 'finalized' | number;
type Method = (...args: unknown[]) => Promise<unknown>;

const READ_KINDS: Partial<Record<keyof MainChainLog, ReadKind>> = {
  readHeader: 'header',
  readHeaders: 'header',
  readLogs: 'logs',
  readHeadAndLogs: 'logs',
  readBlockLogs: 'logs',
  readProvenLogs: 'receipts',
  readOwnership: 'state',
  readEventTotal: 'state',
  readEventCounts: 'state',
  readEventRecords: 'state',
};

/** Time after which the pace of a first index is known. */
const PACE_MILLISECONDS = 60_000;

export interface IndexCausesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMilliseconds: number;
  /** First block of the index. */
  readonly startBlock: number;
}

export function createIndexCauses(options: IndexCausesOptions): IndexCauses {
  const { clock, log, pollIntervalMilliseconds, startBlock } = options;
  const kinds = new WeakMap<Error, ReadKind>();
  const numbers = { latest: 0, finalized: 0 };
  /** Measured at the end of the last step of the index. */
  let finality: { readonly gapBlocks: number; readonly atMilliseconds: number } | undefined;
  let pace = startPace();
  /** Whether the index has more to read or process, or may have. */
  let isBehind = true;
  let countHosts: MainChainLog['countHosts'];
  let listMalformedNodes: MainChainLog['listMalformedNodes'];
  let listLacks: MainChainLog['listLacks'];
  /** Whether the last logs of a range came without the times of their blocks. */
  let isTimeMissing = false;
  const lasting = createLastingCauses({ clock, log, pollIntervalMilliseconds, listMeasured: findMeasuredCauses });

  function startPace() {
    return { atMilliseconds: clock.nowMilliseconds(), logBlocks: 0, headerBlocks: 0, rangeBlocks: 0, reached: 0 };
  }

  /** Calls a method of the chain. Records what it read, and what a failure of it concerns. */
  async function call(chain: MainChainLog, name: keyof MainChainLog, args: unknown[], method: Method) {
    const isFinalized = name === 'readHeader' && args[0] === 'finalized';
    try {
      const result = await method.apply(chain, args);
      if (name === 'readHeader') recordHeader(args[0] as HeaderName, result as Header);
      if (name === 'readHeaders') recordHeaders(args[0] as readonly number[]);
      if (name === 'readLogs') recordLogs(args[0] as LogQuery, result as readonly ChainLog[]);
      return result;
    } catch (error) {
      const kind = isFinalized ? 'finalized' : READ_KINDS[name];
      if (error instanceof Error && kind !== undefined) kinds.set(error, kind);
      throw error;
    }
  }

  function recordHeader(block: HeaderName, { number }: Header): void {
    if (typeof block === 'string') numbers[block] = number;
  }

  /** Records a range of final blocks, which is read where blocks are proven first. Other reads name single or newer blocks. */
  function recordHeaders(blocks: readonly number[]): void {
    const [fromBlock, toBlock] = [blocks[0] ?? 0, blocks.at(-1) ?? 0];
    if (blocks.length < 2 || toBlock - fromBlock + 1 !== blocks.length || toBlock > numbers.finalized) return;
    pace.headerBlocks += blocks.length;
    pace.reached = Math.max(pace.reached, toBlock);
  }

  function recordLogs({ fromBlock, toBlock, ...only }: LogQuery, logs: readonly ChainLog[]): void {
    if (Object.keys(only).length > 0) return;
    if (logs.length > 0) isTimeMissing = logs.some(({ blockTimestamp }) => blockTimestamp === undefined);
    const blocks = toBlock - fromBlock + 1;
    pace.logBlocks += blocks;
    pace.rangeBlocks = Math.max(pace.rangeBlocks, blocks);
    pace.reached = Math.max(pace.reached, toBlock);
  }

  function recordIndexStep(hasMore: boolean): void {
    const atMilliseconds = clock.nowMilliseconds();
    finality = { gapBlocks: numbers.latest - numbers.finalized, atMilliseconds };
    isBehind = hasMore;
    if (!hasMore) pace = startPace();
  }

  function findMeasuredCauses(): IndexCause[] {
    const causes: IndexCause[] = [];
    const malformed = listMalformedNodes?.() ?? [];
    if (malformed.length > 0) causes.push({ kind: 'node-answers-malformed', nodes: malformed });
    if (finality !== undefined && lasting.isRecent(finality.atMilliseconds)) {
      const { gapBlocks } = finality;
      if (numbers.finalized < startBlock) causes.push({ kind: 'start-block-ahead' });
      if (isBehind) causes.push(...findSlowingCauses());
      if (gapBlocks > MAX_LAG_BLOCKS) causes.push({ kind: 'finality-distant', gapBlocks });
    }
    const { atMilliseconds, logBlocks, headerBlocks, rangeBlocks, reached } = pace;
    const blocks = Math.max(logBlocks, headerBlocks);
    const limit = headerBlocks < logBlocks ? 'log queries' : 'headers of all blocks';
    const elapsedMilliseconds = clock.nowMilliseconds() - atMilliseconds;
    if (!isBehind || blocks === 0 || elapsedMilliseconds < PACE_MILLISECONDS) return causes;
    const seconds = (Math.max(0, numbers.finalized - reached) / blocks) * (elapsedMilliseconds / 1000);
    if (seconds > MAX_FIRST_INDEX_SECONDS) causes.push({ kind: 'first-index-slow', limit, rangeBlocks, seconds });
    return causes;
  }

  /** An index that is up to date needs so few calls that nothing slows it. */
  function findSlowingCauses(): IndexCause[] {
    const lacks = listLacks?.() ?? [];
    const kinds = lacks.map((lack) => `${lack}-missing` as const);
    return [...(isTimeMissing ? (['log-times-missing'] as const) : []), ...kinds].map((kind) => ({ kind }));
  }

  /** Too few hosts that respond fail a read like a node that does not, or like nodes that differ. */
  function findMissingHosts(kind: PlainIndexCause): IndexCause | undefined {
    if (kind !== 'node-unreachable' && kind !== 'nodes-disagree') return undefined;
    const count = countHosts?.();
    return count === undefined || count.hosts >= count.quorum ? undefined : { kind: 'hosts-missing', ...count };
  }

  return {
    watch(chain) {
      countHosts ??= chain.countHosts;
      listMalformedNodes ??= chain.listMalformedNodes;
      listLacks ??= chain.listLacks;
      return new Proxy(chain, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => call(target, name as keyof MainChainLog, args, member as Method);
        },
      });
    },
    observe: (loop, step) =>
      lasting.observe(
        loop,
        async () => {
          const outcome = await step();
          if (loop === 'index') recordIndexStep(outcome === 'more');
          return outcome;
        },
        (error) => {
          const kind = findCauseOfFailure(error, error instanceof Error ? kinds.get(error) : undefined);
          return kind && (findMissingHosts(kind) ?? { kind });
        },
      ),
    list: lasting.list,
  };
}
