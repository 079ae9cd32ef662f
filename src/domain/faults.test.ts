import { expect, it } from 'vitest';
import { chainUnreadable, Fault } from './faults.ts';

it('a fault says its kind and keeps its facts', () => {
  const fault = chainUnreadable('alt', 'deadline');
  expect(fault).toBeInstanceOf(Fault);
  expect([fault.name, fault.message, fault.kind, fault.context]).toEqual([
    'Fault',
    'ChainUnreadable',
    'ChainUnreadable',
    { chain: 'alt', cause: 'deadline' },
  ]);
});
