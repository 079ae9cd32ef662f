/**
 * How does a provider talk to the two routes of onboarding? It asks for a challenge, and hands in a document; an answer that was lost is made up
 * for by sending the same bytes once more and reading what the service says of them (evidence 8, 9 and 13).
 */
import {
  issueChallenge,
  submitEvidence as submit,
  type ChipReceipt,
  type ProviderChallenge,
} from '../../client/evidence.ts';
import { isCanonical } from '../../src/domain/json/canonical-json.ts';
import { parseEvidenceDocument, type EvidenceDocument } from '../../src/domain/evidence/evidence-document.ts';
import { REVOCATION_STATUS } from '../../src/domain/evidence/evidence-steps.ts';
import { evidenceHashOf, receiptIdOf } from '../../src/domain/evidence/signed-bytes.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../../src/domain/identifiers/namespace.ts';
import { CommandFailed } from '../exit-codes.ts';
import { formatDetail, openConnection, printable, toFailure, type JsonObject } from '../http-reads.ts';

const PREFIX = '/v1/verify/chip/';
const RECEIVED_AT = /^[1-9][0-9]{0,15}$/;

export interface OnboardingService {
  readonly baseUrl: string;
  readonly token: string;
}

/** The service's nine texts, not yet judged. Throws `CommandFailed`. */
export async function requestChallenge(
  { baseUrl, token }: OnboardingService,
  machineId: MachineId,
): Promise<ProviderChallenge> {
  const connection = openConnection(baseUrl);
  const answer = await issueChallenge(connection, machineId, { token });
  if (answer.ok) return answer.value;
  throw toFailure(connection, `${PREFIX}challenge`, answer.error, formatDetail(answer.error));
}

/** The receipt; without `receivedAt` where the document had been accepted before. Throws `CommandFailed`. */
export async function submitEvidence(
  { baseUrl, token }: OnboardingService,
  body: Uint8Array<ArrayBuffer>,
  namespace: Namespace,
): Promise<JsonObject> {
  const expected = toExpectedReceipt(body, namespace);
  const { evidenceHash, receiptId } = expected;
  const connection = openConnection(baseUrl, namespace);
  const answer = await submit(connection, { body, evidenceHash, receiptId }, { token, onRepeat });
  if (answer.ok) return answer.value.receipt === undefined ? expected : judgeReceipt(answer.value.receipt, expected);
  const { error } = answer;
  if (error.kind === 'foreign-answer' && error.status === 202) {
    throw new CommandFailed('verificationFailed', "accepted, but the receipt is not this document's");
  }
  throw toFailure(connection, `${PREFIX}evidence`, error, formatDetail(error));
}

function onRepeat(): void {
  process.stderr.write('no answer came: sending the same document once more\n');
}

/** All of the receipt that follows from the document. Throws `CommandFailed` for what is no document, byte for byte. */
function toExpectedReceipt(body: Uint8Array, namespace: Namespace) {
  const document = parseEvidenceDocument(body);
  if (document === undefined || !isCanonical(body, document)) {
    throw new CommandFailed('usage', 'this is no document of evidence as "svc chip prove" writes it');
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

function judgeReceipt(receipt: ChipReceipt, expected: Readonly<Record<string, string>>): JsonObject {
  const body: JsonObject = { ...receipt };
  const differing = Object.keys(expected).find((name) => body[name] !== expected[name]);
  const isDated = typeof body['receivedAt'] === 'string' && RECEIVED_AT.test(body['receivedAt']);
  if (differing === undefined && isDated && Object.keys(body).length === Object.keys(expected).length + 1) return body;
  const name = differing ?? 'receivedAt';
  const given = printable(JSON.stringify(body[name]) ?? 'nothing');
  throw new CommandFailed(
    'verificationFailed',
    `accepted, but the receipt is not this document's: ${name} is ${given}`,
  );
}
