/**
 * Solana RPC methods with their parameters and response parsers (chain-svm 5 to 8). Every call uses commitment `finalized` and,
 * where the method accepts it, the newest slot seen as `minContextSlot`.
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
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { expectCount, expectKey, expectObject, expectOptional } from './json-shape.ts';
import { parseRpcAccount, parseRpcAccounts, type RawAccount, type RawAccounts } from './rpc-account.ts';
import { MAX_SIGNATURES, readBlockSignatures, readSignatureRows } from '../transactions/signature-rows.ts';

export interface RpcMethod<T> {
  readonly name: string;
  /** Builds the parameters. `minSlot` is the newest slot seen; 0 if none. */
  readonly params: (minSlot: number) => readonly unknown[];
  /**
   * Parses the result, a long one in several ticks. Throws `Undecodable` for another shape, `RpcFailure` when the node does not have the data
   * yet.
   */
  readonly parse: (result: unknown) => T | Promise<T>;
  /** Returns the slot of a response that names one. */
  readonly slotOf?: (value: T) => number;
  /** Divides the call into smaller ones, whose responses must be of one slot. */
  readonly items?: DivisibleItems<T>;
}

export interface DivisibleItems<T> {
  readonly count: number;
  /** Largest number that the method allows. */
  readonly maxCount: number;
  readonly slice: (from: number, to: number) => RpcMethod<T>;
  /** Joins the values of consecutive slices of one slot. */
  readonly join: (parts: readonly T[]) => T;
}

/** Unparsed rows of one slot. */
export interface SlotRows {
  readonly slot: number;
  readonly rows: unknown;
}

const FINALIZED = { commitment: 'finalized' };
const ACCOUNT = { ...FINALIZED, encoding: 'base64' };

export const getGenesisHash: RpcMethod<AltKey> = {
  name: 'getGenesisHash',
  params: () => [],
  parse: expectKey,
};

export const getSlot: RpcMethod<number> = {
  name: 'getSlot',
  params: (minSlot) => [withMinSlot(minSlot, FINALIZED)],
  parse: expectCount,
  slotOf: (slot) => slot,
};

export const getFirstAvailableBlock: RpcMethod<number> = {
  name: 'getFirstAvailableBlock',
  params: () => [],
  parse: expectCount,
};

/** Largest number of accounts in one call. */
export const MAX_ACCOUNTS = 100;

/** Reads up to 100 accounts at one slot. */
export function getMultipleAccounts(keys: readonly AltKey[]): RpcMethod<RawAccounts> {
  return {
    name: 'getMultipleAccounts',
    params: (minSlot) => [keys, withMinSlot(minSlot, ACCOUNT)],
    parse: (result) => {
      const accounts = parseRpcAccounts(result, keys.length);
      if (accounts === undefined) throw new Undecodable();
      return accounts;
    },
    slotOf: ({ slot }) => slot,
    items: {
      count: keys.length,
      maxCount: MAX_ACCOUNTS,
      slice: (from, to) => getMultipleAccounts(keys.slice(from, to)),
      join: (parts) => ({ slot: parts[0]!.slot, accounts: parts.flatMap(({ accounts }) => accounts) }),
    },
  };
}

export interface RawAccountAt {
  readonly slot: number;
  readonly account: ReadResult<RawAccount>;
}

export function getAccountInfo(key: AltKey): RpcMethod<RawAccountAt> {
  return {
    name: 'getAccountInfo',
    params: (minSlot) => [key, withMinSlot(minSlot, ACCOUNT)],
    parse: (result) => {
      const { slot, value } = readContext(result);
      const account = parseRpcAccount(value);
      if (account.state === 'unreadable') throw new Undecodable();
      return { slot, account };
    },
    slotOf: ({ slot }) => slot,
  };
}

/** Reads the head of every machine account. Has no size filter, because machine accounts vary in length. */
export function getFleetRows(machineRegistry: AltKey): RpcMethod<SlotRows> {
  return getProgramAccounts(machineRegistry, FLEET_SLICE, [startsWith(MACHINE_DISCRIMINATOR)]);
}

/** Reads the counts of every event log. */
export function getEventLogRows(eventRegistry: AltKey): RpcMethod<SlotRows> {
  return getProgramAccounts(eventRegistry, COUNTS_SLICE, [
    { dataSize: EVENT_LOG_BYTES },
    startsWith(EVENT_LOG_DISCRIMINATOR),
  ]);
}

function getProgramAccounts(
  program: AltKey,
  dataSlice: { readonly offset: number; readonly length: number },
  filters: readonly unknown[],
): RpcMethod<SlotRows> {
  return {
    name: 'getProgramAccounts',
    params: (minSlot) => [program, { ...withMinSlot(minSlot, ACCOUNT), withContext: true, filters, dataSlice }],
    parse: (result) => {
      const { slot, value } = readContext(result);
      return { slot, rows: value };
    },
    slotOf: ({ slot }) => slot,
  };
}

/** Lists signatures before `before`, newest first. The response does not name its slot. */
export function getSignaturesForAddress(
  address: AltKey,
  before: string | undefined,
): RpcMethod<readonly SignatureRow[]> {
  return {
    name: 'getSignaturesForAddress',
    params: (minSlot) => [
      address,
      { ...withMinSlot(minSlot, FINALIZED), limit: MAX_SIGNATURES, ...(before !== undefined && { before }) },
    ],
    parse: (result) => readSignatureRows(result, before),
  };
}

/** Reads a transaction with the parser of the caller; null means that the node does not have it. */
export function getTransaction<T>(signature: string, parse: RpcMethod<T>['parse']): RpcMethod<T> {
  return {
    name: 'getTransaction',
    params: () => [signature, { ...FINALIZED, encoding: 'json', maxSupportedTransactionVersion: 0 }],
    parse,
  };
}

/** Reads a block's Unix time in seconds; undefined if the node does not know it. */
export function getBlockTime(slot: number): RpcMethod<{ readonly seconds: number | undefined }> {
  return {
    name: 'getBlockTime',
    params: () => [slot],
    parse: (result) => ({ seconds: expectOptional(result, expectCount) }),
  };
}

/** Reads a block with the signatures of its transactions, with the parser of the caller. */
export function getBlock<T>(slot: number, parse: RpcMethod<T>['parse']): RpcMethod<T> {
  return {
    name: 'getBlock',
    params: () => [
      slot,
      { ...FINALIZED, transactionDetails: 'signatures', rewards: false, maxSupportedTransactionVersion: 0 },
    ],
    parse: (result) => {
      if (result === null) throw new RpcFailure('rpc-error', 'no-block');
      return parse(result);
    },
  };
}

/** Lists the signatures of a block in the order of its transactions. */
export function getBlockSignatures(slot: number): RpcMethod<readonly string[]> {
  return getBlock(slot, readBlockSignatures);
}

function withMinSlot(minSlot: number, config: object): object {
  return minSlot > 0 ? { ...config, minContextSlot: minSlot } : config;
}

function startsWith(discriminator: string): object {
  return { memcmp: { offset: 0, encoding: 'base58', bytes: formatBase58(hexToBytes(discriminator)) } };
}

function readContext(result: unknown): { readonly slot: number; readonly value: unknown } {
  const { context, value } = expectObject(result);
  return { slot: expectCount(expectObject(context)['slot']), value };
}
