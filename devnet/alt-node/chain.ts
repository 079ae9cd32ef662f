/**
 * Ledger of the local alt chain: executes transactions in the block of the newest slot, and stores transactions, blocks and accounts for
 * the JSON-RPC server.
 */
import { createHash } from 'node:crypto';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { CompiledTransactionMessage, CompiledTransactionMessageWithLifetime } from '@solana/kit';
import { altKeyBytes, formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import { AccountHistory } from './account-history.ts';
import type { StoredAccount } from './account-history.ts';
import { readLookupTable } from './lookup-table.ts';
import { SlotClock } from './slot-clock.ts';
import { readMintDecimals, readTokenAccount, TOKEN_PROGRAM } from './token-accounts.ts';
import type { TokenAccount } from './token-accounts.ts';
import { createSvm, createSvmAccount, isSvmFailure } from './svm.ts';
import type { SvmFailure, SvmResult } from './svm.ts';

export interface ExecutedInner {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

export type ExecutedMessage = Extract<CompiledTransactionMessage, { readonly version: 'legacy' | 0 }> &
  CompiledTransactionMessageWithLifetime;

/** Transaction in its block, where it succeeded or failed. */
export interface ExecutedTransaction {
  readonly signatures: readonly string[];
  readonly slot: number;
  readonly wire: Uint8Array;
  readonly message: ExecutedMessage;
  readonly loaded: { readonly writable: readonly AltKey[]; readonly readonly: readonly AltKey[] };
  /** As JSON; null: success. */
  readonly err: unknown;
  readonly logs: readonly string[];
  /** One entry for each outer instruction that called others. */
  readonly inner: readonly { readonly index: number; readonly instructions: readonly ExecutedInner[] }[];
  readonly computeUnits: number;
  readonly fee: number;
  readonly balances: { readonly before: readonly bigint[]; readonly after: readonly bigint[] };
  readonly tokens: { readonly before: readonly TokenBalance[]; readonly after: readonly TokenBalance[] };
}

/** Balance of a token account that a transaction names. */
export interface TokenBalance extends TokenAccount {
  readonly accountIndex: number;
  readonly decimals: number;
}

/** The chain does not accept a transaction into a block. `reason` is the name of the error, such as `BlockhashNotFound`. */
export class TransactionRejected extends Error {
  readonly reason: string;
  readonly logs: readonly string[];

  constructor(reason: string, logs: readonly string[] = []) {
    super(`transaction rejected: ${reason}`);
    this.reason = reason;
    this.logs = logs;
  }
}

const LAMPORTS_PER_SIGNATURE = 5000;
const BLOCKHASH_LIFE_SLOTS = 150;
const SLOTS_PER_EPOCH = 432_000;
const LAMPORTS_PER_BYTE = 6960n;
const ACCOUNT_OVERHEAD_BYTES = 128n;

export class Chain {
  readonly clock: SlotClock;
  readonly accounts = new AccountHistory();
  readonly genesisHash: string;
  readonly #svm = createSvm();
  readonly #executed = new Map<string, ExecutedTransaction>();
  readonly #byAddress = new Map<string, ExecutedTransaction[]>();
  readonly #blocks = new Map<number, ExecutedTransaction[]>();
  /** Slot in which each blockhash was issued. */
  readonly #blockhashes = new Map<string, number>();
  #blockhashCount = 0;
  #svmSlot = -1;

  constructor(genesisTimestamp: number, now: () => number) {
    this.clock = new SlotClock(genesisTimestamp, now);
    this.genesisHash = formatBase58(sha256(`devnet alt chain of ${genesisTimestamp}`));
    this.#setClock(0);
  }

  /** Installs a program that is executable from the first open slot. */
  addProgram(address: AltKey, bytes: Uint8Array): void {
    this.#svm.addProgram(altKeyBytes(address), bytes);
    this.#snapshot(address, 0);
  }

  setAccount(address: AltKey, owner: AltKey, data: Uint8Array, lamports?: bigint): void {
    const balance = lamports ?? (BigInt(data.length) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE;
    this.#writeAccount(address, balance, data, altKeyBytes(owner));
  }

  removeAccount(address: AltKey): void {
    this.#writeAccount(address, 0n, new Uint8Array(), new Uint8Array(32));
  }

  balanceOf(address: AltKey): bigint {
    return this.#svm.getBalance(altKeyBytes(address)) ?? 0n;
  }

  /** Returns a new blockhash, so that equal transactions differ. */
  createBlockhash(): string {
    const { slot } = this.clock;
    for (const [issued, at] of this.#blockhashes) {
      if (at >= slot - BLOCKHASH_LIFE_SLOTS) break;
      this.#blockhashes.delete(issued);
    }
    const blockhash = formatBase58(sha256(`${this.genesisHash} ${this.#blockhashCount++}`));
    this.#blockhashes.set(blockhash, slot);
    return blockhash;
  }

  /** Executes a signed transaction in the block of the newest slot. Throws `TransactionRejected`. */
  execute(wire: Uint8Array): ExecutedTransaction {
    const { signatures, message, loaded } = this.#validate(wire);
    const { slot } = this.clock;
    this.#setClock(slot);
    const keys = [...message.staticAccounts, ...loaded.writable, ...loaded.readonly] as AltKey[];
    const before = keys.map((key) => this.balanceOf(key));
    const tokensBefore = this.#listTokens(keys);
    const outcome =
      message.version === 'legacy' ? this.#svm.sendLegacyTransaction(wire) : this.#svm.sendVersionedTransaction(wire);
    const { result, err } = readOutcome(outcome);
    for (const [position, key] of keys.entries()) {
      if (mayBeWritten(message, position, loaded.writable.length)) this.#snapshot(key, slot);
    }
    const transaction: ExecutedTransaction = {
      ...{ signatures, slot, wire, message, loaded, err },
      logs: result.logs(),
      inner: readInner(result),
      computeUnits: Number(result.computeUnitsConsumed()),
      fee: LAMPORTS_PER_SIGNATURE * signatures.length,
      balances: { before, after: keys.map((key) => this.balanceOf(key)) },
      tokens: { before: tokensBefore, after: this.#listTokens(keys) },
    };
    this.#record(transaction, keys);
    return transaction;
  }

  /** Simulates a transaction before it is accepted. Throws `TransactionRejected`, also for one that would fail in its block. */
  preflight(wire: Uint8Array): void {
    const { message } = this.#validate(wire);
    this.#setClock(this.clock.slot);
    const outcome =
      message.version === 'legacy'
        ? this.#svm.simulateLegacyTransaction(wire)
        : this.#svm.simulateVersionedTransaction(wire);
    if (!isSvmFailure(outcome)) return;
    throw new TransactionRejected(JSON.stringify(readOutcome(outcome).err), outcome.meta().logs());
  }

  transaction(signature: string): ExecutedTransaction | undefined {
    return this.#executed.get(signature);
  }

  /** Returns the transactions that name an address, oldest first. */
  transactionsOf(address: string): readonly ExecutedTransaction[] {
    return this.#byAddress.get(address) ?? [];
  }

  block(slot: number): readonly ExecutedTransaction[] {
    return this.#blocks.get(slot) ?? [];
  }

  #validate(wire: Uint8Array): Pick<ExecutedTransaction, 'signatures' | 'message' | 'loaded'> {
    const decoded = decodeWire(wire);
    if (decoded === undefined) throw new TransactionRejected('SanitizeFailure');
    const { signatures, message } = decoded;
    const issuedAt = this.#blockhashes.get(message.lifetimeToken);
    if (issuedAt === undefined || issuedAt < this.clock.slot - BLOCKHASH_LIFE_SLOTS) {
      throw new TransactionRejected('BlockhashNotFound');
    }
    if (this.#executed.has(signatures[0]!)) throw new TransactionRejected('AlreadyProcessed');
    return { signatures, message, loaded: this.#load(message) };
  }

  /** Resolves the addresses that a message looks up. */
  #load(message: ExecutedMessage): ExecutedTransaction['loaded'] {
    const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : [];
    const tables = lookups.map((lookup) => {
      const data = this.#svm.getAccount(altKeyBytes(lookup.lookupTableAddress as string as AltKey))?.data();
      return { lookup, addresses: data === undefined ? [] : readLookupTable(data) };
    });
    const pick = (side: 'writableIndexes' | 'readonlyIndexes') =>
      tables.flatMap(({ lookup, addresses }) =>
        lookup[side].map((index) => {
          const address = addresses[index];
          if (address === undefined) throw new TransactionRejected('InvalidAddressLookupTableIndex');
          return address;
        }),
      );
    return { writable: pick('writableIndexes'), readonly: pick('readonlyIndexes') };
  }

  /** Returns the balances of those of the accounts that hold tokens. */
  #listTokens(keys: readonly AltKey[]): TokenBalance[] {
    return keys.flatMap((key, accountIndex) => {
      const account = this.#svm.getAccount(altKeyBytes(key));
      if (account === null || account === undefined || formatAltKey(account.owner()) !== TOKEN_PROGRAM) return [];
      const token = readTokenAccount(account.data());
      const mint = token && this.#svm.getAccount(altKeyBytes(token.mint));
      if (mint === undefined || mint === null) return [];
      return [{ ...token!, accountIndex, decimals: readMintDecimals(mint.data()) }];
    });
  }

  #record(transaction: ExecutedTransaction, keys: readonly AltKey[]): void {
    this.#executed.set(transaction.signatures[0]!, transaction);
    append(this.#blocks, transaction.slot, transaction);
    for (const key of new Set(keys)) append(this.#byAddress, key, transaction);
  }

  #writeAccount(address: AltKey, lamports: bigint, data: Uint8Array, owner: Uint8Array): void {
    const { slot } = this.clock;
    if (this.accounts.at(address, slot)?.executable === true) throw new Error(`${address} is a program`);
    this.#svm.setAccount(altKeyBytes(address), createSvmAccount(lamports, data, owner));
    this.#snapshot(address, slot);
  }

  /** Copies the current state of an account into its history. */
  #snapshot(address: AltKey, slot: number): void {
    const account = this.#svm.getAccount(altKeyBytes(address)) ?? undefined;
    const stored: StoredAccount | undefined =
      account === undefined || account.lamports() === 0n
        ? undefined
        : {
            owner: formatAltKey(account.owner()),
            lamports: account.lamports(),
            data: account.data(),
            executable: account.executable(),
          };
    if (stored !== undefined || this.accounts.at(address, slot) !== undefined) {
      this.accounts.write(address, slot, stored);
    }
  }

  #setClock(slot: number): void {
    if (slot === this.#svmSlot) return;
    const clock = this.#svm.getClock();
    clock.slot = BigInt(slot);
    clock.epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    clock.leaderScheduleEpoch = clock.epoch + 1n;
    clock.unixTimestamp = BigInt(this.clock.timeOf(slot));
    this.#svm.setClock(clock);
    this.#svmSlot = slot;
  }
}

function decodeWire(wire: Uint8Array): Pick<ExecutedTransaction, 'signatures' | 'message'> | undefined {
  try {
    const transaction = getTransactionDecoder().decode(wire);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const signatures = Object.values(transaction.signatures);
    if (message.version === 1 || signatures.length === 0 || signatures.includes(null)) return undefined;
    return {
      signatures: signatures.map((signature) => formatBase58(new Uint8Array(signature!))),
      message,
    };
  } catch {
    return undefined;
  }
}

/** Reads the result. Throws `TransactionRejected` for a failure that is in no block: nothing was executed and no fee paid. */
function readOutcome(outcome: SvmResult | SvmFailure): { result: SvmResult; err: unknown } {
  if (!isSvmFailure(outcome)) return { result: outcome, err: null };
  const text = /\berr: (.*?), meta: /.exec(String(outcome))?.[1] ?? 'unknown';
  const result = outcome.meta();
  const instruction = /^InstructionError\((\d+), (\w+?)(?:\((\d+)\))?\)$/.exec(text);
  if (instruction !== null) {
    const [, index, name, code] = instruction;
    return { result, err: { InstructionError: [Number(index), code === undefined ? name : { Custom: Number(code) }] } };
  }
  const rent = /^InsufficientFundsForRent \{ account_index: (\d+) \}$/.exec(text)?.[1];
  if (rent !== undefined) return { result, err: { InsufficientFundsForRent: { account_index: Number(rent) } } };
  throw new TransactionRejected(text, result.logs());
}

function readInner(result: SvmResult): ExecutedTransaction['inner'] {
  return result.innerInstructions().flatMap((calls, index) => {
    if (calls.length === 0) return [];
    const instructions = calls.map((call) => ({
      programIdIndex: call.instruction().programIdIndex(),
      accounts: [...call.instruction().accounts()],
      data: call.instruction().data(),
      stackHeight: call.stackHeight(),
    }));
    return [{ index, instructions }];
  });
}

/** Static accounts are ordered: writable signers, other signers, other writable accounts, others; then looked-up accounts. */
function mayBeWritten({ header, staticAccounts }: ExecutedMessage, position: number, loadedWritable: number): boolean {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  if (position < numSignerAccounts) return position < numSignerAccounts - numReadonlySignerAccounts;
  if (position < staticAccounts.length) return position < staticAccounts.length - numReadonlyNonSignerAccounts;
  return position < staticAccounts.length + loadedWritable;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
