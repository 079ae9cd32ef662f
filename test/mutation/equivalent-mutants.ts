/** Which changes of the domain change nothing that a caller could see, and why? Held against the code by `test/mutation-testing.test.ts`. */

export interface EquivalentMutants {
  readonly file: string;
  /** The first line that is changed, without indentation. */
  readonly line: string;
  /** What stands in the place of what. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly why: string;
}

export const EQUIVALENT_MUTANTS: readonly EquivalentMutants[] = [
  {
    file: 'src/domain/rating/amount.ts',
    line: "return { status: 'ok', cents: cents > MAX_EVENT_CENTS ? MAX_EVENT_CENTS : Number(cents) };",
    changes: [['cents > MAX_EVENT_CENTS', 'cents >= MAX_EVENT_CENTS']],
    why: 'At the limit both ways give the limit.',
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
