/**
 * Verifies that a node serves the configured chain, by its chain id or genesis hash, before anything else it returns is
 * accepted.
 */
import type { Deadline } from './deadline.ts';

export interface ChainIdentity<Name> {
  /** Queries the identity again; a node that serves another chain is not used until it serves the right one. */
  read(deadline: Deadline): Promise<Name>;
  /**
   * Returns whether the node serves the expected chain. Queries until the first match only; concurrent callers share
   * the query.
   */
  isExpected(deadline: Deadline): Promise<boolean>;
}

export function createChainIdentity<Name>(
  expected: Name,
  query: (deadline: Deadline) => Promise<Name>,
): ChainIdentity<Name> {
  let isVerified = false;
  let reading: Promise<Name> | undefined;

  async function read(deadline: Deadline): Promise<Name> {
    const actual = await query(deadline);
    isVerified = actual === expected;
    return actual;
  }

  return {
    read,
    async isExpected(deadline) {
      if (isVerified) return true;
      reading ??= read(deadline).finally(() => {
        reading = undefined;
      });
      return (await reading) === expected;
    },
  };
}
