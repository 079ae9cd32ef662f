/** What every benchmark needs: a median, CPU time of others, and waiting for a server that is starting. */
import { readFileSync } from 'node:fs';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Of all threads of a process that runs; the system counts in hundredths of a second. */
export function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The body of the first 200; throws after a minute. */
export async function untilAnswering(url: string, pauseMilliseconds = 50): Promise<string> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return answer.text();
    await answer?.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
  throw new Error(`no 200 from ${url}`);
}
