/**
 * Judges open citations: one per machine and source, so that a citation that waits holds back nothing else. Each transaction is read once,
 * however many events cite it (design/scoring.md, Verdict, Bounds).
 */
import { PAYMENT } from '../../domain/rating/constants.ts';
import { isEvmAccount } from '../../domain/rating/paid/payout-proof.ts';
import type { OtherClaim } from '../../domain/rating/paid/account-assignment.ts';
import { claimsInForceAt, type Claim, type HomeChain } from '../../domain/rating/paid/claims.ts';
import { flowsOf, type OwnAddress } from '../../domain/rating/paid/flows.ts';
import {
  citationWindow,
  judgePayment,
  type PaymentFacts,
  type PaymentVerdict,
} from '../../domain/rating/paid/payment-verdict.ts';
import type { CitedTransaction } from '../../domain/rating/paid/source-transaction.ts';
import { readMovements } from '../../domain/rating/paid/token-movements.ts';
import { SourceUnreadable, type FinalizedHead, type PaymentSource } from '../../ports/payment-sources.ts';
import { MAX_POSTPONED_MILLISECONDS } from '../../ports/payment-store.ts';
import type {
  DecidedPayment,
  DueCitations,
  OpenCitation,
  PaymentMachine,
  PaymentStore,
  PlacedClaim,
} from '../../ports/payment-store.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { Clock } from '../../ports/runtime.ts';
import { ABSENCE_REPEAT_MILLISECONDS, createRepeatedAbsence } from './repeated-absence.ts';
import { createTransactionCache } from './transaction-cache.ts';

export interface PaymentJudgeOptions {
  readonly store: PaymentStore;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  /** Measures the time between two readings of an absence. */
  readonly monotonicClock: Clock;
}

export interface PaymentJudge {
  /** Returns which citations are due: the source is final past their window, and their home chain is searched. Throws `StoreUnavailable`. */
  findDue(head: FinalizedHead): Promise<DueCitations>;
  /** Judges the due citations of a source once each. Returns whether one was decided. Throws `StoreUnavailable`. */
  judge(source: PaymentSource, due: DueCitations, head: FinalizedHead, signal: AbortSignal): Promise<boolean>;
  /** Returns how often a verdict on a payment of a source was postponed. */
  countPostponed(source: PaymentSource): number;
}

type Outcome =
  | { readonly kind: 'decided'; readonly payment: DecidedPayment }
  /** For what this process reads next. */
  | { readonly kind: 'waiting' }
  /** For a source, a rate, data that a node lacks, or the claim of the citation where the stored ones contradict it. */
  | { readonly kind: 'unreadable' }
  /** For the time after which an absence is seen again. */
  | { readonly kind: 'unconfirmed' };

const WAITING: Outcome = { kind: 'waiting' };
const UNREADABLE: Outcome = { kind: 'unreadable' };
const UNCONFIRMED: Outcome = { kind: 'unconfirmed' };

const CITATIONS_PER_LIST = 20;
const MINUTE_MILLISECONDS = 60_000;
/** Flows that are older than this before the block of an event count in no verdict of it or of a later one. */
const MAX_FLOW_AGE_SECONDS = PAYMENT.flowSeconds + 3 * PAYMENT.timeSeconds;
/** Verdicts that were reached without the transaction. */
const WITHOUT_TRANSACTION = ['declared', 'pending', 'not_found', 'failed'];

export function createPaymentJudge({ store, fxRates, clock, monotonicClock }: PaymentJudgeOptions): PaymentJudge {
  const transactions = createTransactionCache();
  const absences = createRepeatedAbsence(monotonicClock);
  const postponed = new Map<string, number>();
  const countPostponed = ({ name }: PaymentSource) => postponed.get(name) ?? 0;

  async function findDue(head: FinalizedHead): Promise<DueCitations> {
    const final = head.time - PAYMENT.lateSeconds - 1;
    const [main, alt] = [await readHomeHead('main'), await readHomeHead('alt')];
    return {
      nowMilliseconds: clock.nowMilliseconds(),
      throughTimes: { main: Math.min(final, main), alt: Math.min(final, alt) },
    };
  }

  async function judge(
    source: PaymentSource,
    due: DueCitations,
    head: FinalizedHead,
    signal: AbortSignal,
  ): Promise<boolean> {
    let after: PaymentMachine | undefined;
    let hasDecided = false;
    while (!signal.aborted) {
      const open = await store.listOpenCitations(source.name, due, CITATIONS_PER_LIST, after);
      if (open.length === 0) break;
      const outcomes = await Promise.all(open.map((citation) => judgeOne(source, head, citation)));
      if (outcomes.includes(true)) hasDecided = true;
      after = open.at(-1);
    }
    return hasDecided;
  }

  async function judgeOne(source: PaymentSource, head: FinalizedHead, citation: OpenCitation): Promise<boolean> {
    const outcome = await decide(source, head, citation);
    if (outcome.kind === 'unreadable' || outcome.kind === 'unconfirmed') {
      const backoff = Math.min(MAX_POSTPONED_MILLISECONDS, MINUTE_MILLISECONDS * 2 ** Math.min(citation.attempts, 10));
      const pause = outcome.kind === 'unconfirmed' ? ABSENCE_REPEAT_MILLISECONDS : backoff;
      await store.postponeCitation(citation, clock.nowMilliseconds() + pause);
      postponed.set(source.name, countPostponed(source) + 1);
    }
    if (outcome.kind !== 'decided') return false;
    await store.decideCitation(citation, outcome.payment);
    absences.forget(citation.reference);
    return true;
  }

  async function decide(source: PaymentSource, head: FinalizedHead, citation: OpenCitation): Promise<Outcome> {
    const transaction = await readTransaction(source, citation);
    if (transaction === undefined) return UNREADABLE;
    if (transaction !== 'absent') absences.forget(citation.reference);
    else if (source.kind === 'solana' && !absences.confirm(citation.reference, citation.attempts)) return UNCONFIRMED;
    const homeHeadTime = await readHomeHead(citation.home);
    const claims = await store.listClaims(citation);
    if (claimsInForceAt(claims, citation.seq).length === 0) return UNREADABLE;
    const { verdict, isBehind } = await judgeInSteps(source, citation, {
      source,
      reference: citation.reference,
      event: citation,
      home: citation.home,
      claims,
      others: [],
      reading: { headTime: head.time, transaction },
      flows: [],
      flowsThroughBlock: undefined,
      earlier: [],
      homeHeadTime,
      rates: fxRates.current().table,
    });
    const time = transaction === 'absent' ? undefined : transaction.time;
    if (verdict.code === 'pending') {
      return isBehind || (time !== undefined && homeHeadTime < time) ? WAITING : UNREADABLE;
    }
    if (transaction === 'absent' || transaction.kind === 'evm' || WITHOUT_TRANSACTION.includes(verdict.code)) {
      return { kind: 'decided', payment: { verdict, time, flows: [] } };
    }
    // The flows depend on all claims up to the payment.
    if (homeHeadTime < transaction.time) return WAITING;
    const movements = readMovements(transaction, source.tokens);
    const isRecent = transaction.time >= citation.blockTimestamp - MAX_FLOW_AGE_SECONDS;
    if (movements === 'incomplete' && isRecent) return UNREADABLE;
    const flows = findFlows(movements, transaction, await store.listClaims(citation));
    return { kind: 'decided', payment: { verdict, time, flows } };
  }

  /**
   * Judges first without what only a paid verdict depends on, and with it where the payer matters. `isBehind`: the
   * transfers that the verdict depends on are not all read.
   */
  async function judgeInSteps(
    source: PaymentSource,
    citation: OpenCitation,
    facts: PaymentFacts,
  ): Promise<{ readonly verdict: PaymentVerdict; readonly isBehind: boolean }> {
    const { transaction } = facts.reading;
    if (typeof transaction !== 'object') return { verdict: judgePayment(facts), isBehind: false };
    const claims = facts.claims as readonly PlacedClaim[];
    const inForce = claimsInForceAt(claims, citation.seq) as readonly PlacedClaim[];
    const accounts = inForce.map(({ account }) => account);
    const first = { ...facts, others: await listOthers(accounts, inForce, citation, transaction.time) };
    const verdict = judgePayment(first);
    const { code, payer } = verdict;
    if (code !== 'paid' || payer === null) return { verdict, isBehind: false };

    const own = listOwn(inForce);
    const followed = own.filter(({ address }) => isEvmAccount(address));
    const flowsThroughBlock =
      source.transfers === undefined ? undefined : await store.readFlowsThrough(source.name, followed);
    const settled = judgePayment({
      ...first,
      others: await listOthers([...accounts, payer], inForce, citation, transaction.time),
      flows: await store.listFlowsTo(citation, [...new Set(own.map(({ address }) => address))], {
        ...{ payer, block: transaction.block, time: transaction.time },
      }),
      flowsThroughBlock,
      earlier: await store.listEarlierPayments(citation, { payer, time: transaction.time }),
    });
    return { verdict: settled, isBehind: flowsThroughBlock !== undefined && flowsThroughBlock < transaction.block - 1 };
  }

  async function listOthers(
    accounts: readonly string[],
    inForce: readonly PlacedClaim[],
    citation: OpenCitation,
    time: number,
  ): Promise<readonly OtherClaim[]> {
    const others = await store.listClaimsOf(accounts, citation, time);
    return others.map((other) => {
      const own = inForce.find(({ account }) => account === other.account);
      return {
        ...{ home: other.home, account: other.account, owner: other.owner, since: other.since, until: other.end?.at },
        isNewer: own !== undefined && other.home === citation.home && isLater(other, own),
      };
    });
  }

  /** Returns undefined while it cannot be read. */
  async function readTransaction(
    source: PaymentSource,
    citation: OpenCitation,
  ): Promise<CitedTransaction | 'absent' | undefined> {
    const window = citationWindow(citation);
    try {
      return await transactions.get(`${source.name} ${citation.reference}`, () =>
        source.readTransaction(citation.reference, window),
      );
    } catch (error) {
      if (error instanceof SourceUnreadable) return undefined;
      throw error;
    }
  }

  /** Returns the time through which the claims of all machines are known that go first or share the home chain. */
  async function readHomeHead(home: HomeChain): Promise<number> {
    const main = await store.readScannedThrough('main');
    return home === 'main' ? main : Math.min(main, await store.readScannedThrough('alt'));
  }

  return { findDue, judge, countPostponed };
}

/** Lists the accounts in force and the owner, each from the time it became own. */
function listOwn(inForce: readonly Claim[]): readonly OwnAddress[] {
  const accounts = inForce.map(({ account, since }) => ({ address: account, since }));
  return [...accounts, { address: inForce[0]!.owner, since: inForce[0]!.since }];
}

/** Returns the flows from every address that was ever own; those of others are not counted when they are summed. */
function findFlows(
  movements: ReturnType<typeof readMovements>,
  transaction: CitedTransaction,
  claims: readonly Claim[],
) {
  if (typeof movements === 'string') return [];
  const senders = new Set(claims.flatMap(({ account, owner }) => [account, owner]));
  return flowsOf(movements, [...senders], transaction);
}

function isLater(a: PlacedClaim, b: PlacedClaim): boolean {
  return a.place.block > b.place.block || (a.place.block === b.place.block && a.place.index > b.place.index);
}
