/**
 * What does the alt chain say about one machine at one slot? (chain-svm 3 and 5.)
 * Facts only: what they mean is judged in `alt-machine-home.ts` and elsewhere in `domain/`.
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { ReadResult } from '../read-result.ts';
import type { EventRecord, ServiceEndpoint, SubscriptionStatus, VerificationMethod } from '../machine/machine-facts.ts';

/** The machine's own account. It is the token: a machine exists on the alt chain exactly when it is present. */
export interface AltMachine {
  /** Signs the monetization message. */
  readonly owner: AltKey;
  /** Undefined: the owner only. */
  readonly controller: AltKey | undefined;
  /** As recorded at creation, unverified. */
  readonly manufacturer: AltKey | undefined;
  readonly relocating: boolean;
  /** Unix seconds. */
  readonly onboardedAt: bigint;
  /** Main-chain address; undefined: none set, the machine stands in no operator's listing. */
  readonly operator: Address | undefined;
  readonly machineType: string;
  /** `0x` hex of the raw bytes. */
  readonly credentialSubject: string;
  readonly verificationMethods: readonly VerificationMethod[];
  /** Indexes into `verificationMethods`; may point outside, and such an index is not shown. */
  readonly authentication: readonly number[];
  readonly serviceEndpoints: readonly ServiceEndpoint[];
}

export interface AltPauseFlags {
  readonly operatorPaused: boolean;
  readonly generalPaused: boolean;
  readonly technicalPaused: boolean;
  readonly subscriptionPaused: boolean;
}

/** What the main chain's validators last reported; a cross-check, never the source of the bond. Times in Unix seconds. */
export interface AltSubscription {
  readonly tier: number;
  /** `Unknown`: a number without a name, which makes nothing eligible. */
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

/** Everything that one read says about one machine; all of one slot. */
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

/** A wallet's account in the binding registry; an absent account means that it was never bound. */
export interface OperatorBinding {
  /** Undefined: revoked. */
  readonly operator: Address | undefined;
  readonly lastSeq: bigint;
  /** Unix seconds. */
  readonly updatedAt: bigint;
}

/** What an absent account of pause flags means. */
export const NO_PAUSE_FLAGS: AltPauseFlags = {
  operatorPaused: false,
  generalPaused: false,
  technicalPaused: false,
  subscriptionPaused: false,
};

/** What an absent event log means. */
export const NO_EVENTS: AltEventLog = { count: 0n, priorEventCount: 0n, lastEvent: undefined };
