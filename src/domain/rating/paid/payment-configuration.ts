/**
 * Configuration that claims and verdicts belong to: the payment sources, the rates and the names in payout proofs (design/scoring.md, Sources
 * and payout accounts).
 */
import type { PayoutNamespace } from './payout-proof.ts';

/** Identifies the configuration; claims and verdicts of another one are not used. */
export function paymentFingerprint(
  sourcesHash: string,
  ratesFingerprint: string,
  { payout_header: header, did_method: method }: PayoutNamespace,
): string {
  return JSON.stringify([sourcesHash, ratesFingerprint, header, method]);
}
