/**
 * Provenance of a main-chain machine: its changes of hands and its chip record, from the logs of the registries in chain order
 * (design/scoring.md, Classes and Anchor). The index stores it, and blocks above the index continue it.
 */
import type { FactKind } from './fact-log.ts';
import type { Address } from '../identifiers/identifiers.ts';

/** Log of the registries, reduced to what the provenance depends on. */
export type ProvenanceLog =
  | {
      /** Transfer of the token, the first mint included. Without `to` it is a burn, which changes no hands. */
      readonly kind: 'transfer';
      readonly to: Address | undefined;
      readonly blockTimestamp: number;
      readonly transactionHash: string;
    }
  | { readonly kind: 'controller'; readonly blockTimestamp: number; readonly transactionHash: string }
  /** `expiresAt` in Unix seconds, 0 for never. */
  | { readonly kind: 'chip-attested'; readonly expiresAt: bigint }
  | { readonly kind: 'chip-revoked' }
  /** Changes no provenance. */
  | { readonly kind: FactKind | 'minted' };

export interface ChangeOfHands {
  /** Unix seconds of its block. */
  readonly at: number;
  /** Number of events before it. */
  readonly seq: number;
  readonly transactionHash: string;
}

export interface Provenance {
  /** Newest owner that a transfer named; undefined before the mint. */
  readonly owner: Address | undefined;
  /** Newest change of hands. */
  readonly changeOfHands: ChangeOfHands | undefined;
  /** Whether there was no change of hands, or the new owner has set the controller since, in a later transaction. */
  readonly isAccepted: boolean;
  /** Block time of that acceptance; undefined without one, and where an earlier release stored it without its time. */
  readonly acceptedAt: number | undefined;
  /** Block time of the first change of hands after the newest event. */
  readonly changedHandsAfter: number | undefined;
  /** Expiry of the chip record, 0 for never; undefined: there is none, or it is revoked. */
  readonly chipExpiresAt: bigint | undefined;
}

/** What the logs say about one event. */
export interface EventEvidence {
  /** Whether a chip record was in force when the event was stored. */
  readonly isChipOnRecord: boolean;
  /** Block time of the first change of hands since the event before. */
  readonly changedHandsBefore: number | undefined;
}

/** Provenance of a machine without logs, and of every legacy machine. */
export const NO_PROVENANCE: Provenance = {
  owner: undefined,
  changeOfHands: undefined,
  isAccepted: true,
  acceptedAt: undefined,
  changedHandsAfter: undefined,
  chipExpiresAt: undefined,
};

/** Applies the next log. `seq` is the number of events before it. */
export function applyProvenanceLog(before: Provenance, log: ProvenanceLog, seq: number): Provenance {
  switch (log.kind) {
    case 'transfer':
      return applyTransfer(before, log, seq);
    case 'controller':
      return before.isAccepted || log.transactionHash === before.changeOfHands?.transactionHash
        ? before
        : { ...before, isAccepted: true, acceptedAt: log.blockTimestamp };
    case 'chip-attested':
      return { ...before, chipExpiresAt: log.expiresAt };
    case 'chip-revoked':
      return { ...before, chipExpiresAt: undefined };
    default:
      return before;
  }
}

function applyTransfer(
  before: Provenance,
  { to: owner, blockTimestamp, transactionHash }: ProvenanceLog & { readonly kind: 'transfer' },
  seq: number,
): Provenance {
  if (owner === undefined || owner === before.owner) return before;
  if (before.owner === undefined) return { ...before, owner };
  return {
    ...before,
    owner,
    changeOfHands: { at: blockTimestamp, seq, transactionHash },
    isAccepted: false,
    acceptedAt: undefined,
    changedHandsAfter: before.changedHandsAfter ?? blockTimestamp,
  };
}

/** Returns the evidence of the next event, and the provenance after it. */
export function passEvent(before: Provenance, blockTimestamp: number): [EventEvidence, Provenance] {
  const { chipExpiresAt, changedHandsAfter } = before;
  const isChipOnRecord = chipExpiresAt !== undefined && (chipExpiresAt === 0n || chipExpiresAt > blockTimestamp);
  return [
    { isChipOnRecord, changedHandsBefore: changedHandsAfter },
    changedHandsAfter === undefined ? before : { ...before, changedHandsAfter: undefined },
  ];
}

/** Returns the provenance after an import, with which positions restart at 0. */
export function restartPositions(before: Provenance): Provenance {
  const { changeOfHands } = before;
  if (changeOfHands === undefined) return before;
  return { ...before, changeOfHands: { ...changeOfHands, seq: 0 }, changedHandsAfter: undefined };
}
