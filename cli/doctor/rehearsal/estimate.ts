/** Estimate of the first start: calls, bytes and time until serving and until proven, and what limits it. */
import {
  explainCause,
  formatCount,
  formatDuration,
  MAX_FIRST_INDEX_SECONDS,
  type FirstIndexLimit,
} from '../../../src/domain/index-rules/index-cause.ts';
import { FREE_PART_OF_DAY } from '../../../src/adapters/rpc/day-quota.ts';
import type { IndexProof } from '../../../src/domain/index-rules/index-proof.ts';
import { ok, type Finding } from '../check-result.ts';
import { toCauseFinding } from './cause-finding.ts';
import type { LogRange } from './log-range.ts';

export interface EstimateInput {
  /** Blocks from the first one of the index to the finalized one. */
  readonly blocks: number;
  /** Blocks of them that may hold logs: the others precede the contracts. */
  readonly loggingBlocks: number;
  /** Windows of blocks that may hold logs. */
  readonly range: LogRange;
  /** Number of all events, as the contract counts them; undefined where it cannot be read. */
  readonly events: number | undefined;
  /** Host of each node: the proof asks every host once whether logs were hidden. */
  readonly rpcHosts: readonly string[];
  readonly proof: IndexProof;
  readonly rate: CallRate;
}

export interface CallRate {
  readonly callsPerSecond: number;
  /** `configured`: a setting; `refused`: what the node accepted after a refusal; `latency`: how fast it responded. */
  readonly source: 'configured' | 'refused' | 'latency';
  /** Undefined: any number. */
  readonly callsPerDay?: number | undefined;
}

export interface Estimate {
  readonly servingCalls: number;
  readonly servingSeconds: number;
  readonly provenSeconds: number | undefined;
  readonly bytes: number;
  /** The largest part of the calls until serving. */
  readonly limit: FirstIndexLimit;
  /** Whether the calls of a day limit it more than the rate. */
  readonly isLimitedByDay: boolean;
}

const RECORDS_PER_CALL = 100;
const MACHINES_PER_CALL = 200;
/** Head, identity, deployment and counters. */
const FIXED_CALLS = 30;
const SAMPLED_HEADERS = 1_000;
const LOG_BYTES = 750;
const HEADER_BYTES = 2_800;
const RECORD_BYTES = 1_000;
const DAY_SECONDS = 86_400;

export function estimateFirstStart(input: EstimateInput): Estimate {
  const { blocks, loggingBlocks, range, events = range.logs, rpcHosts, proof, rate } = input;
  const hosts = new Set(rpcHosts).size;
  const share = loggingBlocks / Math.max(1, range.readBlocks);
  const blocksWithLogs = Math.round(range.blocksWithLogs * share);
  const logs = Math.max(events, Math.round(range.logs * share));
  const queries = Math.ceil(blocks / Math.max(1, range.blocks));
  const hasTimes = range.sample === undefined || range.sample.blockTimestamp !== undefined;
  const isFirst = proof === 'before';
  const headers = isFirst ? blocks : hasTimes ? 0 : blocksWithLogs;
  const records = Math.ceil(events / RECORDS_PER_CALL) + Math.ceil((range.machines * share) / MACHINES_PER_CALL);
  const servingCalls = (isFirst ? 0 : queries) + headers + (isFirst ? blocksWithLogs : 0) + records + FIXED_CALLS;
  const absence = hosts > 1 ? hosts * queries : Math.min(SAMPLED_HEADERS, blocks);
  const proofCalls = 2 * blocksWithLogs + (proof === 'full' ? blocks : absence);
  const parts = [
    ['log queries', isFirst ? 0 : queries],
    [isFirst ? 'headers of all blocks' : 'headers of blocks with logs', headers],
    ['records of events', records],
  ] as const;
  // Undefined: nothing is proven.
  const provenCalls = proof === 'off' ? undefined : servingCalls + (isFirst ? 0 : proofCalls);
  const allCalls = provenCalls ?? servingCalls;
  return {
    servingCalls,
    servingSeconds: estimateSeconds(servingCalls, rate),
    provenSeconds: provenCalls === undefined ? undefined : estimateSeconds(provenCalls, rate),
    bytes: logs * LOG_BYTES + headers * HEADER_BYTES + events * RECORD_BYTES,
    limit: parts.reduce((one, other) => (other[1] > one[1] ? other : one))[0],
    isLimitedByDay: estimateSeconds(allCalls, rate) > allCalls / rate.callsPerSecond,
  };
}

/** Returns the duration of these calls. Most calls of a day are sent at the rate, the last ones spread over the day. */
function estimateSeconds(calls: number, { callsPerSecond, callsPerDay = Infinity }: CallRate): number {
  const seconds = calls / callsPerSecond;
  return calls <= callsPerDay * FREE_PART_OF_DAY ? seconds : Math.max(seconds, (DAY_SECONDS * calls) / callsPerDay);
}

export const RATE_TEXTS = {
  configured: 'as configured',
  refused: 'what the node accepted after a refusal',
  latency: 'as fast as the node responds; its rate limit is not known',
} as const;

/** Returns the estimate as a finding, and the cause of one that takes days. */
export function describeEstimate(estimate: Estimate, { range, rate }: EstimateInput): Finding[] {
  const { servingCalls, servingSeconds, provenSeconds, bytes, limit, isLimitedByDay } = estimate;
  const proven = provenSeconds === undefined ? 'never proven' : `proven after about ${formatDuration(provenSeconds)}`;
  const day = isLimitedByDay
    ? `, limited by MAIN_RPC_CALLS_PER_DAY to ${formatCount(rate.callsPerDay!, 'call')} a day`
    : '';
  const text =
    `about ${formatCount(servingCalls, 'call')} and ${formatBytes(bytes)}: serving after about ` +
    `${formatDuration(servingSeconds)}, ${proven}, at ${formatCount(Math.max(1, Math.round(rate.callsPerSecond)), 'call')} ` +
    `a second (${RATE_TEXTS[rate.source]})${day}; most calls are ${limit}`;
  const finding = ok('first start', text);
  if (servingSeconds < MAX_FIRST_INDEX_SECONDS) return [finding];
  const cause = { kind: 'first-index-slow', limit, rangeBlocks: range.blocks, seconds: servingSeconds } as const;
  return [finding, toCauseFinding(explainCause(cause))];
}

export function formatBytes(bytes: number): string {
  return bytes < 1e6
    ? formatCount(Math.ceil(bytes / 1e3), 'kilobyte')
    : formatCount(Math.ceil(bytes / 1e6), 'megabyte');
}
