/** Finds the seed that detects a planted bug. Runs seeds one after the other in a process whose service has the bug. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { IndexProof } from '../src/domain/index-rules/index-proof.ts';
import type { PlantedBug } from './planted-bugs.ts';
import type { SeedResult } from './run-seed.ts';
import type { Report } from './worker.ts';

/** Returns the first of the seeds whose run fails by the symptom of the bug. Throws when the line of the bug is missing. */
export async function findPlanted(
  { name, symptom, indexProof }: PlantedBug,
  seeds: readonly number[],
): Promise<SeedResult | undefined> {
  for await (const result of runInProcess(seeds, { indexProof, plantedBug: name })) {
    if (result.failure !== undefined && symptom.test(result.failure)) return result;
  }
  return undefined;
}

interface ProcessOptions {
  readonly indexProof?: IndexProof | undefined;
  /** Name of a planted bug; undefined: the service as it is. */
  readonly plantedBug?: string | undefined;
}

/** Runs the seeds one after the other in a new process and yields their results. */
export async function* runInProcess(
  seeds: readonly number[],
  { indexProof = 'background', plantedBug }: ProcessOptions = {},
): AsyncGenerator<SeedResult> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [indexProof], {
    execArgv: plantedBug === undefined ? [] : ['--import', join(import.meta.dirname, 'plant.ts')],
    env: { ...process.env, PLANTED: plantedBug },
  });
  try {
    await nextMessage(worker);
    for (const seed of seeds) {
      worker.send(seed);
      yield ((await nextMessage(worker)) as Report).result;
    }
  } finally {
    worker.kill();
  }
}

/** Returns the seeds from 1 to `last`. */
export function seedsUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const received = new AbortController();
  const ended = once(worker, 'exit', received).then(() => Promise.reject(new Error('the worker process exited')));
  try {
    const [message] = (await Promise.race([once(worker, 'message', received), ended])) as [unknown];
    return message;
  } finally {
    ended.catch(() => undefined);
    received.abort();
  }
}
