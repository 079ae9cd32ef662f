/**
 * What does the virtual machine of the alt chain offer? The members that are used here of `litesvm-linux-x64-gnu`, the native half of
 * LiteSVM, which comes without types. It executes transactions; blocks, commitment and history are ours.
 */
import { createRequire } from 'node:module';

export interface SvmAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
  executable(): boolean;
}

export interface SvmClock {
  slot: bigint;
  epoch: bigint;
  epochStartTimestamp: bigint;
  leaderScheduleEpoch: bigint;
  unixTimestamp: bigint;
}

export interface SvmInnerInstruction {
  instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
  stackHeight(): number;
}

export interface SvmResult {
  logs(): string[];
  /** One list for each outer instruction. */
  innerInstructions(): SvmInnerInstruction[][];
  computeUnitsConsumed(): bigint;
}

export interface SvmFailure {
  meta(): SvmResult;
  /** Its `err` as Rust prints it is a part of it. */
  toString(): string;
}

export interface Svm {
  /** Null or undefined: there is none. */
  getAccount(address: Uint8Array): SvmAccount | null | undefined;
  setAccount(address: Uint8Array, account: SvmAccount): void;
  getBalance(address: Uint8Array): bigint | null | undefined;
  addProgram(address: Uint8Array, bytes: Uint8Array): void;
  getClock(): SvmClock;
  setClock(clock: SvmClock): void;
  setBlockhashCheck(isOn: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  sendLegacyTransaction(wire: Uint8Array): SvmResult | SvmFailure;
  sendVersionedTransaction(wire: Uint8Array): SvmResult | SvmFailure;
  simulateLegacyTransaction(wire: Uint8Array): object;
  simulateVersionedTransaction(wire: Uint8Array): object;
}

interface SvmPackage {
  LiteSvm: new () => Svm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    isExecutable: boolean,
    rentEpoch: bigint,
  ) => SvmAccount;
  FailedTransactionMetadata: new () => SvmFailure;
}

let loaded: SvmPackage | undefined;

/** Loaded when it is first used: only some platforms have it. Throws on the others. */
function load(): SvmPackage {
  return (loaded ??= createRequire(import.meta.url)('litesvm-linux-x64-gnu') as SvmPackage);
}

/** Blockhashes and repeated transactions are for the chain to judge, which knows more than one block. */
export function createSvm(): Svm {
  const svm = new (load().LiteSvm)();
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  return svm;
}

export function createSvmAccount(lamports: bigint, data: Uint8Array, owner: Uint8Array): SvmAccount {
  return new (load().Account)(lamports, data, owner, false, 0n);
}

export function isSvmFailure(result: object): result is SvmFailure {
  return result instanceof load().FailedTransactionMetadata;
}
