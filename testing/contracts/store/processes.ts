/** Contract of a store whose database other processes write to, including processes that are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, ratingStateOf, id, LOGS_PER_BLOCK, submitted } from './samples.ts';

const SCRIPT = new URL('writing-process.ts', import.meta.url).pathname;

export function testProcesses(under: StoreUnderTest): void {
  describe('concurrent processes', () => {
    test('create the tables of an empty database once, and one of them wins each block', async () => {
      const url = await under.createEmpty();
      const lastBlock = 40;
      const processes = [1, 2, 3].map(() => startWriting(url, lastBlock));
      for (const each of processes) await each.nextLine();
      for (const each of processes) each.go();
      const won = await Promise.all(processes.map((each) => each.untilEnd()));

      expect(won.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: lastBlock }, (_, index) => index + 1));
      const store = await under.openAt(url);
      expect((await store.readMainChainCheckpoint())?.blockNumber).toBe(lastBlock);
      expect(await store.readEventLogCount('current', id(1))).toEqual({ count: lastBlock * LOGS_PER_BLOCK, epoch: 0 });
    });

    test.each([0, 1, 2, 3])('leave whole blocks only when killed after %i blocks', async (blocksBefore) => {
      const url = await under.createEmpty();
      const writing = startWriting(url, Infinity);
      await writing.nextLine();
      writing.go();
      for (let block = 0; block < blocksBefore; block++) await writing.nextLine();
      await writing.kill();

      const store = await under.openAt(url);
      // Runs after anything the database still does for the killed process.
      await store.writeRatingStates('rates', [ratingStateOf(id(2), 0)]);
      const checkpoint = await store.readMainChainCheckpoint();
      const count = (checkpoint?.blockNumber ?? 0) * LOGS_PER_BLOCK;
      expect(await store.readEventLogCount('current', id(1))).toEqual({ count, epoch: 0 });
      const rows = await store.listEventLogs('current', id(1), 0, Number.MAX_SAFE_INTEGER);
      expect(rows.length).toBe(count);

      await append(store, submitted(id(1)));
      expect(await store.readEventLogCount('current', id(1))).toEqual({ count: count + 1, epoch: 0 });
    });
  });
}

interface WritingProcess {
  nextLine(): Promise<string>;
  go(): void;
  /** Resolves to the blocks it won when it has exited with code 0. */
  untilEnd(): Promise<number[]>;
  kill(): Promise<void>;
}

function startWriting(url: string, lastBlock: number): WritingProcess {
  const child = spawn(process.execPath, [SCRIPT, url, `${lastBlock}`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async nextLine() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the process ended early');
      return value;
    },
    go: () => void child.stdin.write('go\n'),
    async untilEnd() {
      const won: number[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) won.push(Number(line.value));
      expect(await exit).toEqual([0, null]);
      return won;
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
