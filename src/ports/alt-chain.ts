/**
 * Ports of the alt chain: machines, history and bindings (chain-svm 2 to 7). Implemented by `adapters/alt-chain`.
 * Every method throws `ChainUnreadable` of the alt chain.
 */
import type { AltDeployment } from '../domain/alt-chain/alt-deployment.ts';
import type { FleetReading } from '../domain/alt-chain/alt-fleet.ts';
import type { AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import type { TransactionReadResult } from '../domain/alt-chain/event-operation.ts';
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';

/** One machine and the deployment at one slot. */
export interface AltMachineRead {
  readonly snapshot: AltMachineSnapshot;
  readonly deployment: AltDeployment;
}

/** Machine reads. A machine that does not exist is a snapshot whose `machine` is absent, never a fault. */
export interface AltChain {
  /** The protocol ordinal, 5 in production. */
  readonly ordinal: number;
  readonly genesisHash: AltKey;
  readonly machineRegistry: AltKey;
  /**
   * Returns the facts of one machine at a finalized slot, never an older one than any seen before. Requests of one tick share one call,
   * identical requests in flight share one promise. An absent machine is cached for up to 5 seconds, a present one never.
   */
  readMachine(id: MachineId): Promise<AltMachineRead>;
  /** Returns the facts of one machine from a read that starts after the call, without any cache. For writes and for second reads. */
  readMachineUncached(id: MachineId): Promise<AltMachineRead>;
}

/** Row of a signature list; lists are newest first. */
export interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; undefined: the node does not know it. */
  readonly blockTime: number | undefined;
  readonly hasFailed: boolean;
}

/** Counts of an event log account, for the proof against gaps. */
export interface EventLogCount {
  readonly count: bigint;
  readonly priorEventCount: bigint;
}

/** `rate`: the node refuses calls for its rate limit; `behind`: it is overloaded, or has not reached a slot. */
export type AltBusyReason = 'rate' | 'behind';

/** The node rejects calls for now (429, behind, `minContextSlot` not reached): wait at most 30 s and try again. */
export class AltNodeBusy extends Error {
  readonly reason: AltBusyReason;
  /** Wait that the node requested, if any. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: AltBusyReason, retryAfterSeconds?: number) {
    super('the node requests a pause');
    this.name = 'AltNodeBusy';
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * History and program-wide reads for the indexers (chain-svm 6 and 7), which prove completeness. Methods also throw `AltNodeBusy`.
 */
export interface AltHistory {
  /** Throws `ChainUnreadable{wrong-chain}` when the node's genesis hash is not the configured one. */
  checkGenesis(): Promise<void>;
  /** Returns the newest finalized slot. */
  readSlot(): Promise<number>;
  /** Returns the oldest slot that the node still serves. */
  readFirstAvailableSlot(): Promise<number>;
  /**
   * Lists at most 1,000 finalized transactions before `before` that mention the event registry program, or the event log account of
   * one machine, newest first. A full page is never the end.
   */
  listSignatures(about: 'event-registry' | MachineId, before: string | undefined): Promise<readonly SignatureRow[]>;
  /** Reads what one successful transaction did to event logs, with the block time of its row. */
  readTransaction(row: SignatureRow): Promise<TransactionReadResult>;
  /** Returns the Unix seconds of a slot's block; undefined: not known yet. */
  readBlockTime(slot: number): Promise<number | undefined>;
  /** Returns the signatures of a block in the order of its transactions. */
  readBlockSignatures(slot: number): Promise<readonly string[]>;
  /** Returns the counts of all event logs, and their slot. */
  readEventLogCounts(): Promise<{ readonly slot: number; readonly counts: ReadonlyMap<MachineId, EventLogCount> }>;
  /**
   * Returns every machine of the registry, between two reads of the registry's own count. Throws `AltNodeBusy` (`behind`) when
   * the first count is older than the second by more than the read can have taken.
   */
  readFleet(): Promise<FleetReading>;
}

export type WalletBinding =
  /** `since` is the time of its newest update, in Unix seconds. */
  | { readonly kind: 'bound'; readonly operator: Address; readonly since: number }
  | { readonly kind: 'not-bound' }
  | { readonly kind: 'revoked' };

/**
 * Bindings of alt-chain wallets to main-chain addresses (chain-svm 3.8; "Address-keyed routes" of the interface): one account read at
 * finalized commitment. Definitive results are cached for 60 seconds, unreadable ones never.
 */
export interface BindingRegistry {
  /** Throws `ChainUnreadable` for everything that is not definitive. */
  readBinding(wallet: AltKey): Promise<WalletBinding>;
  /** Returns whether the program contradicts the configuration: no binding is read then. Absent: it is not checked. */
  readonly isContradicted?: (() => boolean) | undefined;
}
