/** Metrics of changes, streams and webhooks (docs/decisions/changes.md). Counters exist from the start, also in a process that is not the leader. */
import { nowSeconds } from '../ports/runtime.ts';
import type { Ctx } from '../ports/ctx.ts';
import { family, one, type MetricFamily } from './exposition.ts';

export interface ChangeCounts {
  readonly stored: number;
  readonly postponed: number;
}

export interface WebhookCounts {
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
}

export interface ChangeMetricSources {
  /** Undefined: no worker of this process finds changes. */
  readonly changes: (() => ChangeCounts) | undefined;
  /** Undefined: no webhooks are configured. */
  readonly webhooks: (() => WebhookCounts) | undefined;
  /** Number of open streams of this process. */
  readonly streams: () => number;
}

/** Values of the database are left out while it cannot be queried. */
export async function readChangeMetrics(
  { store, clock, main }: Ctx,
  { changes, webhooks, streams }: ChangeMetricSources,
): Promise<MetricFamily[]> {
  const nextDue = main === undefined ? undefined : await store.readNextDue().catch(() => undefined);
  const receivers = webhooks === undefined ? [] : await store.listReceiverStates().catch(() => []);
  const lateness = nextDue === undefined ? 0 : Math.max(0, nowSeconds(clock) - nextDue);
  const { delivered, failedAttempts, deadLetters } = webhooks?.() ?? NO_WEBHOOKS;
  return [
    family(
      'counter',
      'svc_changes_stored_total',
      'Changes that this process has stored.',
      one(changes?.().stored ?? 0),
    ),
    family(
      'counter',
      'svc_change_observations_postponed_total',
      'Observations of machines that failed and were postponed.',
      one(changes?.().postponed ?? 0),
    ),
    family(
      'gauge',
      'svc_changes_oldest_due_seconds',
      'Seconds by which the oldest periodic observation of a machine is late.',
      one(lateness),
    ),
    family('gauge', 'svc_change_streams', 'Open streams of changes.', one(streams())),
    family('counter', 'svc_webhook_attempts_total', 'Attempts to deliver a webhook, by outcome.', [
      { labels: { outcome: 'delivered' }, value: delivered },
      { labels: { outcome: 'failed' }, value: failedAttempts },
    ]),
    family(
      'counter',
      'svc_webhook_dead_letters_total',
      'Webhooks that were given no further attempt.',
      one(deadLetters),
    ),
    family(
      'gauge',
      'svc_webhook_pending',
      'Deliveries that wait for an attempt, by receiver.',
      receivers.map(({ name, pending }) => ({ labels: { receiver: name }, value: pending })),
    ),
  ];
}

const NO_WEBHOOKS: WebhookCounts = { delivered: 0, failedAttempts: 0, deadLetters: 0 };
