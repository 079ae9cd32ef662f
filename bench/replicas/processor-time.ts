/** CPU time by process, from the system's own accounting of processes and their children. */
import { readdirSync, readFileSync } from 'node:fs';

/** The system counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** Seconds of all threads. */
  readonly own: number;
  /** Seconds of the processes that it started and that have ended. */
  readonly reaped: number;
}

/** Returns the CPU times of all running processes. */
export function readProcessTimes(): ReadonlyMap<number, ProcessTime> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const times = pids.flatMap((name) => readProcessTime(Number(name)) ?? []);
  return new Map(times.map((time) => [time.pid, time]));
}

/** Returns the CPU seconds of a process and its descendants, including ended ones; 0 for a process that is gone. */
export function sumTree(times: ReadonlyMap<number, ProcessTime>, pid: number): number {
  const root = times.get(pid);
  if (root === undefined) return 0;
  const children = [...times.values()].filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + sumTree(times, child.pid), root.own + root.reaped);
}

function readProcessTime(pid: number): ProcessTime | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    const sum = (from: number) => (fields[from]! + fields[from + 1]!) / TICKS_PER_SECOND;
    return { pid, parent: fields[1]!, own: sum(11), reaped: sum(13) };
  } catch {
    // The process has ended since.
    return undefined;
  }
}
