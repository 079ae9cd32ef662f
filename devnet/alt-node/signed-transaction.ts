/** Builds and signs alt-chain transactions with Ed25519 keys from 32-byte seeds, as a wallet does. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  AccountRole,
  appendTransactionMessageInstructions,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getTransactionEncoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Address, Blockhash, Instruction, SignatureBytes } from '@solana/kit';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export interface AccountUse {
  readonly address: AltKey;
  readonly isSigner?: boolean;
  readonly isWritable?: boolean;
}

export interface PlannedInstruction {
  readonly program: AltKey;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** Address lookup table, whose addresses a version 0 message references by index. */
export interface LookupTable {
  readonly address: AltKey;
  readonly addresses: readonly AltKey[];
}

export interface TransactionPlan {
  readonly instructions: readonly PlannedInstruction[];
  /** 32-byte seeds; the first pays. */
  readonly signers: readonly Uint8Array[];
  /** Present: a version 0 message; absent: a legacy message. */
  readonly lookupTable?: LookupTable | undefined;
}

interface Wallet {
  readonly key: AltKey;
  readonly secret: KeyObject;
}

/** Prefix of the seed in the PKCS #8 form of an Ed25519 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const known = new Map<string, Wallet>();

/** Returns the public key of a 32-byte seed. */
export async function keyOfSeed(seed: Uint8Array): Promise<AltKey> {
  return walletOf(seed).key;
}

/** Returns the wire bytes of a signed transaction. Throws when the seed of a required signer is missing. */
export async function signPlan(plan: TransactionPlan, blockhash: string): Promise<Uint8Array> {
  const wallets = plan.signers.map(walletOf);
  const { messageBytes, signatures } = compilePlan(plan, wallets[0]!.key, blockhash);
  const signed: Record<Address, SignatureBytes> = {};
  for (const key of Object.keys(signatures) as Address[]) {
    const wallet = wallets.find((each) => each.key === (key as string));
    if (wallet === undefined) throw new Error(`${key} must sign, but its seed is missing`);
    // Signed synchronously: a worker thread would cost more than the signature.
    signed[key] = new Uint8Array(sign(null, new Uint8Array(messageBytes), wallet.secret)) as SignatureBytes;
  }
  return new Uint8Array(getTransactionEncoder().encode({ messageBytes, signatures: signed }));
}

function compilePlan(plan: TransactionPlan, payer: AltKey, blockhash: string): ReturnType<typeof compileTransaction> {
  const instructions = plan.instructions.map(toInstruction);
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const { lookupTable } = plan;
  if (lookupTable === undefined) {
    const paid = setTransactionMessageFeePayer(toAddress(payer), createTransactionMessage({ version: 'legacy' }));
    const withLifetime = setTransactionMessageLifetimeUsingBlockhash(lifetime, paid);
    return compileTransaction(appendTransactionMessageInstructions(instructions, withLifetime));
  }
  const paid = setTransactionMessageFeePayer(toAddress(payer), createTransactionMessage({ version: 0 }));
  const withLifetime = setTransactionMessageLifetimeUsingBlockhash(lifetime, paid);
  const tables = { [toAddress(lookupTable.address)]: lookupTable.addresses.map(toAddress) };
  const message = appendTransactionMessageInstructions(instructions, withLifetime);
  return compileTransaction(compressTransactionMessageUsingAddressLookupTables(message, tables));
}

function walletOf(seed: Uint8Array): Wallet {
  const name = Buffer.from(seed).toString('hex');
  let wallet = known.get(name);
  if (wallet === undefined) {
    wallet = createWallet(seed);
    known.set(name, wallet);
  }
  return wallet;
}

function createWallet(seed: Uint8Array): Wallet {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(secret).export({ format: 'jwk' });
  return { secret, key: formatAltKey(new Uint8Array(Buffer.from(x!, 'base64url'))) };
}

/** Casts a key to the SDK's type without validating it again. */
function toAddress(key: AltKey): Address {
  return key as string as Address;
}

function toInstruction({ program, accounts, data }: PlannedInstruction): Instruction {
  return {
    programAddress: toAddress(program),
    accounts: accounts.map((use) => ({ address: toAddress(use.address), role: toRole(use) })),
    data,
  };
}

function toRole({ isSigner, isWritable }: AccountUse): AccountRole {
  if (isSigner === true) return isWritable === true ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return isWritable === true ? AccountRole.WRITABLE : AccountRole.READONLY;
}
