/** Recognizes a rate limit by the text of an error: codes alone have several meanings (providers, section 1). */

const RATE_TEXT =
  /rate.?(limit|exceeded)|too many requests|request (count|limit)|(per |\/)second|throttl|server is busy|capacity|quota|compute units/i;

/** The reason of an error is near the start of its text. */
const MAX_CHARACTERS = 1_000;

/** Returns the text of an error, or the body that holds it, as far as it is judged; empty if the node sent none. */
export function readErrorText(message: unknown): string {
  if (Buffer.isBuffer(message)) return message.toString('latin1', 0, MAX_CHARACTERS);
  return typeof message === 'string' ? message.slice(0, MAX_CHARACTERS) : '';
}

export function isRateText(text: string): boolean {
  return RATE_TEXT.test(text);
}

const DAY_TEXT = /\b(daily|monthly|(per|a) (day|month))\b/i;
const SECOND_TEXT = /\bsec(ond)?s?\b|\/s\b/i;
/** A node that names a shorter pause is not used up. */
const MIN_USED_UP_SECONDS = 60;

/**
 * Returns whether a refusal for the rate lasts for the rest of the day or month, like HTTP 402. Many texts name the quota of
 * the month beside the rate that was exceeded.
 */
export function isUsedUpText(text: string, retryAfterSeconds: number | undefined): boolean {
  return DAY_TEXT.test(text) && !SECOND_TEXT.test(text) && mayBeUsedUp(retryAfterSeconds);
}

/** Returns whether a refusal with this delay may last for a day. */
export function mayBeUsedUp(retryAfterSeconds: number | undefined): boolean {
  return retryAfterSeconds === undefined || retryAfterSeconds >= MIN_USED_UP_SECONDS;
}
