/**
 * How does an onboarding provider make a document of evidence? (evidence 4 to 6.) In three stages that follow each other: the chip signs, the
 * controller signs, the document is written. At each the challenge must still have time on the provider's own clock. Pure: whoever calls holds
 * the keys.
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

/** The nine texts of a challenge that was judged. */
export type ProviderChallenge = Omit<Transcript, 'certificateFingerprintSha256'>;

/** Why a stage cannot go on. Fixed words. */
export type BuildingProblem =
  | 'not a challenge' // not exactly the nine texts, each in its form
  | 'of another deployment' // its words are not those of the namespace
  | 'expired'
  | 'too long a lifetime' // the clocks differ, or the challenge is not genuine
  | 'chip signature does not verify';

export class BuildingRefused extends Error {
  readonly problem: BuildingProblem;

  constructor(problem: BuildingProblem) {
    super(problem);
    this.name = 'BuildingRefused';
    this.problem = problem;
  }
}

/** The leaf that the chip's key is certified by. */
export interface ChipLeaf {
  readonly der: Uint8Array;
  /** 65 bytes, uncompressed. */
  readonly publicKey: Uint8Array;
}

export interface PreparedChipProof {
  readonly challenge: ProviderChallenge;
  readonly leaf: ChipLeaf;
  readonly transcript: Transcript;
  /** 32 bytes; the chip signs them as they are. */
  readonly prehash: Uint8Array;
}

export interface PreparedControllerProof extends PreparedChipProof {
  readonly chipSignature: Hex;
  /** A wallet signs it as a personal message. */
  readonly message: Uint8Array;
}

export interface BuiltEvidence {
  /** What is sent, byte for byte. */
  readonly body: Uint8Array;
  readonly evidenceHash: Hex;
  /** What the receipt will be known by. */
  readonly receiptId: Hex;
}

const MAX_LIFETIME_SECONDS = 300;
const DECIMAL = /^[1-9][0-9]*$/;
const HASH = /^0x[0-9a-f]{64}$/;

/** Throws `BuildingRefused`. `challenge` is what the service answered; `nowSeconds` may have a fraction. */
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

/** `rs`: what the chip signed, with low s. Throws `BuildingRefused`. */
export function prepareControllerProof(
  prepared: PreparedChipProof,
  rs: Uint8Array,
  namespace: Namespace,
  nowSeconds: number,
): PreparedControllerProof {
  requireTime(prepared.challenge, nowSeconds);
  if (!isSignedByChip(prepared.leaf.publicKey, prepared.prehash, rs)) {
    throw new BuildingRefused('chip signature does not verify');
  }
  const chipSignature = toHex(rs);
  const message = controllerMessage(transcriptBytes(prepared.transcript), chipSignature, namespace);
  return { ...prepared, chipSignature, message };
}

/** `signature`: of the message, with low s. Throws `BuildingRefused`. */
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
    controllerProof: { scheme: 'eip191-secp256k1', signature },
    evidenceSchema: namespace.evidence_schema,
    profile: namespace.chip_profile,
    proof: { chipSignature },
    revocationStatus: 'not_evaluated',
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
  if (!isChallenge) throw new BuildingRefused('not a challenge');
  return Object.fromEntries(members.map(([name]) => [name, found[name]])) as unknown as ProviderChallenge;
}

function requireDeployment(challenge: ProviderChallenge, namespace: Namespace): void {
  const isOurs =
    challenge.machineDid === formatMachineDid(parseMachineId(challenge.machineId)!, namespace) &&
    challenge.profile === namespace.chip_profile &&
    challenge.protocol === namespace.protocol &&
    challenge.verifier === namespace.verifier;
  if (!isOurs) throw new BuildingRefused('of another deployment');
}

function requireTime({ expiresAt }: ProviderChallenge, nowSeconds: number): void {
  const left = Number(expiresAt) - nowSeconds;
  if (!(left > 0)) throw new BuildingRefused('expired');
  if (left > MAX_LIFETIME_SECONDS) throw new BuildingRefused('too long a lifetime');
}

/** Without padding. */
function toBase64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (octet) => String.fromCharCode(octet)).join(''));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
