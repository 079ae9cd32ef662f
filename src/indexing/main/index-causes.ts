/**
 * Causes that stop or slow the index of the main chain while they last, for the log and `/status`. Failed reads are
 * attributed to what was read; the distance to finality and the pace of a first index are measured on the way.
 */
import {
  explainCause,
  MAX_FIRST_INDEX_SECONDS,
  type ExplainedCause,
  type IndexCause,
} from '../../domain/index-rules/index-cause.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Header, LogQuery, MainChainLog } from '../../ports/main-chain.ts';
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

/** A cause that lasts is logged again after this time. */
const LOG_INTERVAL_MILLISECONDS = 60_000;
/** Time after which the pace of a first index is known. */
const PACE_MILLISECONDS = 60_000;

export function createIndexCauses(clock: Clock, log: Log): IndexCauses {
  const kinds = new WeakMap<Error, ReadKind>();
  const failures = new Map<LoopName, IndexCause>();
  const loggedAt = new Map<IndexCause['kind'], number>();
  const numbers = { latest: 0, finalized: 0 };
  let pace = startPace();

  function startPace() {
    return { atMilliseconds: clock.nowMilliseconds(), blocks: 0, rangeBlocks: 0, reached: 0 };
  }

  /** Calls a method of the chain. Records what it read, and what a failure of it concerns. */
  async function call(chain: MainChainLog, name: keyof MainChainLog, args: unknown[], method: Method) {
    const isFinalized = name === 'readHeader' && args[0] === 'finalized';
    try {
      const result = await method.apply(chain, args);
      if (name === 'readHeader') recordHeader(args[0] as HeaderName, result as Header);
      if (name === 'readLogs') recordLogs(args[0] as LogQuery);
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

  function recordLogs({ fromBlock, toBlock, ...only }: LogQuery): void {
    if (Object.keys(only).length > 0) return;
    const blocks = toBlock - fromBlock + 1;
    pace.blocks += blocks;
    pace.rangeBlocks = Math.max(pace.rangeBlocks, blocks);
    pace.reached = Math.max(pace.reached, toBlock);
  }

  function findSlowCauses(): IndexCause[] {
    const causes: IndexCause[] = [];
    const gapBlocks = numbers.latest - numbers.finalized;
    if (numbers.finalized > 0 && gapBlocks > MAX_LAG_BLOCKS) causes.push({ kind: 'finality-distant', gapBlocks });
    const { atMilliseconds, blocks, rangeBlocks, reached } = pace;
    const elapsedSeconds = (clock.nowMilliseconds() - atMilliseconds) / 1000;
    if (blocks === 0 || elapsedSeconds * 1000 < PACE_MILLISECONDS) return causes;
    const seconds = Math.max(0, numbers.finalized - reached) / (blocks / elapsedSeconds);
    if (seconds > MAX_FIRST_INDEX_SECONDS) causes.push({ kind: 'first-index-slow', rangeBlocks, seconds });
    return causes;
  }

  function list(): readonly ExplainedCause[] {
    const causes = [...failures.values(), ...findSlowCauses()].map(explainCause);
    return [...new Map(causes.map((cause) => [cause.kind, cause])).values()];
  }

  function logLasting(): void {
    const now = clock.nowMilliseconds();
    const causes = list();
    for (const kind of loggedAt.keys()) if (!causes.some((cause) => cause.kind === kind)) loggedAt.delete(kind);
    for (const { kind, subject, text, remedy } of causes) {
      if (now - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MILLISECONDS) continue;
      loggedAt.set(kind, now);
      log.warn({ cause: kind, subject, remedy }, text);
    }
  }

  return {
    watch: (chain) =>
      new Proxy(chain, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => call(target, name as keyof MainChainLog, args, member as Method);
        },
      }),
    async observe(loop, step) {
      try {
        const outcome = await step();
        failures.delete(loop);
        if (loop === 'index' && outcome !== 'more') pace = startPace();
        logLasting();
        return outcome;
      } catch (error) {
        const kind = findCauseOfFailure(error, error instanceof Error ? kinds.get(error) : undefined);
        if (kind === undefined) failures.delete(loop);
        else failures.set(loop, { kind });
        logLasting();
        throw error;
      }
    },
    list,
  };
}
