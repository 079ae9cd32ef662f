/**
 * Rehearsal of the first start on the alt chain (design/real-chains.md 7): reads real pages of transactions, a real
 * transaction, the counts and the machines through the code that the indexes use, and estimates how long the first index
 * takes.
 */
import type { AltChainAdapter } from '../../../src/adapters/alt-chain/create-alt-chain.ts';
import type { Config } from '../../../src/config.ts';
import { judgeFleet } from '../../../src/domain/alt-chain/alt-fleet.ts';
import { explainCause, formatCount, type PlainIndexCause } from '../../../src/domain/index-rules/index-cause.ts';
import { findAltCause, type AltLoopName } from '../../../src/indexing/alt/alt-causes.ts';
import { checkPage, type ListPosition } from '../../../src/indexing/alt/signature-pager.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../../../src/ports/alt-chain.ts';
import { ok, type Finding } from '../check-result.ts';
import { repeatRead } from '../patient-read.ts';
import { toCauseFinding } from './cause-finding.ts';
import { describeAltEstimate, estimateTransactions, type AltListing } from './alt-estimate.ts';
import type { CallRate } from './estimate.ts';
import { openRawNode, type RawCall, type RawNode } from './raw-node.ts';

export interface AltRehearsalOptions {
  readonly settings: NonNullable<Config['altChain']>;
  readonly adapter: Pick<AltChainAdapter, 'budget' | 'counters'>;
  readonly history: AltHistory;
}

/** Pages of 1,000 transactions that are listed; older ones are extrapolated. */
const MAX_PAGES = 3;
/** Newest transactions of which one must be there. */
const MAX_TRANSACTIONS = 5;

/** Returns the findings. Never throws for a node that refuses. */
export async function rehearseAltStart(options: AltRehearsalOptions): Promise<Finding[]> {
  const { settings, history } = options;
  const node = openRawNode(settings.rpcUrls[0]!, settings.callsPerSecond);
  try {
    const available = await attempt(() => history.readFirstAvailableSlot(), 'walk', node, FIRST_BLOCK);
    if ('finding' in available) return [available.finding];
    if (available.value > settings.firstSlot) {
      return [toFinding('alt-history-pruned', `its first slot is ${available.value}`)];
    }
    const { eventRegistry, machineRegistry } = settings.programs!;
    const listing = await attempt(() => listNewest(history, settings.firstSlot), 'walk', node, {
      method: 'getSignaturesForAddress',
      params: [eventRegistry, { limit: 1, commitment: 'finalized' }],
    });
    if ('finding' in listing) return [listing.finding];
    const transaction = await examineTransaction(history, node, listing.value.rows);
    const counts = await attempt(() => history.readEventLogCounts(), 'verify', node, listAccounts(eventRegistry));
    const fleet = await examineFleet(history, node, machineRegistry);
    return [
      ok('ALT_FIRST_SLOT', `the node serves the history from slot ${available.value}`),
      ...transaction,
      // The same refusal concerns both.
      ...('finding' in counts && counts.finding.text !== fleet.text ? [counts.finding] : []),
      fleet,
      ...describeAltEstimate(estimateTransactions(listing.value, settings.firstSlot), chooseRate(options)),
    ];
  } finally {
    await node.close();
  }
}

interface Listing extends AltListing {
  readonly rows: readonly SignatureRow[];
}

/** Lists the newest transactions of the event registry. */
async function listNewest(history: AltHistory, firstSlot: number): Promise<Listing> {
  const rows: SignatureRow[] = [];
  let last: ListPosition | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await history.listSignatures('event-registry', last?.signature);
    last = checkPage(found, last);
    rows.push(...found);
    if (last === undefined || last.slot < firstSlot) return { rows, isWhole: true };
  }
  return { rows, isWhole: false };
}

async function examineTransaction(
  history: AltHistory,
  node: RawNode,
  rows: readonly SignatureRow[],
): Promise<Finding[]> {
  const newest = rows.filter(({ hasFailed }) => !hasFailed).slice(0, MAX_TRANSACTIONS);
  for (const row of newest) {
    const params = [row.signature, { commitment: 'finalized', maxSupportedTransactionVersion: 0 }];
    const read = await attempt(() => history.readTransaction(row), 'walk', node, { method: 'getTransaction', params });
    if ('finding' in read) return [read.finding];
    if (read.value.state !== 'not-here-yet') return [];
  }
  return newest.length === 0 ? [] : [toFinding('alt-history-incomplete', 'it lacks transactions that it lists')];
}

async function examineFleet(history: AltHistory, node: RawNode, machineRegistry: string): Promise<Finding> {
  const read = await attempt(() => history.readFleet(), 'fleet', node, listAccounts(machineRegistry));
  if ('finding' in read) return read.finding;
  const { addresses, unattributed } = read.value.fleet;
  const isWhole = judgeFleet(read.value, new Set()) !== 'incomplete';
  if (isWhole) return ok('alt fleets', `${formatCount(addresses.size, 'machine')} in one response`);
  const { machineCount } = read.value.after;
  return toFinding(
    'alt-machines-mismatch',
    `${addresses.size} listed, ${unattributed} of them unreadable, ${machineCount} counted`,
  );
}

type Attempt<T> = { readonly value: T } | { readonly finding: Finding };

/** Runs a read of an index. Returns a finding with the cause and the node's own text to `repeat` when it fails. */
async function attempt<T>(
  read: () => Promise<T>,
  loop: AltLoopName,
  node: RawNode,
  repeat: RawCall,
): Promise<Attempt<T>> {
  const outcome = await repeatRead(read, (error) => {
    const cause = findAltCause(error, loop);
    const requestedSeconds = error instanceof AltNodeBusy ? (error.retryAfterSeconds ?? 0) : 0;
    return cause && { cause, pauseMilliseconds: TRANSIENT.has(cause) ? 1000 * requestedSeconds : undefined };
  });
  if ('value' in outcome) return outcome;
  const raw = await node.call(repeat.method, ...repeat.params);
  return { finding: toFinding(outcome.cause, raw.ok ? undefined : raw.text) };
}

const TRANSIENT: ReadonlySet<PlainIndexCause> = new Set([
  'alt-rate-limited',
  'alt-node-behind',
  'alt-node-unreachable',
]);

const FIRST_BLOCK: RawCall = { method: 'getFirstAvailableBlock', params: [] };

/** Lists the addresses of a program's accounts without their data. */
function listAccounts(program: string): RawCall {
  const options = { commitment: 'finalized', encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
  return { method: 'getProgramAccounts', params: [program, options] };
}

function toFinding(kind: PlainIndexCause, detail: string | undefined): Finding {
  return toCauseFinding(explainCause({ kind }), detail);
}

/** Transactions that the index requests concurrently; with the latency of the node they bound its rate. */
const REQUESTS_IN_FLIGHT = 8;

function chooseRate({ settings, adapter }: AltRehearsalOptions): CallRate {
  if (settings.callsPerSecond !== undefined) return { callsPerSecond: settings.callsPerSecond, source: 'configured' };
  const { callsPerSecond } = adapter.budget.report();
  if (callsPerSecond !== undefined) return { callsPerSecond, source: 'refused' };
  const { durations, httpRequests } = adapter.counters;
  const secondsPerCall = durations.sumSeconds / Math.max(1, httpRequests);
  return { callsPerSecond: REQUESTS_IN_FLIGHT / Math.max(secondsPerCall, 0.001), source: 'latency' };
}
