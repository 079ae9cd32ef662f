import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PROPERTY_RUNS } from '../../../../testing/arbitraries/property-runs.ts';
import { readVerdictCases } from '../../../../testing/fixtures/verdict-vectors.ts';
import { createRateTable } from '../rate-table.ts';
import type { OtherClaim } from './account-assignment.ts';
import type { Claim } from './claims.ts';
import type { Flow } from './flows.ts';
import { citationWindow, judgePayment, type PaymentFacts, type PaymentVerdict } from './payment-verdict.ts';
import type { EvmTransaction } from './source-transaction.ts';
import { TRANSFER_TOPIC } from './transfer-log.ts';

const TIME = 1_772_452_800;
const DAY = 86_400;
const OWNER = `0x${'0a'.repeat(20)}`;
const ACCOUNT = `0x${'0b'.repeat(20)}`;
const PAYER = `0x${'0c'.repeat(20)}`;
const ROUTER = `0x${'0d'.repeat(20)}`;
const USDC = `0x${'ee'.repeat(20)}`;
const CLAIM: Claim = { account: ACCOUNT, owner: OWNER, since: TIME - 30 * DAY, seq: 0, end: undefined };

const word = (digits: string) => `0x${digits.padStart(64, '0')}`;
/** `Transfer` of USDC in hundredths. */
const log = (from: string, to: string, cents: number) => ({
  address: USDC,
  topics: [TRANSFER_TOPIC, word(from.slice(2)), word(to.slice(2))],
  data: word((BigInt(cents) * 10_000n).toString(16)),
});
const transaction = (changes: Partial<EvmTransaction> = {}): EvmTransaction => ({
  ...{ kind: 'evm', success: true, block: 900, time: TIME - 60, from: PAYER },
  logs: [log(PAYER, ACCOUNT, 10_000)],
  ...changes,
});
const facts = (changes: Partial<PaymentFacts> = {}): PaymentFacts => ({
  source: { name: 'eip155:8453', tokens: new Map([['USDC', USDC]]) },
  reference: word('c1'),
  event: { seq: 5, cents: 10_000, timestamp: TIME - 100, blockTimestamp: TIME },
  home: 'main',
  claims: [CLAIM],
  others: [],
  reading: { headTime: TIME + 901, transaction: transaction() },
  flows: [],
  flowsThroughBlock: 899,
  earlier: [],
  homeHeadTime: TIME,
  rates: createRateTable(false, new Map([['USDC', { decimals: 6, fixedRate: 10n ** 12n }]])),
  ...changes,
});
const reading = (changes: Partial<EvmTransaction>): Partial<PaymentFacts> => ({
  reading: { headTime: TIME + 901, transaction: transaction(changes) },
});
const NOTHING_FOUND = { paidCents: 0, token: null, payer: null, worthCents: null, returnedCents: null };
const FOUND = { paidCents: 0, token: 'USDC', payer: PAYER, worthCents: 10_000 };
const codeOf = (changes: Partial<PaymentFacts>) => judgePayment(facts(changes)).code;

describe('the verdict on a payment', () => {
  it('is paid when the payer gave more than twice of what it got back', () => {
    expect(judgePayment(facts())).toEqual({ ...FOUND, code: 'paid', paidCents: 10_000, returnedCents: 0 });
  });

  it('is pending while the source cannot be read or its head is not past the window', () => {
    expect(codeOf({ reading: { headTime: undefined, transaction: transaction() } })).toBe('pending');
    expect(codeOf({ reading: { headTime: TIME + 900, transaction: transaction() } })).toBe('pending');
    const unread = judgePayment(facts({ reading: { headTime: TIME + 901, transaction: undefined } }));
    expect(unread).toEqual({ ...NOTHING_FOUND, code: 'pending' });
  });

  it('is not_found for an absent transaction, and for one after the window even when it failed', () => {
    expect(codeOf({ reading: { headTime: TIME + 901, transaction: 'absent' } })).toBe('not_found');
    expect(codeOf(reading({ time: TIME + 901, success: false }))).toBe('not_found');
    expect(citationWindow(facts().event)).toEqual({ fromTime: TIME - 100 - 604_800, throughTime: TIME + 900 });
  });

  it('is failed before its time is judged', () => {
    expect(codeOf(reading({ success: false, time: TIME - 30 * DAY }))).toBe('failed');
  });

  it('is wrong_time more than 7 days from the timestamp of the event', () => {
    expect(codeOf(reading({ time: TIME - 100 - 604_800 }))).toBe('paid');
    expect(codeOf(reading({ time: TIME - 100 - 604_801 }))).toBe('wrong_time');
  });

  it('is wrong_payee when no account of the machine got money, and beyond 5,000 logs', () => {
    const wrong = judgePayment(facts(reading({ logs: [log(PAYER, OWNER, 10_000)] })));
    expect(wrong).toEqual({ ...NOTHING_FOUND, code: 'wrong_payee' });
    expect(codeOf(reading({ logs: 'too_many' }))).toBe('wrong_payee');
  });

  it('is wrong_payee while another machine holds the account', () => {
    const other: OtherClaim = {
      ...{ home: 'main', account: ACCOUNT, owner: PAYER, since: TIME - DAY, until: undefined, isNewer: true },
    };
    expect(codeOf({ others: [other] })).toBe('wrong_payee');
    expect(codeOf({ others: [{ ...other, isNewer: false }] })).toBe('paid');
  });

  it('is pending while the home chain is not final up to the payment', () => {
    expect(codeOf({ homeHeadTime: TIME - 61 })).toBe('pending');
    expect(codeOf({ homeHeadTime: TIME - 60 })).toBe('paid');
  });

  it('is unknown_payer when no address lost the token', () => {
    const minted = judgePayment(facts(reading({ logs: [log(`0x${'00'.repeat(20)}`, ACCOUNT, 10_000)] })));
    expect(minted).toEqual({ ...NOTHING_FOUND, code: 'unknown_payer', token: 'USDC', worthCents: 10_000 });
  });

  it('is self_paid when the payer is the owner, an account under the owner, or the machine sent the transaction', () => {
    const own: OtherClaim = {
      ...{ home: 'main', account: PAYER, owner: OWNER, since: TIME - DAY, until: TIME - 10, isNewer: false },
    };
    const selfPaid = judgePayment(facts({ others: [own] }));
    expect(selfPaid).toEqual({ ...FOUND, code: 'self_paid', returnedCents: null });
    expect(codeOf({ others: [{ ...own, home: 'alt' }] })).toBe('paid');
    expect(codeOf({ others: [{ ...own, owner: ROUTER }] })).toBe('paid');
    expect(codeOf(reading({ logs: [log(OWNER, ACCOUNT, 10_000)] }))).toBe('self_paid');
    expect(codeOf(reading({ from: ACCOUNT }))).toBe('self_paid');
  });

  it('finds the payer behind a router', () => {
    const routed = reading({ logs: [log(PAYER, ROUTER, 10_100), log(ROUTER, ACCOUNT, 10_000)], from: ROUTER });
    expect(judgePayment(facts(routed)).payer).toBe(PAYER);
  });

  it('is circular when half of what was given came back, and worked example 4 holds', () => {
    const flow = { from: ACCOUNT, to: PAYER, token: 'USDC', block: 800, time: TIME - DAY };
    const returning = (cents: number) => facts({ flows: [{ ...flow, units: BigInt(cents) * 10_000n }] });
    expect(judgePayment(returning(4_999))).toEqual({ ...FOUND, code: 'paid', paidCents: 10_000, returnedCents: 4_999 });
    expect(judgePayment(returning(5_000))).toEqual({ ...FOUND, code: 'circular', returnedCents: 5_000 });
    expect(codeOf({ flows: [{ ...flow, units: 10n ** 9n, time: TIME - 31 * DAY }] })).toBe('paid');
    expect(codeOf({ flows: [{ ...flow, units: 10n ** 9n, from: ROUTER }] })).toBe('paid');
  });

  it('is pending while the transfers of its own addresses are not read up to the payment', () => {
    expect(codeOf({ flowsThroughBlock: 898 })).toBe('pending');
  });

  it('is already_counted when less than USD 10 is left of the payment', () => {
    const earlier = {
      ...{ source: 'eip155:8453', reference: word('c1'), token: 'USDC', payer: PAYER, time: TIME - 60 },
      ...{ worthCents: 10_000, paidCents: 9_001 },
    };
    const counted = judgePayment(facts({ earlier: [earlier] }));
    expect(counted).toEqual({ ...FOUND, code: 'already_counted', returnedCents: 0 });
    expect(judgePayment(facts({ earlier: [{ ...earlier, paidCents: 9_000 }] })).paidCents).toBe(1_000);
  });
});

describe('properties of verdicts', () => {
  const decided = readVerdictCases().flatMap(({ facts: each }) => (each === undefined ? [] : [each]));

  it(`property 9: changes only from pending, whatever was unavailable (seed ${PROPERTY_RUNS.seed})`, () => {
    const outages = fc.record({
      isHeadLost: fc.boolean(),
      isUnread: fc.boolean(),
      lag: fc.nat(3_000),
      flowLag: fc.nat(4),
    });
    fc.assert(
      fc.property(fc.constantFrom(...decided), outages, (each, { isHeadLost, isUnread, lag, flowLag }) => {
        const final = judgePayment(each);
        const { headTime, transaction } = each.reading;
        const block = typeof transaction === 'object' ? transaction.block : 0;
        const early = judgePayment({
          ...each,
          reading: {
            headTime: isHeadLost || headTime === undefined ? undefined : headTime - lag,
            transaction: isUnread ? undefined : transaction,
          },
          homeHeadTime: each.homeHeadTime - lag,
          flowsThroughBlock: each.flowsThroughBlock === undefined ? undefined : block - flowLag,
        });
        if (early.code !== 'pending') expect(early).toEqual(final);
      }),
      PROPERTY_RUNS,
    );
  });

  it(`property 11: changes by no claim and no transfer of a stranger (seed ${PROPERTY_RUNS.seed})`, () => {
    const accounts = ['f1', 'f2', 'f3'].map((digits) => `0x${digits.repeat(20)}`);
    const stranger = fc.constantFrom(...accounts);
    const secondsBefore = fc.nat(200 * DAY);
    const pushed = fc.record({
      claims: fc.array(
        fc.record({ account: stranger, before: secondsBefore, isMain: fc.boolean(), isGiven: fc.boolean() }),
      ),
      transfers: fc.array(fc.record({ from: stranger, before: secondsBefore, units: fc.bigInt(1n, 10n ** 12n) })),
    });
    fc.assert(
      fc.property(fc.constantFrom(...decided), pushed, (each, { claims, transfers }) => {
        const time = each.event.blockTimestamp;
        // The controller of a machine that was given away can still claim accounts for it, under the new owner.
        const others = claims.map(({ account, before, isMain, isGiven }): OtherClaim => {
          const owner = isGiven ? (each.claims.at(-1)?.owner ?? OWNER) : account;
          const home = isMain ? 'main' : 'alt';
          return { home, account, owner, since: time - before, until: undefined, isNewer: false };
        });
        const token = [...each.source.tokens.keys()][0] ?? 'USDC';
        const receivers = [...each.claims.map(({ account }) => account), judgePayment(each).payer ?? PAYER];
        const flows = transfers.flatMap(({ from, before, units }) =>
          receivers.map((to): Flow => ({ from, to, token, units, block: 1, time: time - before })),
        );
        const attacked = { ...each, others: [...each.others, ...others], flows: [...flows, ...each.flows] };
        expect(judgePayment(attacked)).toEqual(judgePayment(each));
      }),
      PROPERTY_RUNS,
    );
  });

  it(`property 10: counts at most the worth of a transaction, however it is split (seed ${PROPERTY_RUNS.seed})`, () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1_000, max: 9_000 }), { maxLength: 12 }), (amounts) => {
        const verdicts: PaymentVerdict[] = [];
        for (const [seq, cents] of amounts.entries()) {
          const earlier = verdicts.map(({ paidCents }) => ({
            ...{ source: 'eip155:8453', reference: word('c1'), token: 'USDC', payer: PAYER, time: TIME - 60 },
            ...{ worthCents: 10_000, paidCents },
          }));
          verdicts.push(judgePayment(facts({ event: { ...facts().event, seq, cents }, earlier })));
        }
        const paid = verdicts.reduce((sum, { paidCents }) => sum + paidCents, 0);
        expect(paid).toBeLessThanOrEqual(10_000);
      }),
      PROPERTY_RUNS,
    );
  });
});
