/** Estimate of the first start on the alt chain: transactions, calls, bytes and time, and the rate they assume. */
import {
  explainCause,
  formatCount,
  formatDuration,
  MAX_FIRST_INDEX_SECONDS,
} from '../../../src/domain/index-rules/index-cause.ts';
import { ok, type Finding } from '../check-result.ts';
import { toCauseFinding } from './cause-finding.ts';
import { formatBytes, RATE_TEXTS, type CallRate } from './estimate.ts';

/** Newest transactions of the event registry. */
export interface AltListing {
  /** Newest first. */
  readonly rows: readonly { readonly slot: number }[];
  /** Whether no older transactions exist since the first slot. */
  readonly isWhole: boolean;
}

/** Returns the number of transactions since the first slot, at the density of those listed. */
export function estimateTransactions({ rows, isWhole }: AltListing, firstSlot: number): number {
  const [newest, oldest] = [rows[0]?.slot ?? firstSlot, rows.at(-1)?.slot ?? firstSlot];
  if (isWhole || oldest <= firstSlot || newest === oldest) return rows.length;
  return Math.round((rows.length * (newest - firstSlot)) / (newest - oldest));
}

const ROWS_PER_CALL = 1_000;
/** Identity, slots, counts and machines. */
const FIXED_CALLS = 20;
const ROW_BYTES = 250;
const TRANSACTION_BYTES = 3_000;

/** Returns the estimate as a finding, and the cause of one that takes days. */
export function describeAltEstimate(transactions: number, { callsPerSecond, source }: CallRate): Finding[] {
  const calls = transactions + Math.ceil(transactions / ROWS_PER_CALL) + FIXED_CALLS;
  const seconds = calls / callsPerSecond;
  const bytes = transactions * (ROW_BYTES + TRANSACTION_BYTES);
  const text =
    `about ${formatCount(calls, 'call')} and ${formatBytes(bytes)} for ${formatCount(transactions, 'transaction')}: ` +
    `rated after about ${formatDuration(seconds)}, at ${formatCount(Math.max(1, Math.round(callsPerSecond)), 'call')} ` +
    `a second (${RATE_TEXTS[source]})`;
  const finding = ok('alt first start', text);
  if (seconds < MAX_FIRST_INDEX_SECONDS) return [finding];
  return [finding, toCauseFinding(explainCause({ kind: 'alt-first-index-slow', seconds }))];
}
