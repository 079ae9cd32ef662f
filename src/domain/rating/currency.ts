/** Currency codes and the number of decimals of their minor units (design/scoring.md, Amount). */

/** ISO 4217 currencies whose minor unit is not a hundredth, by number of decimals. */
export const MINOR_UNIT_DECIMALS: Readonly<Record<0 | 3 | 4, readonly string[]>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
};

const HUNDREDTHS_DECIMALS = 2;

const decimalsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(MINOR_UNIT_DECIMALS).flatMap(([decimals, codes]) => codes.map((code) => [code, Number(decimals)])),
);

/** Syntax of the `currency` of a revenue event, token symbols included. */
/** Whole texts that are the code of a currency or token. */
export const CURRENCY_CODE = /^[A-Z0-9]{3,10}$/;

/** Returns whether the whole text is a currency code. */
export function isCurrencyCode(text: string): boolean {
  return CURRENCY_CODE.test(text);
}

/** Returns the decimals of a currency that is not a configured token. */
export function currencyDecimals(code: string): number {
  return decimalsByCode.get(code) ?? HUNDREDTHS_DECIMALS;
}
