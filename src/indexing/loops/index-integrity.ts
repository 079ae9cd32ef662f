/**
 * May the stored index be served? It is refused while there is proof that it is not the history of the chain that is read: loudly, and
 * without changing a row, because a person must decide what to do about it.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { Log } from '../../ports/runtime.ts';

export type IndexRefusal =
  /** The database holds the index of another deployment. */
  | 'other-deployment'
  /** The node's block at the height of the checkpoint is another one: a reorg past finality, or another chain. */
  | 'checkpoint-not-on-chain';

/** Ends a step of the worker; the loop goes on asking, because the proof may have been one bad node. */
export class IndexRefused extends Error {
  readonly refusal: IndexRefusal;

  constructor(refusal: IndexRefusal) {
    super(refusal);
    this.name = 'IndexRefused';
    this.refusal = refusal;
  }
}

/** Who holds the proof. Each takes back its own only. */
export type IntegritySource = 'index' | 'head';

export interface IndexIntegrity {
  /** A witness's newest finding; undefined: the stored index is of this chain, as far as it sees. */
  tell(witness: IntegritySource, refusal: IndexRefusal | undefined): void;
  refusal(): IndexRefusal | undefined;
  /** Throws `ChainUnreadable` while the index is refused. */
  check(): void;
}

export function createIndexIntegrity(log: Log): IndexIntegrity {
  const findings = new Map<IntegritySource, IndexRefusal>();

  function refusal(): IndexRefusal | undefined {
    return findings.get('index') ?? findings.get('head');
  }

  return {
    tell(witness, found) {
      if (findings.get(witness) === found) return;
      if (found === undefined) {
        findings.delete(witness);
        log.warn({ witness }, 'the stored index agrees with the chain again');
      } else {
        findings.set(witness, found);
        log.error(
          { witness, refusal: found },
          'the stored index is refused; nothing is served from it or written to it',
        );
      }
    },
    refusal,
    check() {
      if (refusal() !== undefined) throw chainUnreadable('main', 'contradiction');
    },
  };
}
