/** Webhooks: storage of deliveries, and the sender (docs/decisions/changes.md). */
import type { NumberedChange } from '../domain/changes/machine-change.ts';
import type { WatchedSubjects } from '../domain/changes/watch-list.ts';

/** Why a delivery failed. Fixed words: nothing of a response is stored or logged. */
export type DeliveryProblem =
  | 'connection' // no connection, also a TLS failure
  | 'address' // the receiver's name resolves to an address that it may not have
  | 'timeout' // no complete response in time
  | 'redirect' // redirects are not followed
  | 'client-error' // a status from 400 to 499
  | 'server-error' // any other status that is not 2xx
  | 'expired'; // the change was deleted before it could be delivered

export interface WebhookMessage {
  /** The same for every attempt, so that a receiver detects repetitions. */
  readonly id: string;
  readonly body: string;
}

/** Sends one message to a receiver. Never throws; undefined: it was accepted. */
export type SendWebhook = (receiver: string, message: WebhookMessage) => Promise<DeliveryProblem | undefined>;

/** Receivers in effect; a reload replaces them. */
export interface Receivers {
  list(): readonly WatchedSubjects[];
  readonly send: SendWebhook;
}

export interface PendingDelivery {
  readonly receiver: string;
  readonly cursor: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** Undefined: deleted by its retention. */
  readonly change: NumberedChange | undefined;
}

export interface FailedAttempt {
  readonly attempts: number;
  readonly problem: DeliveryProblem;
  /** Unix seconds of the next attempt; undefined: none, the delivery is a dead letter. */
  readonly retryAt: number | undefined;
}

export interface ReceiverState {
  readonly name: string;
  /** Cursor up to which changes were examined. */
  readonly through: number;
  readonly pending: number;
  readonly dead: number;
}

export interface DeadLetter {
  readonly receiver: string;
  readonly cursor: number;
  readonly attempts: number;
  readonly problem: DeliveryProblem;
}

export interface WebhookStore {
  /** Adds a receiver that begins with the next change; does nothing for a known one. Returns its state. */
  openReceiver(name: string): Promise<ReceiverState>;
  /**
   * Moves a receiver from one cursor to the next and adds deliveries, in one transaction. Returns false, and stores nothing, when its
   * cursor is no longer `from`.
   */
  addDeliveries(
    name: string,
    from: number,
    to: number,
    cursors: readonly number[],
    nowSeconds: number,
  ): Promise<boolean>;
  /** Lists deliveries of a receiver that are due, in the order of their cursors. */
  listDueDeliveries(name: string, nowSeconds: number, limit: number): Promise<PendingDelivery[]>;
  removeDelivery(name: string, cursor: number): Promise<void>;
  recordFailedAttempt(name: string, cursor: number, attempt: FailedAttempt): Promise<void>;
  listReceiverStates(): Promise<ReceiverState[]>;
  /** Lists the newest dead letters. */
  listDeadLetters(limit: number): Promise<DeadLetter[]>;
}
