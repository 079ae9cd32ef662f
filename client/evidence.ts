/**
 * How does an onboarding provider prove a chip? `issueChallenge` asks for a challenge; `prepareChipProof`, `prepareControllerProof` and `buildEvidence` make
 * the document of it, with the signatures of chip and controller; `submitEvidence` sends it (evidence 4 to 9). The keys stay with the caller.
 */
import type { BuiltEvidence } from '../src/domain/evidence/evidence-building.ts';
import type { ChipChallengeResponse, ChipReceiptResponse } from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export { parseChipSignature as parseChipAnswer } from '../src/domain/evidence/chip-signature.ts';
export {
  buildEvidence,
  EvidenceBuildError,
  prepareChipProof,
  prepareControllerProof,
  type EvidenceBuildProblem,
  type BuiltEvidence,
  type ChipLeaf,
  type PreparedChipProof,
  type PreparedControllerProof,
  type ProviderChallenge,
} from '../src/domain/evidence/evidence-building.ts';
export { parseRecoverableSignature } from '../src/domain/signatures/signature-parsing.ts';

/** Accepted now, with the receipt, or by an earlier request, whose receipt is known by the same id. */
export interface AcceptedEvidence {
  readonly receiptId: string;
  readonly evidenceHash: string;
  readonly receipt?: ChipReceiptResponse;
}

export interface IntakeOptions extends AskOptions {
  /** The onboarding token; sent in its header, and nowhere else. */
  readonly token: string;
}

export interface SubmitOptions extends IntakeOptions {
  /** Called before the document is sent once more. */
  readonly onRepeat?: () => void;
}

/** The nonce is told once. The challenge is judged by `prepareChipProof`. */
export function issueChallenge(
  connection: Connection,
  machine: MachineKey,
  { token, ...options }: IntakeOptions,
): Promise<Answer<ChipChallengeResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, '/v1/verify/chip/challenge', ({ machineId }) => machineId === String(id), {
      ...options,
      ...toPost(token, JSON.stringify({ machineId: String(id) })),
      statuses: [201],
    }),
  );
}

/** Asks a second time when no answer comes: the same document is accepted once. */
export async function submitEvidence(
  connection: Connection,
  { body, evidenceHash, receiptId }: BuiltEvidence,
  { token, onRepeat, ...options }: SubmitOptions,
): Promise<Answer<AcceptedEvidence>> {
  const submit = () =>
    ask<ChipReceiptResponse>(connection, '/v1/verify/chip/evidence', (receipt) => receipt['receiptId'] === receiptId, {
      ...options,
      ...toPost(token, Uint8Array.from(body)),
      statuses: [202],
    });
  const first = await submit();
  const isLost = !first.ok && first.error.kind === 'unreachable' && options.signal?.aborted !== true;
  if (isLost) onRepeat?.();
  const answer = isLost ? await submit() : first;
  if (answer.ok) return { ...answer, value: { receiptId, evidenceHash, receipt: answer.value } };
  return answer.error.kind === 'evidence-already-accepted' ? { ok: true, value: { receiptId, evidenceHash } } : answer;
}

function toPost(token: string, body: string | Uint8Array<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method: 'POST', headers, body } as const;
}
