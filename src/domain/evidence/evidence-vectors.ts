/**
 * What do the published vectors of the chip evidence say? Test support: their files as they stand, and what a deployment of theirs
 * judges by (spec/vectors/evidence/README.md).
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_NAMESPACE, type Namespace } from '../namespace.ts';
import { PORTABLE_CURVES } from '../signatures/portable-curves.ts';
import { createSignatureChecks } from '../signatures/signature-checks.ts';
import { parseTrustMaterial, type PinnedFile, type TrustMaterial } from './certificate/trust-material.ts';
import type { EvidenceDocument } from './evidence-document.ts';
import type { EvidenceRules } from './evidence-steps.ts';
import type { Receipt } from './intake.ts';

export interface VectorCertificate {
  derBase64: string;
  pem: string;
  sha256: string;
  bytes: number;
  privateKeyPkcs8Pem: string;
}

export type AccountName = 'controller' | 'owner' | 'stranger';

interface PkiFile {
  namespace: Record<VectorWord, string>;
  root: VectorCertificate;
  intermediate: VectorCertificate;
  siblingIntermediate: VectorCertificate;
  leaf: VectorCertificate & { publicKeyHex: string };
  accounts: Record<AccountName, { address: string; privateKeyHex: string }>;
}

type VectorWord =
  | 'did'
  | 'verifier'
  | 'protocol'
  | 'controllerProof'
  | 'evidenceSchema'
  | 'receipt'
  | 'profile'
  | 'trustBundle'
  | 'leafCaIssuersUri'
  | 'leafCrlUri';

export interface VectorChallenge {
  nonceSha256: string;
  machineId: string;
  didController: string;
  chainId: string;
  expiresAt: number;
  consumedBy: string | null;
}

export interface VectorWorld {
  now: number;
  onboardingToken: string;
  chainId: string;
  chain: 'readable' | 'unreachable';
  store: 'available' | 'unavailable';
  machine: { machineId: string; owner: string; controller: string; deactivated: boolean } | null;
  challenge: VectorChallenge;
}

/** Names ending in `Hex`, `Text`, `Length` are the same bytes as hex, as text, and their count. */
export interface VectorAttempt {
  challenge: Record<string, string>;
  nonceSha256: string;
  transcript: EvidenceDocument['transcript'];
  transcriptCanonicalText: string;
  transcriptCanonicalLength: number;
  transcriptSha256Hex: string;
  prehashPreimageHex: string;
  prehashHex: string;
  chipSignatureHex: string;
  controllerMessageText: string;
  controllerMessageLength: number;
  eip191PreimageHex: string;
  eip191DigestHex: string;
  controllerSignatureHex: string;
  publicKeyHex: string;
  chipRefHex: string;
  evidence: EvidenceDocument;
  bodyText: string;
  bodyLength: number;
  evidenceHashHex: string;
  receipt: Receipt;
  receiptText: string;
}

export interface LeafCase {
  name: string;
  derBase64: string;
  bytes: number;
  expect: 'accept' | 'CERTIFICATE_INVALID' | 'CERTIFICATE_UNSUPPORTED' | 'CERTIFICATE_UNTRUSTED';
}

type WorldChange = Partial<Omit<VectorWorld, 'challenge' | 'machine'>> & {
  challenge?: Partial<VectorChallenge>;
  machine?: Partial<VectorWorld['machine']> | null;
};

export interface RequestCase {
  name: string;
  request: { method: string; headers: [name: string, value: string][]; bodyBase64: string };
  world?: WorldChange;
  expect: { status: number; code: string | null };
}

export const pki = readVectors<PkiFile>('pki.json');
export const attempts = readVectors<{ attempts: Record<'first' | 'otherSParity' | 'widestIds', VectorAttempt> }>(
  'valid.json',
).attempts;
export const leafCases = readVectors<{ now: number; cases: LeafCase[] }>('certificates.json');
export const requestCases = readVectors<{ world: VectorWorld; cases: RequestCase[] }>('requests.json');
export const recordCases = readVectors<{ cases: { kyb: string; chip: string; bodyText: string }[] }>(
  'records.json',
).cases;

export const vectorNamespace: Namespace = {
  ...DEFAULT_NAMESPACE,
  did_method: pki.namespace.did.split(':')[1]!,
  verifier: pki.namespace.verifier,
  protocol: pki.namespace.protocol,
  controller_proof: pki.namespace.controllerProof,
  evidence_schema: pki.namespace.evidenceSchema,
  receipt: pki.namespace.receipt,
  chip_profile: pki.namespace.profile,
  trust_bundle: pki.namespace.trustBundle,
  leaf_ca_issuers_uri: pki.namespace.leafCaIssuersUri,
  leaf_crl_uri: pki.namespace.leafCrlUri,
};

export const vectorTrust = readTrust();
export const vectorRules: EvidenceRules = {
  namespace: vectorNamespace,
  trust: vectorTrust,
  checks: createSignatureChecks(PORTABLE_CURVES),
};

export function toPinned({ derBase64, sha256 }: VectorCertificate): PinnedFile {
  return { content: fromBase64(derBase64), sha256 };
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

/** A case's world: the file's, changed member by member. */
export function worldOf({ world = {} }: Pick<RequestCase, 'world'>): VectorWorld {
  const base = requestCases.world;
  return {
    ...base,
    ...world,
    challenge: { ...base.challenge, ...world.challenge },
    machine: world.machine === null ? null : { ...base.machine!, ...world.machine },
  };
}

function readTrust(): TrustMaterial {
  const { trust, problems } = parseTrustMaterial({
    root: toPinned(pki.root),
    intermediate: toPinned(pki.intermediate),
  });
  if (trust === undefined) throw new Error(problems.join());
  return trust;
}

function readVectors<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../../../test/vectors/evidence/${file}`, import.meta.url), 'utf8')) as T;
}
