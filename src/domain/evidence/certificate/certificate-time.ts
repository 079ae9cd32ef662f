/** Validity times of certificates (RFC 5280, 4.1.2.5; evidence 7, row 7). */
import type { CertificateTime } from './certificate.ts';

/** First year that is written in the long form. */
const FIRST_LONG_YEAR = 2050;
const MILLISECONDS = 1_000;

const UTC_TIME = /^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;
const GENERALIZED_TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;

/** Parses a time to Unix seconds. Returns undefined for a date or hour that does not exist, a fraction, or the long form before 2050. */
export function parseCertificateTime({ type, text }: CertificateTime): number | undefined {
  const match = (type === 'UTCTime' ? UTC_TIME : GENERALIZED_TIME).exec(text);
  if (match === null) return undefined;
  const [written = 0, month = 0, ...rest] = match.slice(1).map(Number);
  const year = type === 'UTCTime' ? toFullYear(written) : written;
  if (type === 'GeneralizedTime' && year < FIRST_LONG_YEAR) return undefined;
  const milliseconds = Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
  return isSpelled(milliseconds, year, text) ? milliseconds / MILLISECONDS : undefined;
}

/** Maps two digits to 1950 to 2049. */
function toFullYear(twoDigits: number): number {
  return twoDigits < 50 ? 2000 + twoDigits : 1900 + twoDigits;
}

/** Detects dates that `Date.UTC` normalizes, such as April 31 to May 1: their text differs. */
function isSpelled(milliseconds: number, year: number, text: string): boolean {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-T:]/g, '').slice(0, 14);
  return digits === `${year}${text.slice(-11, -1)}`;
}
