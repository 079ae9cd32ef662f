/**
 * Parser of the ECB reference rates in XML: `eurofxref-hist.xml`, `eurofxref-hist-90d.xml` and `eurofxref-daily.xml`, with a `Cube`
 * per day (`time`) and in it a `Cube` per currency (`rate`).
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';

import { isCurrencyCode } from '../../domain/rating/currency.ts';
import { parseDay } from '../../domain/rating/utc-day.ts';
import type { Decimal } from './decimal.ts';
import type { QuotedDay } from './euro-quotes.ts';
import { FeedMalformed, parseQuote } from './euro-quotes.ts';

type Element = Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  parseTagValue: false,
  processEntities: false,
  removeNSPrefix: true,
  isArray: (name) => name === 'Cube',
});

/** Parses the days of a file, in its order. Throws `FeedMalformed`, also for a document type declaration. */
export function parseEcbXml(text: string): QuotedDay[] {
  if (text.includes('<!DOCTYPE') || XMLValidator.validate(text) !== true) throw new FeedMalformed('document');
  const [days] = cubesIn(asElement(parser.parse(text), 'document')['Envelope'], 'envelope');
  return cubesIn(days, 'days').map((day, index) => parseCube(day, `day ${index + 1}`));
}

function parseCube(cube: unknown, place: string): QuotedDay {
  const day = parseDay(textOf(cube, 'time', place));
  if (day === undefined) throw new FeedMalformed(place);
  const quotes = new Map<string, Decimal>();
  for (const item of cubesIn(cube, place)) {
    const currency = textOf(item, 'currency', place);
    const quote = parseQuote(textOf(item, 'rate', place), place);
    if (!isCurrencyCode(currency) || currency === 'EUR' || quotes.has(currency)) throw new FeedMalformed(place);
    if (quote !== undefined) quotes.set(currency, quote);
  }
  return { day, quotes };
}

function cubesIn(value: unknown, place: string): readonly unknown[] {
  const cubes = asElement(value, place)['Cube'];
  if (!Array.isArray(cubes)) throw new FeedMalformed(place);
  return cubes;
}

function textOf(value: unknown, name: string, place: string): string {
  const text = asElement(value, place)[name];
  if (typeof text !== 'string') throw new FeedMalformed(place);
  return text;
}

function asElement(value: unknown, place: string): Element {
  if (typeof value !== 'object' || value === null) throw new FeedMalformed(place);
  return value as Element;
}
