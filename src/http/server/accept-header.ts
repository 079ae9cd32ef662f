/** The `Accept` header (RFC 9110, 12.5.1). Reads the raw list of headers, because Node's `headers` object drops or joins repeated ones. */

/** Alternating names and values, as `IncomingMessage.rawHeaders`. */
export type RawHeaders = readonly string[];

const CHARSET_UTF8 = /^charset=(?:utf-8|"utf-8")$/i;
const WEIGHT = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/i;

/** How a client accepts a media type. */
export interface Acceptance {
  /** From 0, not at all, to 1. */
  readonly weight: number;
  /** Whether a range names the type, not only `*`. */
  readonly isNamed: boolean;
}

const ANYTHING: Acceptance = { weight: 1, isNamed: false };

/**
 * Judges a media type in UTF-8 by the most specific range that includes it; of several equal ones the largest weight counts. Elements that
 * cannot be parsed are ignored. Without the header everything is accepted.
 */
export function judgeMediaType(headers: RawHeaders, type: string): Acceptance {
  const values = valuesOf(headers, 'accept');
  if (values.length === 0) return ANYTHING;
  const including = [type, `${type.split('/')[0]!}/*`, '*/*'];
  // A quoted comma splits its element, which is then ignored.
  const ranges = values.flatMap((value) => value.split(',')).map((element) => judgeRange(element, including));
  const mostSpecific = ranges.reduce((most, { specificity }) => Math.max(most, specificity), 0);
  const weights = ranges.filter(({ specificity }) => specificity === mostSpecific).map(({ weight }) => weight);
  return { weight: Math.max(...weights), isNamed: mostSpecific >= NAMED };
}

export function valuesOf(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() === name) values.push(headers[at + 1]!);
  }
  return values;
}

interface JudgedRange {
  /** How specific the range is; 0: it does not include the type. */
  readonly specificity: number;
  readonly weight: number;
}

const NO_RANGE: JudgedRange = { specificity: 0, weight: 0 };
/** Specificity of a range that is the type itself. */
const NAMED = 6;

/** Judges a range and its parameters; what follows the weight is not part of the range. */
function judgeRange(element: string, including: readonly string[]): JudgedRange {
  const [range = '', ...rest] = element.split(';').map((part) => part.trim());
  const parts = rest.filter((part) => part !== '');
  const weightAt = parts.findIndex((part) => /^q=/i.test(part));
  const parameters = weightAt === -1 ? parts : parts.slice(0, weightAt);
  const weight = weightAt === -1 ? 1 : Number(WEIGHT.exec(parts[weightAt]!)?.[1]);
  const index = including.indexOf(range.toLowerCase());
  const isIncluding = index !== -1 && parameters.every((parameter) => CHARSET_UTF8.test(parameter));
  if (!isIncluding || Number.isNaN(weight)) return NO_RANGE;
  return { specificity: NAMED - 2 * index + (parameters.length > 0 ? 1 : 0), weight };
}
