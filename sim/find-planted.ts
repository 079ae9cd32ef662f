/** Which seed finds a planted bug? Runs them one after the other in a process whose service has it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PlantedBug } from './planted-bugs.ts';
import type { SeedResult } from './run-seed.ts';
import type { Report } from './worker.ts';

/** Undefined: none of the seeds that should suffice. Throws where the line of the bug is not there. */
export async function findPlanted({ name, within }: PlantedBug): Promise<SeedResult | undefined> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), {
    execArgv: ['--import', join(import.meta.dirname, 'plant.ts')],
    env: { ...process.env, PLANTED: name },
  });
  try {
    await nextMessage(worker);
    for (let seed = 1; seed <= within; seed++) {
      worker.send(seed);
      const { result } = (await nextMessage(worker)) as Report;
      if (result.failure !== undefined) return result;
    }
    return undefined;
  } finally {
    worker.kill();
  }
}

async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const answered = new AbortController();
  const ended = once(worker, 'exit', answered).then(() => Promise.reject(new Error('the process ended')));
  try {
    const [message] = (await Promise.race([once(worker, 'message', answered), ended])) as [unknown];
    return message;
  } finally {
    ended.catch(() => undefined);
    answered.abort();
  }
}
