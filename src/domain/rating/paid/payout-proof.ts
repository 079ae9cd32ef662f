/**
 * Payout proofs: an account signs that it receives the payments of a machine under an owner (design/scoring.md, Payout proof). The proof is
 * carried in the metadata of an event.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isLowS } from '../../evidence/low-s.ts';
import { altKeyBytes, parseAltKey } from '../../identifiers/alt-identifiers.ts';
import { formatMachineDid, parseAddress, type MachineId } from '../../identifiers/identifiers.ts';
import type { Namespace } from '../../identifiers/namespace.ts';
import { satisfiesCofactoredEd25519 } from '../../signatures/cofactored-ed25519.ts';
import { SECP256K1_ORDER } from '../../signatures/signature-encoding-rules.ts';
import {
  ed25519SignatureBytes,
  parseEd25519Signature,
  parseRecoverableSignature,
  recoverableSignatureBytes,
} from '../../signatures/signature-parsing.ts';
import type { SignatureChecks } from '../../signatures/signature-checks.ts';
import { parseMetadataTexts } from './metadata-object.ts';

const RS_BYTES = 64;

/** A proof as an event carries it; nothing is verified. */
export interface PayoutProof {
  readonly account: string;
  readonly owner: string;
  readonly signature: string;
}

/** Names in the signed text. */
export type PayoutNamespace = Pick<Namespace, 'payout_header' | 'did_method'>;

/** Returns the proof in the metadata of an event; undefined without one. */
export function parsePayoutProof(metadata: Uint8Array): PayoutProof | undefined {
  const texts = parseMetadataTexts(metadata);
  const account = texts?.get('payout');
  const owner = texts?.get('owner');
  const signature = texts?.get('proof');
  return account === undefined || owner === undefined || signature === undefined
    ? undefined
    : { account, owner, signature };
}

/** Returns the text that the account signs. */
export function formatPayoutText(
  id: MachineId,
  { account, owner }: Pick<PayoutProof, 'account' | 'owner'>,
  namespace: PayoutNamespace,
): string {
  const did = formatMachineDid(id, namespace);
  return [namespace.payout_header, `machine: ${did}`, `owner: ${owner}`, `account: ${account}`].join('\n');
}

/** Returns whether a text is an EVM address in lower case. */
export function isEvmAccount(text: string): boolean {
  return parseAddress(text) === text;
}

/** Returns whether a text is a Solana address in canonical base58. */
export function isSolanaAccount(text: string): boolean {
  return parseAltKey(text) !== undefined;
}

/** Returns whether the account of the proof signed it for the machine. */
export function isPayoutProofSigned(
  id: MachineId,
  proof: PayoutProof,
  namespace: PayoutNamespace,
  checks: Pick<SignatureChecks, 'recoverSigner'>,
): boolean {
  const message = utf8ToBytes(formatPayoutText(id, proof, namespace));
  return isEvmAccount(proof.account) ? isSignedByEvm(proof, message, checks) : isSignedBySolana(proof, message);
}

function isSignedByEvm(
  { account, signature }: PayoutProof,
  message: Uint8Array,
  checks: Pick<SignatureChecks, 'recoverSigner'>,
): boolean {
  const parsed = parseRecoverableSignature(signature);
  if (parsed === undefined) return false;
  const rs = recoverableSignatureBytes(parsed).subarray(0, RS_BYTES);
  return isLowS(rs, SECP256K1_ORDER) && checks.recoverSigner(message, parsed) === account;
}

function isSignedBySolana({ account, signature }: PayoutProof, message: Uint8Array): boolean {
  const key = parseAltKey(account);
  const parsed = parseEd25519Signature(signature);
  if (key === undefined || parsed === undefined) return false;
  return satisfiesCofactoredEd25519(altKeyBytes(key), message, ed25519SignatureBytes(parsed));
}
