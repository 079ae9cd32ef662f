/**
 * Integrity state of the stored index. While there is proof that the index is not the history of the chain being read,
 * nothing is served from it and no row changes, because an operator must decide what to do.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { Log } from '../../ports/runtime.ts';

export type IndexRefusal =
  /** The database holds the index of another deployment. */
  | 'other-deployment'
  /** The node has another block at the checkpoint's height: a reorg past finality, or another chain. */
  | 'checkpoint-not-on-chain';

/** Fails one step of the worker. The loop keeps running, because a single bad node may have caused the proof. */
export class IndexRefused extends Error {
  readonly refusal: IndexRefusal;

  constructor(refusal: IndexRefusal) {
    super(refusal);
    this.name = 'IndexRefused';
    this.refusal = refusal;
  }
}

/** Component that holds a proof; each withdraws only its own. */
export type IntegritySource = 'claim' | 'index' | 'head';

export interface IndexIntegrity {
  /** Replaces the latest finding of one source; `undefined` withdraws it. */
  report(source: IntegritySource, refusal: IndexRefusal | undefined): void;
  refusal(): IndexRefusal | undefined;
  /** Throws `ChainUnreadable` while the index is refused. */
  check(): void;
}

export function createIndexIntegrity(log: Log): IndexIntegrity {
  const findings = new Map<IntegritySource, IndexRefusal>();

  function refusal(): IndexRefusal | undefined {
    return findings.get('claim') ?? findings.get('index') ?? findings.get('head');
  }

  return {
    report(source, found) {
      if (findings.get(source) === found) return;
      if (found === undefined) {
        findings.delete(source);
        log.warn({ source }, 'the finding against the stored index was withdrawn');
      } else {
        findings.set(source, found);
        log.error({ source, refusal: found }, 'stored index rejected; nothing is served from it or written to it');
      }
    },
    refusal,
    check() {
      if (refusal() !== undefined) throw chainUnreadable('main', 'contradiction');
    },
  };
}
