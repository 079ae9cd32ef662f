/** Two replicas that write decisions of one machine at once; the store contract does the same on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rule } from '../../../../test/conformance/rule.ts';
import { decisionOf, id, readDecisionLog } from '../../../../testing/contracts/store/samples.ts';
import { createStore } from '../create-store.ts';

const DECISIONS = 16;

test('keeps one chain of the decisions that two replicas write at once', async () => {
  rule('decision-log.one-chain');
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'));
  const stores = [
    await createStore(`sqlite:${join(folder, 'svc.db')}`),
    await createStore(`sqlite:${join(folder, 'svc.db')}`),
  ];
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(folder, { recursive: true });
  });
  const applied = await Promise.all(
    Array.from({ length: DECISIONS }, (_, n) => stores[n % 2]!.applyDecision(decisionOf(n + 1))),
  );
  const { decisions, head } = await readDecisionLog(stores[0]!, id(7));
  expect(decisions).toHaveLength(applied.filter(Boolean).length);
  const previous = decisions.map(({ record }) => record!.previous);
  expect([head, ...previous]).toEqual([...decisions.map(({ record }) => record!.hash), undefined]);
});
