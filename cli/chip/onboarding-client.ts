/**
 * How does a provider talk to the two routes of onboarding? It asks for a challenge, and hands in a document; an answer that was lost is made up
 * for by sending the same bytes once more and reading what the service says of them (evidence 8, 9 and 13).
 */
import { isCanonical } from '../../src/domain/canonical-json.ts';
import { parseEvidenceDocument, type EvidenceDocument } from '../../src/domain/evidence/evidence-document.ts';
import { REVOCATION_STATUS } from '../../src/domain/evidence/evidence-steps.ts';
import { evidenceHashOf, receiptIdOf } from '../../src/domain/evidence/signed-bytes.ts';
import type { MachineId } from '../../src/domain/identifiers.ts';
import type { Namespace } from '../../src/domain/namespace.ts';
import { CommandFailed } from '../exit-codes.ts';
import { askService, printable, refusal, type JsonObject, type ServiceAnswer } from '../http-reads.ts';

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
): Promise<JsonObject> {
  const path = `${PREFIX}challenge`;
  const answer = await askService(baseUrl, path, { method: 'POST', document: { machineId: String(machineId) }, token });
  if (answer.status === 201 && answer.body !== undefined) return answer.body;
  throw refusal(path, answer);
}

/** The receipt; without `receivedAt` where the document had been accepted before. Throws `CommandFailed`. */
export async function submitEvidence(
  service: OnboardingService,
  body: Uint8Array<ArrayBuffer>,
  namespace: Namespace,
): Promise<JsonObject> {
  const expected = toExpectedReceipt(body, namespace);
  const answer = await sendTwice(service, body);
  if (answer.status === 202) return judgeReceipt(answer, expected);
  if (answer.status === 409 && codeOf(answer) === 'EVIDENCE_ALREADY_ACCEPTED') return expected;
  throw refusal(`${PREFIX}evidence`, answer);
}

/** All of the receipt that follows from the document. Throws `CommandFailed` for what is no document, byte for byte. */
function toExpectedReceipt(body: Uint8Array, namespace: Namespace): Readonly<Record<string, string>> {
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

async function sendTwice({ baseUrl, token }: OnboardingService, body: Uint8Array<ArrayBuffer>): Promise<ServiceAnswer> {
  const send = () => askService(baseUrl, `${PREFIX}evidence`, { method: 'POST', body, token });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.exitCode === 2) throw error;
    process.stderr.write('no answer came: sending the same document once more\n');
    return send();
  }
}

function judgeReceipt({ body = {} }: ServiceAnswer, expected: Readonly<Record<string, string>>): JsonObject {
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

function codeOf({ body }: ServiceAnswer): unknown {
  const detail = body?.['detail'];
  return typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : undefined;
}
