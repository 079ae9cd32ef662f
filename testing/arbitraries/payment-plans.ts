/** Arbitraries of payment histories: what a fleet, its owners and its customers do, as numbers that a world interprets. */
import fc from 'fast-check';

/** Seconds between two blocks of the payment sources, and the unit of time of a plan. */
export const TICK_SECONDS = 300;

const MAX_ACTS = 60;

/** Ticks until an act: also the limits of 900 seconds and of a week, and their neighbors. */
const GAPS = [0, 0, 1, 2, 3, 4, 12, 96, 288, 288, 864, 864, 2_015, 2_016];
const SHORT_GAPS = [0, 0, 0, 1, 1, 2, 3, 4, 12, 2_016];

const pick = <const T>(...values: readonly T[]) => fc.constantFrom(...values);

/** Seconds from its block to the time that an event reports, among them those at which it is late or early. */
const REPORTED = [...Array.from({ length: 10 }, () => 0), -600, 900, 901, -604_800, -604_801];

/** Ticks from the block of an event to the payment that it cites. */
const PAID = [...Array.from({ length: 10 }, () => 0), -1, -2, -3, 1, 3, 4, -2_015, -2_016, -2_017];

const timing = {
  gap: pick(...GAPS),
  /** Seconds from the tick to the block. */
  isOff: fc.boolean(),
  /** Mostly the same ones, so that a machine has earlier payments of a customer. */
  machine: pick(0, 0, 0, 1, 2, 2, 3),
};

/** How the money of a cited transaction moves. */
export const PATTERNS = [
  'direct',
  'routed',
  'batch',
  'minted',
  'by owner',
  'by sister',
  'sent by payee',
  'swapped',
  'owner joins',
  'two tokens',
  'failed',
  'unlisted',
  'stray',
  'unrecorded',
] as const;

const event = {
  trust: pick(1, 1, 1, 1, 1, 1, 1, 2, 2, 0),
  reported: pick(...REPORTED),
  currency: pick('USD', 'USD', 'USD', 'EUR', 'ZZZ'),
  value: pick(999n, 1_000n, 4_000n, 10_000n, 10_000n, 30_000n),
};

const report = fc.record({
  kind: fc.constant('report' as const),
  ...timing,
  ...event,
  source: pick('first', 'first', 'first', 'second'),
  pattern: fc.oneof(
    { weight: 6, arbitrary: fc.constant('direct' as const) },
    { weight: PATTERNS.length, arbitrary: pick(...PATTERNS) },
    { weight: 2, arbitrary: pick('minted', 'failed') },
  ),
  paidAt: pick(...PAID),
  cents: pick(900, 1_000, 5_000, 10_000, 10_000, 12_345),
  customer: pick(0, 0, 0, 1),
  /** Events that cite it at once. */
  times: pick(1, 1, 1, 2, 3),
});

const repeat = fc.record({
  kind: fc.constant('repeat' as const),
  ...timing,
  ...event,
  gap: pick(...SHORT_GAPS),
  /** Payments before the newest one; -1: the next one. */
  back: pick(0, 0, 0, 0, 1, 2, 5, -1),
  form: pick(...Array.from({ length: 12 }, () => 'cited' as const), 'unsigned', 'unread chain', 'zero', 'uncited'),
});

const claim = fc.record({
  kind: fc.constant('claim' as const),
  ...timing,
  account: pick(...Array.from({ length: 13 }, (_, i) => i), 0, 1, 2, 3, 4, 5),
  form: pick('signed', 'signed', 'signed', 'forged', 'copied', 'of another owner'),
});

const sell = fc.record({
  kind: fc.constant('sell' as const),
  ...timing,
  form: pick('reclaimed', 'reclaimed', 'sold', 'burned'),
});

const refund = fc.record({
  kind: fc.constant('refund' as const),
  ...timing,
  gap: pick(...SHORT_GAPS),
  from: pick('account', 'account', 'owner'),
  source: pick('first', 'first', 'first', 'second'),
  cents: pick(1_250, 5_000, 5_000, 5_001, 20_000, 20_000),
  paidAt: pick(0, 0, 0, -1, 1, -300),
  customer: pick(0, 0, 0, 1),
});

export type PaymentAct =
  | (typeof report extends fc.Arbitrary<infer T> ? T : never)
  | (typeof repeat extends fc.Arbitrary<infer T> ? T : never)
  | (typeof claim extends fc.Arbitrary<infer T> ? T : never)
  | (typeof sell extends fc.Arbitrary<infer T> ? T : never)
  | (typeof refund extends fc.Arbitrary<infer T> ? T : never);

/** What a fleet does, and the rates that are known in the end. */
export const paymentPlans = fc.record({
  acts: fc.array(
    fc.oneof(
      { weight: 14, arbitrary: report },
      { weight: 10, arbitrary: repeat },
      { weight: 4, arbitrary: claim },
      { weight: 1, arbitrary: sell },
      { weight: 7, arbitrary: refund },
    ) as fc.Arbitrary<PaymentAct>,
    { minLength: 15, maxLength: MAX_ACTS, size: 'max' },
  ),
  /** Ticks that pass before the act of a position: about the 180 days for which payments and transfers count; none: 0. */
  pause: fc.record({ before: fc.integer({ min: 5, max: 15 }), ticks: pick(0, 0, 0, 51_836, 51_839, 51_840) }),
  /** Percentage of the history up to which rates are complete. */
  ratedPercent: pick(100, 100, 60),
});

export type PaymentPlan = typeof paymentPlans extends fc.Arbitrary<infer T> ? T : never;

/** What is down while a block is followed. */
export const outages = fc.array(
  fc.record({
    /** Whether nothing is read at all. */
    isSkipped: fc.boolean(),
    down: pick('none', 'none', 'none', 'evm', 'solana', 'both'),
    failing: pick('none', 'none', 'transaction', 'transfers', 'head', 'block'),
    /** Transactions of every so many that no node returns; 0: all are returned. */
    unreadable: pick(0, 0, 2, 3),
    /** Whether the alt chain is not read. */
    isAltSilent: fc.boolean(),
    ratesBehindDays: pick(0, 0, 1, 4),
    isRestarted: fc.boolean(),
    hours: pick(0, 1, 1, 2),
  }),
  { minLength: MAX_ACTS, maxLength: MAX_ACTS },
);

export type Outages = typeof outages extends fc.Arbitrary<infer T> ? T : never;

/** What strangers do beside an act: they have their own keys, machines, money and all published texts. */
export const strangersActs = fc.array(
  fc.array(
    fc.record({
      kind: pick('claim', 'copy', 'forge', 'cite', 'give', 'push', 'push', 'name owner'),
      isFirst: fc.boolean(),
      isAlt: fc.boolean(),
      to: fc.nat(20),
      cents: fc.integer({ min: 1, max: 1_000_000 }),
    }),
    { maxLength: 2 },
  ),
  { minLength: MAX_ACTS, maxLength: MAX_ACTS },
);

export type StrangersActs = typeof strangersActs extends fc.Arbitrary<infer T> ? T : never;
