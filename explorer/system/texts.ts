/** Texts of the system page, and of the line about the state of the service. */
import { formatCount } from '../parts/formats.ts';
import { CONTRACT_NAMES, describeLag, plural } from '../parts/texts.ts';
import type { Readiness, Status } from '../parts/wire.ts';

export const NO_OPERATOR_INDEX = 'This deployment has no operator index.';
export const NO_ALT_CHAIN = 'No second chain is configured.';
export const PAYMENTS_NOTE =
  'Chains on which payments to machines are followed, and how far events are searched for them.';
/** Before the name of a chain. */
export const PAYMENTS_ON = 'Payments on';
export const EVENTS_ON = 'Events on';
export const BUDGETS_NOTE = 'Calls that this process may make to the nodes of a chain.';

/** The service does not report its limits; those of the interface may be turned off. */
export const RATE_LIMITS = [
  '90 requests a minute for each path and address',
  '60 for all verification records together',
  '120 for each chip route',
] as const;
export const RATE_LIMITS_NOTE = 'These are the defaults; a deployment may turn them off.';

export const STATUS_LOADING = 'Loading status…';

/** Undefined: the service did not report its state. */
export function describeReadiness(report: Readiness | undefined): string {
  if (report === undefined) return 'Status unavailable.';
  if (report.status === 'ready') return 'The service is ready.';
  const missing = [
    ...(report.rpc_connected ? [] : ['the main chain']),
    ...Object.entries(report.contracts).flatMap(([name, isAvailable]) =>
      isAvailable ? [] : [CONTRACT_NAMES[name] ?? name],
    ),
    ...(report.verify === false ? ['verification'] : []),
  ];
  return `The service is not ready${missing.length === 0 ? '' : `: ${missing.join(', ')}`}.`;
}

export function describeIndexState(isReady: boolean): string {
  return isReady ? 'up to date' : 'catching up';
}

export function describeIndexedBlock(indexed: number, head: number, lag: number | null): string {
  return `Block ${formatCount(indexed)} of ${formatCount(head)}${describeLag(lag)}`;
}

type Proof = NonNullable<NonNullable<Readiness['operator_index']>['proof']>;

export function describeProof({ mode, unproven_blocks: count }: Pick<Proof, 'mode' | 'unproven_blocks'>): string {
  if (mode === 'off') return 'The index is not proven by receipts.';
  return count === 0
    ? 'Every indexed block is proven by its receipts.'
    : `${plural(count, 'block')} with events ${count === 1 ? 'is' : 'are'} not proven by receipts yet.`;
}

type AltProgress = NonNullable<Status['solana_index_progress']>;

/** Returns undefined once all known transactions are applied. */
export function describeAltProgress({
  phase,
  applied_slot: applied,
  target_slot: target,
  listed_down_to_slot: listed,
}: AltProgress): string | undefined {
  if (phase === 'following') return undefined;
  if (phase === 'listing') {
    const reached = listed === null ? '' : `, down to slot ${formatCount(listed)}`;
    return `Lists the transactions from slot ${formatCount(target)}${reached}, before it applies them.`;
  }
  return applied === null
    ? `Applies the transactions up to slot ${formatCount(target)}.`
    : `Applied slot ${formatCount(applied)} of ${formatCount(target)}.`;
}

type Budget = NonNullable<Status['call_budgets']>[number];

export function describeBudget({
  calls_per_second: rate,
  waiting_requests: waiting,
  refused_reads: refused,
  day_exhausted: isExhausted,
}: Pick<Budget, 'calls_per_second' | 'waiting_requests' | 'refused_reads' | 'day_exhausted'>): string {
  return [
    rate === null ? 'no limit is known' : `${plural(rate, 'call')} a second`,
    `${plural(waiting, 'request')} waiting`,
    `${plural(refused, 'read')} refused since the start`,
    ...(isExhausted ? ['the calls of the day are used too fast, which stops the proof'] : []),
  ].join('; ');
}

export function describeNode(isReachable: boolean): string {
  return isReachable ? 'reachable' : 'unreachable';
}

export function describeContract(isReadable: boolean): string {
  return isReadable ? 'readable' : 'unreadable';
}

/** Null: this server does not run Verify. */
export function describeVerify(isReady: boolean | null): string {
  if (isReady === null) return 'not configured';
  return isReady ? 'ready' : 'not ready';
}

export function describeSource(isUp: boolean | null): string {
  return isUp === null ? 'not read yet' : describeContract(isUp);
}

export function describeWaiting(machines: number): string {
  return `${plural(machines, 'machine')} waiting for a verdict`;
}
