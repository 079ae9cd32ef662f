/**
 * What can be asked of the alt chain's history, and of its programs as a whole? For the indexers (chain-svm 6 and 7).
 * Implemented by `adapters/svm`. Nothing here is proven complete: that is the indexers' work. Every method throws `ChainUnreadable`
 * of the alt chain; `AltNodeBusy` where the node asks to wait.
 */
import type { TransactionReading } from '../domain/alt-event-operation.ts';
import type { AltFleet } from '../domain/alt-fleet.ts';
import type { MachineId } from '../domain/identifiers.ts';

/** One row of a signature list, newest first in the lists. */
export interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; undefined: the node does not know it. */
  readonly blockTime: number | undefined;
  readonly hasFailed: boolean;
}

/** What an event log account says now, for the proof against gaps. */
export interface EventLogCount {
  readonly count: bigint;
  readonly priorEventCount: bigint;
}

/** The node refuses for now (429, behind, `minContextSlot` not reached): wait, at most 30 s, and ask again. */
export class AltNodeBusy extends Error {
  /** What the node asked for, if it did. */
  readonly retryAfterSeconds: number | undefined;

  constructor(retryAfterSeconds?: number) {
    super('the node asks to wait');
    this.name = 'AltNodeBusy';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface AltHistory {
  /** Throws `ChainUnreadable{wrong-chain}` when the node's genesis hash is not the configured one. */
  checkGenesis(): Promise<void>;
  /** The newest finalized slot. */
  readSlot(): Promise<number>;
  /** The oldest slot that the node can still serve. */
  readFirstAvailableSlot(): Promise<number>;
  /**
   * At most 1,000 finalized transactions that mention the event registry program, or the event log account of one machine, newest
   * first, those before `before`. A full page is never the end.
   */
  listSignatures(about: 'event-registry' | MachineId, before: string | undefined): Promise<readonly SignatureRow[]>;
  /** What one successful transaction did to event logs, judged with the block time of its row. */
  readTransaction(row: SignatureRow): Promise<TransactionReading>;
  /** Unix seconds of a slot's block; undefined: nobody knows it yet. */
  readBlockTime(slot: number): Promise<number | undefined>;
  /** Signatures of a block in the order of its transactions. */
  readBlockSignatures(slot: number): Promise<readonly string[]>;
  /** The counts of all event logs, and the slot they are of. */
  readEventLogCounts(): Promise<{ readonly slot: number; readonly counts: ReadonlyMap<MachineId, EventLogCount> }>;
  /** Every machine of the registry with the registry's own count before and after, and the slot of the rows. */
  readFleet(): Promise<{
    readonly slot: number;
    readonly fleet: AltFleet;
    readonly countBefore: bigint;
    readonly countAfter: bigint;
  }>;
}
