/** What do the tests of the main-chain index stand on? A short history of two machines, and one step of the index in a word. */
import { createStore } from '../adapters/sql/create-store.ts';
import { Fault } from '../domain/faults.ts';
import { AnswerRejected } from '../domain/index-rules/rejected-answer.ts';
import { LogQueryRefused } from '../ports/main-chain-log.ts';
import type { Store } from '../ports/store.ts';
import { FakeChain } from './fake-chain.ts';
import { submitted, transferred } from './fake-logs.ts';
import { IndexRefused } from './index-standing.ts';
import { NEVER, createBench, machine, type Bench, type BenchOptions } from './test-bench.ts';

export const A = machine(11);
export const B = machine(12);

/** One process with a database of its own, unless one is given. */
export async function openBench(options: Partial<BenchOptions> = {}): Promise<Bench> {
  return createBench({ store: await createStore('sqlite::memory:'), ...options });
}

/** Position, block and value of a machine's stored logs. */
export async function seqsOf({ store }: { readonly store: Store }, id = A): Promise<[number, number, bigint][]> {
  const rows = await store.listEventLogs('second', id, 0, 1_000);
  return rows.map(({ seq, blockNumber, value }) => [seq, blockNumber, value]);
}

/** One step of the index, and what came of it in a word. */
export async function advance({ index }: Bench): Promise<string> {
  try {
    return (await index.advance(NEVER)).kind;
  } catch (error) {
    if (error instanceof AnswerRejected) return error.problem;
    if (error instanceof IndexRefused) return error.refusal;
    if (error instanceof LogQueryRefused) return error.reason;
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

/** Blocks 1 to 9: events of A in 2, 4 (twice) and 7, of B in 5; the finalized block is 7. */
export function createHistory(): FakeChain {
  const chain = new FakeChain();
  chain.mine();
  chain.mine([submitted(A, { value: 1_001n })]);
  chain.mine([transferred(A)]);
  chain.mine([submitted(A, { value: 1_002n }), submitted(A, { value: 1_003n })]);
  chain.mine([submitted(B), transferred(B)]);
  chain.mine();
  chain.mine([submitted(A, { value: 1_004n })]);
  chain.mine([submitted(A, { value: 1_005n })]);
  chain.mine();
  return chain;
}

/** The positions, blocks and values of A's final events. */
export const HISTORY_OF_A = [
  [0, 2, 1_001n],
  [1, 4, 1_002n],
  [2, 4, 1_003n],
  [3, 7, 1_004n],
];
