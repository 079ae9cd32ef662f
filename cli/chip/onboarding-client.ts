/**
 * Client of the two onboarding routes: requests a challenge and submits an evidence document. When a response is lost, it sends the same
 * bytes once more and reads their state from the error (evidence 8, 9 and 13).
 */
import type { ChipChallengeResponse, ChipReceiptResponse } from '../../client/client.ts';
import { issueChallenge, submitEvidence as submit } from '../../client/evidence.ts';
import { isCanonical } from '../../src/domain/json/canonical-json.ts';
import { parseEvidenceDocument, type EvidenceDocument } from '../../src/domain/evidence/evidence-document.ts';
import { REVOCATION_STATUS } from '../../src/domain/evidence/evidence-constants.ts';
import { evidenceHashOf, receiptIdOf } from '../../src/domain/evidence/signed-bytes.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../../src/domain/identifiers/namespace.ts';
import { CommandFailed } from '../exit-codes.ts';
import { formatDetail, openConnection, printable, toFailure, type JsonObject } from '../http-reads.ts';

const PREFIX = '/v1/verify/chip/';
const RECEIVED_AT = /^[1-9][0-9]{0,15}$/;

export interface OnboardingService {
  readonly baseUrl: string | undefined;
  readonly token: string;
}

/** Requests a challenge and returns its nine texts, not yet validated. Throws `CommandFailed`. */
export async function requestChallenge(
  { baseUrl, token }: OnboardingService,
  machineId: MachineId,
): Promise<ChipChallengeResponse> {
  const connection = openConnection(baseUrl);
  const result = await issueChallenge(connection, machineId, { token });
  if (result.ok) return result.value;
  throw toFailure(connection, `${PREFIX}challenge`, result.error, formatDetail(result.error));
}

/** Submits a document and returns its receipt, without `receivedAt` if it was already accepted. Throws `CommandFailed`. */
export async function submitEvidence(
  { baseUrl, token }: OnboardingService,
  body: Uint8Array<ArrayBuffer>,
  namespace: Namespace,
): Promise<JsonObject> {
  const expected = toExpectedReceipt(body, namespace);
  const { evidenceHash, receiptId } = expected;
  const connection = openConnection(baseUrl, namespace);
  const result = await submit(connection, { body, evidenceHash, receiptId }, { token, onRepeat });
  if (result.ok) return result.value.receipt === undefined ? expected : judgeReceipt(result.value.receipt, expected);
  const { error } = result;
  if (error.kind === 'unexpected-response' && error.status === 202) {
    throw new CommandFailed('verificationFailed', 'accepted, but the receipt does not match the document');
  }
  throw toFailure(connection, `${PREFIX}evidence`, error, formatDetail(error));
}

function onRepeat(): void {
  process.stderr.write('no response; sending the same document once more\n');
}

/** Derives the receipt from the document, except its time. Throws `CommandFailed` unless the document is canonical. */
function toExpectedReceipt(body: Uint8Array, namespace: Namespace) {
  const document = parseEvidenceDocument(body);
  if (document === undefined || !isCanonical(body, document)) {
    throw new CommandFailed('usage', 'not an evidence document as svc chip prove writes it');
  }
  return toTexts(document, body, namespace);
}

function toTexts({ chipRef, transcript }: EvidenceDocument, body: Uint8Array, namespace: Namespace) {
  const evidenceHash = evidenceHashOf(body);
  return {
    chipRef,
    evidenceHash,
    evidenceSchema: namespace.evidence_schema,
    machineDid: transcript.machineDid,
    machineId: transcript.machineId,
    receiptId: receiptIdOf(evidenceHash, namespace),
    revocationStatus: REVOCATION_STATUS,
    status: 'accepted',
    trustBundle: namespace.trust_bundle,
  };
}

function judgeReceipt(receipt: ChipReceiptResponse, expected: Readonly<Record<string, string>>): JsonObject {
  const body: JsonObject = { ...receipt };
  const differing = Object.keys(expected).find((name) => body[name] !== expected[name]);
  const isDated = typeof body['receivedAt'] === 'string' && RECEIVED_AT.test(body['receivedAt']);
  if (differing === undefined && isDated && Object.keys(body).length === Object.keys(expected).length + 1) return body;
  const name = differing ?? 'receivedAt';
  const given = body[name] === undefined ? 'missing' : printable(JSON.stringify(body[name]));
  throw new CommandFailed(
    'verificationFailed',
    `accepted, but the receipt does not match the document: ${name} is ${given}`,
  );
}
