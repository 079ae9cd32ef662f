import { expect, it } from 'vitest';
import { CallCounter } from './call-counter.ts';

it('calls are counted by method and outcome, in the order in which they were first met', () => {
  const tally = new CallCounter();
  expect(tally.list()).toEqual([]);
  tally.add('eth_call', 'answered');
  tally.add('eth_getLogs', 'failed');
  tally.add('eth_call', 'error');
  tally.add('eth_call', 'answered');
  expect(tally.list()).toEqual([
    { method: 'eth_call', outcome: 'answered', count: 2 },
    { method: 'eth_getLogs', outcome: 'failed', count: 1 },
    { method: 'eth_call', outcome: 'error', count: 1 },
  ]);
});
