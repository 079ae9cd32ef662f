import { expect, it } from 'vitest';
import { chainUnreadable, Fault } from './faults.ts';

it('carries its kind as the message and its facts as context', () => {
  const fault: unknown = chainUnreadable('alt', 'deadline');
  expect(fault).toBeInstanceOf(Error);
  expect(fault).toMatchObject({ name: 'Fault', message: 'ChainUnreadable', kind: 'ChainUnreadable' });
  // The cause is only a member of this kind's context: the comparison narrows it.
  expect(fault instanceof Fault && fault.kind === 'ChainUnreadable' && fault.context.cause).toBe('deadline');
});

it('is not any other error', () => {
  expect(new Error('ChainUnreadable') instanceof Fault).toBe(false);
});
