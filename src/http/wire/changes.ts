/** Maps changes to their wire form (docs/decisions/changes.md). */
import type { WatchReport } from '../../actions/watch-report.ts';
import type { ChangePage, NumberedChange } from '../../domain/changes/machine-change.ts';
import { formatAddress, formatMachineDid, parseAddress } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { Change, ChangePageResponse } from './response-types.ts';

/** `GET /changes`. */
export function toChangePage(
  { changes, next, newest, prunedThrough, openedAt }: ChangePage,
  namespace: Namespace,
): ChangePageResponse {
  return {
    changes: changes.map((change) => toChange(change, namespace)),
    next,
    newest,
    oldest_after: prunedThrough,
    opened_at: openedAt ?? null,
  };
}

/** One change: an entry of a page, an event of the stream, or the data of a webhook. */
export function toChange(change: NumberedChange, namespace: Namespace): Change {
  const { cursor, kind, machineId, operator, from, to, blockNumber, observedAt } = change;
  return {
    cursor,
    kind,
    machine_id: String(machineId),
    did: formatMachineDid(machineId, namespace),
    operator: operator === undefined ? null : formatAddress(operator),
    from: formatValue(from),
    to: formatValue(to),
    block: blockNumber,
    observed_at: observedAt,
  };
}

/** Encodes the body of a webhook (Standard Webhooks); the same bytes for every attempt. */
export function encodeWebhook(change: NumberedChange, namespace: Namespace): string {
  const timestamp = new Date(change.observedAt * 1000).toISOString();
  return JSON.stringify({ type: 'machine.changed', timestamp, data: toChange(change, namespace) });
}

/** `GET /watch` of the admin port. */
export function toWatchReport({ newest, receivers, deadLetters }: WatchReport): object {
  return {
    newest,
    receivers: receivers.map(({ name, through, pending, dead }) => ({
      receiver: name,
      examined_through: through,
      pending,
      dead,
    })),
    dead_letters: deadLetters,
  };
}

/** Prints addresses of the main chain in EIP-55 spelling; no other value looks like one. */
function formatValue(value: string | null): string | null {
  const address = value === null ? undefined : parseAddress(value);
  return address === undefined ? value : formatAddress(address);
}
