/**
 * Exchange rates of the devnet: a file in the format of the European Central Bank (`eurofxref-hist.csv`: newest first, working days
 * only) up to the day before the seeding. The rates are constant, so scores are too.
 */
import { DAY_SECONDS } from './personas/planned-event.ts';

/** Units per EUR. The cross rates to USD are exact: 1.25, 0.0078125, 1.5625. */
const RATES_PER_EURO = { USD: '1.25', JPY: '160', GBP: '0.8' };

const SATURDAY = 6;
const SUNDAY = 0;

/** Formats the file for the `days` days before `now` (Unix seconds). */
export function formatEuroRates(now: number, days: number): string {
  const rates = Object.values(RATES_PER_EURO).join(',');
  const rows: string[] = [];
  for (let daysAgo = 1; daysAgo <= days; daysAgo += 1) {
    const date = new Date((now - daysAgo * DAY_SECONDS) * 1000);
    const weekday = date.getUTCDay();
    if (weekday === SATURDAY || weekday === SUNDAY) continue;
    rows.push(`${date.toISOString().slice(0, 10)},${rates},`);
  }
  return [`Date,${Object.keys(RATES_PER_EURO).join(',')},`, ...rows, ''].join('\n');
}
