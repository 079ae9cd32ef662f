/** Digest of a rate table, by which a later reader recognizes the rates that an explanation was computed from (design/provable 1). */
import { createHash } from 'node:crypto';
import type { RateTable } from './rate-table.ts';

/** A table never changes, and is replaced about once a day. */
const digests = new WeakMap<RateTable, string>();

/**
 * Returns the SHA-256 of the table as text, 64 hex digits: a line for the feed and the last complete day, then the tokens by symbol, then the
 * rates by currency and day. `docs/statements.md` describes it for other implementations.
 */
export function digestRates(table: RateTable): string {
  const known = digests.get(table);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  hash.update(`${table.feed ? 'feed' : 'none'} ${table.throughDay}\n`);
  for (const [symbol, { decimals, fixedRate }] of sorted(table.tokens)) {
    hash.update(`token ${symbol} ${decimals} ${fixedRate ?? '-'}\n`);
  }
  for (const [currency, { days, rates }] of sorted(table.series)) {
    hash.update(`rates ${currency}${days.map((day, at) => ` ${day}:${rates[at]!}`).join('')}\n`);
  }
  const digest = hash.digest('hex');
  digests.set(table, digest);
  return digest;
}

/** Sorts by UTF-16 units. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
