/** What do the tests of the head follower stand on? A follower on a short chain, and its steps in few words. */
import { createStore } from '../adapters/sql/create-store.ts';
import { AnswerRejected } from '../domain/index-rules/rejected-answer.ts';
import type { HeadStep } from '../ports/head-feed.ts';
import { FakeChain } from './fake-chain.ts';
import { createBench, machine, type Bench, type BenchOptions } from './test-bench.ts';

export const A = machine(11);
export const B = machine(12);

/** A follower that has made its first poll, on a chain of some blocks. */
export async function openFollowing(options: Partial<BenchOptions> = {}): Promise<Bench> {
  const chain = new FakeChain();
  chain.mineMany(10);
  const bench = createBench({ chain, store: await createStore('sqlite::memory:'), ...options });
  await bench.follower.poll();
  bench.steps.length = 0;
  chain.requests.length = 0;
  return bench;
}

/** A step in few words. */
function brief({ head, touched, deployment, checks }: HeadStep) {
  const what = touched === 'all' ? 'all' : [...touched.machines, ...touched.kybOperators];
  const more = [deployment ? ['deployment'] : [], checks ? ['checks'] : []].flat();
  return [head.number, what, ...more];
}

/** The steps of one poll. */
export async function pollSteps({ follower, steps }: Bench) {
  steps.length = 0;
  await follower.poll();
  return steps.map(brief);
}

/** Why one poll was rejected. */
export async function problemOf(bench: Bench): Promise<string> {
  try {
    await bench.follower.poll();
    return 'none';
  } catch (error) {
    if (error instanceof AnswerRejected) return error.problem;
    throw error;
  }
}
