/**
 * Two replicas that write decisions of one machine at once (the store contract does the same on PostgreSQL), and rows that a replica of an
 * older version wrote without a hash.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rule } from '../../../../test/conformance/rule.ts';
import { decisionOf, id, readDecisionLog } from '../../../../testing/contracts/store/samples.ts';
import type { DecisionRetention } from '../../../ports/store.ts';
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

describe('the pruning of a log with rows without a hash', () => {
  const pruneBefore = (from: number): DecisionRetention => ({
    from,
    newest: 1,
    sign: (pruned) => ({ head: { ...pruned, machineId: '7', signedAt: 99 }, signer: '0xc1', signature: '0x5a' }),
  });

  /** Opens a store with decisions of these times, of which those without a hash are rows of an older version. */
  async function openLog(times: readonly number[], withoutHash: readonly number[]) {
    const folder = mkdtempSync(join(tmpdir(), 'decisions-'));
    const path = join(folder, 'svc.db');
    const store = await createStore(`sqlite:${path}`);
    const other = new Sqlite(path);
    onTestFinished(async () => {
      other.close();
      await store.close();
      rmSync(folder, { recursive: true });
    });
    const dropHash = other.prepare(
      'UPDATE decision_audit SET message = NULL, previous = NULL, hash = NULL WHERE signed_at = ?',
    );
    for (const time of times) {
      await store.applyDecision(decisionOf(time));
      if (withoutHash.includes(time)) dropHash.run(time);
    }
    return store;
  }
  const timesOf = ({ decisions }: Awaited<ReturnType<typeof readDecisionLog>>) =>
    decisions.map(({ timestamp }) => timestamp);

  test('ends at the newest chained row, which the checkpoint names', async () => {
    const store = await openLog([10, 11, 12, 13, 14], [10, 13]);
    const before = await readDecisionLog(store, id(7));
    await store.applyDecision(decisionOf(15), pruneBefore(14));
    const log = await readDecisionLog(store, id(7));
    expect(timesOf(log)).toEqual([15, 14, 13]);
    expect(log.checkpoint?.head).toMatchObject({ hash: before.decisions[2]!.record!.hash, count: 2 });
    expect(log.decisions[1]!.record!.previous).toBe(log.checkpoint!.head.hash);
  });

  test('removes such rows without a checkpoint where no other is old', async () => {
    const store = await openLog([10, 11, 12], [10, 11]);
    await store.applyDecision(decisionOf(13), pruneBefore(12));
    const log = await readDecisionLog(store, id(7));
    expect([timesOf(log), log.checkpoint]).toEqual([[13, 12], undefined]);
  });
});
