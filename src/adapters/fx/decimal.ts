/** Exact decimal parsing; rates never pass through a floating-point number. */

/** The number `units / scale`; `scale` is a power of ten. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: bigint;
}

const DECIMAL = /^(\d{1,18})(?:\.(\d{1,18}))?$/;

/** Parses a positive decimal of at most 18 digits before and after the point; undefined for any other text. */
export function parsePositiveDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction);
  return units === 0n ? undefined : { units, scale: 10n ** BigInt(fraction.length) };
}
