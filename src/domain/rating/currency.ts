/**
 * How is a currency code written, and how many minor units does a whole one have? (design/scoring.md, Amount)
 */

/** The minor units of ISO 4217 that are not hundredths. */
export const MINOR_UNIT_DECIMALS: Readonly<Record<0 | 3 | 4, readonly string[]>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
};

const HUNDREDTHS_DECIMALS = 2;

const decimalsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(MINOR_UNIT_DECIMALS).flatMap(([decimals, codes]) => codes.map((code) => [code, Number(decimals)])),
);

/** The form of the `currency` of a revenue event, token symbols included. */
const CURRENCY_CODE = /^[A-Z0-9]{3,10}$/;

/** Tells whether the whole text is a currency code. */
export function isCurrencyCode(text: string): boolean {
  return CURRENCY_CODE.test(text);
}

/** The decimals of a currency that is no configured token. */
export function currencyDecimals(code: string): number {
  return decimalsByCode.get(code) ?? HUNDREDTHS_DECIMALS;
}
