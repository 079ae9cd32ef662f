/**
 * Test support: documents that are really signed, but for what a test bends, and the way a document goes from step 6 to 14 through facts
 * that a test chooses.
 */
import { p256 } from '@noble/curves/nist.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { KeyObject } from 'node:crypto';
import { canonicalBytes } from '../canonical-json.ts';
import { Fault } from '../faults.ts';
import { parseAddress, type Address, type MachineId } from '../identifiers.ts';
import type { Reading } from '../machine-facts.ts';
import { createMainChainKey } from '../signatures/signing-keys.ts';
import { CHIP_KEY, forgeCertificate } from './certificate/forged-certificate.ts';
import { parseCertificate } from './certificate/certificate.ts';
import type { ChallengeLookup, ChallengeRecord } from './challenge-record.ts';
import type { TrustedSeconds } from './clock.ts';
import type { EvidenceDocument, Transcript } from './evidence-document.ts';
import * as steps from './evidence-steps.ts';
import { pki, requestCases, vectorNamespace, vectorRules, type AccountName } from './evidence-vectors.ts';
import type { MachineStanding } from './machine-standing.ts';
import { EvidenceRefusal } from './refusal.ts';
import {
  chipPrehash,
  chipRefOf,
  controllerMessage,
  fingerprintOf,
  nonceHashOf,
  toHex,
  transcriptBytes,
  type Hex,
} from './signed-bytes.ts';

export const NOW = requestCases.world.now;
export const MACHINE = requestCases.world.machine!;
export const CHAIN_ID = 31337;
export const NONCE = `0x${'5a'.repeat(32)}`;
export const GENUINE_LEAF = forgeCertificate();

/** What is bent before anything is signed, and `edit` afterwards. */
export interface EvidenceChanges {
  readonly transcript?: Partial<Transcript>;
  readonly leaf?: Uint8Array;
  readonly chip?: KeyObject;
  readonly controller?: AccountName;
  readonly edit?: (document: EvidenceDocument) => EvidenceDocument;
}

export function addressOf(account: AccountName): Address {
  return parseAddress(pki.accounts[account].address)!;
}

export function forgeDocument(changes: EvidenceChanges = {}): EvidenceDocument {
  const { leaf = GENUINE_LEAF, chip = CHIP_KEY, controller = 'controller' } = changes;
  const publicKey = parseCertificate(leaf)?.publicKey.key.bytes ?? new Uint8Array(65).fill(4);
  const transcript: Transcript = {
    certificateFingerprintSha256: fingerprintOf(leaf),
    chainId: String(CHAIN_ID),
    didController: pki.accounts.controller.address,
    expiresAt: String(NOW + 300),
    machineDid: `did:${vectorNamespace.did_method}:${MACHINE.machineId}`,
    machineId: MACHINE.machineId,
    nonce: NONCE,
    profile: vectorNamespace.chip_profile,
    protocol: vectorNamespace.protocol,
    verifier: vectorNamespace.verifier,
    ...changes.transcript,
  };
  const signed = transcriptBytes(transcript);
  const secret = Buffer.from(chip.export({ format: 'jwk' }).d!, 'base64url');
  const chipSignature = toHex(p256.sign(chipPrehash(signed, vectorNamespace), secret, { prehash: false, lowS: true }));
  const account = createMainChainKey(hexToBytes(pki.accounts[controller].privateKeyHex));
  return {
    certificate: {
      fingerprintSha256: fingerprintOf(leaf),
      leafDerBase64url: Buffer.from(leaf).toString('base64url'),
      publicKey: toHex(publicKey),
    },
    chipRef: chipRefOf(publicKey),
    controllerProof: {
      scheme: steps.CONTROLLER_SCHEME,
      signature: account.sign(controllerMessage(signed, chipSignature, vectorNamespace)),
    },
    evidenceSchema: vectorNamespace.evidence_schema,
    profile: vectorNamespace.chip_profile,
    proof: { chipSignature },
    revocationStatus: steps.REVOCATION_STATUS,
    transcript,
    trustBundle: vectorNamespace.trust_bundle,
  };
}

export function forgeBody(changes: EvidenceChanges = {}): Uint8Array {
  const document = forgeDocument(changes);
  return canonicalBytes(changes.edit === undefined ? document : changes.edit(document));
}

const GENUINE_BODY = forgeBody();

export const CHALLENGE: ChallengeRecord = {
  nonceHash: nonceHashOf(NONCE),
  machineId: BigInt(MACHINE.machineId) as MachineId,
  didController: addressOf('controller'),
  chainId: CHAIN_ID,
  expiresAt: NOW + 300,
  consumedBy: undefined,
};

export const ABSENT = { state: 'absent' } as const;
export const UNREADABLE = { state: 'unreadable', cause: 'transport' } as const;
export const present = <T>(value: T): Reading<T> => ({ state: 'present', value });

export const STANDING: MachineStanding = {
  snapshot: {
    id: CHALLENGE.machineId,
    owner: present(addressOf('owner')),
    controller: present(addressOf('controller')),
    generalPaused: present(false),
    relocating: present(false),
    homeOrdinal: present(1),
  },
  ordinals: { local: 1, alt: 5 },
  chainId: CHAIN_ID,
};

/** The one challenge that was issued. */
function findChallenge(nonceHash: Hex): ChallengeLookup {
  return nonceHash === CHALLENGE.nonceHash
    ? { state: 'kept', challenge: CHALLENGE }
    : { state: 'gone', isDocumentAccepted: false };
}

/** Everything that a document meets on its way. */
export interface EvidenceScene {
  readonly body: Uint8Array;
  readonly nowMilliseconds: number;
  readonly latestMilliseconds: number;
  readonly lookup: (nonceHash: Hex) => ChallengeLookup;
  readonly standing: MachineStanding;
  readonly outcome: steps.AcceptanceOutcome;
  readonly receivedAt: number;
}

export function createScene(changes: Partial<EvidenceScene> = {}): EvidenceScene {
  return {
    body: GENUINE_BODY,
    nowMilliseconds: NOW * 1000,
    latestMilliseconds: NOW * 1000,
    lookup: findChallenge,
    standing: STANDING,
    outcome: { state: 'written' },
    receivedAt: NOW,
    ...changes,
  };
}

/** All steps in their order. Throws what they throw. */
export function passSteps(scene: EvidenceScene): steps.AcceptedEvidence {
  const canonical = steps.requireCanonical(steps.requireWellFormed(scene.body));
  const supported = steps.requireSupported(canonical, vectorRules);
  const timed = steps.requireClock(supported, scene.nowMilliseconds, scene.latestMilliseconds);
  const matching = steps.requireMatch(steps.requireChallenge(timed, scene.lookup(timed.nonceHash)), vectorRules);
  const bound = steps.requireChipKey(steps.requireGenuineLeaf(matching, vectorRules));
  const proven = steps.requireControllerProof(steps.requireChipProof(bound, vectorRules), vectorRules);
  const acceptable = steps.requireMachine(proven, scene.standing);
  return steps.requireAccepted(acceptable, scene.outcome, scene.receivedAt as TrustedSeconds);
}

/** `accepted`, or the kind of what is thrown. */
export function judge(changes: Partial<EvidenceScene> = {}): string {
  try {
    passSteps(createScene(changes));
    return 'accepted';
  } catch (error) {
    if (error instanceof EvidenceRefusal || error instanceof Fault) return error.kind;
    throw error;
  }
}
