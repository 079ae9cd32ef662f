/** Names the cause behind a failed read of the main chain, for the log, `/status` and `svc doctor`. */
import { Fault, type UnreadableCause } from '../../domain/faults.ts';
import type { PlainIndexCause } from '../../domain/index-rules/index-cause.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { IndexRefused } from '../loops/index-integrity.ts';

/** What was read: the finalized block, any other header, logs, receipts, or contracts at a block. */
export type ReadKind = 'finalized' | 'header' | 'logs' | 'receipts' | 'state';

/** Causes of an error of the node or of a block that it does not have, by what was read. */
const REFUSED: Readonly<Record<ReadKind, PlainIndexCause>> = {
  finalized: 'finality-missing',
  header: 'calls-refused',
  logs: 'logs-refused',
  receipts: 'calls-refused',
  state: 'state-missing',
};

/** Returns undefined where the error has no cause that an operator can remove, or while smaller queries are tried. */
export function findCauseOfFailure(error: unknown, kind: ReadKind | undefined): PlainIndexCause | undefined {
  if (error instanceof LogQueryRefused) return error.reason === 'range-too-large' ? undefined : error.reason;
  if (error instanceof IndexRefused) return error.refusal;
  if (error instanceof ResponseRejected) {
    if (error.problem === 'unproven-receipts') return 'receipts-unproven';
    return error.problem === 'head-behind' ? 'node-behind' : 'answers-contradict';
  }
  if (!(error instanceof Fault)) return undefined;
  const fault = error as Fault;
  if (fault.kind === 'StoreUnavailable') return 'store-unavailable';
  return fault.kind === 'ChainUnreadable' ? findCauseOfUnreadable(fault.context.cause, kind) : undefined;
}

/** Returns undefined where an operator can remove nothing. */
export function findCauseOfUnreadable(cause: UnreadableCause, kind: ReadKind | undefined): PlainIndexCause | undefined {
  switch (cause) {
    case 'wrong-chain':
    case 'rate-limited':
    case 'calls-used-up':
    case 'own-calls-used-up':
      return cause;
    case 'transport':
    case 'deadline':
      return 'node-unreachable';
    case 'disagreement':
      return 'nodes-disagree';
    case 'malformed':
      return 'answers-malformed';
    case 'contradiction':
    case 'events':
      return 'answers-contradict';
    case 'rpc-error':
    case 'block-mismatch':
    case 'undecodable':
      return kind === undefined ? 'calls-refused' : REFUSED[kind];
    default:
      return undefined;
  }
}
