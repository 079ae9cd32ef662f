/**
 * Searches finalized events of both home chains for payout proofs and citations, and stores them. A pending amount holds back citations
 * only: the claims of a machine are always known, because verdicts on other machines depend on them.
 */
import { Fault } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { PAYMENT } from '../../domain/rating/constants.ts';
import { claimsInForceAt, listClaimedHands, type HomeChain } from '../../domain/rating/paid/claims.ts';
import { paymentFingerprint } from '../../domain/rating/paid/payment-configuration.ts';
import { isEvmAccount } from '../../domain/rating/paid/payout-proof.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import { SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import type { SignatureChecks } from '../../domain/signatures/signature-checks.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { PaymentSources } from '../../ports/payment-sources.ts';
import { PLACES_PER_TRANSACTION } from '../../ports/payment-store.ts';
import type {
  ChainPlace,
  EventPlace,
  HandsChange,
  PaymentScan,
  PaymentScanWrite,
  PlacedClaim,
  UnscannedMachine,
} from '../../ports/payment-store.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';
import { carriesProof, searchCitations, searchClaims, type ScannedEvent } from './payment-scan.ts';

export interface PaymentScannerOptions {
  readonly store: Store;
  readonly sources: PaymentSources;
  readonly fxRates: FxRates;
  readonly namespace: Namespace;
  readonly checks: SignatureChecks;
  /** Measures for how long machines fail; monotonic in the service. */
  readonly clock: Clock;
  readonly log: Log;
  /** Lets other work run, between parts of a long computation. */
  readonly yieldToEventLoop: () => Promise<void>;
  /** Called after a pass over all machines that found something new. */
  readonly onSearched?: () => void;
}

/** Finalized position of a home chain, to which the events are complete. */
export interface ScannedHead {
  /** Block or slot. */
  readonly block: number;
  /** Negative while the events are known to be complete up to no time. */
  readonly time: number;
}

/** Reads the events of a machine at positions `from` to `to - 1`; undefined while they are not all known at the head. */
export type ReadEvents = (
  machine: UnscannedMachine,
  from: number,
  to: number,
) => Promise<readonly ScannedEvent[] | undefined>;

/** Reads of the home chain that is searched. */
export interface HomeReads {
  readonly readEvents: ReadEvents;
  /**
   * Returns whether the known transfers of a machine begin before a place and lead to its owner at the head, so that its owner at the place
   * is known. Starts their repair where they do not. Absent on the alt chain, where events name the owner.
   */
  readonly knowsOwnerSince?: (id: MachineId, place: ChainPlace) => Promise<boolean>;
  /** Returns the signatures of a slot's transactions in order. Absent on the main chain. */
  readonly readBlockSignatures?: (slot: number) => Promise<readonly string[]>;
}

export interface PaymentScanner {
  /** Searches a bounded number of events of each machine. Returns `more` when further ones can be searched now. Throws `StoreUnavailable`. */
  scan(home: HomeChain, head: ScannedHead, reads: HomeReads, signal: AbortSignal): Promise<StepOutcome>;
}

const EVENTS_PER_STEP = 1_000;
const MACHINES_PER_CALL = 100;
/** Verified without a pause, in about 30 ms. */
const PROOFS_AT_ONCE = 20;

/**
 * Outcome of one page of a machine. `done`: the claims of all events are known; `waiting`: its history has another version, or another process
 * has searched it further, by now; `failed`: events, transfers or the place of a claim cannot be read now.
 */
type PageOutcome = 'done' | 'more' | 'waiting' | 'failed';

/** Claims of the first events of a history. */
interface ClaimDraft {
  readonly version: number;
  readonly claims: readonly PlacedClaim[];
  readonly throughSeq: number;
}

/** Pass over the machines of a home chain that have something to search. */
interface Pass {
  /** Time of the head at its start: events after it may be missed. */
  readonly fromTime: number;
  after: UnscannedMachine['id'] | undefined;
  isComplete: boolean;
  /** Whether events of a machine could not be read, or a claim not be placed. */
  hasFailed: boolean;
  hasAdvanced: boolean;
  /** Whether the search of a machine was stored. */
  hasStored: boolean;
}

const NOTHING_STORED = { hasFailed: false, hasAdvanced: false, hasStored: false };

/** Longest time for which machines of the alt chain that lack events or cannot be searched hold back the verdicts on others. */
export const MAX_HELD_BACK_MILLISECONDS = 3_600_000;

const keyOf = ({ home, id }: UnscannedMachine) => `${home} ${id}`;

/** Groups machines whose events are read at the same time, and so in few calls: one with many events, or several with as many together. */
function groupByEvents(machines: readonly UnscannedMachine[]): readonly (readonly UnscannedMachine[])[] {
  const groups: UnscannedMachine[][] = [];
  let room = 0;
  for (const machine of machines) {
    const unread = Math.min(EVENTS_PER_STEP, machine.eventCount - (machine.scan?.citedSeq ?? 0));
    if (groups.length === 0 || unread > room) {
      groups.push([]);
      room = EVENTS_PER_STEP;
    }
    room -= unread;
    groups.at(-1)!.push(machine);
  }
  return groups;
}

/** Splits events so that each part has a bounded number of proofs. Returns the positions after the parts. */
function listPartEnds(events: readonly ScannedEvent[]): readonly number[] {
  const withProof = events.flatMap((event, position) => (carriesProof(event) ? [position] : []));
  return [...withProof.filter((_, proof) => proof > 0 && proof % PROOFS_AT_ONCE === 0), events.length];
}

export function createPaymentScanner(options: PaymentScannerOptions): PaymentScanner {
  const { store, sources, fxRates, namespace, checks, clock, log } = options;
  const sourcesHash = sources.hash ?? '';
  /** Machines whose next amount is pending under a table of rates, in one version of their history. */
  const pending = new Map<string, { readonly table: RateTable; readonly version: number }>();
  const passes = new Map<HomeChain, Pass>();
  /** Claims of machines whose history is searched for them first. */
  const drafts = new Map<string, ClaimDraft>();
  /** Clock of the first of the passes in a row in which a machine failed, since the loop was started with the signal. */
  const failingSince = new Map<HomeChain, { readonly signal: AbortSignal; readonly since: number }>();

  /** Runs a part of a pass over all machines, so that the loop gets back to the head. */
  async function scan(home: HomeChain, head: ScannedHead, reads: HomeReads, signal: AbortSignal): Promise<StepOutcome> {
    await store.usePaymentConfiguration(paymentFingerprint(sourcesHash, fxRates.current().fingerprint, namespace));
    const pass = passes.get(home) ?? { fromTime: head.time, after: undefined, isComplete: true, ...NOTHING_STORED };
    const listed = await store.listUnscanned(home, MACHINES_PER_CALL, pass.after);
    for (const group of groupByEvents(listed)) {
      if (signal.aborted) return 'idle';
      const outcomes = await Promise.all(group.map((machine) => scanSafely(machine, head, reads)));
      if (outcomes.some((outcome) => outcome === 'more' || outcome === 'waiting')) pass.isComplete = false;
      if (outcomes.includes('failed')) pass.hasFailed = true;
      if (outcomes.includes('more')) pass.hasAdvanced = true;
      if (outcomes.some((outcome) => outcome === 'more' || outcome === 'done')) pass.hasStored = true;
      pass.after = group.at(-1)!.id;
    }
    passes.set(home, pass);
    if (listed.length === MACHINES_PER_CALL) return 'more';
    passes.delete(home);
    const isSearched = mayCount(home, pass, signal);
    if (pass.isComplete && isSearched) await store.writeScannedThrough(home, pass.fromTime);
    if (pass.hasStored) options.onSearched?.();
    return pass.hasAdvanced ? 'more' : 'idle';
  }

  /** Returns whether the chain counts as searched although a machine failed. Its claims are heeded when they are found. */
  function mayCount(home: HomeChain, { hasFailed }: Pass, signal: AbortSignal): boolean {
    if (!hasFailed) {
      failingSince.delete(home);
      return true;
    }
    const now = clock.nowMilliseconds();
    const last = failingSince.get(home);
    const since = last?.signal === signal ? last.since : now;
    failingSince.set(home, { signal, since });
    return home === 'alt' && now - since >= MAX_HELD_BACK_MILLISECONDS;
  }

  async function scanSafely(machine: UnscannedMachine, head: ScannedHead, reads: HomeReads): Promise<PageOutcome> {
    try {
      return await scanMachine(machine, head, reads);
    } catch (error) {
      const isUnreadable = error instanceof Fault && error.kind === 'ChainUnreadable';
      if (!isUnreadable && !(error instanceof AltNodeBusy)) throw error;
      log.warn({ home: machine.home, machine: String(machine.id) }, 'events cannot be searched for payments');
      return 'failed';
    }
  }

  /** Searches one page of events. */
  async function scanMachine(machine: UnscannedMachine, head: ScannedHead, reads: HomeReads): Promise<PageOutcome> {
    const { table } = fxRates.current();
    const { version, eventCount } = machine;
    if (
      machine.scan === undefined &&
      eventCount > EVENTS_PER_STEP &&
      (await store.readScannedThrough(machine.home)) >= 0
    )
      return scanClaims(machine, head, reads);
    const key = keyOf(machine);
    const scanned: PaymentScan = machine.scan ?? { version, claimsSeq: 0, citedSeq: 0, throughBlock: -1 };
    const mark = pending.get(key);
    const isPending = machine.scan !== undefined && mark?.table === table && mark.version === version;
    const from = isPending ? scanned.claimsSeq : scanned.citedSeq;
    const to = Math.min(eventCount, from + EVENTS_PER_STEP);
    const events = from < to ? await reads.readEvents(machine, from, to) : [];
    if (events === undefined) return 'failed';
    const isAtEnd = to === eventCount;
    const before = machine.scan === undefined ? [] : await store.listClaims(machine);
    const unapplied = events.slice(Math.max(0, scanned.claimsSeq - from));
    const claims = await findClaims(machine, before, unapplied, isAtEnd, head, reads);
    if (claims === undefined) return 'failed';

    const citing = isPending ? [] : events;
    const { citations, searched } = searchCitations({
      events: citing,
      claims,
      sources: sources.list,
      rates: table,
      citedOnFirstDay: claims.length === 0 ? 0 : await countCited(machine, citing[0]),
      followedFrom: (await findChainTime(head)) - PAYMENT.followedDays * SECONDS_PER_DAY,
    });
    const write: PaymentScanWrite = {
      home: machine.home,
      id: machine.id,
      previous: machine.scan,
      scan: {
        version,
        claimsSeq: Math.max(scanned.claimsSeq, to),
        citedSeq: isPending ? scanned.citedSeq : from + searched,
        throughBlock: isAtEnd ? head.block : scanned.throughBlock,
      },
      claims,
      citations,
      hands: claims.length === 0 ? [] : await listHands(machine, claims, events, isAtEnd),
      followed: listFollowed(claims.slice(before.length), claims),
    };
    if (!(await store.writePaymentScan(write))) return 'waiting';
    if (searched < citing.length) pending.set(key, { table, version });
    else if (!isPending) pending.delete(key);
    if (!isAtEnd || (searched < citing.length && write.scan.claimsSeq < eventCount)) return 'more';
    return 'done';
  }

  /**
   * Searches one page of events for claims alone, and stores them once all are known: on a chain that counts as searched, verdicts of this
   * machine and of others depend on all claims.
   */
  async function scanClaims(machine: UnscannedMachine, head: ScannedHead, reads: HomeReads): Promise<PageOutcome> {
    const { home, id, version, eventCount } = machine;
    const key = keyOf(machine);
    const last = drafts.get(key);
    const draft = last?.version === version ? last : { version, claims: [], throughSeq: 0 };
    const throughSeq = Math.min(eventCount, draft.throughSeq + EVENTS_PER_STEP);
    const events = await reads.readEvents(machine, draft.throughSeq, throughSeq);
    const isAtEnd = throughSeq === eventCount;
    const claims = events && (await findClaims(machine, draft.claims, events, isAtEnd, head, reads));
    if (claims === undefined) return 'failed';
    drafts.set(key, { version, claims, throughSeq });
    if (!isAtEnd) return 'more';
    drafts.delete(key);
    const scan = { version, claimsSeq: eventCount, citedSeq: 0, throughBlock: head.block };
    const found = { claims, citations: [], hands: [], followed: listFollowed(claims, claims) };
    const write = { home, id, previous: machine.scan, scan, ...found };
    return (await store.writePaymentScan(write)) ? 'more' : 'waiting';
  }

  /**
   * Returns the claims after the events; undefined while a transfer, its time or the place of a claim is unknown, and where a transfer is
   * after the head: more events than were listed may precede it.
   */
  async function findClaims(
    machine: UnscannedMachine,
    before: readonly PlacedClaim[],
    events: readonly ScannedEvent[],
    isAtEnd: boolean,
    head: ScannedHead,
    reads: HomeReads,
  ): Promise<readonly PlacedClaim[] | undefined> {
    const firstProof = events.findIndex(carriesProof);
    if (firstProof < 0 && before.every(({ end }) => end !== undefined)) return before;
    const isMain = machine.home === 'main';
    const first = Number(events[0]?.event.seq ?? 0);
    const places = events.length === 0 ? [] : await store.listEventPlaces(machine, first, first + events.length);
    if (places.length < events.length) return undefined;
    if (firstProof >= 0 && (await reads.knowsOwnerSince?.(machine.id, places[firstProof]!)) === false) return undefined;
    const ownerLogs = isMain ? await store.listOwnerLogs(machine.id) : undefined;
    if (ownerLogs?.some(({ place, blockTimestamp }) => blockTimestamp === 0 || place.block > head.block))
      return undefined;
    const context = { id: machine.id, namespace, checks };
    const endSeq = isAtEnd ? machine.eventCount : undefined;
    let claims = before;
    let start = 0;
    for (const end of listPartEnds(events)) {
      const part = { events: events.slice(start, end), places: places.slice(start, end), ownerLogs };
      claims = searchClaims(claims, { ...part, endSeq: end === events.length ? endSeq : undefined }, context, isMain);
      start = end;
      if (start < events.length) await options.yieldToEventLoop();
    }
    const added = await Promise.all(
      claims
        .slice(before.length)
        .map((claim) => placeClaim(claim, places[claim.seq - first]!, reads.readBlockSignatures)),
    );
    return added.every((claim) => claim !== undefined) ? [...claims.slice(0, before.length), ...added] : undefined;
  }

  /** Returns the claim with its position in the slot, which decides between claims of two machines; undefined while it is unknown. */
  async function placeClaim(
    claim: PlacedClaim,
    { block, index, unplacedTransaction: signature }: EventPlace,
    readBlockSignatures: HomeReads['readBlockSignatures'],
  ): Promise<PlacedClaim | undefined> {
    if (signature === undefined) return claim;
    const position = (await readBlockSignatures?.(block))?.indexOf(signature) ?? -1;
    return position === -1
      ? undefined
      : { ...claim, place: { block, index: position * PLACES_PER_TRANSACTION + index } };
  }

  /** Counts the earlier citations of the first event's day. Those at its position and later may be of an earlier search. */
  async function countCited(machine: UnscannedMachine, first: ScannedEvent | undefined): Promise<number> {
    if (first === undefined) return 0;
    const { seq, blockTimestamp } = first.event;
    return store.countCitations(machine, Number(seq), blockTimestamp - (blockTimestamp % SECONDS_PER_DAY));
  }

  /** Returns a time that the chains show. By a wall clock that is ahead, events would not be followed for good. */
  async function findChainTime({ time }: ScannedHead): Promise<number> {
    return time < 0 ? store.readScannedThrough('main') : time;
  }

  /** Lists the changes of hands among the events; on the alt chain all that the claims show. */
  async function listHands(
    machine: UnscannedMachine,
    claims: readonly PlacedClaim[],
    events: readonly ScannedEvent[],
    isAtEnd: boolean,
  ): Promise<readonly HandsChange[]> {
    if (machine.home === 'alt') {
      const since = new Map(claims.map((claim) => [claim.seq, claim.since] as const));
      return listClaimedHands(claims).map((seq) => ({ seq, at: since.get(seq)! }));
    }
    const between = events.flatMap(({ event: { seq, changedHandsBefore: at } }) =>
      at === undefined ? [] : [{ seq: Number(seq), at }],
    );
    const after = isAtEnd ? (await store.readProvenance(machine.id))?.changedHandsAfter : undefined;
    return after === undefined ? between : [...between, { seq: machine.eventCount, at: after }];
  }

  /** Lists the EVM accounts and owners of new claims for every EVM source. */
  function listFollowed(added: readonly PlacedClaim[], claims: readonly PlacedClaim[]): PaymentScanWrite['followed'] {
    const own = added.flatMap(({ account, owner, since, seq }) => [
      { address: account, since },
      { address: owner, since: claimsInForceAt(claims, seq)[0]!.since },
    ]);
    const evm = own.filter(({ address }) => isEvmAccount(address));
    return sources.list
      .filter(({ transfers }) => transfers !== undefined)
      .flatMap(({ name: source }) => evm.map((each) => ({ source, ...each })));
  }

  return { scan };
}
