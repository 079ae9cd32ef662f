/**
 * Time limits that other load does not shorten: time in which a process of the test waited for a processor does not count. On an idle
 * machine, and on a system that does not report that time, a limit is that of the clock.
 */
import { readFileSync } from 'node:fs';

/** The test with the services in its process, its runner with the local chains, and what both have started. */
function listProcesses(): readonly number[] {
  const own = [process.ppid, process.pid];
  return [...own, ...own.flatMap(listChildren)];
}

function listChildren(pid: number): readonly number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended, or the system has no such file.
    return '';
  }
}

/** Returns the milliseconds that the main thread of each process has waited for a processor. */
function readQueued(): ReadonlyMap<number, number> {
  return new Map(
    listProcesses().map((pid) => [pid, Number(readOrEmpty(`/proc/${pid}/schedstat`).split(' ')[1] ?? 0) / 1e6]),
  );
}

/** A clock that no test replaces. */
const readMilliseconds = () => Number(process.hrtime.bigint()) / 1e6;

/** Aborts like `AbortSignal.timeout`, once the process that waited longest has been granted the time. */
export function abortAfter(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const [began, before] = [readMilliseconds(), readQueued()];
  const check = () => {
    const waited = [...readQueued()].map(([pid, queued]) => queued - (before.get(pid) ?? queued));
    const left = milliseconds + Math.max(...waited) - (readMilliseconds() - began);
    if (left > 0) setTimeout(check, left).unref();
    else controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  };
  setTimeout(check, milliseconds).unref();
  return controller.signal;
}
