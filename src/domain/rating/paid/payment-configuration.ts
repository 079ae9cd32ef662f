/** Configuration that verdicts belong to: the payment sources and the rates (design/scoring.md, Sources and payout accounts). */

/** Identifies the configuration; verdicts of another one are not used. */
export function paymentFingerprint(sourcesHash: string, ratesFingerprint: string): string {
  return `${sourcesHash} ${ratesFingerprint}`;
}
