/**
 * What can be asked of the alt chain about machines? (chain-svm 2 to 5.)
 * Implemented by `adapters/alt-chain`. Every method throws `ChainUnreadable` of the alt chain and nothing else; a machine that does not
 * exist is a snapshot whose `machine` is absent, never a fault.
 */
import type { AltDeployment } from '../domain/alt-chain/alt-deployment.ts';
import type { AltFleet } from '../domain/alt-chain/alt-fleet.ts';
import type { AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import type { TransactionReadResult } from '../domain/alt-chain/event-operation.ts';
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';

/** One machine and the deployment, both of one slot. */
export interface AltMachineRead {
  readonly snapshot: AltMachineSnapshot;
  readonly deployment: AltDeployment;
}

export interface AltChain {
  /** The protocol ordinal, 5 in production. */
  readonly ordinal: number;
  readonly genesisHash: AltKey;
  readonly machineRegistry: AltKey;
  /**
   * The facts of one machine at a finalized slot, never an older one than any seen before. Requests of one tick share one call,
   * identical requests in flight share one promise; an absent machine may be kept for 5 seconds, a present one is not kept.
   */
  readMachine(id: MachineId): Promise<AltMachineRead>;
  /** The same, asked for after the call: no kept absence serves. For what a write is judged by, and for reading again. */
  readMachineUncached(id: MachineId): Promise<AltMachineRead>;
}

/**
 * What can be asked of the alt chain's history, and of its programs as a whole? For the indexers (chain-svm 6 and 7).
 * Implemented by `adapters/alt-chain`. Nothing here is proven complete: that is the indexers' work. Every method throws `ChainUnreadable`
 * of the alt chain; `AltNodeBusy` where the node asks to wait.
 */

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
  readTransaction(row: SignatureRow): Promise<TransactionReadResult>;
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

/**
 * To which address of the main chain is a wallet of the alt chain bound? (chain-svm 3.8; "Address-keyed routes" of the interface.)
 * Implemented by `adapters/alt-chain`: one account read at finalized commitment. Settled outcomes are kept for 60 seconds, unreadable never.
 */

export type WalletBinding =
  | { readonly kind: 'bound'; readonly operator: Address }
  | { readonly kind: 'not-bound' }
  | { readonly kind: 'revoked' };

export interface BindingRegistry {
  /** Throws `ChainUnreadable` of the alt chain for everything that is not settled. */
  readBinding(wallet: AltKey): Promise<WalletBinding>;
}
