/**
 * Event log operations of alt-chain transactions (chain-svm 3.6 and 6).
 * An event exists exactly when such an operation was executed; accounts store only the last event.
 */
import type { MachineId } from '../identifiers/identifiers.ts';
import type { EventRecord } from '../machine/machine-facts.ts';

/** One change of one machine's log. A number from the log line is undefined when the node has no logs of the transaction, or truncated them. */
export type EventChange = (
  | {
      readonly kind: 'submitted';
      /** Count before the append; undefined without a log, then derived from the order. */
      readonly eventIndex: bigint | undefined;
      readonly record: EventRecord;
    }
  /** A relocation arrived. Its record, if any, is the anchor, with index 0. */
  | { readonly kind: 'imported'; readonly priorEventCount: bigint; readonly record: EventRecord | undefined }
  /** An administrator adopted a carried event; `count` is from the log line. */
  | {
      readonly kind: 'adopted';
      readonly priorEventCount: bigint;
      readonly count: bigint | undefined;
      readonly record: EventRecord | undefined;
    }
  /** The incarnation ended; `count` is from the log line. */
  | { readonly kind: 'closed'; readonly count: bigint | undefined }
) & { readonly machineId: MachineId };

/** Result of reading one transaction. */
export type TransactionReadResult =
  /** Operations in execution order; none for a failed or unrelated transaction. */
  | { readonly state: 'read'; readonly operations: readonly EventChange[] }
  /** The node does not have it yet: read it again, never skip it. */
  | { readonly state: 'not-here-yet' }
  /** It is valid and contains events, but the time of its block is not known yet. */
  | { readonly state: 'parked' }
  /** It has no known form, or its parts contradict each other: read it again, then park it. */
  | { readonly state: 'unreadable' };
