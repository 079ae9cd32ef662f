/** Tests parsing of ECB reference files in either format. */
import { describe, expect, it } from 'vitest';

import { parseDay } from '../../domain/rating/utc-day.ts';
import { FeedMalformed } from './euro-quotes.ts';
import { parseReferenceFile } from './reference-file.ts';

const day = parseDay('2026-02-27')!;

describe('parseReferenceFile', () => {
  it('converts euro quotes to USD × 10^12, rounded down once', () => {
    // 1.0925 / 158.14 = 0.00690843556342481…; / 0.85 = 1.28529411764705…
    expect(parseReferenceFile('Date,USD,JPY,GBP\n2026-02-27,1.0925,158.14,0.85\n')).toStrictEqual([
      { currency: 'EUR', day, rate: 1_092_500_000_000n },
      { currency: 'JPY', day, rate: 6_908_435_563n },
      { currency: 'GBP', day, rate: 1_285_294_117_647n },
    ]);
  });

  it('recognizes XML by its first character', () => {
    const text = '<Envelope><Cube><Cube time="2026-02-27"><Cube currency="USD" rate="2"/></Cube></Cube></Envelope>';
    expect(parseReferenceFile(text)).toStrictEqual([{ currency: 'EUR', day, rate: 2_000_000_000_000n }]);
  });

  it('returns no rate for a day without USD or for a currency worth less than the smallest rate', () => {
    const text = 'Date,USD,AAA,BBB\n2026-02-27,1,1000000000000,1000000000001\n2026-02-26,N/A,2,2\n';
    expect(parseReferenceFile(text)).toStrictEqual([
      { currency: 'EUR', day, rate: 10n ** 12n },
      { currency: 'AAA', day, rate: 1n },
    ]);
  });

  it.each([
    ['a repeated day', 'Date,USD\n2026-02-27,1.1\n2026-02-27,1.2\n', 'a day is repeated'],
    ['a file without days', 'Date,USD\n', 'no rates'],
    ['a file without USD quotes', 'Date,USD,JPY\n2026-02-27,N/A,158\n', 'no rates'],
  ])('rejects %s', (_, text, place) => {
    expect(() => parseReferenceFile(text)).toThrow(new FeedMalformed(place));
  });
});
