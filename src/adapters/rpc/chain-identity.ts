/** Is a node of the configured chain? It says by which name it knows its chain (a chain id, a genesis hash), and is believed in nothing before. */
import type { Deadline } from './deadline.ts';

export interface ChainIdentity<Name> {
  /** Asks anew; a node that names another chain is not used until it names the right one. */
  read(deadline: Deadline): Promise<Name>;
  /** Asks once in the life of a node that gives the right answer; requests that wait for it share the question. */
  isExpected(deadline: Deadline): Promise<boolean>;
}

export function createChainIdentity<Name>(
  expected: Name,
  ask: (deadline: Deadline) => Promise<Name>,
): ChainIdentity<Name> {
  let isKnown = false;
  let asking: Promise<Name> | undefined;

  async function read(deadline: Deadline): Promise<Name> {
    const actual = await ask(deadline);
    isKnown = actual === expected;
    return actual;
  }

  return {
    read,
    async isExpected(deadline) {
      if (isKnown) return true;
      asking ??= read(deadline).finally(() => {
        asking = undefined;
      });
      return (await asking) === expected;
    },
  };
}
