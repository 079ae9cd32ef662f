/**
 * Builds evidence documents for onboarding providers, in three stages: the chip signs, the controller signs, the document is
 * encoded (evidence 4 to 6). Each stage requires that the challenge has not expired on the provider's clock. Pure: the caller
 * holds the keys.
 */
import { canonicalBytes } from '../json/canonical-json.ts';
import {
  formatAddress,
  formatMachineDid,
  parseAddress,
  parseMachineId,
  ZERO_ADDRESS,
} from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { RecoverableSignature } from '../signatures/signature-parsing.ts';
import { isSignedByChip } from './chip-signature.ts';
import { CONTROLLER_SCHEME, REVOCATION_STATUS } from './evidence-constants.ts';
import type { EvidenceDocument, Transcript } from './evidence-document.ts';
import {
  chipPrehash,
  chipRefOf,
  controllerMessage,
  evidenceHashOf,
  fingerprintOf,
  receiptIdOf,
  toHex,
  transcriptBytes,
  type Hex,
} from './signed-bytes.ts';

/** The nine texts of a validated challenge. */
export type ProviderChallenge = Omit<Transcript, 'certificateFingerprintSha256'>;

/** Messages of the reasons for a stage to fail, by code. */
const MESSAGES = {
  /** Not exactly the nine texts, each in its form. */
  'malformed-challenge': 'not a challenge',
  /** Its names differ from the namespace. */
  'wrong-deployment': 'of another deployment',
  'challenge-expired': 'expired',
  /** The clocks differ, or the challenge is not genuine. */
  'lifetime-too-long': 'too long a lifetime',
  'chip-signature-invalid': 'chip signature does not verify',
} as const;

export type EvidenceBuildProblem = keyof typeof MESSAGES;

export class EvidenceBuildError extends Error {
  readonly problem: EvidenceBuildProblem;

  constructor(problem: EvidenceBuildProblem) {
    super(MESSAGES[problem]);
    this.name = 'EvidenceBuildError';
    this.problem = problem;
  }
}

/** Leaf certificate of the chip's key. */
export interface ChipLeaf {
  readonly der: Uint8Array;
  /** 65 bytes, uncompressed. */
  readonly publicKey: Uint8Array;
}

export interface PreparedChipProof {
  readonly challenge: ProviderChallenge;
  readonly leaf: ChipLeaf;
  readonly transcript: Transcript;
  /** 32 bytes that the chip signs without another hash. */
  readonly prehash: Uint8Array;
}

export interface PreparedControllerProof extends PreparedChipProof {
  readonly chipSignature: Hex;
  /** Message that a wallet signs as a personal message (EIP-191). */
  readonly message: Uint8Array;
}

export interface BuiltEvidence {
  /** Request body, byte for byte. */
  readonly body: Uint8Array;
  readonly evidenceHash: Hex;
  /** Id of the future receipt. */
  readonly receiptId: Hex;
}

const MAX_LIFETIME_SECONDS = 300;
const DECIMAL = /^[1-9][0-9]*$/;
const HASH = /^0x[0-9a-f]{64}$/;

/** Validates the service's challenge and returns what the chip signs. Throws `EvidenceBuildError`. `nowSeconds` may have a fraction. */
export function prepareChipProof(
  challenge: unknown,
  leaf: ChipLeaf,
  namespace: Namespace,
  nowSeconds: number,
): PreparedChipProof {
  const parsed = parseChallenge(challenge);
  requireDeployment(parsed, namespace);
  requireTime(parsed, nowSeconds);
  const transcript: Transcript = { certificateFingerprintSha256: fingerprintOf(leaf.der), ...parsed };
  return { challenge: parsed, leaf, transcript, prehash: chipPrehash(transcriptBytes(transcript), namespace) };
}

/** Verifies the chip's signature (`rs`, low s) and returns what the controller signs. Throws `EvidenceBuildError`. */
export function prepareControllerProof(
  prepared: PreparedChipProof,
  rs: Uint8Array,
  namespace: Namespace,
  nowSeconds: number,
): PreparedControllerProof {
  requireTime(prepared.challenge, nowSeconds);
  if (!isSignedByChip(prepared.leaf.publicKey, prepared.prehash, rs)) {
    throw new EvidenceBuildError('chip-signature-invalid');
  }
  const chipSignature = toHex(rs);
  const message = controllerMessage(transcriptBytes(prepared.transcript), chipSignature, namespace);
  return { ...prepared, chipSignature, message };
}

/** Encodes the document with the controller's signature (low s). Throws `EvidenceBuildError`. */
export function buildEvidence(
  { challenge, leaf, transcript, chipSignature }: PreparedControllerProof,
  signature: RecoverableSignature,
  namespace: Namespace,
  nowSeconds: number,
): BuiltEvidence {
  requireTime(challenge, nowSeconds);
  const document: EvidenceDocument = {
    certificate: {
      fingerprintSha256: transcript.certificateFingerprintSha256,
      leafDerBase64url: toBase64url(leaf.der),
      publicKey: toHex(leaf.publicKey),
    },
    chipRef: chipRefOf(leaf.publicKey),
    controllerProof: { scheme: CONTROLLER_SCHEME, signature },
    evidenceSchema: namespace.evidence_schema,
    profile: namespace.chip_profile,
    proof: { chipSignature },
    revocationStatus: REVOCATION_STATUS,
    transcript,
    trustBundle: namespace.trust_bundle,
  };
  const body = canonicalBytes(document);
  const evidenceHash = evidenceHashOf(body);
  return { body, evidenceHash, receiptId: receiptIdOf(evidenceHash, namespace) };
}

const MEMBERS: { readonly [M in keyof ProviderChallenge]: (text: string) => boolean } = {
  chainId: (text) => DECIMAL.test(text),
  didController(text) {
    const address = parseAddress(text);
    return address !== undefined && address !== ZERO_ADDRESS && formatAddress(address) === text;
  },
  expiresAt: (text) => DECIMAL.test(text) && Number.isSafeInteger(Number(text)),
  machineDid: (text) => text.length > 0,
  machineId: (text) => parseMachineId(text) !== undefined,
  nonce: (text) => HASH.test(text),
  profile: (text) => text.length > 0,
  protocol: (text) => text.length > 0,
  verifier: (text) => text.length > 0,
};

function parseChallenge(value: unknown): ProviderChallenge {
  const members = Object.entries(MEMBERS);
  const isObject = typeof value === 'object' && value !== null && Object.keys(value).length === members.length;
  const found = isObject ? (value as Record<string, unknown>) : {};
  const isChallenge = members.every(([name, isFormed]) => {
    const text = Object.hasOwn(found, name) ? found[name] : undefined;
    return typeof text === 'string' && isFormed(text);
  });
  if (!isChallenge) throw new EvidenceBuildError('malformed-challenge');
  return Object.fromEntries(members.map(([name]) => [name, found[name]])) as unknown as ProviderChallenge;
}

function requireDeployment(challenge: ProviderChallenge, namespace: Namespace): void {
  const isOurs =
    challenge.machineDid === formatMachineDid(parseMachineId(challenge.machineId)!, namespace) &&
    challenge.profile === namespace.chip_profile &&
    challenge.protocol === namespace.protocol &&
    challenge.verifier === namespace.verifier;
  if (!isOurs) throw new EvidenceBuildError('wrong-deployment');
}

function requireTime({ expiresAt }: ProviderChallenge, nowSeconds: number): void {
  const left = Number(expiresAt) - nowSeconds;
  if (!(left > 0)) throw new EvidenceBuildError('challenge-expired');
  if (left > MAX_LIFETIME_SECONDS) throw new EvidenceBuildError('lifetime-too-long');
}

/** Encodes base64url without padding. */
function toBase64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (octet) => String.fromCharCode(octet)).join(''));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
