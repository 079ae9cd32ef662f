/** Comparison of the leaf profile with two other parsers: both check every accepted mutated leaf, and OpenSSL every rejected one. */
import { expect } from 'vitest';
import { Random } from '../../sim/random.ts';
import { VECTOR_NOW } from '../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { vectorRules } from '../../testing/fixtures/evidence-vectors.ts';
import { createLeafMutations } from './leaf-mutations.ts';
import { judgeByOpenssl, judgeByPeculiar, isAcceptableToOpenssl } from './second-opinions.ts';

export interface LeafCounts {
  readonly runs: number;
  /** Counts by the row that rejects, or `accepted`. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** Counts of leaves that OpenSSL accepts, by the row that rejects them. */
  readonly stricter: ReadonlyMap<string, number>;
}

export async function judgeMutatedLeaves(
  seed: number,
  runs: number,
  isOver: (done: number) => boolean = () => false,
): Promise<LeafCounts> {
  const next = createLeafMutations(new Random(seed));
  const rules = { ...vectorRules, nowSeconds: VECTOR_NOW };
  const verdicts = new Map<string, number>();
  const stricter = new Map<string, number>();
  let done = 0;
  for (; done < runs && !isOver(done); done++) {
    const { der, kind } = next();
    const { failed, certificate } = judgeLeaf(der, rules);
    count(verdicts, failed?.name ?? 'accepted');
    if (failed === undefined) {
      const key = Buffer.from(certificate.publicKey.encoded).toString('hex');
      const hex = Buffer.from(der).toString('hex');
      expect(judgeByOpenssl(der), hex).toEqual({ key, isGood: true });
      expect(await judgeByPeculiar(der), hex).toEqual({ key, isGood: true });
    } else if (kind !== 'bytes' && isAcceptableToOpenssl(der)) count(stricter, failed.name);
  }
  return { runs: done, verdicts, stricter };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
