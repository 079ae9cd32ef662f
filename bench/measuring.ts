/** Helpers of the benchmarks: median, CPU time of other processes, and waiting for a starting server. */
import { readFileSync } from 'node:fs';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the CPU seconds of all threads of a running process, in steps of a hundredth. */
export function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Waits until a process has used less than a tenth of a core for a second and a half: a service that has just started still
 * indexes and judges payments. Throws after the time limit.
 */
export async function waitUntilIdle(pid: number, limitMilliseconds = 60_000): Promise<void> {
  const end = performance.now() + limitMilliseconds;
  let used = readCpuSeconds(pid);
  for (let calmRounds = 0; calmRounds < 3;) {
    if (performance.now() > end) throw new Error(`process ${pid} does not become idle`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = readCpuSeconds(pid);
    calmRounds = now - used < 0.05 ? calmRounds + 1 : 0;
    used = now;
  }
}

/** Polls until the first 200 and returns its body. Throws after the time limit. */
export async function waitForOk(url: string, pauseMilliseconds = 50, limitMilliseconds = 60_000): Promise<string> {
  const end = performance.now() + limitMilliseconds;
  while (performance.now() < end) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return response.text();
    await response?.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
  throw new Error(`no 200 from ${url}`);
}
