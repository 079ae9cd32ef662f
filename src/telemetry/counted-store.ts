/** Store wrapper that counts the outcomes of decisions, challenges and evidence. */
import type { Store } from '../ports/store.ts';

/** Counts by outcome. `failed` means that the database failed. */
export type OutcomeCounts = ReadonlyMap<string, number>;

export interface WriteCounts {
  readonly decisions: OutcomeCounts;
  readonly challenges: OutcomeCounts;
  readonly evidenceRecords: OutcomeCounts;
}

export function countWrites(store: Store): { readonly store: Store; readonly counts: WriteCounts } {
  const decisions = new Map([...['applied', 'not_newer', 'failed'].map((name) => [name, 0] as const)]);
  const challenges = new Map([...['issued', 'capped', 'failed'].map((name) => [name, 0] as const)]);
  const evidenceRecords = new Map([...['accepted', 'failed'].map((name) => [name, 0] as const)]);
  const counted: Store = {
    ...store,
    applyDecision: (decision, retention) =>
      count(decisions, store.applyDecision(decision, retention), (isApplied) => (isApplied ? 'applied' : 'not_newer')),
    insertChallenge: (challenge, caps) =>
      count(challenges, store.insertChallenge(challenge, caps), (isInserted) => (isInserted ? 'issued' : 'capped')),
    consumeChallenge: (nonceHash, record) =>
      count(evidenceRecords, store.consumeChallenge(nonceHash, record), ({ state }) =>
        state === 'written' ? 'accepted' : state,
      ),
  };
  return { store: counted, counts: { decisions, challenges, evidenceRecords } };
}

async function count<T>(counts: Map<string, number>, write: Promise<T>, nameOf: (value: T) => string): Promise<T> {
  let name = 'failed';
  try {
    const value = await write;
    name = nameOf(value);
    return value;
  } finally {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
}
