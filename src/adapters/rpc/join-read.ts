/** Sharing of a read between callers, of which each has its own share of the call budget. */
import { Fault } from '../../domain/faults.ts';

/** Returns the result of another caller's read. Where that caller's turn was refused, reads for this one. */
export async function joinRead<T>(shared: Promise<T>, readOwn: () => Promise<T>): Promise<T> {
  try {
    return await shared;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'LookupsExceeded') return readOwn();
    throw error;
  }
}
