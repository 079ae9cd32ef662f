/** What do a chip challenge, a document of evidence and its receipt look like? (interface, Chip challenge; evidence 5 and 9.) Texts only. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { closedObject, exactly, machineDid, MACHINE_ID, type JsonSchema } from './json-schema.ts';

const HASH = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
const DECIMAL = { type: 'string', pattern: '^[1-9][0-9]*$' };
const SECONDS = { ...DECIMAL, description: 'Unix time in seconds.' };
const CONTROLLER = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', description: 'In EIP-55 spelling, never zero.' };
const NOT_EVALUATED = exactly('not_evaluated');

const hex = (bytes: number): JsonSchema => ({ type: 'string', pattern: `^0x[0-9a-f]{${bytes * 2}}$` });

export const CHALLENGE_REQUEST_SCHEMA: JsonSchema = closedObject({ machineId: MACHINE_ID });

function challengeMembers(namespace: Namespace) {
  return {
    chainId: DECIMAL,
    didController: CONTROLLER,
    expiresAt: SECONDS,
    machineDid: machineDid(namespace),
    machineId: MACHINE_ID,
    nonce: { ...HASH, description: 'Told once.' },
    profile: exactly(namespace.chip_profile),
    protocol: exactly(namespace.protocol),
    verifier: exactly(namespace.verifier),
  };
}

export function challengeSchema(namespace: Namespace): JsonSchema {
  return closedObject(challengeMembers(namespace));
}

/** The body is the canonical form (RFC 8785) of this object, byte for byte. */
export function evidenceSchema(namespace: Namespace): JsonSchema {
  return closedObject({
    certificate: closedObject({
      fingerprintSha256: HASH,
      leafDerBase64url: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
      publicKey: { type: 'string', pattern: '^0x04[0-9a-f]{128}$' },
    }),
    chipRef: HASH,
    controllerProof: closedObject({ scheme: exactly('eip191-secp256k1'), signature: hex(65) }),
    evidenceSchema: exactly(namespace.evidence_schema),
    profile: exactly(namespace.chip_profile),
    proof: closedObject({ chipSignature: hex(64) }),
    revocationStatus: NOT_EVALUATED,
    transcript: closedObject({ certificateFingerprintSha256: HASH, ...challengeMembers(namespace) }),
    trustBundle: exactly(namespace.trust_bundle),
  });
}

export function receiptSchema(namespace: Namespace): JsonSchema {
  return closedObject({
    chipRef: HASH,
    evidenceHash: HASH,
    evidenceSchema: exactly(namespace.evidence_schema),
    machineDid: machineDid(namespace),
    machineId: MACHINE_ID,
    receiptId: HASH,
    receivedAt: SECONDS,
    revocationStatus: NOT_EVALUATED,
    status: exactly('accepted'),
    trustBundle: exactly(namespace.trust_bundle),
  });
}
