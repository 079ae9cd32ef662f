/**
 * What is asked of a node, word for word? (chain-svm 5 to 8.) Everything at `finalized`; where the method takes it, with the newest
 * slot seen so far as `minContextSlot`. What is an answer to a question is said where the answer is read.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { formatBase58 } from '../../../domain/identifiers/base58.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { SignatureRow } from '../../../ports/alt-chain.ts';
import { EVENT_LOG_BYTES, EVENT_LOG_DISCRIMINATOR } from '../accounts/machine-event-log.ts';
import { MACHINE_DISCRIMINATOR } from '../accounts/machine.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { COUNTS_SLICE } from '../reads/event-log-counts.ts';
import { FLEET_SLICE } from '../reads/fleet-rows.ts';
import { AltRpcError } from './json-rpc.ts';
import { expectCount, expectKey, expectObject, expectOptional } from './json-shape.ts';
import { parseRpcAccount, parseRpcAccounts, type RawAccount, type RawAccounts } from './rpc-account.ts';
import { MAX_SIGNATURES, readBlockSignatures, readSignatureRows } from '../transactions/signature-rows.ts';

export interface RpcMethod<T> {
  readonly method: string;
  /** `floor`: the newest slot seen so far; 0: none. */
  readonly params: (floor: number) => readonly unknown[];
  /** Throws `Undecodable` when it is no answer to the question, `AltRpcError` when it says that there is none yet. */
  readonly read: (result: unknown) => T;
  /** The slot that an answer is of, where it says so. */
  readonly slotOf?: (value: T) => number;
}

/** Rows and the slot that all of them are of. */
export interface SlotRows {
  readonly slot: number;
  readonly rows: unknown;
}

const FINALIZED = { commitment: 'finalized' };
const ACCOUNT = { ...FINALIZED, encoding: 'base64' };

export const getGenesisHash: RpcMethod<AltKey> = {
  method: 'getGenesisHash',
  params: () => [],
  read: expectKey,
};

export const getSlot: RpcMethod<number> = {
  method: 'getSlot',
  params: (floor) => [atLeast(floor, FINALIZED)],
  read: expectCount,
  slotOf: (slot) => slot,
};

export const getFirstAvailableBlock: RpcMethod<number> = {
  method: 'getFirstAvailableBlock',
  params: () => [],
  read: expectCount,
};

/** Up to 100 accounts of one slot. */
export function getMultipleAccounts(keys: readonly AltKey[]): RpcMethod<RawAccounts> {
  return {
    method: 'getMultipleAccounts',
    params: (floor) => [keys, atLeast(floor, ACCOUNT)],
    read: (result) => {
      const accounts = parseRpcAccounts(result, keys.length);
      if (accounts === undefined) throw new Undecodable();
      return accounts;
    },
    slotOf: ({ slot }) => slot,
  };
}

export interface RawAccountAt {
  readonly slot: number;
  readonly account: ReadResult<RawAccount>;
}

export function getAccountInfo(key: AltKey): RpcMethod<RawAccountAt> {
  return {
    method: 'getAccountInfo',
    params: (floor) => [key, atLeast(floor, ACCOUNT)],
    read: (result) => {
      const { slot, value } = readContext(result);
      const account = parseRpcAccount(value);
      if (account.state === 'unreadable') throw new Undecodable();
      return { slot, account };
    },
    slotOf: ({ slot }) => slot,
  };
}

/** The head of every machine. No size is asked for: machines differ in length. */
export function getFleetRows(machineRegistry: AltKey): RpcMethod<SlotRows> {
  return askProgramAccounts(machineRegistry, FLEET_SLICE, [startsWith(MACHINE_DISCRIMINATOR)]);
}

/** The counts of every event log. */
export function getEventLogRows(eventRegistry: AltKey): RpcMethod<SlotRows> {
  return askProgramAccounts(eventRegistry, COUNTS_SLICE, [
    { dataSize: EVENT_LOG_BYTES },
    startsWith(EVENT_LOG_DISCRIMINATOR),
  ]);
}

function askProgramAccounts(
  program: AltKey,
  dataSlice: { readonly offset: number; readonly length: number },
  filters: readonly unknown[],
): RpcMethod<SlotRows> {
  return {
    method: 'getProgramAccounts',
    params: (floor) => [program, { ...atLeast(floor, ACCOUNT), withContext: true, filters, dataSlice }],
    read: (result) => {
      const { slot, value } = readContext(result);
      return { slot, rows: value };
    },
    slotOf: ({ slot }) => slot,
  };
}

/** Newest first, those before `before`. The answer does not name its slot. */
export function getSignaturesForAddress(
  address: AltKey,
  before: string | undefined,
): RpcMethod<readonly SignatureRow[]> {
  return {
    method: 'getSignaturesForAddress',
    params: (floor) => [
      address,
      { ...atLeast(floor, FINALIZED), limit: MAX_SIGNATURES, ...(before !== undefined && { before }) },
    ],
    read: (result) => readSignatureRows(result, before),
  };
}

/** The caller reads what it means; null: the node has not got it. */
export function getTransaction<T>(signature: string, read: (answer: unknown) => T): RpcMethod<T> {
  return {
    method: 'getTransaction',
    params: () => [signature, { ...FINALIZED, encoding: 'json', maxSupportedTransactionVersion: 0 }],
    read,
  };
}

/** Unix seconds; undefined: the node does not know. */
export function getBlockTime(slot: number): RpcMethod<{ readonly seconds: number | undefined }> {
  return {
    method: 'getBlockTime',
    params: () => [slot],
    read: (result) => ({ seconds: expectOptional(result, expectCount) }),
  };
}

/** In the order of the block's transactions. */
export function getBlockSignatures(slot: number): RpcMethod<readonly string[]> {
  return {
    method: 'getBlock',
    params: () => [
      slot,
      { ...FINALIZED, transactionDetails: 'signatures', rewards: false, maxSupportedTransactionVersion: 0 },
    ],
    read: (result) => {
      if (result === null) throw new AltRpcError('rpc-error', 'no-block');
      return readBlockSignatures(result);
    },
  };
}

function atLeast(floor: number, config: object): object {
  return floor > 0 ? { ...config, minContextSlot: floor } : config;
}

function startsWith(discriminator: string): object {
  return { memcmp: { offset: 0, encoding: 'base58', bytes: formatBase58(hexToBytes(discriminator)) } };
}

function readContext(result: unknown): { readonly slot: number; readonly value: unknown } {
  const { context, value } = expectObject(result);
  return { slot: expectCount(expectObject(context)['slot']), value };
}
