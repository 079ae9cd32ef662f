/**
 * Groups consecutive windows, so that a backfill reads few headers and writes one transaction for many of them. A group
 * ends after a few seconds or when it holds many logs, which bounds memory and the work that a crash loses.
 */
import type { TouchedMachines } from '../../ports/change-store.ts';
import type { EventLogEntry } from '../../ports/store.ts';
import type { UnprovenWindow } from '../../ports/index-proof.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { LogWindow } from './log-window.ts';

export interface LogGroup {
  readonly toBlock: number;
  readonly events: readonly EventLogEntry[];
  readonly unproven: UnprovenWindow;
  readonly touched: TouchedMachines;
}

const MAX_GROUP_MILLISECONDS = 10_000;
const MAX_GROUP_LOGS = 25_000;

/** Yields groups of windows. What was read before a failure is yielded before it is thrown. */
export async function* groupWindows(windows: AsyncIterable<LogWindow>, clock: Clock): AsyncGenerator<LogGroup> {
  let group: LogWindow[] = [];
  let logs = 0;
  let startedAt = clock.nowMilliseconds();
  try {
    for await (const window of windows) {
      group.push(window);
      logs += window.summary.logCount;
      if (logs < MAX_GROUP_LOGS && clock.nowMilliseconds() - startedAt < MAX_GROUP_MILLISECONDS) continue;
      yield join(group);
      group = [];
      logs = 0;
      startedAt = clock.nowMilliseconds();
    }
  } catch (error) {
    if (group.length > 0) yield join(group);
    throw error;
  }
  if (group.length > 0) yield join(group);
}

/** Machines whose ownership is to be read are marked for observation then. */
function join(windows: readonly LogWindow[]): LogGroup {
  const ownershipOf = new Set(windows.flatMap(({ summary }) => [...summary.ownershipOf]));
  const touched = new Set(windows.flatMap(({ summary }) => summary.touched.machines));
  return {
    toBlock: windows.at(-1)!.toBlock,
    events: windows.flatMap(({ summary }) => summary.events),
    unproven: {
      blocks: windows.flatMap(({ blocks }) => blocks),
      ownershipOf: [...ownershipOf],
      rereadsOwnership: true,
    },
    touched: {
      machines: [...touched.difference(ownershipOf)],
      kybOperators: [...new Set(windows.flatMap(({ summary }) => summary.touched.kybOperators))],
    },
  };
}
