import { expect, it } from 'vitest';
import { chainUnreadable, Fault } from './faults.ts';

it('carries its kind as its message, and its facts as its context', () => {
  const fault: unknown = chainUnreadable('alt', 'deadline');
  expect(fault).toBeInstanceOf(Error);
  expect(fault).toMatchObject({
    ...{ name: 'Fault', message: 'ChainUnreadable', kind: 'ChainUnreadable' },
    context: { chain: 'alt', cause: 'deadline' },
  });
  // Compiles only because the kind narrows the context.
  expect(fault instanceof Fault && fault.kind === 'ChainUnreadable' && fault.context.cause).toBe('deadline');
});

it('differs from any other error', () => {
  expect(new Error('ChainUnreadable') instanceof Fault).toBe(false);
});
