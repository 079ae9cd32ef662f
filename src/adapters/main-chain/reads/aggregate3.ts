/**
 * How does Multicall3's `aggregate3` write its arguments and its answer? Thousands of calls at once, so the two dynamic arrays are laid
 * out and taken apart here; viem needs ten times as long for them. Read as strictly: every offset and length must lie inside the answer.
 */
import type { Hex } from 'viem';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import { isHexData } from '../rpc/quantities.ts';

export interface InnerCall {
  readonly target: Address;
  readonly data: Hex;
}

/** `success` with the returned bytes, or what it reverted with. An address without code succeeds with `0x`. */
export interface CallResult {
  readonly success: boolean;
  readonly data: Hex;
}

const SELECTOR = '0x82ad56cb';
const WORD_BYTES = 32;
const WORD_DIGITS = 2 * WORD_BYTES;
/** Target, permission to fail, offset of the data, length of the data. */
const CALL_HEAD_BYTES = 4 * WORD_BYTES;
const MAY_FAIL = toWord(1) + toWord(3 * WORD_BYTES);
const ZEROS = '0'.repeat(WORD_DIGITS);

/** The call data that asks all of them; each may fail on its own. */
export function encodeAggregate3(calls: readonly InnerCall[]): Hex {
  const offsets: string[] = [];
  const tuples: string[] = [];
  let offset = calls.length * WORD_BYTES;
  for (const { target, data } of calls) {
    const digits = data.length - 2;
    const padding = (WORD_DIGITS - (digits % WORD_DIGITS)) % WORD_DIGITS;
    offsets.push(toWord(offset));
    tuples.push(ZEROS.slice(40), target.slice(2), MAY_FAIL, toWord(digits / 2), data.slice(2), ZEROS.slice(0, padding));
    offset += CALL_HEAD_BYTES + (digits + padding) / 2;
  }
  return `${SELECTOR}${toWord(WORD_BYTES)}${toWord(calls.length)}${offsets.join('')}${tuples.join('')}` as Hex;
}

/** The results in order; undefined: not the answer of `aggregate3`. The data are parts of the answer's text. */
export function decodeAggregate3(raw: unknown): CallResult[] | undefined {
  if (!isHexData(raw)) return undefined;
  const answer = raw.toLowerCase();
  const bytes = (answer.length - 2) / 2;

  /** A number at a place of the answer; beyond its end, or too large for any place in it: NaN, which no check passes. */
  function numberAt(at: number): number {
    const digit = 2 + 2 * at;
    if (!(at >= 0 && at + WORD_BYTES <= bytes) || !answer.startsWith(ZEROS.slice(12), digit)) return Number.NaN;
    return Number.parseInt(answer.slice(digit + WORD_DIGITS - 12, digit + WORD_DIGITS), 16);
  }

  const list = numberAt(0);
  const count = numberAt(list);
  const first = list + WORD_BYTES;
  if (!(first + count * WORD_BYTES <= bytes)) return undefined;
  const results: CallResult[] = [];
  for (let i = 0; i < count; i++) {
    const tuple = first + numberAt(first + i * WORD_BYTES);
    const success = numberAt(tuple);
    const data = tuple + numberAt(tuple + WORD_BYTES);
    const end = data + WORD_BYTES + numberAt(data);
    if (!(success <= 1 && end <= bytes)) return undefined;
    results.push({ success: success === 1, data: `0x${answer.slice(2 + 2 * (data + WORD_BYTES), 2 + 2 * end)}` });
  }
  return results;
}

function toWord(value: number): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}
