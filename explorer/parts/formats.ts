/**
 * Formatting of values for people. Untrusted text is shown as plain text; characters that are invisible or change the
 * text direction are shown by their code points.
 */

import { currentTimeZone } from './time-zone.ts';

const LANGUAGE = 'en-US';
const GROUPED = new Intl.NumberFormat(LANGUAGE);
const ONE_DIGIT = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const TWO_DIGITS = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 2 });
const USD = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency: 'USD' });
const USD_SHORT = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency: 'USD', notation: 'compact' });

/** Control characters, direction marks, joiners, and other characters that are invisible or alter the display. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]/gu;
const MAX_SHOWN = 2_048;

export function formatCount(count: number): string {
  return GROUPED.format(count);
}

/** Formats points with one digit, and fewer than 0.1 with two, so that nothing but 0 is shown as 0. */
export function formatPoints(hundredths: number): string {
  return (Math.abs(hundredths) < 10 ? TWO_DIGITS : ONE_DIGIT).format(hundredths / 100);
}

export function formatCents(cents: number): string {
  return USD.format(cents / 100);
}

export function formatShortCents(cents: number): string {
  return USD_SHORT.format(cents / 100);
}

/** Formats an amount in its currency. `subunit` is the number of parts of one unit; null or undefined when unknown. */
export function formatAmount(value: number, currency: string, subunit: number | null | undefined): string {
  if (!Number.isSafeInteger(value)) return `more than ${GROUPED.format(Number.MAX_SAFE_INTEGER)} ${currency}`;
  if (subunit === null || subunit === undefined) return `${GROUPED.format(value)} ${currency}`;
  const digits = Math.max(0, Math.round(Math.log10(subunit)));
  const amount = (value / subunit).toLocaleString(LANGUAGE, {
    minimumFractionDigits: Math.min(digits, 2),
    maximumFractionDigits: digits,
  });
  return `${amount} ${currency}`;
}

/** Formats a time in the chosen time zone, with the zone. */
export function formatTime(seconds: number): string {
  const { text, zone } = splitTime(seconds);
  return `${text.slice(0, 19).replace('T', ' ')} ${zone}`;
}

/** Formats the day of a time in the chosen time zone. */
export function formatDay(seconds: number): string {
  return splitTime(seconds).text.slice(0, 10);
}

function splitTime(seconds: number): { readonly text: string; readonly zone: string } {
  const date = new Date(seconds * 1000);
  if (currentTimeZone() === 'utc') return { text: date.toISOString(), zone: 'UTC' };
  const minutes = -date.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `UTC${minutes < 0 ? '−' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
  return { text: new Date(date.getTime() + minutes * 60_000).toISOString(), zone };
}

const STEPS: readonly (readonly [string, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function formatDuration(seconds: number): string {
  const [unit, size] = STEPS.find(([, least]) => seconds >= least) ?? ['second', 1];
  const count = Math.floor(Math.max(0, seconds) / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Omits the middle of an id. Short ids stay whole, and no character is split. */
export function shorten(id: string, ends = 6): string {
  const characters = Array.from(id);
  if (characters.length <= 2 * ends + 1) return id;
  return `${characters.slice(0, ends).join('')}…${characters.slice(-ends).join('')}`;
}

/** Converts an untrusted value to text that cannot change the display around it. Cuts it after 2,048 characters. */
export function toPlainText(value: unknown): string {
  const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? '');
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return shown.replace(INVISIBLE, (mark) => `[U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`);
}

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON token by token, so that no number loses digits. */
export function prettyPrintJson(text: string): string {
  let depth = 0;
  let shown = '';
  let last = '';
  for (const [token] of text.matchAll(JSON_TOKENS)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    if (last !== '' && (last === ',' || isOpening(last) !== closes) && (closes || last === ',' || isOpening(last))) {
      shown += `\n${'  '.repeat(depth)}`;
    }
    shown += token === ':' ? ': ' : escapeInvisible(token);
    if (isOpening(token)) depth += 1;
    last = token;
  }
  return shown;
}

function isOpening(token: string): boolean {
  return token === '{' || token === '[';
}

function escapeInvisible(token: string): string {
  return token.replace(INVISIBLE, (mark) => `\\u${mark.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}
