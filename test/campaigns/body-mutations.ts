/**
 * Mutated bodies of both chip routes with their expected responses. Half are mutated as bytes. Half are well-formed documents with other texts in
 * canonical bytes, so that later steps decide (evidence 8): the earliest failing step determines the response.
 */
import { createPrivateKey, sign } from 'node:crypto';
import type { Random } from '../../sim/random.ts';
import { canonicalBytes, canonicalText } from '../../src/domain/json/canonical-json.ts';
import { VECTOR_NOW } from '../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf, MAX_LEAF_BYTES } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { toLowS } from '../../src/domain/evidence/chip-signature.ts';
import type { EvidenceDocument } from '../../src/domain/evidence/evidence-document.ts';
import { attempts, pki, requestCases, vectorNamespace, vectorRules } from '../../testing/fixtures/evidence-vectors.ts';
import { toNumber } from '../../src/domain/evidence/low-s.ts';
import {
  chipPreimage,
  controllerMessage,
  fingerprintOf,
  toHex,
  transcriptBytes,
} from '../../src/domain/evidence/signed-bytes.ts';
import { formatAddress, parseAddress } from '../../src/domain/identifiers/identifiers.ts';
import { createMainChainKey } from '../../testing/fixtures/signing-keys.ts';
import { CHALLENGE_PATH, EVIDENCE_PATH } from '../../testing/harness/chip-service.ts';
import { createLeafMutations } from './leaf-mutations.ts';

/** States of the service, with the step that refuses a genuine document in each. */
export const WORLDS = {
  open: undefined,
  'clock set back': { step: 9.0, answer: '503 VERIFY_CLOCK_INVALID' },
  consumed: { step: 9.2, answer: '409 CHALLENGE_CONSUMED' },
  expired: { step: 9.2, answer: '409 CHALLENGE_EXPIRED' },
  'no machine': { step: 13, answer: '404 MACHINE_NOT_FOUND' },
  'chain unreachable': { step: 13, answer: '503 CHAIN_UNAVAILABLE' },
  deactivated: { step: 13, answer: '409 MACHINE_DEACTIVATED' },
  'another controller': { step: 13, answer: '409 CONTROLLER_CHANGED' },
  'store unavailable': { step: 14, answer: '503 VERIFY_STORE_UNAVAILABLE' },
} as const;
export type WorldName = keyof typeof WORLDS;

export interface MutatedBody {
  readonly world: WorldName;
  readonly path: string;
  readonly body: Buffer;
  /** Undefined means any documented refusal of that route. */
  readonly expected: string | undefined;
}

/** Text in the canonical bytes of a document, with the response to another well-formed text in its place. */
interface Member {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly answer: string;
  readonly other: (random: Random, text: string) => string;
}

const SCALAR_BYTES = 32;
const SIGNED_DOCUMENTS = 64;
const EARLY_WORLDS = ['clock set back', 'consumed', 'expired'] as const;
const LATE_WORLDS = [
  'no machine',
  'chain unreachable',
  'deactivated',
  'another controller',
  'store unavailable',
] as const;

const EVIDENCE = attempts.first.bodyText;
const DOCUMENT = attempts.first.evidence;
const CHALLENGE = JSON.stringify({ machineId: requestCases.world.machine!.machineId });
const NOT_CANONICAL = { step: 7, answer: '400 EVIDENCE_NOT_CANONICAL' };
/** Delimiters of JSON, and texts that are hard to parse. */
const PIECES = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '\\u0000',
  '\ufeff',
  '\xff',
  '\n',
  '1e9',
  'null',
  'ECHOED-BODY',
  '"__proto__":',
];
const WORDS = ['', 'x', 'not_evaluatee', 'ü', '\u2028', '\ud83d\ude00', '"', '\\', '\u0001', 'a'.repeat(300)];

export function createBodyMutations(random: Random): () => MutatedBody {
  const nextLeaf = createLeafMutations(random);
  const genuine = createGenuineDocuments();
  const unsigned = findMembers(EVIDENCE, DOCUMENT);
  const shallow = unsigned.filter(({ step }) => step <= 10);
  const deep = unsigned.filter(({ step }) => step > 10);

  return () => {
    const chance = random.integer(0, 199);
    if (chance < 50)
      return { world: 'open', path: CHALLENGE_PATH, body: mutateBytes(random, CHALLENGE), expected: undefined };
    if (chance < 100)
      return { world: 'open', path: EVIDENCE_PATH, body: mutateBytes(random, EVIDENCE), expected: undefined };
    if (chance < 168) return replaceTexts('open', random.integer(1, 2), [shallow, unsigned]);
    if (chance < 186) return replaceTexts(random.pick(EARLY_WORLDS), random.integer(0, 2), [unsigned, unsigned]);
    if (chance < 192) return withLeaf();
    if (chance < 198) return replaceTexts('open', random.integer(1, 2), [deep, deep]);
    const world = random.pick(LATE_WORLDS);
    return { world, path: EVIDENCE_PATH, body: random.pick(genuine), expected: WORLDS[world].answer };
  };

  /** Replaces some texts of the published document, sometimes in non-canonical bytes. */
  function replaceTexts(world: WorldName, count: number, choices: readonly (readonly Member[])[]): MutatedBody {
    const members = [...new Set(choices.slice(0, count).map((choice) => random.pick(choice)))];
    const isSpaced = random.chance(0.05);
    const body = replaceAll(random, members);
    const failing = [...members, ...(isSpaced ? [NOT_CANONICAL] : []), ...[WORLDS[world] ?? []].flat()];
    const [first] = failing.toSorted((one, other) => one.step - other.step);
    return { world, path: EVIDENCE_PATH, body: Buffer.from(isSpaced ? `${body}\n` : body), expected: first!.answer };
  }

  /** Replaces the leaf and its fingerprints: the profile decides, then the key, then the chip's signature over another transcript. */
  function withLeaf(): MutatedBody {
    const { der } = nextLeaf();
    const { failed, certificate } = judgeLeaf(der, { ...vectorRules, nowSeconds: VECTOR_NOW });
    const fingerprintSha256 = fingerprintOf(der);
    const isSameKey =
      certificate !== undefined && toHex(certificate.publicKey.key.bytes) === DOCUMENT.certificate.publicKey;
    const leafDerBase64url = Buffer.from(der).toString('base64url');
    const document: EvidenceDocument = {
      ...DOCUMENT,
      certificate: { ...DOCUMENT.certificate, fingerprintSha256, leafDerBase64url },
      transcript: { ...DOCUMENT.transcript, certificateFingerprintSha256: fingerprintSha256 },
    };
    const accepted = isSameKey ? '422 CHIP_PROOF_INVALID' : '422 EVIDENCE_MISMATCH';
    const isPublished = leafDerBase64url === DOCUMENT.certificate.leafDerBase64url;
    const refused = failed && `422 ${OUTCOMES[failed.outcome]}`;
    return isPublished || der.length > 2 * MAX_LEAF_BYTES
      ? replaceTexts('open', 1, [shallow])
      : {
          world: 'open',
          path: EVIDENCE_PATH,
          body: Buffer.from(canonicalBytes(document)),
          expected: refused ?? accepted,
        };
  }
}

const OUTCOMES = {
  CertificateInvalid: 'CERTIFICATE_INVALID',
  CertificateUnsupported: 'CERTIFICATE_UNSUPPORTED',
  CertificateUntrusted: 'CERTIFICATE_UNTRUSTED',
} as const;

/** Applies up to five changes; most affect a single octet, some cut the text. */
function mutateBytes(random: Random, text: string): Buffer {
  let mutated = Buffer.from(text);
  for (let changes = random.integer(1, 5); changes > 0; changes--) {
    const at = random.integer(0, mutated.length);
    const removed = random.chance(0.9) ? random.integer(0, 2) : random.integer(0, mutated.length);
    const added = random.chance(0.5)
      ? Buffer.from(random.hex(random.integer(0, 2)), 'hex')
      : Buffer.from(random.pick(PIECES), random.chance(0.5) ? 'utf8' : 'latin1');
    mutated = Buffer.concat([mutated.subarray(0, at), added, mutated.subarray(at + removed)]);
  }
  // The unchanged document would consume the challenge of all others.
  return mutated.equals(Buffer.from(EVIDENCE)) ? Buffer.alloc(0) : mutated;
}

function replaceAll(random: Random, members: readonly Member[]): string {
  let body = EVIDENCE;
  for (const { start, end, other } of members.toSorted((one, another) => another.start - one.start)) {
    body = body.slice(0, start) + other(random, EVIDENCE.slice(start, end)) + body.slice(end);
  }
  return body;
}

function findMembers(text: string, document: EvidenceDocument): Member[] {
  const unsupported = { step: 8, answer: '422 EVIDENCE_UNSUPPORTED', other: otherWord };
  const mismatch = { step: 10, answer: '422 EVIDENCE_MISMATCH' };
  const ofLeaf = { step: 11, answer: '422 EVIDENCE_MISMATCH', other: otherHex };
  const {
    certificate,
    chipRef,
    controllerProof,
    evidenceSchema,
    profile,
    proof,
    revocationStatus,
    transcript,
    trustBundle,
  } = document;
  const transcriptAt = text.indexOf('"transcript"');
  const find = (name: string, value: string, from: number, rest: Pick<Member, 'step' | 'answer' | 'other'>): Member => {
    const start = text.indexOf(`"${name}":"${value}"`, from) + name.length + 4;
    return { start, end: start + value.length, ...rest };
  };
  return [
    find('fingerprintSha256', certificate.fingerprintSha256, 0, { ...mismatch, other: otherHex }),
    find('leafDerBase64url', certificate.leafDerBase64url, 0, { ...mismatch, other: otherBase64url }),
    find('publicKey', certificate.publicKey, 0, { ...ofLeaf, other: otherPoint }),
    find('chipRef', chipRef, 0, ofLeaf),
    find('scheme', controllerProof.scheme, 0, unsupported),
    find('signature', controllerProof.signature, 0, {
      step: 12.5,
      answer: '422 CONTROLLER_PROOF_INVALID',
      other: otherHex,
    }),
    find('evidenceSchema', evidenceSchema, 0, unsupported),
    find('profile', profile, 0, unsupported),
    find('chipSignature', proof.chipSignature, 0, { step: 12, answer: '422 CHIP_PROOF_INVALID', other: otherHex }),
    find('revocationStatus', revocationStatus, 0, unsupported),
    find('trustBundle', trustBundle, 0, unsupported),
    find('certificateFingerprintSha256', transcript.certificateFingerprintSha256, transcriptAt, {
      ...mismatch,
      other: otherHex,
    }),
    find('chainId', transcript.chainId, transcriptAt, { ...mismatch, other: otherDecimal }),
    find('didController', transcript.didController, transcriptAt, { ...mismatch, other: otherAddress }),
    find('expiresAt', transcript.expiresAt, transcriptAt, { ...mismatch, other: otherDecimal }),
    find('machineDid', transcript.machineDid, transcriptAt, { ...mismatch, other: otherWord }),
    find('machineId', transcript.machineId, transcriptAt, { ...mismatch, other: otherDecimal }),
    find('nonce', transcript.nonce, transcriptAt, { step: 9.1, answer: '404 CHALLENGE_NOT_FOUND', other: otherHex }),
    find('profile', transcript.profile, transcriptAt, unsupported),
    find('protocol', transcript.protocol, transcriptAt, unsupported),
    find('verifier', transcript.verifier, transcriptAt, unsupported),
  ];
}

/** Replaces one digit or all. */
function otherHex(random: Random, text: string): string {
  if (random.chance(0.2)) return `0x${random.hex(text.length / 2 - 1)}`;
  return otherDigit(random, text, random.integer(2, text.length - 1));
}

function otherPoint(random: Random, text: string): string {
  return otherDigit(random, text, random.integer(4, text.length - 1));
}

function otherDigit(random: Random, text: string, at: number): string {
  const digit = ((Number.parseInt(text[at]!, 16) + random.integer(1, 15)) % 16).toString(16);
  return text.slice(0, at) + digit + text.slice(at + 1);
}

function otherDecimal(random: Random, text: string): string {
  const other = String(
    (BigInt(`0x${random.hex(random.integer(1, 31))}`) || 1n) + (random.chance(0.5) ? 0n : BigInt(text)),
  );
  return other === text ? '7' : other;
}

function otherAddress(random: Random): string {
  return formatAddress(parseAddress(`0x01${random.hex(19)}`)!);
}

/** Replaces or extends a text, escaped as in canonical JSON. */
function otherWord(random: Random, text: string): string {
  const word = random.chance(0.5) ? random.pick(WORDS) : `${text}${random.hex(random.integer(1, 8))}`;
  return canonicalText(word).slice(1, -1);
}

/** Flips one bit of the encoded bytes, sometimes truncates them there. */
function otherBase64url(random: Random, text: string): string {
  const der = Buffer.from(text, 'base64url');
  const at = random.integer(0, der.length - 1);
  der[at]! ^= 1 << random.integer(0, 7);
  return der.subarray(0, random.chance(0.2) ? at : der.length).toString('base64url');
}

/** Signs different documents that are all acceptable. */
function createGenuineDocuments(): Buffer[] {
  const chipKey = createPrivateKey(pki.leaf.privateKeyPkcs8Pem);
  const controller = createMainChainKey(Buffer.from(pki.accounts.controller.privateKeyHex.replace(/^0x/, ''), 'hex'));
  const transcript = transcriptBytes(DOCUMENT.transcript);
  return Array.from({ length: SIGNED_DOCUMENTS }, () => {
    const key = { key: chipKey, dsaEncoding: 'ieee-p1363' } as const;
    const rs = sign('sha256', chipPreimage(transcript, vectorNamespace), key);
    const lowS = toLowS(toNumber(rs.subarray(0, SCALAR_BYTES)), toNumber(rs.subarray(SCALAR_BYTES)))!;
    const chipSignature = toHex(lowS);
    const signature = controller.sign(controllerMessage(transcript, chipSignature, vectorNamespace));
    const document = {
      ...DOCUMENT,
      proof: { chipSignature },
      controllerProof: { ...DOCUMENT.controllerProof, signature },
    };
    return Buffer.from(canonicalBytes(document));
  });
}
