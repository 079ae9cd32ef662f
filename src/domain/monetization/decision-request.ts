/**
 * Parsing and building of the request body of a decision ("PUT request body" of the interface, http-facts 9.4). Only this file contains the
 * wire names of its members, for service and client.
 */
import { Fault, type DecisionRefusal } from '../faults.ts';
import { parseAltKey } from '../identifiers/alt-identifiers.ts';
import { parseEd25519Signature, parseRecoverableSignature } from '../signatures/signature-parsing.ts';
import { JsonNumber, type JsonValue } from '../json/strict-json.ts';
import type { DecisionMember } from './decision-refusal.ts';
import type { Decision } from './decision.ts';
import type { DecisionProof } from './decision-signer.ts';

/** A decision about the machine that the path names. */
export interface DecisionRequest extends Omit<Decision, 'machineId'> {
  readonly proof: DecisionProof;
}

export type DecisionRequestResult =
  | { readonly request: DecisionRequest; readonly refusal?: never }
  | { readonly refusal: DecisionRefusal; readonly request?: never };

/** The JSON body of a request. */
export interface DecisionBody {
  readonly opted_in: boolean;
  readonly timestamp: number;
  readonly signature: string;
  readonly signer_pubkey?: string;
}

/** Digits only: a sign, a fraction, an exponent and 0 are rejected, even where the value is an integer. */
const POSITIVE_INTEGER = /^[1-9][0-9]{0,15}$/;

/** Parses the members in their order and reports the first invalid one; unknown members are ignored. */
export function parseDecisionRequest(body: JsonValue): DecisionRequestResult {
  if (!(body instanceof Map)) return malformed('body');
  const members: ReadonlyMap<string, JsonValue> = body;
  const optedIn = members.get('opted_in');
  if (typeof optedIn !== 'boolean') return malformed('opted_in');
  const timestamp = parseTimestamp(members.get('timestamp'));
  if (timestamp === undefined) return malformed('timestamp');
  const proof = parseProof(members.get('signature'), members.get('signer_pubkey'));
  return typeof proof === 'string' ? malformed(proof) : { request: { optedIn, timestamp, proof } };
}

/** Builds the body of a request, for clients. */
export function toDecisionBody({ optedIn, timestamp }: Omit<Decision, 'machineId'>, proof: SignedProof): DecisionBody {
  const body = { opted_in: optedIn, timestamp, signature: proof.signature };
  return proof.kind === 'eip191' ? body : { ...body, signer_pubkey: proof.signerKey };
}

type SignedProof = Exclude<DecisionProof, { readonly kind: 'mixed' }>;

function parseTimestamp(value: JsonValue | undefined): number | undefined {
  if (!(value instanceof JsonNumber) || !POSITIVE_INTEGER.test(value.text)) return undefined;
  const timestamp = Number(value.text);
  return Number.isSafeInteger(timestamp) ? timestamp : undefined;
}

/** Parses the proof, or returns the invalid member. A member that is null counts as present and invalid. */
function parseProof(signature: JsonValue | undefined, key: JsonValue | undefined): DecisionProof | DecisionMember {
  if (typeof signature !== 'string') return 'signature';
  const recoverable = parseRecoverableSignature(signature);
  if (key === undefined) return recoverable === undefined ? 'signature' : { kind: 'eip191', signature: recoverable };
  const ed25519 = parseEd25519Signature(signature);
  if (recoverable === undefined && ed25519 === undefined) return 'signature';
  const signerKey = typeof key === 'string' ? parseAltKey(key) : undefined;
  if (signerKey === undefined) return 'signer_pubkey';
  return ed25519 === undefined ? { kind: 'mixed' } : { kind: 'ed25519', signerKey, signature: ed25519 };
}

function malformed(member: DecisionMember | 'body'): DecisionRequestResult {
  return { refusal: new Fault('DecisionMalformed', { member }) };
}
