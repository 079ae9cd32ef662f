/**
 * Turns of reads that can share a call: those of one tick ask together, each waits for its own turn, and the call of the
 * first one that has it carries as many of the others as fit, which then need none.
 */
import type { CallBudget } from './call-budget.ts';
import { withPurpose, type Deadline } from './deadline.ts';

export interface SharedTurnsOptions<T> {
  /** Undefined: the calls take their turns when they are sent. */
  readonly budget: CallBudget | undefined;
  /** Returns the number of calls that one read needs; one by default. */
  readonly countCalls?: () => number;
  /** Sends a call for the read whose turn it is. The deadline carries the turn. */
  readonly send: (lead: T, deadline: Deadline) => void;
  readonly refuse: (read: T, error: unknown) => void;
}

export interface SharedTurns<T> {
  /** Adds a read; its turn comes in a later tick. */
  add(read: T): void;
  /** Takes the waiting reads that `fits` accepts, those of known machines first. */
  take(fits: (read: T) => boolean): T[];
}

export function createSharedTurns<T extends { readonly deadline: Deadline }>(
  options: SharedTurnsOptions<T>,
): SharedTurns<T> {
  const { budget, countCalls = () => 1, send, refuse } = options;
  /** Reads with the function that withdraws their request for a turn. */
  const waiting = new Map<T, () => void>();
  /** Reads of this tick. */
  let added: T[] = [];

  function requestTurn(read: T): void {
    const { deadline } = read;
    if (budget === undefined) {
      waiting.delete(read);
      send(read, deadline);
      return;
    }
    const calls = Math.min(countCalls(), budget.maxCalls);
    const withdraw = budget.takeTurn(calls, deadline.purpose, {
      granted(untilMilliseconds) {
        waiting.delete(read);
        send(read, withPurpose(deadline, { ...deadline.purpose, prepaid: { calls, untilMilliseconds } }));
      },
      refused(error) {
        waiting.delete(read);
        refuse(read, error);
      },
    });
    if (waiting.has(read)) waiting.set(read, withdraw);
  }

  function joinAdded(): void {
    const reads = added;
    added = [];
    for (const read of reads) waiting.set(read, () => undefined);
    for (const read of reads) if (waiting.has(read)) requestTurn(read);
  }

  return {
    add(read) {
      if (added.length === 0) setImmediate(joinAdded);
      added.push(read);
    },
    take(fits) {
      const isKnown = ({ deadline }: T) => deadline.purpose.isKnown;
      const all = [...waiting.keys()];
      const taken = [...all.filter(isKnown), ...all.filter((read) => !isKnown(read))].filter(fits);
      for (const read of taken) {
        waiting.get(read)!();
        waiting.delete(read);
      }
      return taken;
    },
  };
}
