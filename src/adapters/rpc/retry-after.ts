/** `Retry-After` of an HTTP response (RFC 9110): seconds or a date. */

/** Returns the delay in seconds; 0 for a date that has passed, undefined without a valid header. */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  nowMilliseconds: number,
): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,6}$/.test(header)) return Number(header);
  const atMilliseconds = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMilliseconds) ? undefined : Math.max(0, Math.ceil((atMilliseconds - nowMilliseconds) / 1000));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
