/**
 * How is a transaction of the alt chain put together and signed? With Ed25519 keys from 32-byte seeds, as a wallet does it.
 */
import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressFromPublicKey,
  getTransactionEncoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import type { Blockhash, Instruction } from '@solana/kit';
import type { AltKey } from '../../src/domain/alt-identifiers.ts';

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

/** Addresses that a version 0 message names by their position in an account of the chain. */
export interface LookupTable {
  readonly address: AltKey;
  readonly addresses: readonly AltKey[];
}

export interface TransactionPlan {
  readonly instructions: readonly PlannedInstruction[];
  /** 32-byte seeds; the first pays. */
  readonly signers: readonly Uint8Array[];
  /** Given: a version 0 message; absent: a legacy one. */
  readonly lookupTable?: LookupTable | undefined;
}

interface Wallet {
  readonly key: AltKey;
  readonly keys: Awaited<ReturnType<typeof createKeyPairFromPrivateKeyBytes>>;
}

const known = new Map<string, Promise<Wallet>>();

/** The public key of a 32-byte seed. */
export async function keyOfSeed(seed: Uint8Array): Promise<AltKey> {
  return (await walletOf(seed)).key;
}

/** The bytes that go to a node. */
export async function signPlan(plan: TransactionPlan, blockhash: string): Promise<Uint8Array> {
  const wallets = await Promise.all(plan.signers.map(walletOf));
  const instructions = plan.instructions.map(toInstruction);
  const payer = address(wallets[0]!.key);
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const { lookupTable } = plan;
  const transaction =
    lookupTable === undefined
      ? compileTransaction(
          appendTransactionMessageInstructions(
            instructions,
            setTransactionMessageLifetimeUsingBlockhash(
              lifetime,
              setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 'legacy' })),
            ),
          ),
        )
      : compileTransaction(
          compressTransactionMessageUsingAddressLookupTables(
            appendTransactionMessageInstructions(
              instructions,
              setTransactionMessageLifetimeUsingBlockhash(
                lifetime,
                setTransactionMessageFeePayer(payer, createTransactionMessage({ version: 0 })),
              ),
            ),
            { [address(lookupTable.address)]: lookupTable.addresses.map((each) => address(each)) },
          ),
        );
  const signed = await signTransaction(
    wallets.map(({ keys }) => keys),
    transaction,
  );
  return new Uint8Array(getTransactionEncoder().encode(signed));
}

async function walletOf(seed: Uint8Array): Promise<Wallet> {
  const name = Buffer.from(seed).toString('hex');
  let wallet = known.get(name);
  if (wallet === undefined) {
    wallet = createWallet(seed);
    known.set(name, wallet);
  }
  return wallet;
}

async function createWallet(seed: Uint8Array): Promise<Wallet> {
  const keys = await createKeyPairFromPrivateKeyBytes(seed);
  return { keys, key: (await getAddressFromPublicKey(keys.publicKey)) as string as AltKey };
}

function toInstruction({ program, accounts, data }: PlannedInstruction): Instruction {
  return {
    programAddress: address(program),
    accounts: accounts.map((use) => ({ address: address(use.address), role: toRole(use) })),
    data,
  };
}

/** Kit's roles are two bits: signs, is written. */
function toRole({ isSigner, isWritable }: AccountUse): 0 | 1 | 2 | 3 {
  return ((isSigner === true ? 2 : 0) + (isWritable === true ? 1 : 0)) as 0 | 1 | 2 | 3;
}
