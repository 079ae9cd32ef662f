/** Contract of `DecisionStore`: current opt-in decisions and the decision log (interface, Monetization opt-in; http-facts 9.4). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AltKey } from '../../../src/domain/identifiers/alt-identifiers.ts';
import { MAX_LOGGED_DECISIONS, type AppliedDecision } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { decisionOf, id, ORDERED_IDS } from './samples.ts';

const WRITERS = 64;
const SCRIPT = new URL('deciding-process.ts', import.meta.url).pathname;

export function testDecisions(under: StoreUnderTest): void {
  describe('decisions', () => {
    const apply = (decision: AppliedDecision) => under.store.applyDecision(decision);
    const listLogged = async () => (await under.store.listAppliedDecisions(id(7))).map(({ timestamp }) => timestamp);

    it('are empty at first', async () => {
      expect(await under.store.readDecision(id(7))).toBeUndefined();
      expect(await under.store.listAppliedDecisions(id(7))).toEqual([]);
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
      expect(await under.store.listAppliedDecisions(id(7))).toEqual(decisions);
    });

    it('are logged up to the limit of a machine; the oldest are dropped', async () => {
      const machineId = ORDERED_IDS.at(-1)!;
      await apply(decisionOf(1, { machineId }));
      const excess = 2;
      for (let n = 1; n <= MAX_LOGGED_DECISIONS + excess; n += 1) await apply(decisionOf(n));
      const logged = await listLogged();
      expect([logged.length, logged[0], logged.at(-1)]).toEqual([
        MAX_LOGGED_DECISIONS,
        excess + 1,
        MAX_LOGGED_DECISIONS + excess,
      ]);
      expect(await under.store.listAppliedDecisions(machineId)).toHaveLength(1);
    });

    it('are separate for every machine', async () => {
      const machineId = ORDERED_IDS.at(-1)!;
      await apply(decisionOf(10));
      expect(await apply(decisionOf(3, { machineId }))).toBe(true);
      expect(await under.store.readDecision(machineId)).toEqual({ ...toCurrent(decisionOf(3)), machineId });
      expect(await listLogged()).toEqual([10]);
    });

    it('of concurrent writers end with the newest, and the log holds every one that was current', async () => {
      const other = await under.openAnother();
      const decisions = shuffle(Array.from({ length: WRITERS }, (_, n) => decisionOf(n + 1)));
      const outcomes = await Promise.all(
        decisions.map((decision, n) => (n % 2 === 0 ? under.store : other).applyDecision(decision)),
      );
      const won = decisions.filter((_, n) => outcomes[n]).map(({ timestamp }) => timestamp);
      expect((await under.store.readDecision(id(7)))?.timestamp).toBe(WRITERS);
      expect(await listLogged()).toEqual(won.toSorted((a, b) => a - b));
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
      const stored = await store.listAppliedDecisions(id(7));
      expect(stored.length).toBeGreaterThan(acknowledged.length);
      expect(stored.slice(0, -1)).toEqual(stored.slice(1).map((_, n) => decisionOf(n + 1)));
      expect((await store.readDecision(id(7)))?.timestamp).toBe(stored.at(-1)!.timestamp);
    });

    it('signed in the same second are applied once', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: WRITERS }, (_, n) => apply(decisionOf(10, { signature: `0x${n}` }))),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const [only, ...others] = await under.store.listAppliedDecisions(id(7));
      expect([only?.signature, others]).toEqual([`0x${outcomes.indexOf(true)}`, []]);
    });
  });
}

function toCurrent({ machineId, optedIn, timestamp, signer }: AppliedDecision) {
  return { machineId, optedIn, timestamp, signer };
}

/** Shuffles deterministically. */
function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item, n) => [(n * 2_654_435_761) % 4_294_967_291, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
