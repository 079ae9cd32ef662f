/** Reads the longest block of the event loop of a child process that was started with `MEASURE_BLOCKED` and an IPC channel. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Arguments of node that measure the event loop of the process. */
export const MEASURE_BLOCKED = ['--import', import.meta.resolve('./blocked-loop-preload.ts')];

export const READ_BLOCKED = 'read the longest block';

export interface Blocked {
  readonly blockedMilliseconds: number;
}

/** Returns the longest block since the last call, in CPU time of the main thread. */
export async function readBlockedMilliseconds(child: ChildProcess): Promise<number> {
  child.send(READ_BLOCKED);
  const [{ blockedMilliseconds }] = (await once(child, 'message')) as [Blocked];
  return blockedMilliseconds;
}
