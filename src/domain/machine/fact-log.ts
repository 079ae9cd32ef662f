/** Logs of the facts of a machine that a rating depends on besides events: its bond, its negative flag and its trust override (chain-evm 2.3 and 2.7). */

export const FACT_KINDS = [
  /** Activated or renewed; `value` is the end of the period in Unix seconds. */
  'bond-period',
  'bond-terminated',
  'bond-terminated-for-fraud',
  /** The machine took over the bond of another id, which `value` is. */
  'bond-reissued',
  /** `value` is the time of the flag in Unix seconds. */
  'flagged',
  'flag-cleared',
  /** `value` is a percentage. */
  'override-set',
  'override-cleared',
] as const;

export type FactKind = (typeof FACT_KINDS)[number];

/** A log of a fact, with the time of its block in Unix seconds. */
export interface FactLog {
  readonly kind: FactKind;
  readonly value: bigint | undefined;
  readonly blockTimestamp: number;
}

const KINDS: ReadonlySet<string> = new Set(FACT_KINDS);

export function isFactKind(kind: string): kind is FactKind {
  return KINDS.has(kind);
}

/** Returns whether the log is one of a fact. */
export function isFactLog<L extends { readonly kind: string }>(log: L): log is Extract<L, { readonly kind: FactKind }> {
  return isFactKind(log.kind);
}
