/**
 * Chip evidence of an onboarding provider (evidence 4 to 9). `issueChallenge` requests a challenge. `prepareChipProof`, `prepareControllerProof`
 * and `buildEvidence` create the document with the signatures of chip and controller. `submitEvidence` sends it. The keys stay with the caller.
 */
import type { BuiltEvidence } from '../src/domain/evidence/evidence-building.ts';
import type { ChipChallengeResponse, ChipReceiptResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export { parseChipSignature } from '../src/domain/evidence/chip-signature.ts';
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

/** Accepted evidence. The receipt is present when this request was accepted; after an earlier one, only its id is known. */
export interface AcceptedEvidence {
  readonly receiptId: string;
  readonly evidenceHash: string;
  readonly receipt?: ChipReceiptResponse;
}

export interface OnboardingOptions extends RequestOptions {
  /** The onboarding token. It is sent in the `Authorization` header only. */
  readonly token: string;
}

export interface SubmitOptions extends OnboardingOptions {
  /** Called before the document is sent a second time. */
  readonly onRepeat?: () => void;
}

/** Requests a challenge, whose nonce is shown only once. `prepareChipProof` validates it. */
export function issueChallenge(
  connection: Connection,
  machine: MachineKey,
  { token, ...options }: OnboardingOptions,
): Promise<Result<ChipChallengeResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, '/v1/verify/chip/challenge', ({ machineId }) => machineId === String(id), {
      ...options,
      ...toPost(token, JSON.stringify({ machineId: String(id) })),
      statuses: [201],
    }),
  );
}

/** Submits the document, and a second time when there is no response: the same document is accepted only once. */
export async function submitEvidence(
  connection: Connection,
  { body, evidenceHash, receiptId }: BuiltEvidence,
  { token, onRepeat, ...options }: SubmitOptions,
): Promise<Result<AcceptedEvidence>> {
  const submit = () =>
    request<ChipReceiptResponse>(
      connection,
      '/v1/verify/chip/evidence',
      (receipt) => receipt['receiptId'] === receiptId,
      {
        ...options,
        ...toPost(token, Uint8Array.from(body)),
        statuses: [202],
      },
    );
  const first = await submit();
  const isLost = !first.ok && first.error.kind === 'unreachable' && options.signal?.aborted !== true;
  if (isLost) onRepeat?.();
  const result = isLost ? await submit() : first;
  if (result.ok) return { ...result, value: { receiptId, evidenceHash, receipt: result.value } };
  return result.error.kind === 'evidence-already-accepted' ? { ok: true, value: { receiptId, evidenceHash } } : result;
}

function toPost(token: string, body: string | Uint8Array<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method: 'POST', headers, body } as const;
}
