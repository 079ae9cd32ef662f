/** Parser of ECB reference files, CSV or XML. */
import type { RateRow } from '../../domain/rating/rate-table.ts';
import { parseEcbCsv } from './ecb-csv.ts';
import { parseEcbXml } from './ecb-xml.ts';
import { crossToUsd, FeedMalformed } from './euro-quotes.ts';

/** Parses the rates in USD, at least one and each day once. Throws `FeedMalformed`. */
export function parseReferenceFile(text: string): RateRow[] {
  const days = text.trimStart().startsWith('<') ? parseEcbXml(text) : parseEcbCsv(text);
  if (new Set(days.map(({ day }) => day)).size !== days.length) throw new FeedMalformed('a day is repeated');
  const rows = days.flatMap(crossToUsd);
  if (rows.length === 0) throw new FeedMalformed('no rates');
  return rows;
}
