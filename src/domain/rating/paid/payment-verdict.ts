/**
 * Verdict on a followed citation (design/scoring.md, Verdict 2 to 11). A pure function of finalized facts: whatever was unavailable, and in
 * whichever order sources are read, only `pending` ever changes.
 */
import { LEAST_QUALIFYING_CENTS, PAYMENT } from '../constants.ts';
import { ZERO_ADDRESS } from '../../identifiers/identifiers.ts';
import type { RateTable } from '../rate-table.ts';
import type { VerdictCode } from '../verdict.ts';
import { findPayees, type OtherClaim } from './account-assignment.ts';
import { claimsInForceAt, type Claim, type HomeChain } from './claims.ts';
import { convertTokens, sumReturned, type Flow, type OwnAddress } from './flows.ts';
import type { CitedTransaction } from './source-transaction.ts';
import { compareAddresses, readMovements, type Movements } from './token-movements.ts';

/** A qualifying revenue event with a followed citation. Times in Unix seconds. */
export interface FollowedEvent {
  readonly seq: number;
  readonly cents: number;
  readonly timestamp: number;
  readonly blockTimestamp: number;
}

/** What the source holds. */
export interface SourceReading {
  /** Time of the finalized head; undefined while it cannot be read. */
  readonly headTime: number | undefined;
  /** Undefined while it cannot be read. */
  readonly transaction: CitedTransaction | 'absent' | undefined;
}

/** Earlier verdict of the machine that is `paid`, `circular` or `already_counted`. */
export interface EarlierPayment {
  readonly source: string;
  readonly reference: string;
  readonly token: string;
  readonly payer: string;
  readonly worthCents: number;
  readonly paidCents: number;
  /** Block time of the payment. */
  readonly time: number;
}

export interface PaymentFacts {
  readonly source: { readonly name: string; readonly tokens: ReadonlyMap<string, string> };
  readonly reference: string;
  readonly event: FollowedEvent;
  readonly home: HomeChain;
  /** All claims of the machine, in order. */
  readonly claims: readonly Claim[];
  /** Claims of other machines: of the accounts of `claims`, or under the same owner. */
  readonly others: readonly OtherClaim[];
  readonly reading: SourceReading;
  /** Transfers from own addresses, in chain order. */
  readonly flows: readonly Flow[];
  /** Block up to which the transfers of all own addresses are read; undefined where they are not waited for (Solana). */
  readonly flowsThroughBlock: number | undefined;
  readonly earlier: readonly EarlierPayment[];
  /** Time of the finalized head of the home chain, of an alt-chain machine the smaller one of both chains. */
  readonly homeHeadTime: number;
  readonly rates: RateTable;
}

/** A verdict, with what was found before it was reached. */
export interface PaymentVerdict {
  readonly code: VerdictCode;
  readonly paidCents: number;
  readonly token: string | null;
  readonly payer: string | null;
  readonly worthCents: number | null;
  readonly returnedCents: number | null;
}

export const NO_VERDICT_DETAILS = { paidCents: 0, token: null, payer: null, worthCents: null, returnedCents: null };

/** Returns the time from which and through which a payment of the event can be found. */
export function citationWindow({ timestamp, blockTimestamp }: FollowedEvent): {
  readonly fromTime: number;
  readonly throughTime: number;
} {
  return { fromTime: timestamp - PAYMENT.timeSeconds, throughTime: blockTimestamp + PAYMENT.lateSeconds };
}

/** Judges a citation. */
export function judgePayment(facts: PaymentFacts): PaymentVerdict {
  const { event, reading } = facts;
  const { fromTime, throughTime } = citationWindow(event);
  if (reading.headTime === undefined || reading.headTime <= throughTime) return verdict('pending');
  const { transaction } = reading;
  if (transaction === undefined) return verdict('pending');
  if (transaction === 'absent' || transaction.time > throughTime) return verdict('not_found');
  if (!transaction.success) return verdict('failed');
  if (transaction.time < fromTime || transaction.time > event.timestamp + PAYMENT.timeSeconds) {
    return verdict('wrong_time');
  }
  if (facts.homeHeadTime < transaction.time) return verdict('pending');
  const movements = readMovements(transaction, facts.source.tokens);
  if (movements === 'too_many') return verdict('wrong_payee');
  if (movements === 'incomplete') return verdict('pending');
  return judgeMovements(facts, transaction, movements);
}

function verdict(code: VerdictCode, details: Partial<PaymentVerdict> = {}): PaymentVerdict {
  return { ...NO_VERDICT_DETAILS, ...details, code };
}

function judgeMovements(facts: PaymentFacts, transaction: CitedTransaction, movements: Movements): PaymentVerdict {
  const inForce = claimsInForceAt(facts.claims, facts.event.seq);
  const { owner } = inForce[0]!;
  const payees = findPayees(inForce, facts, transaction.time);
  const payeeAddresses = new Set(payees.map(({ account }) => account));
  const priced = priceMovements(movements, payeeAddresses, owner, transaction.time, facts.rates);
  if (priced === 'pending') return verdict('pending');
  if (priced === undefined) return verdict('wrong_payee');

  const { token, spentCents } = priced;
  const worthCents = Math.max(0, priced.receivedCents - spentCents);
  const payer = findPayer(movements, token, payeeAddresses);
  if (payer === undefined || payer === ZERO_ADDRESS) return verdict('unknown_payer', { token, worthCents });
  const found = { token, payer, worthCents };
  if (isOwnMoney(facts, owner, payer, transaction, payeeAddresses) || worthCents < LEAST_QUALIFYING_CENTS) {
    return verdict('self_paid', found);
  }

  if (facts.flowsThroughBlock !== undefined && facts.flowsThroughBlock < transaction.block - 1) {
    return verdict('pending');
  }
  const payment = { payer, block: transaction.block, time: transaction.time };
  const returnedCents = sumReturned(facts.flows, listOwnAddresses(payees, inForce, owner), payment, facts.rates);
  if (returnedCents === 'pending') return verdict('pending');
  const details = { ...found, returnedCents };
  if (2 * returnedCents >= worthCents + sumGivenBefore(facts, token, payment)) return verdict('circular', details);
  const leftCents = worthCents - sumCounted(facts, token);
  if (leftCents < LEAST_QUALIFYING_CENTS) return verdict('already_counted', details);
  return verdict('paid', { ...details, paidCents: Math.min(facts.event.cents, leftCents) });
}

interface PricedMovements {
  readonly token: string;
  /** What the payees got of the token. */
  readonly receivedCents: number;
  /** What owner and payees spent in the same transaction. */
  readonly spentCents: number;
}

/** Chooses the token that pays most, and converts what the machine spent. Returns undefined when no token pays. */
function priceMovements(
  movements: Movements,
  payees: ReadonlySet<string>,
  owner: string,
  time: number,
  rates: RateTable,
): PricedMovements | 'pending' | undefined {
  const netOf = (token: string, addresses: Iterable<string>): bigint =>
    [...addresses].reduce((sum, address) => sum + (movements.get(token)?.get(address) ?? 0n), 0n);
  // A set, because the owner may be a payee.
  const machine = new Set([...payees, owner]);
  const tokens = [...movements.keys()].sort().map((token) => {
    const received = netOf(token, payees);
    const lost = -netOf(token, machine);
    return {
      token,
      receivedCents: received > 0n ? convertTokens(token, received, time, rates) : undefined,
      lostCents: lost > 0n ? convertTokens(token, lost, time, rates) : undefined,
    };
  });
  if (tokens.some(({ receivedCents, lostCents }) => receivedCents === 'pending' || lostCents === 'pending')) {
    return 'pending';
  }
  let best: { readonly token: string; readonly receivedCents: number } | undefined;
  for (const { token, receivedCents } of tokens) {
    if (typeof receivedCents !== 'number' || receivedCents < LEAST_QUALIFYING_CENTS) continue;
    if (best === undefined || receivedCents > best.receivedCents) best = { token, receivedCents };
  }
  if (best === undefined) return undefined;
  const { token } = best;
  const ownerLost = payees.has(owner) ? 0n : -netOf(token, [owner]);
  const ownerCents = ownerLost > 0n ? convertTokens(token, ownerLost, time, rates) : 0;
  const otherCents = tokens.flatMap((each) =>
    each.token !== token && typeof each.lostCents === 'number' ? [each.lostCents] : [],
  );
  return { ...best, spentCents: (ownerCents as number) + otherCents.reduce((sum, cents) => sum + cents, 0) };
}

/** Returns the address outside the payees that lost most of the token; of equal ones the lowest. */
function findPayer(movements: Movements, token: string, payees: ReadonlySet<string>): string | undefined {
  const losers = [...movements.get(token)!].filter(([address, net]) => net < 0n && !payees.has(address));
  const [first] = losers.sort(([a, netA], [b, netB]) =>
    netA === netB ? compareAddresses(a, b) : netA < netB ? -1 : 1,
  );
  return first?.[0];
}

/** Returns whether the payer belongs to the owner, or the machine itself sent the transaction. */
function isOwnMoney(
  { claims, others, home }: PaymentFacts,
  owner: string,
  payer: string,
  transaction: CitedTransaction,
  payees: ReadonlySet<string>,
): boolean {
  const isUnderOwner = [...claims, ...others.filter((other) => other.home === home)].some(
    (claim) => claim.account === payer && claim.owner === owner && claim.since <= transaction.time,
  );
  const senders = transaction.kind === 'evm' ? [transaction.from] : transaction.signers;
  return payer === owner || isUnderOwner || senders.some((sender) => sender === owner || payees.has(sender));
}

/** Lists the payees, each from its claim on, and the owner from the first claim in force on. */
function listOwnAddresses(payees: readonly Claim[], inForce: readonly Claim[], owner: string): readonly OwnAddress[] {
  const accounts = payees.map(({ account, since }) => ({ address: account, since }));
  return [...accounts, { address: owner, since: inForce[0]!.since }];
}

/** Sums what the payer gave in other payments on the source, each once. */
function sumGivenBefore(
  { source, reference, earlier }: PaymentFacts,
  token: string,
  { payer, time }: { readonly payer: string; readonly time: number },
): number {
  const worths = new Map<string, number>();
  for (const each of earlier) {
    const isSamePayment = each.reference === reference && each.token === token;
    if (each.source !== source.name || each.payer !== payer || isSamePayment) continue;
    if (each.time >= time - PAYMENT.flowSeconds) worths.set(`${each.reference} ${each.token}`, each.worthCents);
  }
  return worths.values().reduce((sum, cents) => sum + cents, 0);
}

/** Sums what earlier events counted of the same payment. */
function sumCounted({ source, reference, earlier }: PaymentFacts, token: string): number {
  return earlier
    .filter((each) => each.source === source.name && each.reference === reference && each.token === token)
    .reduce((sum, { paidCents }) => sum + paidCents, 0);
}
