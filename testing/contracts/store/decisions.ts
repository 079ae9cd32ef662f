/** Contract of `DecisionStore`: current opt-in decisions and the decision log (interface, Monetization opt-in; http-facts 9.4). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AltKey } from '../../../src/domain/identifiers/alt-identifiers.ts';
import { hashDecisionRow, toDecisionRow } from '../../../src/domain/monetization/decision-log.ts';
import type { AppliedDecision, DecisionRetention, LoggedDecision } from '../../../src/ports/store.ts';
import { rule } from '../../../test/conformance/rule.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { decisionOf, id, listApplied, ORDERED_IDS, readDecisionLog } from './samples.ts';

const WRITERS = 64;
const SCRIPT = new URL('deciding-process.ts', import.meta.url).pathname;

export function testDecisions(under: StoreUnderTest): void {
  describe('decisions', () => {
    const apply = (decision: AppliedDecision) => under.store.applyDecision(decision);
    const listLogged = async () => (await listApplied(under.store, id(7))).map(({ timestamp }) => timestamp);

    it('are empty at first', async () => {
      expect(await under.store.readDecision(id(7))).toBeUndefined();
      expect(await readDecisionLog(under.store, id(7))).toEqual({ decisions: [] });
    });

    it('are replaced by strictly newer ones only', async () => {
      expect(await apply(decisionOf(10))).toBe(true);
      expect(await apply(decisionOf(10, { optedIn: true }))).toBe(false);
      expect(await apply(decisionOf(9))).toBe(false);
      expect(await under.store.readDecision(id(7))).toEqual(toCurrent(decisionOf(10)));
      expect(await apply(decisionOf(11))).toBe(true);
      expect(await under.store.readDecision(id(7))).toEqual(toCurrent(decisionOf(11)));
    });

    it('are logged whole, oldest first', async () => {
      const signer = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB' as AltKey;
      const decisions = [decisionOf(10), decisionOf(11, { signer }), decisionOf(2 ** 53 - 1)];
      for (const decision of decisions) await apply(decision);
      await apply(decisionOf(5));
      expect(await listApplied(under.store, id(7))).toEqual(decisions);
    });

    it('are chained: each row names the hash of the one before', async () => {
      const slot = 9;
      const alt = decisionOf(12, { authority: { ...decisionOf(12).authority, slot } });
      for (const decision of [decisionOf(10), decisionOf(11), alt]) await apply(decision);
      const { decisions, head } = await readDecisionLog(under.store, id(7));
      expectChain(decisions.toReversed());
      expect(head).toBe(decisions[0]!.record!.hash);
    });

    it('are listed in pages, newest first, with the head of the whole log', async () => {
      for (const timestamp of [10, 11, 12]) await apply(decisionOf(timestamp));
      const { decisions, head } = await under.store.listDecisions(id(7), { through: 11, limit: 1 });
      expect(decisions.map(({ timestamp }) => timestamp)).toEqual([11]);
      expect(head).toBe((await readDecisionLog(under.store, id(7))).decisions[0]!.record!.hash);
    });

    const retentionOf = (from: number, newest: number): DecisionRetention => ({
      from,
      newest,
      sign: (pruned) => ({
        head: { ...pruned, machineId: '7', signedAt: 99 },
        signer: `0x${'c1'.repeat(20)}`,
        signature: '0x5a',
      }),
    });

    it('are pruned behind a checkpoint: those that are old and not among the newest', async () => {
      for (const timestamp of [10, 11, 12]) await apply(decisionOf(timestamp));
      const hashes = (await readDecisionLog(under.store, id(7))).decisions.map(({ record }) => record!.hash);
      await under.store.applyDecision(decisionOf(13), retentionOf(13, 2));
      const first = await readDecisionLog(under.store, id(7));
      expect(first.decisions.map(({ timestamp }) => timestamp)).toEqual([13, 12]);
      expect(first.checkpoint?.head).toEqual({ machineId: '7', hash: hashes[1], count: 2, signedAt: 99 });
      expect(first.decisions[1]!.record!.previous).toBe(hashes[1]);

      await under.store.applyDecision(decisionOf(14), retentionOf(13, 1));
      const second = await readDecisionLog(under.store, id(7));
      expect(second.decisions.map(({ timestamp }) => timestamp)).toEqual([14, 13]);
      expect(second.checkpoint?.head).toEqual({ machineId: '7', hash: hashes[0], count: 3, signedAt: 99 });
    });

    it('are not pruned without a retention, and not in the log of another machine', async () => {
      const machineId = ORDERED_IDS.at(-1)!;
      for (const timestamp of [1, 2]) await apply(decisionOf(timestamp, { machineId }));
      for (const timestamp of [1, 2]) await apply(decisionOf(timestamp));
      await under.store.applyDecision(decisionOf(3), retentionOf(3, 1));
      expect(await listLogged()).toEqual([3]);
      expect(await listApplied(under.store, machineId)).toHaveLength(2);
    });

    it('are separate for every machine', async () => {
      const machineId = ORDERED_IDS.at(-1)!;
      await apply(decisionOf(10));
      expect(await apply(decisionOf(3, { machineId }))).toBe(true);
      expect(await under.store.readDecision(machineId)).toEqual({ ...toCurrent(decisionOf(3)), machineId });
      expect(await listLogged()).toEqual([10]);
    });

    it('of concurrent writers end with the newest, and the log holds every one that was current', async () => {
      rule('decision-log.one-chain');
      const other = await under.openAnother();
      const decisions = shuffle(Array.from({ length: WRITERS }, (_, n) => decisionOf(n + 1)));
      const outcomes = await Promise.all(
        decisions.map((decision, n) => (n % 2 === 0 ? under.store : other).applyDecision(decision)),
      );
      const won = decisions.filter((_, n) => outcomes[n]).map(({ timestamp }) => timestamp);
      expect((await under.store.readDecision(id(7)))?.timestamp).toBe(WRITERS);
      expect(await listLogged()).toEqual(won.toSorted((a, b) => a - b));
      expectChain((await readDecisionLog(under.store, id(7))).decisions.toReversed());
    });

    it.each([1, 10, 50])('acknowledged to a process that is killed after %i are all stored', async (minimum) => {
      const url = await under.createEmpty();
      const child = spawn(process.execPath, [SCRIPT, url], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exit = once(child, 'exit');
      onTestFinished(() => void child.kill('SIGKILL'));
      let printed = '';
      for await (const chunk of child.stdout.setEncoding('utf8')) {
        printed += chunk as string;
        if (printed.split('\n').length > minimum) child.kill('SIGKILL');
      }
      await exit;
      const acknowledged = printed.split('\n').slice(0, -1).map(Number);

      const store = await under.openAt(url);
      // Waits for anything the database still does for the killed process.
      await store.applyDecision(decisionOf(1_000_000));
      const stored = await listApplied(store, id(7));
      expect(stored.length).toBeGreaterThan(acknowledged.length);
      expect(stored.slice(0, -1)).toEqual(stored.slice(1).map((_, n) => decisionOf(n + 1)));
      expect((await store.readDecision(id(7)))?.timestamp).toBe(stored.at(-1)!.timestamp);
    });

    it('signed in the same second are applied once', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: WRITERS }, (_, n) => apply(decisionOf(10, { signature: `0x${n}` }))),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const [only, ...others] = await listApplied(under.store, id(7));
      expect([only?.signature, others]).toEqual([`0x${outcomes.indexOf(true)}`, []]);
    });
  });
}

function toCurrent({ machineId, optedIn, timestamp, signer }: AppliedDecision) {
  return { machineId, optedIn, timestamp, signer };
}

/** Asserts that the rows, oldest first, are one chain from its first row. */
function expectChain(rows: readonly LoggedDecision[]): void {
  let previous: string | undefined;
  for (const { record, ...decision } of rows) {
    expect(record!.previous).toBe(previous);
    expect(record!.hash).toBe(hashDecisionRow(toDecisionRow({ ...decision, ...record! }, previous)));
    previous = record!.hash;
  }
}

/** Shuffles deterministically. */
function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item, n) => [(n * 2_654_435_761) % 4_294_967_291, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
