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

/** Returns whether a refusal for the rate lasts for the rest of the day or month, like HTTP 402. */
export function isUsedUpText(text: string): boolean {
  return DAY_TEXT.test(text);
}
