/**
 * Planned payments of the fixtures: transactions of customers, mined in the block of their day before its events, so that an event can cite
 * one of its own or of an earlier day.
 */
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import { payThroughRouter, transferTokens } from '../main-chain/payments.ts';
import type { PaymentContracts, PaymentPart } from '../main-chain/payments.ts';

export interface PlannedPayment {
  /** Name under which events cite it, unique in the devnet. */
  readonly name: string;
  readonly daysAgo: number;
  /** Returns the transaction. */
  readonly call: (contracts: PaymentContracts) => Call;
}

const CUSTOMER_COUNT = 24;

/** Customers who pay in turn. */
export const CUSTOMERS: readonly Account[] = Array.from({ length: CUSTOMER_COUNT }, (_, i) =>
  accountOf(`customer ${i + 1}`),
);

/** Wallets with a name in `fixtures.json`. */
export const SHOPPER = accountOf('shopper');
export const WHOLESALER = accountOf('wholesaler');

/** Everyone who pays; payout accounts return what they were paid. */
export const PAYERS: readonly Account[] = [...CUSTOMERS, SHOPPER, WHOLESALER, accountOf('citations owner')];

/** Returns the customer of a day. */
export function customerOf(day: number): Account {
  return CUSTOMERS[day % CUSTOMER_COUNT]!;
}

export function transferPayment(name: string, daysAgo: number, from: Account, part: PaymentPart): PlannedPayment {
  return { name, daysAgo, call: (contracts) => transferTokens(contracts, from.address, part) };
}

export function routedPayment(
  name: string,
  daysAgo: number,
  from: Account,
  parts: readonly PaymentPart[],
): PlannedPayment {
  return { name, daysAgo, call: (contracts) => payThroughRouter(contracts, from.address, parts) };
}
