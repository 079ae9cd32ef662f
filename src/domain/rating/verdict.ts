/** Verdicts on the payment that a revenue event cites (design/scoring.md, Verdict). Without a payment source every verdict is `declared`. */

export const VERDICTS = [
  'declared',
  'pending',
  'not_found',
  'failed',
  'wrong_time',
  'wrong_payee',
  'unknown_payer',
  'self_paid',
  'circular',
  'already_counted',
  'paid',
] as const;

export type VerdictCode = (typeof VERDICTS)[number];
