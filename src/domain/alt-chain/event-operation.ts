/**
 * What did one transaction of the alt chain do to the event logs of machines? (chain-svm 3.6 and 6.)
 * An event exists exactly when such an operation was executed; no account keeps more than the last one.
 */
import type { MachineId } from '../identifiers/identifiers.ts';
import type { EventRecord } from '../machine/machine-facts.ts';

/** One change of one machine's log. */
export type EventChange = (
  | {
      readonly kind: 'submitted';
      /** Count before the append; undefined where no log tells, to be filled in by order. */
      readonly eventIndex: bigint | undefined;
      readonly record: EventRecord;
    }
  /** A relocation arrived. A record that came with it is the anchor, with index 0. */
  | { readonly kind: 'imported'; readonly priorEventCount: bigint; readonly record: EventRecord | undefined }
  /** An administrator took a carried event over; `count` is what the log line says. */
  | {
      readonly kind: 'adopted';
      readonly priorEventCount: bigint;
      readonly count: bigint | undefined;
      readonly record: EventRecord | undefined;
    }
  /** The incarnation ended; `count` is what the log line says. */
  | { readonly kind: 'closed'; readonly count: bigint | undefined }
) & { readonly machineId: MachineId };

export type EventOperation = EventChange & {
  /** `instruction`: the node kept no logs of the transaction, or cut them. */
  readonly evidence: 'log+instruction' | 'instruction';
};

/** What one look at a transaction gave. */
export type TransactionReadResult =
  /** Operations in the order of their execution; none for a failed or an unrelated transaction. */
  | { readonly state: 'read'; readonly operations: readonly EventOperation[] }
  /** The node does not have it yet: ask again, never skip. */
  | { readonly state: 'not-here-yet' }
  /** It is sound and holds events, but nobody knows the time of its block yet. */
  | { readonly state: 'parked' }
  /** It has no known form, or its parts contradict each other: ask again, then park. */
  | { readonly state: 'unreadable' };
