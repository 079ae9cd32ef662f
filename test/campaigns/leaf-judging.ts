/** Test support: does any change of a certificate get past us that other readers refuse? Whatever we accept, both are asked about; of what we refuse, OpenSSL is. */
import { expect } from 'vitest';
import { Random } from '../../sim/random.ts';
import { VECTOR_NOW } from '../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { vectorRules } from '../../testing/fixtures/evidence-vectors.ts';
import { createLeafMutations } from './leaf-mutations.ts';
import { askOpenssl, askPeculiar, isInOrderForOpenssl } from './second-opinions.ts';

export interface LeafTally {
  readonly runs: number;
  /** By the row that refuses, or `accepted`. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** Signed by the intermediate, refused by the row, and yet all that OpenSSL asks for. */
  readonly stricter: ReadonlyMap<string, number>;
}

export async function judgeMutatedLeaves(
  seed: number,
  runs: number,
  isOver: (done: number) => boolean = () => false,
): Promise<LeafTally> {
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
      expect(askOpenssl(der), hex).toEqual({ key, isGood: true });
      expect(await askPeculiar(der), hex).toEqual({ key, isGood: true });
    } else if (kind !== 'bytes' && isInOrderForOpenssl(der)) count(stricter, failed.name);
  }
  return { runs: done, verdicts, stricter };
}

function count(tally: Map<string, number>, word: string): void {
  tally.set(word, (tally.get(word) ?? 0) + 1);
}
