/** Schemas of a chip challenge, an evidence document and its receipt (interface, Chip challenge; evidence 5 and 9). All members are strings. */
import { CONTROLLER_SCHEME, REVOCATION_STATUS } from '../../domain/evidence/evidence-constants.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  ADDRESS_TEXT,
  closedObject,
  described,
  exactly,
  EXAMPLE_HASH,
  HASH,
  machineDid,
  MACHINE_ID,
  type JsonSchema,
} from './json-schema.ts';

const DECIMAL = { type: 'string', pattern: '^[1-9][0-9]{0,77}$' };
const NOT_EVALUATED = described(exactly(REVOCATION_STATUS), 'Revocation of the certificate is not checked.');

const hash = (description: string) => described(HASH, description, EXAMPLE_HASH);
const seconds = (description: string, example: string) =>
  described(DECIMAL, `${description}: Unix time in seconds, decimal.`, example);
const hex = (bytes: number): JsonSchema => ({ type: 'string', pattern: `^0x[0-9a-f]{${bytes * 2}}$` });

export const CHALLENGE_REQUEST_SCHEMA: JsonSchema = closedObject({ machineId: MACHINE_ID });

function challengeMembers(namespace: Namespace) {
  return {
    chainId: described(DECIMAL, 'The main chain, decimal.', '31337'),
    didController: described(ADDRESS_TEXT, 'The controller of the machine in EIP-55 spelling, never zero.'),
    expiresAt: seconds('When the challenge expires', '1772453100'),
    machineDid: machineDid(namespace),
    machineId: MACHINE_ID,
    nonce: hash('Identifies the challenge. It is shown only once.'),
    profile: described(exactly(namespace.chip_profile), 'The chip profile.'),
    protocol: described(exactly(namespace.protocol), 'The protocol and its version.'),
    verifier: described(exactly(namespace.verifier), 'The service that issued the challenge.'),
  };
}

/** Describes an evidence document. The body is its canonical form (RFC 8785), byte for byte. */
export function evidenceSchema(namespace: Namespace): JsonSchema {
  return closedObject({
    certificate: closedObject({
      fingerprintSha256: hash('SHA-256 of the certificate in DER.'),
      leafDerBase64url: described(
        { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
        'The certificate of the chip in DER, as base64url without padding.',
        'MIIB',
      ),
      publicKey: described(
        { type: 'string', pattern: '^0x04[0-9a-f]{128}$' },
        'The uncompressed P-256 key of the chip.',
        `0x04${'3f'.repeat(64)}`,
      ),
    }),
    chipRef: hash('Identifies the chip without its certificate.'),
    controllerProof: closedObject({
      scheme: exactly(CONTROLLER_SCHEME),
      signature: described(hex(65), "EIP-191 signature of the machine's controller.", `0x${'5a'.repeat(65)}`),
    }),
    evidenceSchema: exactly(namespace.evidence_schema),
    profile: exactly(namespace.chip_profile),
    proof: closedObject({
      chipSignature: described(hex(64), 'r and s of the chip, with low s.', `0x${'5a'.repeat(64)}`),
    }),
    revocationStatus: NOT_EVALUATED,
    transcript: closedObject({
      certificateFingerprintSha256: hash('SHA-256 of the certificate in DER.'),
      ...challengeMembers(namespace),
    }),
    trustBundle: exactly(namespace.trust_bundle),
  });
}

export function chipResponses(namespace: Namespace) {
  return {
    ChipChallenge: described(closedObject(challengeMembers(namespace)), 'A challenge for the chip of a machine.'),
    ChipReceipt: described(
      closedObject({
        chipRef: hash('Identifies the chip without its certificate.'),
        evidenceHash: hash('Keccak-256 of the document.'),
        evidenceSchema: described(exactly(namespace.evidence_schema), 'The form of the document.'),
        machineDid: machineDid(namespace),
        machineId: MACHINE_ID,
        receiptId: hash('Identifies the receipt.'),
        receivedAt: seconds('When the evidence was accepted', '1772452830'),
        revocationStatus: NOT_EVALUATED,
        status: described(exactly('accepted'), 'Acceptance is not verification.'),
        trustBundle: described(exactly(namespace.trust_bundle), 'The pinned roots that the certificate leads to.'),
      }),
      'The receipt of an accepted evidence document. The status of the chip changes when a record is written.',
    ),
  };
}
