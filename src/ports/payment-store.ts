/**
 * Stored claims, citations with their verdicts, and transfers of payment sources (design/scoring.md, Sources and payout accounts, Verdict).
 * Part of the `Store`; every method throws `StoreUnavailable`. All rows belong to one configuration: the sources and the rates.
 */
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { Claim, HomeChain } from '../domain/rating/paid/claims.ts';
import type { Flow, OwnAddress, Payment } from '../domain/rating/paid/flows.ts';
import type { EarlierPayment, PaymentVerdict } from '../domain/rating/paid/payment-verdict.ts';
import type { PaidMove } from '../domain/rating/paid/paid-moves.ts';
import type { SourceTransfer } from '../domain/rating/paid/source-transaction.ts';
import type { VerdictCode } from '../domain/rating/verdict.ts';

/** Machine of the second generation, on its home chain. */
export interface PaymentMachine {
  readonly home: HomeChain;
  readonly id: MachineId;
}

/** Position on a home chain: block and log index, or slot and order in the slot. */
export interface ChainPlace {
  readonly block: number;
  readonly index: number;
}

/** Places of a slot that each of its transactions takes up. */
export const PLACES_PER_TRANSACTION = 65_536;

/** Place of an event as the index of its home chain holds it. */
export interface EventPlace extends ChainPlace {
  /** Alt-chain transaction whose position in its slot is not stored: `index` counts from its start. */
  readonly unplacedTransaction: string | undefined;
}

export interface PlacedClaim extends Claim {
  readonly place: ChainPlace;
}

/** How far the events of a machine are searched. */
export interface PaymentScan {
  /** Epoch or revision of the history; rows of another one are dead. */
  readonly version: number;
  /** Number of events whose proofs are applied. */
  readonly claimsSeq: number;
  /** Number of events whose citations are queued; behind `claimsSeq` while an amount is pending. */
  readonly citedSeq: number;
  /** Block through which transfers of the machine are applied. */
  readonly throughBlock: number;
}

export interface UnscannedMachine extends PaymentMachine {
  readonly version: number;
  readonly eventCount: number;
  /** Undefined without a scan of this version. */
  readonly scan: PaymentScan | undefined;
}

/** Event with a followed citation. */
export interface NewCitation {
  readonly seq: number;
  readonly source: string;
  readonly reference: string;
  readonly cents: number;
  /** UTC day of the event. */
  readonly day: number;
  readonly timestamp: number;
  readonly blockTimestamp: number;
  readonly isAttested: boolean;
}

/** Longest time for which a citation is postponed. One whose retry is later is due: a clock that was ahead has postponed it. */
export const MAX_POSTPONED_MILLISECONDS = 3_600_000;

/** Which open citations can be judged now. */
export interface DueCitations {
  readonly nowMilliseconds: number;
  /** Newest block time of an event that can be judged, by home chain of its machine. */
  readonly throughTimes: Readonly<Record<HomeChain, number>>;
}

export interface OpenCitation extends PaymentMachine, NewCitation {
  readonly attempts: number;
  /** Number of writes of claims before it was listed. */
  readonly claimRevision: number;
}

/** Change of hands: the events before `seq` are declared from then on. */
export interface HandsChange {
  readonly seq: number;
  readonly at: number;
}

export interface PaymentScanWrite extends PaymentMachine {
  /** Scan of this version that the search continues; undefined without one. */
  readonly previous: PaymentScan | undefined;
  readonly scan: PaymentScan;
  /** All claims of the machine. */
  readonly claims: readonly PlacedClaim[];
  readonly citations: readonly NewCitation[];
  readonly hands: readonly HandsChange[];
  /** EVM addresses whose transfers are read from now on, by source. */
  readonly followed: readonly (OwnAddress & { readonly source: string })[];
}

/** Verdict of an event, with what the payment was found to be. */
export interface DecidedPayment {
  readonly verdict: PaymentVerdict;
  /** Block time; undefined where no transaction was found. */
  readonly time: number | undefined;
  /** Flows of a Solana transaction. */
  readonly flows: readonly Flow[];
}

export interface StoredVerdict extends PaymentVerdict {
  readonly seq: number;
  readonly source: string;
}

/** What the rating of a machine depends on. */
export interface PaymentSummary {
  /** Undefined: nothing of the current history is scanned under this configuration. */
  readonly scan: PaymentScan | undefined;
  readonly claims: readonly Claim[];
  /** Moves of all verdicts `paid`, with those that a change of hands ended. */
  readonly moves: readonly PaidMove[];
  /** Number of followed citations by day of the block. */
  readonly counts: readonly { readonly code: VerdictCode; readonly blockDay: number; readonly count: number }[];
}

/** Addresses whose transfers are read in one window, all up to the same block. */
export interface FlowWindow {
  readonly addresses: readonly OwnAddress[];
  /** Block through which they are read; undefined: the start of the oldest is not known yet. */
  readonly throughBlock: number | undefined;
}

export interface PaymentStore {
  /**
   * Deletes the rows of every other configuration. Once another process uses another one, this process writes no rows until it calls this
   * again.
   */
  usePaymentConfiguration(fingerprint: string): Promise<void>;
  /**
   * Returns machines with events or transfers that are not scanned, in order of id, after `after`. Leaves out main-chain machines with more
   * than `MAX_MACHINE_LOGS` logs.
   */
  listUnscanned(home: HomeChain, limit: number, after?: MachineId): Promise<readonly UnscannedMachine[]>;
  /** Returns the claims of a machine in order. */
  listClaims(machine: PaymentMachine): Promise<readonly PlacedClaim[]>;
  /** Counts the followed citations of the events before a position, in blocks since a time. */
  countCitations(machine: PaymentMachine, beforeSeq: number, sinceTime: number): Promise<number>;
  /** Returns the places of the events at positions `from` to `to - 1`, in order. */
  listEventPlaces(machine: PaymentMachine, from: number, to: number): Promise<readonly EventPlace[]>;
  /** Returns the transfers of a main-chain machine in chain order; without `to` it is a burn. */
  listOwnerLogs(
    id: MachineId,
  ): Promise<
    readonly { readonly place: ChainPlace; readonly to: string | undefined; readonly blockTimestamp: number }[]
  >;
  /**
   * Stores a scan. Returns false, and stores nothing, when the history has another version, another process has searched the machine
   * further, or another configuration is used, by now.
   * Verdicts are undecided again, also of other machines, where they are on payments since a claim changed.
   */
  writePaymentScan(write: PaymentScanWrite): Promise<boolean>;
  /** Sets the block time through which every machine of a home chain is scanned; an earlier one changes nothing. */
  writeScannedThrough(home: HomeChain, time: number): Promise<void>;
  /** Returns that time; -1 before the first scan. */
  readScannedThrough(home: HomeChain): Promise<number>;

  /** Returns the oldest undecided citation of each machine on a source, where it is due; in order of machine, after `after`. */
  listOpenCitations(
    source: string,
    due: DueCitations,
    limit: number,
    after?: PaymentMachine,
  ): Promise<readonly OpenCitation[]>;
  /** Counts the machines with an open citation on a source; `oldest` is the oldest block time of their events that wait for no retry. */
  countOpenCitations(
    source: string,
    nowMilliseconds: number,
  ): Promise<{ readonly machines: number; readonly oldest: number | undefined }>;
  /** Returns claims of other machines on these accounts, made at or before a time. */
  listClaimsOf(
    accounts: readonly string[],
    except: PaymentMachine,
    throughTime: number,
  ): Promise<readonly (PlacedClaim & PaymentMachine)[]>;
  /** Returns the earlier payments of a machine by the payer in the 180 days before a payment, and those of its transaction, in order. */
  listEarlierPayments(
    citation: OpenCitation,
    payment: Pick<Payment, 'payer' | 'time'>,
  ): Promise<readonly EarlierPayment[]>;
  /**
   * Returns the transfers on every day on which one of the senders paid the payer, before the payment and since the day 180 days earlier,
   * in chain order.
   */
  listFlowsTo(citation: OpenCitation, senders: readonly string[], payment: Payment): Promise<readonly Flow[]>;
  /** Returns the block through which the transfers of all the addresses are read; -1 where one was never read. */
  readFlowsThrough(source: string, own: readonly OwnAddress[]): Promise<number>;
  postponeCitation(citation: OpenCitation, retryAtMilliseconds: number): Promise<void>;
  /** Stores a verdict and opens the machine's next citation on the source; ignored when the citation is no longer open, or claims changed meanwhile. */
  decideCitation(citation: OpenCitation, decided: DecidedPayment): Promise<void>;

  /** Returns the addresses that are furthest behind `block`; undefined when none is. */
  findFlowWindow(source: string, block: number, limit: number): Promise<FlowWindow | undefined>;
  /**
   * Stores transfers of the addresses of a window, in chain order, and the block through which they are read; ignored when what is read of one
   * of them is no longer that of the window. Beyond `maxPerDay` transfers of one sender, size and UTC day the others are dropped; `isWhole` is
   * the size. `maxPerDay` is at most `PAYMENT.maxDailyTransfers`.
   */
  writeFlows(
    source: string,
    window: FlowWindow,
    throughBlock: number,
    transfers: readonly (SourceTransfer & { readonly isWhole: boolean })[],
    maxPerDay: number,
  ): Promise<void>;

  /**
   * Returns the summary of a machine with the verdicts on its first `eventCount` events; those before `change` have moves that ended with
   * it, unless they ended earlier.
   */
  readPaymentSummary(
    fingerprint: string,
    machine: PaymentMachine,
    change: HandsChange | undefined,
    eventCount: number,
  ): Promise<PaymentSummary>;
  /** Returns the verdicts on followed citations at positions `from` to `to - 1`. */
  listVerdicts(
    fingerprint: string,
    machine: PaymentMachine,
    from: number,
    to: number,
  ): Promise<readonly StoredVerdict[]>;
  /** Deletes citations of blocks before a time, and transfers before a time, except 200 days of them before the oldest undecided citation. */
  prunePayments(citationsBefore: number, flowsBefore: number): Promise<void>;
}
