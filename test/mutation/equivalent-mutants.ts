/** Which changes of the domain change nothing that a caller could see, and why? Held against the code by `test/mutation-testing.test.ts`. */

export interface EquivalentMutants {
  readonly file: string;
  /** The first line that is changed, without indentation. */
  readonly line: string;
  /** What stands in the place of what. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly why: string;
}

/** A memory of what was computed: with or without it the same is answered. */
const ONLY_SPEED = 'What is remembered is what would be computed again.';

export const EQUIVALENT_MUTANTS: readonly EquivalentMutants[] = [
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (known !== undefined) return known;',
    changes: [['known !== undefined', 'false']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (remembered.size >= MAX_REMEMBERED_ITEMS) {',
    changes: [
      ['remembered.size >= MAX_REMEMBERED_ITEMS', 'true'],
      ['remembered.size >= MAX_REMEMBERED_ITEMS', 'false'],
      ['remembered.size >= MAX_REMEMBERED_ITEMS', 'remembered.size > MAX_REMEMBERED_ITEMS'],
      ['remembered.size >= MAX_REMEMBERED_ITEMS', 'remembered.size < MAX_REMEMBERED_ITEMS'],
      ['{\n    rememberedBefore = remembered;\n    remembered = new Map();\n  }', '{}'],
    ],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'remembered.set(item, bits);',
    changes: [['remembered.set(item, bits);', ';']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (bloom === cover) return true;',
    changes: [['bloom === cover', 'false']],
    why: 'Every bit of a bloom is set in the bloom itself; the line only says so sooner.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'for (let at = 2; at < NIBBLES + 2; at++) {',
    changes: [['at < NIBBLES + 2', 'at <= NIBBLES + 2']],
    why: 'After the end both texts have no digit, which is read alike.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (nibble !== 0 && (nibble & ~nibbleAt(cover, at)) !== 0) return false;',
    changes: [['nibble !== 0', 'true']],
    why: 'A digit of 0 has no bit that the other could lack; the condition only says so sooner.',
  },
  {
    file: 'src/domain/index-rules/block-checks.ts',
    line: 'if (log.blockNumber !== before.blockNumber) return log.blockNumber > before.blockNumber;',
    changes: [['log.blockNumber > before.blockNumber', 'log.blockNumber >= before.blockNumber']],
    why: 'Only numbers that differ are compared.',
  },
  {
    file: 'src/domain/rating/amount.ts',
    line: "return { status: 'ok', cents: cents > MAX_EVENT_CENTS ? MAX_EVENT_CENTS : Number(cents) };",
    changes: [['cents > MAX_EVENT_CENTS', 'cents >= MAX_EVENT_CENTS']],
    why: 'At the limit both ways give the limit.',
  },
  {
    file: 'src/domain/rating/daily-rating.ts',
    line: 'if (beginning === undefined) return { revenueBeforeCents: 0, days: [] };',
    changes: [['beginning === undefined', 'false']],
    why: 'Without a beginning no day is at or after it, and nothing adds up.',
  },
  {
    file: 'src/domain/rating/day-sums.ts',
    line: 'return sum > SAFE ? SAFE : Number(sum);',
    changes: [['sum > SAFE', 'sum >= SAFE']],
    why: 'At the limit both ways give the limit.',
  },
  {
    file: 'src/domain/rating/dormancy.ts',
    line: 'if (beyond <= 0) return { idleDays, lostHundredths: 0 };',
    changes: [['beyond <= 0', 'beyond < 0']],
    why: 'Of 0 days beyond, the curve takes nothing either.',
  },
  {
    file: 'src/domain/rating/event.ts',
    line: 'const isBeforeBlock = event.timestamp < event.blockTimestamp;',
    changes: [['event.timestamp < event.blockTimestamp', 'event.timestamp <= event.blockTimestamp']],
    why: 'Equal times are of one day.',
  },
  {
    file: 'src/domain/rating/rate-table.ts',
    line: 'return newest >= 0 && days[newest]! >= day - RATE_WINDOW_DAYS ? rates[newest] : undefined;',
    changes: [['newest >= 0', 'true']],
    why: 'Before the first there is no day, which is not within the window either.',
  },
  {
    file: 'src/domain/rating/scale.ts',
    line: 'return firstQualifyingDay === undefined || lastQualifyingDay === undefined',
    changes: [
      [
        'firstQualifyingDay === undefined || lastQualifyingDay === undefined',
        'firstQualifyingDay === undefined && lastQualifyingDay === undefined',
      ],
      ['firstQualifyingDay === undefined', 'false'],
      ['lastQualifyingDay === undefined', 'false'],
    ],
    why: 'The same event sets the first and the last qualifying day: one is known when the other is.',
  },
];
