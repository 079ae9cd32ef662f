/**
 * Validates headers and logs returned by a node (chain-evm 4.5; architecture, rule 5): headers against each other, logs against the
 * headers of their blocks. Every check throws `ResponseRejected`: a response is accepted as a whole or not at all.
 */
import { bloomMayHold, createBloomProbe, isBloomCovered, ZERO_BLOOM, type BloomProbe } from './bloom.ts';
import { ResponseRejected } from './rejected-response.ts';

export interface CheckedHeader {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly logsBloom: string;
}

export interface CheckedLog {
  readonly address: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly transactionHash: string;
  readonly blockTimestamp: number | undefined;
}

/** Inclusive at both ends. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Bloom probes of the contracts whose logs are requested, by address. */
export type WatchedContracts = ReadonlyMap<string, BloomProbe>;

/** Prepares the bloom probes of the given contract addresses. */
export function watchContracts(addresses: readonly string[]): WatchedContracts {
  return new Map(addresses.map((address) => [address, createBloomProbe(address)]));
}

/**
 * Checks that the headers match the requested numbers and that consecutive ones link by parent hash. When `before` is the block just
 * before the first header, that link is checked too.
 */
export function checkHeaders(
  numbers: readonly number[],
  headers: readonly CheckedHeader[],
  before?: { readonly number: number; readonly hash: string },
): void {
  if (headers.length !== numbers.length) throw new ResponseRejected('missing-header');
  let parent = before;
  headers.forEach((header, i) => {
    if (header.number !== numbers[i]) throw new ResponseRejected('missing-header');
    if (parent?.number === header.number - 1 && parent.hash !== header.parentHash) {
      throw new ResponseRejected('broken-link');
    }
    parent = header;
  });
}

/** Checks that logs come from watched contracts and from blocks in the range, in strictly ascending order. */
export function checkLogOrder(contracts: WatchedContracts, range: BlockRange, logs: readonly CheckedLog[]): void {
  let before: CheckedLog | undefined;
  for (const log of logs) {
    if (!contracts.has(log.address)) throw new ResponseRejected('foreign-address');
    if (log.blockNumber < range.fromBlock || log.blockNumber > range.toBlock)
      throw new ResponseRejected('out-of-range');
    if (before !== undefined && !isAfter(log, before)) throw new ResponseRejected('out-of-order');
    before = log;
  }
}

function isAfter(log: CheckedLog, before: CheckedLog): boolean {
  if (log.blockNumber !== before.blockNumber) return log.blockNumber > before.blockNumber;
  return log.logIndex > before.logIndex;
}

/** Checks that logs belong to the block of a header. A log's block time is optional; it is compared and never used otherwise. */
export function checkLogsOfBlock(header: Pick<CheckedHeader, 'hash' | 'timestamp'>, logs: readonly CheckedLog[]): void {
  for (const { blockHash, blockTimestamp } of logs) {
    if (blockHash !== header.hash) throw new ResponseRejected('hash-mismatch');
    if (blockTimestamp !== undefined && blockTimestamp !== header.timestamp)
      throw new ResponseRejected('time-mismatch');
  }
}

/** Returns whether the block's bloom admits the contract of the log. */
export function isInBloom(
  contracts: WatchedContracts,
  { logsBloom }: Pick<CheckedHeader, 'logsBloom'>,
  { address }: Pick<CheckedLog, 'address'>,
): boolean {
  return bloomMayHold(logsBloom, contracts.get(address)!);
}

/** Checks that the block's bloom admits the contract of every log. A zero bloom proves nothing and is not compared. */
export function checkLogsInBloom(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
): void {
  if (header.logsBloom === ZERO_BLOOM) return;
  if (!logs.every((log) => isInBloom(contracts, header, log))) throw new ResponseRejected('not-in-bloom');
}

/** Returns the contracts that match the block's bloom but have none of these logs: withheld logs, or false positives of the bloom. */
export function findContractsMissingLogs(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
): string[] {
  const missing: string[] = [];
  for (const [address, probe] of contracts) {
    if (!bloomMayHold(header.logsBloom, probe)) continue;
    if (!logs.some((log) => log.address === address)) missing.push(address);
  }
  return missing;
}

/**
 * Checks that `logs` are all logs of the watched contracts in a block. `allLogsBloom` is the bloom over every log that the node returns
 * for the block; it must cover every bit of the header's bloom.
 */
export function checkBlockComplete(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
  allLogsBloom: string,
): void {
  checkLogOrder(contracts, { fromBlock: header.number, toBlock: header.number }, logs);
  checkLogsOfBlock(header, logs);
  checkLogsInBloom(contracts, header, logs);
  if (!isBloomCovered(header.logsBloom, allLogsBloom)) throw new ResponseRejected('withheld-logs');
}

/** Checks that two responses contain the same logs of one block. */
export function checkSameLogs(one: readonly CheckedLog[], other: readonly CheckedLog[]): void {
  const isSame = one.length === other.length && one.every((log, i) => isSameLog(log, other[i]!));
  if (!isSame) throw new ResponseRejected('withheld-logs');
}

/** Checks that `whole`, claimed to be all logs of a block, contains every log in `part`. */
export function checkContainsLogs(whole: readonly CheckedLog[], part: readonly CheckedLog[]): void {
  const byIndex = new Map(whole.map((log) => [log.logIndex, log]));
  const isContained = part.every((log) => {
    const other = byIndex.get(log.logIndex);
    return other !== undefined && isSameLog(log, other);
  });
  if (!isContained) throw new ResponseRejected('withheld-logs');
}

function isSameLog(one: CheckedLog, other: CheckedLog): boolean {
  return (
    one.logIndex === other.logIndex && one.address === other.address && one.transactionHash === other.transactionHash
  );
}
