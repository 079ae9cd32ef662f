/** Tests parsing of the ECB reference file in XML. */
import { describe, expect, it } from 'vitest';

import { parseDay } from '../../domain/rating/utc-day.ts';
import { parseEcbXml } from './ecb-xml.ts';
import { FeedMalformed } from './euro-quotes.ts';

function envelope(days: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ' +
    'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">' +
    '<gesmes:subject>Reference rates</gesmes:subject>' +
    `<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender><Cube>${days}</Cube></gesmes:Envelope>`
  );
}

const USD = '<Cube currency="USD" rate="1.0925"/>';

describe('parseEcbXml', () => {
  it('parses several days with either kind of quotation marks', () => {
    const text = envelope(
      `<Cube time='2026-02-27'><Cube currency='USD' rate='1.0925'/><Cube currency='JPY' rate='158.14'/></Cube>` +
        `<Cube time="2026-02-26">${USD}</Cube>`,
    );
    expect(parseEcbXml(text)).toStrictEqual([
      {
        day: parseDay('2026-02-27'),
        quotes: new Map([
          ['USD', { units: 10_925n, scale: 10_000n }],
          ['JPY', { units: 15_814n, scale: 100n }],
        ]),
      },
      { day: parseDay('2026-02-26'), quotes: new Map([['USD', { units: 10_925n, scale: 10_000n }]]) },
    ]);
  });

  it.each([
    ['a truncated document', envelope(`<Cube time="2026-02-27">${USD}</Cube>`).slice(0, -20), 'document'],
    ['a type declaration', `<!DOCTYPE a [<!ENTITY b "c">]>${envelope('')}`, 'document'],
    ['another document', '<html><body/></html>', 'envelope'],
    ['an envelope without days', envelope(''), 'days'],
    ['a day without quotes', envelope('<Cube time="2026-02-27"/>'), 'day 1'],
    ['a day without a date', envelope(`<Cube>${USD}</Cube>`), 'day 1'],
    ['a day that does not exist', envelope(`<Cube time="2026-02-30">${USD}</Cube>`), 'day 1'],
    ['a quote without a rate', envelope('<Cube time="2026-02-27"><Cube currency="USD"/></Cube>'), 'day 1'],
    ['a rate of zero', envelope('<Cube time="2026-02-27"><Cube currency="USD" rate="0"/></Cube>'), 'day 1'],
    [
      'a rate that is not a number',
      envelope('<Cube time="2026-02-27"><Cube currency="USD" rate="NaN"/></Cube>'),
      'day 1',
    ],
    ['a repeated currency', envelope(`<Cube time="2026-02-27">${USD}${USD}</Cube>`), 'day 1'],
    ['the base currency', envelope(`<Cube time="2026-02-27">${USD}<Cube currency="EUR" rate="1"/></Cube>`), 'day 1'],
    ['an invalid currency code', envelope('<Cube time="2026-02-27"><Cube currency="usd" rate="1"/></Cube>'), 'day 1'],
    [
      'an invalid second day',
      envelope(`<Cube time="2026-02-27">${USD}</Cube><Cube time="yesterday">${USD}</Cube>`),
      'day 2',
    ],
  ])('rejects %s', (_, text, place) => {
    expect(() => parseEcbXml(text)).toThrow(new FeedMalformed(place));
  });
});
