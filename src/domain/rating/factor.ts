/** Names, measures and deductions of the five factors of the score. */

import type { FactorReasonCode } from './reasons.ts';

export interface RevenueMeasure {
  /** Total of all 14 weeks. */
  readonly usdCents: number;
  readonly verifiedUsdCents: number;
}

/** Weeks and days with a qualifying event within the 14 weeks. */
export interface CadenceMeasure {
  readonly weeks: number;
  readonly days: number;
  readonly verifiedWeeks: number;
  readonly verifiedDays: number;
}

export type TrendMeasure =
  | { readonly basis: 'revenue' | 'activity'; readonly percent: number; readonly evenPercent: number }
  | { readonly basis: 'none'; readonly percent: null; readonly evenPercent: null };

export type TrustSource = 'flag' | 'override' | 'none' | 'events';

export interface TrustMeasure {
  readonly source: TrustSource;
  readonly percentHundredths: number;
  /** Qualifying revenue of 180 days by class, whatever the source. */
  readonly declaredUsdCents: number;
  readonly paidUsdCents: number;
  readonly attestedUsdCents: number;
}

export interface TenureMeasure {
  readonly weeks: number;
}

interface FactorOf<Name, Measure> {
  readonly name: Name;
  readonly pointsHundredths: number;
  readonly maxHundredths: number;
  readonly measure: Measure;
}

export type RevenueFactor = FactorOf<'revenue', RevenueMeasure>;
export type CadenceFactor = FactorOf<'cadence', CadenceMeasure>;
export type TrendFactor = FactorOf<'trend', TrendMeasure>;
export type TrustFactor = FactorOf<'trust', TrustMeasure>;
export type TenureFactor = FactorOf<'tenure', TenureMeasure>;

export type Factor = RevenueFactor | CadenceFactor | TrendFactor | TrustFactor | TenureFactor;

/** Points deducted for one reason; 0 when the reason does not apply. */
export interface Deduction {
  readonly code: FactorReasonCode;
  readonly lostHundredths: number;
}

/** A factor with its deductions: points and deductions add up to the factor's maximum. */
export interface JudgedFactor<F extends Factor> {
  readonly factor: F;
  readonly deductions: readonly Deduction[];
}
