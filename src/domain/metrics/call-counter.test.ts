import { expect, it } from 'vitest';
import { CallCounter } from './call-counter.ts';

it('counts calls by method and outcome, in order of first occurrence', () => {
  const counter = new CallCounter();
  expect(counter.list()).toEqual([]);
  counter.add('eth_call', 'answered');
  counter.add('eth_getLogs', 'failed');
  counter.add('eth_call', 'error');
  counter.add('eth_call', 'answered');
  expect(counter.list()).toEqual([
    { method: 'eth_call', outcome: 'answered', count: 2 },
    { method: 'eth_getLogs', outcome: 'failed', count: 1 },
    { method: 'eth_call', outcome: 'error', count: 1 },
  ]);
});
