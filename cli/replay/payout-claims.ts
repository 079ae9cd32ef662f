/**
 * Claims of payout accounts, second implementation, behind `svc replay` (design/scoring.md, Sources and payout accounts). Shares no code with
 * `src/domain/rating/paid`; both use the same cryptographic library.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { MalformedSolana, parseBase58 } from './solana-bytes.ts';

export type Home = 'main' | 'alt';

/** Position on a home chain: block and log index, or slot and order in the slot. */
export type Place = readonly [block: bigint, index: bigint];

/** What an event holds of payments. */
export interface CitingRecord {
  readonly seq: bigint;
  readonly blockTimestamp: bigint;
  readonly place: Place;
  readonly trust: bigint;
  readonly sourceChainId: bigint;
  /** `0x` + 64 hex. */
  readonly sourceTxHash: string;
  readonly metadata: Uint8Array;
  /** Owner at its position, in lower case; null on the alt chain, where the proof names it. */
  readonly owner: string | null;
}

/** Change of hands or burn of a main-chain machine, after `before` events. */
export interface ClaimEnd {
  readonly before: bigint;
  readonly at: bigint;
}

export interface Claim {
  readonly account: string;
  readonly owner: string;
  readonly since: bigint;
  readonly seq: bigint;
  readonly place: Place;
  readonly end: ClaimEnd | undefined;
}

/** Names in the signed text. */
export interface PayoutText {
  /** DID of the machine. */
  readonly did: string;
  readonly header: string;
}

const MAX_CLAIMS = 16;

/** Makes the claims of a machine from its records and the ends, both in chain order. */
export function makeClaims(
  records: readonly CitingRecord[],
  ends: readonly ClaimEnd[],
  text: PayoutText,
): readonly Claim[] {
  let claims: Claim[] = [];
  const endAll = (end: ClaimEnd) => {
    claims = claims.map((claim) => (claim.end === undefined ? { ...claim, end } : claim));
  };
  let ended = 0;
  for (const record of records) {
    for (; ended < ends.length && ends[ended]!.before <= record.seq; ended += 1) endAll(ends[ended]!);
    const proof = readProof(record.metadata);
    if (proof === undefined || !namesAddresses(proof, record.owner)) continue;
    const ofOwner = claims.filter(({ owner }) => owner === proof.owner);
    if (ofOwner.some(({ account }) => account === proof.account)) continue;
    if (ofOwner.filter(({ end }) => end === undefined).length >= MAX_CLAIMS) continue;
    if (!isSigned(proof, text)) continue;
    const { seq, blockTimestamp: since, place } = record;
    const newest = claims.at(-1);
    if (newest !== undefined && newest.owner !== proof.owner) endAll({ before: seq, at: since });
    claims.push({ account: proof.account, owner: proof.owner, since, seq, place, end: undefined });
  }
  for (const end of ends.slice(ended)) endAll(end);
  return claims;
}

/** Returns the claims in force at an event, its own included. */
export function claimsAt(claims: readonly Claim[], seq: bigint): readonly Claim[] {
  return claims.filter((claim) => claim.seq <= seq && (claim.end === undefined || claim.end.before > seq));
}

// ---------------------------------------------------------------------------------------------------------- metadata

const MAX_LEVELS = 32;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Returns the members of a JSON object whose values are texts; undefined for anything else, or an ambiguous text. */
export function readTexts(metadata: Uint8Array): ReadonlyMap<string, string> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(metadata);
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isAmbiguous(text)) return undefined;
    return new Map(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return undefined;
  }
}

/** Returns whether a JSON text repeats a name, has a lone surrogate or too many levels. */
function isAmbiguous(json: string): boolean {
  const levels: (Set<string> | undefined)[] = [];
  let expectsName = false;
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') {
      levels.push(token === '{' ? new Set() : undefined);
      if (levels.length > MAX_LEVELS) return true;
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token.startsWith('"')) {
      const text = JSON.parse(token) as string;
      if (!text.isWellFormed()) return true;
      const names = levels.at(-1);
      if (expectsName && names !== undefined) {
        if (names.has(text)) return true;
        names.add(text);
      }
    }
    expectsName = token === '{' || token === ',';
  }
  return false;
}

// ------------------------------------------------------------------------------------------------------------- proof

interface Proof {
  readonly account: string;
  readonly owner: string;
  readonly signature: string;
}

/** Returns whether metadata hold a payout proof, valid or not. */
export function carriesProof(metadata: Uint8Array): boolean {
  return readProof(metadata) !== undefined;
}

function readProof(metadata: Uint8Array): Proof | undefined {
  const texts = readTexts(metadata);
  const [account, owner, signature] = ['payout', 'owner', 'proof'].map((name) => texts?.get(name));
  if (account === undefined || owner === undefined || signature === undefined) return undefined;
  return { account, owner, signature };
}

export const isEvmAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/.test(text);

/** Returns whether a text is canonical base58 of 32 bytes. */
function isSolanaAddress(text: string): boolean {
  return readBase58(text, 32) !== undefined;
}

function namesAddresses({ account, owner }: Proof, ownerOfMachine: string | null): boolean {
  if (!isEvmAddress(account) && !isSolanaAddress(account)) return false;
  return ownerOfMachine === null ? isSolanaAddress(owner) : owner === ownerOfMachine;
}

function isSigned(proof: Proof, { did, header }: PayoutText): boolean {
  const { account, owner, signature } = proof;
  const message = utf8ToBytes([header, `machine: ${did}`, `owner: ${owner}`, `account: ${account}`].join('\n'));
  try {
    return isEvmAddress(account)
      ? recoverSigner(message, signature) === account
      : isSignedBySolana(account, message, signature);
  } catch {
    // The library throws for what is no signature, no point or no key.
    return false;
  }
}

/** Recovers the signer of an EIP-191 message; undefined for another form of signature. */
function recoverSigner(message: Uint8Array, text: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{128}1[bcBC]$/.test(text)) return undefined;
  const bytes = hexToBytes(text.slice(2));
  const toNumber = (part: Uint8Array) => BigInt(`0x${bytesToHex(part)}`);
  const [r, s] = [toNumber(bytes.subarray(0, 32)), toNumber(bytes.subarray(32, 64))];
  const signature = new secp256k1.Signature(r, s, bytes[64]! - 27);
  if (signature.hasHighS()) return undefined;
  const prefix = utf8ToBytes(`\u0019Ethereum Signed Message:\n${message.length}`);
  const point = signature.recoverPublicKey(keccak_256(concatBytes(prefix, message)));
  return `0x${bytesToHex(keccak_256(point.toBytes(false).subarray(1)).subarray(12))}`;
}

/** Canonical encodings, S below the group order, no key of small order, equation with the cofactor: the rules of RFC 8032. */
function isSignedBySolana(account: string, message: Uint8Array, text: string): boolean {
  const signature = readBase58(text, 64);
  return signature !== undefined && ed25519.verify(signature, message, readBase58(account, 32)!, { zip215: false });
}

/** Decodes canonical base58 of a size; undefined for anything else. */
export function readBase58(text: string, size: number): Uint8Array | undefined {
  if (text.length === 0 || text.length > 2 * size) return undefined;
  try {
    return parseBase58(text, size);
  } catch (error) {
    if (error instanceof MalformedSolana) return undefined;
    throw error;
  }
}
