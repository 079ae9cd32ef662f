/** Mints and token accounts of the SPL token program, which the SVM includes: their layouts, and transfers. */
import { altKeyBytes, formatAltKey, parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { PlannedInstruction } from './signed-transaction.ts';

export const TOKEN_PROGRAM = parseAltKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')!;

const MINT_BYTES = 82;
const MINT_AUTHORITY_BYTES = 36;
const ACCOUNT_BYTES = 165;
const STATE_OFFSET = 108;
const INITIALIZED = 1;
const KEY_BYTES = 32;
const TRANSFER = 3;
const APPROVE = 4;

/** State of a token account. */
export interface TokenAccount {
  readonly mint: AltKey;
  readonly owner: AltKey;
  readonly units: bigint;
}

/** Returns the data of a mint without an authority. */
export function createMintData(supply: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(MINT_BYTES);
  data.writeBigUInt64LE(supply, MINT_AUTHORITY_BYTES);
  data[MINT_AUTHORITY_BYTES + 8] = decimals;
  data[MINT_AUTHORITY_BYTES + 9] = INITIALIZED;
  return data;
}

export function readMintDecimals(data: Uint8Array): number {
  return data[MINT_AUTHORITY_BYTES + 8]!;
}

/** Returns the data of an account without a delegate. */
export function createTokenAccountData({ mint, owner, units }: TokenAccount): Uint8Array {
  const data = Buffer.alloc(ACCOUNT_BYTES);
  data.set(altKeyBytes(mint));
  data.set(altKeyBytes(owner), KEY_BYTES);
  data.writeBigUInt64LE(units, 2 * KEY_BYTES);
  data[STATE_OFFSET] = INITIALIZED;
  return data;
}

/** Parses the data of an account of the token program; undefined for a mint. */
export function readTokenAccount(data: Uint8Array): TokenAccount | undefined {
  if (data.length !== ACCOUNT_BYTES || data[STATE_OFFSET] !== INITIALIZED) return undefined;
  return {
    mint: formatAltKey(data.slice(0, KEY_BYTES)),
    owner: formatAltKey(data.slice(KEY_BYTES, 2 * KEY_BYTES)),
    units: Buffer.from(data).readBigUInt64LE(2 * KEY_BYTES),
  };
}

/** Returns a transfer between two token accounts, signed by the owner or the delegate of the first. */
export function transferUnits(from: AltKey, to: AltKey, authority: AltKey, units: bigint): PlannedInstruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: from, isWritable: true },
      { address: to, isWritable: true },
      { address: authority, isSigner: true },
    ],
    data: encodeAmount(TRANSFER, units),
  };
}

/** Returns the instruction that lets a delegate transfer units of a token account, signed by its owner. */
export function approveUnits(account: AltKey, delegate: AltKey, owner: AltKey, units: bigint): PlannedInstruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [{ address: account, isWritable: true }, { address: delegate }, { address: owner, isSigner: true }],
    data: encodeAmount(APPROVE, units),
  };
}

function encodeAmount(instruction: number, units: bigint): Uint8Array {
  const data = Buffer.alloc(9);
  data[0] = instruction;
  data.writeBigUInt64LE(units, 1);
  return data;
}
