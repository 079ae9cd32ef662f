/** JSON encoding of one day of a rating state: arrays without member names, because a machine has hundreds of days. */

import { parseJson } from '../json/json-values.ts';
import { MODEL } from './constants.ts';
import type { RatingStateDay, RatingStateTotals } from './rating-state-days.ts';
import {
  COUNTS,
  RatingStateUnreadable,
  MOMENTS,
  parseArray,
  parseBucket,
  parseCount,
  parseMoment,
  encodeBucket,
  type CountName,
  type MomentName,
} from './rating-state-codec.ts';

/** Number of parts: model, day, counts, moments, buckets, verdicts. */
const PARTS = 6;

export function encodeRatingStateDay({ day, totals, changed, verdictCount }: RatingStateDay): string {
  const counts = COUNTS.map((name) => totals[name]);
  const moments = MOMENTS.map((name) => totals[name] ?? null);
  return JSON.stringify([MODEL, day, counts, moments, changed.map(encodeBucket), verdictCount]);
}

/** Decodes a text made by `encodeRatingStateDay`. Throws `RatingStateUnreadable`. */
export function decodeRatingStateDay(text: string): RatingStateDay {
  const parts = parseArray(parseJson(text));
  const [counts, moments] = [parseArray(parts[2]), parseArray(parts[3])];
  const hasAllParts = parts.length === PARTS && counts.length === COUNTS.length && moments.length === MOMENTS.length;
  if (!hasAllParts || parts[0] !== MODEL) throw new RatingStateUnreadable();
  const totals: RatingStateTotals = {
    ...(Object.fromEntries(COUNTS.map((name, index) => [name, parseCount(counts[index])])) as Record<
      CountName,
      number
    >),
    ...(Object.fromEntries(MOMENTS.map((name, index) => [name, parseMoment(moments[index])])) as Record<
      MomentName,
      number | undefined
    >),
  };
  if (totals.nextSeq === 0 || totals.newestBlockTimestamp === undefined) throw new RatingStateUnreadable();
  return {
    day: parseCount(parts[1]),
    totals,
    changed: parseArray(parts[4]).map(parseBucket),
    verdictCount: parseCount(parts[5]),
  };
}
