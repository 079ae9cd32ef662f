/** The measure of a blocked event loop counts CPU time, and no time in which the process does not run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { MEASURE_BLOCKED, readBlockedMilliseconds } from './blocked-loop.ts';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

/** Returns the longest block of a process that runs this statement once. */
async function measure(statement: string): Promise<number> {
  const script = `process.on('message', (message) => { if (message === 'run') { ${statement} } });`;
  const args = [...MEASURE_BLOCKED, '--eval', script];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await readBlockedMilliseconds(child);
  child.send('run');
  return readBlockedMilliseconds(child);
}

it('finds a loop that computes for 250 ms', async () => {
  const busy = 'const began = process.threadCpuUsage(); while (process.threadCpuUsage(began).user < 250_000);';
  expect(await measure(busy)).toBeGreaterThanOrEqual(250);
});

it('counts no time in which the loop does not run', async () => {
  const sleep = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);';
  expect(await measure(sleep)).toBeLessThan(200);
});
