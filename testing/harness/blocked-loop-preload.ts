/**
 * Measures for how long the event loop of this process is blocked, in CPU time of its main thread: a loop that other programs delay is not blocked.
 * Preloaded with `--import` into a process with an IPC channel; `blocked-loop.ts` reads it.
 */
import { READ_BLOCKED, type Blocked } from './blocked-loop.ts';

/** Bounds what short turns between two readings add up to. */
const TICK_MILLISECONDS = 5;

let before = process.threadCpuUsage();
let longestMilliseconds = 0;

function record(): void {
  const now = process.threadCpuUsage();
  const milliseconds = (now.user - before.user + now.system - before.system) / 1_000;
  before = now;
  longestMilliseconds = Math.max(longestMilliseconds, milliseconds);
}

setInterval(record, TICK_MILLISECONDS).unref();
process.on('message', (message) => {
  if (message !== READ_BLOCKED) return;
  record();
  process.send!({ blockedMilliseconds: longestMilliseconds } satisfies Blocked);
  longestMilliseconds = 0;
});
