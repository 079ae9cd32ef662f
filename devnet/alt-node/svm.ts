/**
 * Types of the SVM in `litesvm-linux-x64-gnu`, the native half of LiteSVM, which has no type declarations: only the members used here. It
 * executes transactions; blocks, commitment and history are implemented in this folder.
 */
import { createRequire } from 'node:module';
import { requireLocalChainPlatform } from './native-platform.ts';

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
  /** One list per outer instruction. */
  innerInstructions(): SvmInnerInstruction[][];
  computeUnitsConsumed(): bigint;
}

export interface SvmFailure {
  meta(): SvmResult;
  /** Contains `err` as Rust prints it. */
  toString(): string;
}

export interface Svm {
  /** Null or undefined: no account. */
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

/** Loads the package at first use, because it exists for some platforms only. Throws on others. */
function load(): SvmPackage {
  requireLocalChainPlatform();
  return (loaded ??= createRequire(import.meta.url)('litesvm-linux-x64-gnu') as SvmPackage);
}

/** Creates an SVM without checks of blockhashes and repeated transactions; `Chain` makes them across blocks. */
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
