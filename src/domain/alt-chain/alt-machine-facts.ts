/**
 * Facts of the alt chain about one machine at one slot (chain-svm 3 and 5).
 * `alt-machine-home.ts` and other files of `domain/` interpret them.
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { ReadResult } from '../read-result.ts';
import type { EventRecord, ServiceEndpoint, SubscriptionStatus, VerificationMethod } from '../machine/machine-facts.ts';

/** Size of the account with every text and list at its maximum (chain-svm 3.1), which bounds each of its texts. */
export const MAX_ALT_MACHINE_BYTES = 7_386;

/** Account of a machine. It is the token: a machine exists on the alt chain exactly when its account does. */
export interface AltMachine {
  /** Signs the monetization message. */
  readonly owner: AltKey;
  /** Undefined: only the owner. */
  readonly controller: AltKey | undefined;
  /** As recorded at creation, unverified. */
  readonly manufacturer: AltKey | undefined;
  readonly relocating: boolean;
  /** Unix seconds. */
  readonly onboardedAt: bigint;
  /** Main-chain address; undefined: none set, the machine is in no operator's list. */
  readonly operator: Address | undefined;
  readonly machineType: string;
  /** `0x` hex of the raw bytes. */
  readonly credentialSubject: string;
  readonly verificationMethods: readonly VerificationMethod[];
  /** Indexes into `verificationMethods`; those out of range are not shown. */
  readonly authentication: readonly number[];
  readonly serviceEndpoints: readonly ServiceEndpoint[];
}

export interface AltPauseFlags {
  readonly operatorPaused: boolean;
  readonly generalPaused: boolean;
  readonly technicalPaused: boolean;
  readonly subscriptionPaused: boolean;
}

/** Subscription as the main chain's validators last reported it; a cross-check, never the source of the bond. Times in Unix seconds. */
export interface AltSubscription {
  readonly tier: number;
  /** `Unknown`: an unnamed number, which makes nothing eligible. */
  readonly status: SubscriptionStatus | 'Unknown';
  /** 0 = unknown, not expired. */
  readonly periodEnd: bigint;
  /** 0 = nothing reported yet. */
  readonly lastSeq: bigint;
  readonly lastNonce: bigint;
  /** 0 = none. */
  readonly openRequestNonce: bigint;
  readonly updatedAt: bigint;
}

export interface AltEventLog {
  /** Events recorded on this chain in this incarnation, a relocation anchor included. */
  readonly count: bigint;
  /** Events on the previous chain, never part of `count`; 0 = never relocated. */
  readonly priorEventCount: bigint;
  readonly lastEvent: EventRecord | undefined;
}

/** Result of one read about one machine; all facts are of one slot. */
export interface AltMachineSnapshot {
  readonly id: MachineId;
  readonly slot: number;
  readonly machine: ReadResult<AltMachine>;
  /** Absent: none set, `NO_PAUSE_FLAGS`. */
  readonly pauseFlags: ReadResult<AltPauseFlags>;
  /** Absent: nothing reported. */
  readonly subscription: ReadResult<AltSubscription>;
  /** Absent: no event yet, `NO_EVENTS`. */
  readonly eventLog: ReadResult<AltEventLog>;
}

/** Account of a wallet in the binding registry; an absent one means never bound. */
export interface OperatorBinding {
  /** Undefined: revoked. */
  readonly operator: Address | undefined;
  readonly lastSeq: bigint;
  /** Unix seconds. */
  readonly updatedAt: bigint;
}

/** Meaning of an absent account of pause flags. */
export const NO_PAUSE_FLAGS: AltPauseFlags = {
  operatorPaused: false,
  generalPaused: false,
  technicalPaused: false,
  subscriptionPaused: false,
};

/** Meaning of an absent event log. */
export const NO_EVENTS: AltEventLog = { count: 0n, priorEventCount: 0n, lastEvent: undefined };
