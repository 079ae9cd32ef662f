/** Maps the decision log of a machine to its response (design/provable 2). */
import type { DecisionLog, ShownDecision } from '../../actions/decision-log.ts';
import { toDecisionRow } from '../../domain/monetization/decision-log.ts';
import { formatSigner } from '../../domain/monetization/decision.ts';
import type { DecisionLogResponse, LoggedDecision } from './response-types.ts';

/** `GET /machine/{key}/monetization/history`. */
export function toDecisionLog({ decisions, head, nextCursor, checkpoint }: DecisionLog): DecisionLogResponse {
  return {
    decisions: decisions.map(toLoggedDecision),
    head: head ?? null,
    next_cursor: nextCursor ?? null,
    ...(checkpoint !== undefined && { checkpoint }),
  };
}

function toLoggedDecision({ decision: { record, ...decision }, isSignaturePublished }: ShownDecision): LoggedDecision {
  const signature = isSignaturePublished ? decision.signature : null;
  if (record !== undefined) {
    return { ...toDecisionRow({ ...decision, ...record }, record.previous), signature, hash: record.hash };
  }
  return {
    machine_id: String(decision.machineId),
    opted_in: decision.optedIn,
    timestamp: decision.timestamp,
    signer: formatSigner(decision.signer),
    signature,
    message: null,
    authority: null,
    previous: null,
    hash: null,
    unverifiable: true,
  };
}
