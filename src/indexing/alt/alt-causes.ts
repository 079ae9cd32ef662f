/**
 * Causes that stop or slow the indexes of the alt chain, for the log, `/status` and `svc doctor`. Each phase of the event
 * index counts as its own loop, because one continues while another fails.
 */
import { Fault, type UnreadableCause } from '../../domain/faults.ts';
import type { PlainIndexCause } from '../../domain/index-rules/index-cause.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import { IndexRefused } from '../loops/index-integrity.ts';
import type { LastingCauses } from '../loops/lasting-causes.ts';
import { AltHistoryRejected } from './history-rejected.ts';

/**
 * `walk` lists and applies transactions, `verify` counts events, `fold` folds them; `fleet` lists the machines, and `reads` checks that
 * callers can read them.
 */
export type AltLoopName = 'walk' | 'verify' | 'fold' | 'fleet' | 'reads';

/** Runs a step of a loop, and records the cause of its failure until a step of the same loop succeeds. */
export function observeAltStep<T>(causes: LastingCauses, loop: AltLoopName, step: () => Promise<T>): Promise<T> {
  return causes.observe(loop, step, (error) => {
    const kind = findAltCause(error, loop);
    return kind && { kind };
  });
}

/** Returns undefined where the error has no cause that an operator can remove. */
export function findAltCause(error: unknown, loop: AltLoopName): PlainIndexCause | undefined {
  if (error instanceof AltNodeBusy) return error.reason === 'rate' ? 'alt-rate-limited' : 'alt-node-behind';
  if (error instanceof IndexRefused) return 'alt-index-other-deployment';
  if (error instanceof AltHistoryRejected) {
    if (error.problem === 'history-pruned') return 'alt-history-pruned';
    return error.problem === 'node-behind' ? 'alt-node-behind' : 'alt-history-incomplete';
  }
  if (!(error instanceof Fault)) return undefined;
  const fault = error as Fault;
  if (fault.kind === 'StoreUnavailable') return 'store-unavailable';
  return fault.kind === 'ChainUnreadable' ? findAltCauseOfUnreadable(fault.context.cause, loop) : undefined;
}

/** Returns undefined where an operator can remove nothing. */
export function findAltCauseOfUnreadable(cause: UnreadableCause, loop: AltLoopName): PlainIndexCause | undefined {
  switch (cause) {
    case 'wrong-chain':
      return 'alt-wrong-chain';
    case 'wrong-deployment':
      return 'alt-other-deployment';
    case 'rate-limited':
    case 'calls-used-up':
      return 'alt-rate-limited';
    case 'transport':
    case 'deadline':
      return 'alt-node-unreachable';
    case 'block-mismatch':
      return 'alt-node-behind';
    case 'malformed':
    case 'undecodable':
      return 'alt-answers-malformed';
    case 'rpc-error':
      return loop === 'fleet' || loop === 'verify' ? 'alt-accounts-refused' : 'alt-calls-refused';
    default:
      return undefined;
  }
}
