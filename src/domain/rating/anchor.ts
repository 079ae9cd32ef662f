/** Anchor: without a verified operator, points above 50 count a sixth (design/scoring.md, Anchor). */

import { divide } from './arithmetic.ts';
import { ANCHOR } from './constants.ts';

export interface Anchor {
  /** Whether the operator's identity is verified and it accepted the machine; also while a flag is in force. */
  readonly operatorVerified: boolean;
  readonly lostHundredths: number;
}

/** Computes the deduction from what dormancy leaves. A negative flag in force removes the anchor. */
export function judgeAnchor(awakeHundredths: number, operatorVerified: boolean, isFlagged: boolean): Anchor {
  const beyond = awakeHundredths - ANCHOR.fullHundredths;
  const isWhole = beyond <= 0 || (operatorVerified && !isFlagged);
  return { operatorVerified, lostHundredths: isWhole ? 0 : beyond - divide(beyond, ANCHOR.divisor) };
}
