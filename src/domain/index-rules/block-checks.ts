/**
 * May a node's headers and logs be believed? (chain-evm 4.5; architecture, rule 5.) Logs are held against the headers of their blocks,
 * headers against each other. Every check throws `AnswerRejected`: an answer is taken as a whole or not at all.
 */
import { bloomMayHold, createBloomProbe, isBloomCovered, type BloomProbe } from './bloom.ts';
import { AnswerRejected } from './rejected-answer.ts';

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

/** Both ends included. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** The contracts whose logs are asked for, by address. */
export type WatchedContracts = ReadonlyMap<string, BloomProbe>;

export function watchContracts(addresses: readonly string[]): WatchedContracts {
  return new Map(addresses.map((address) => [address, createBloomProbe(address)]));
}

/**
 * Checks that the headers are those of the numbers asked for, and that neighbours are parent and child; the first of them too, when
 * the block `before` it is known.
 */
export function checkHeaders(
  numbers: readonly number[],
  headers: readonly CheckedHeader[],
  before?: { readonly number: number; readonly hash: string },
): void {
  if (headers.length !== numbers.length) throw new AnswerRejected('missing-header');
  let parent = before;
  headers.forEach((header, i) => {
    if (header.number !== numbers[i]) throw new AnswerRejected('missing-header');
    if (parent?.number === header.number - 1 && parent.hash !== header.parentHash) {
      throw new AnswerRejected('broken-link');
    }
    parent = header;
  });
}

/** Checks what a log answer must be whatever its blocks are: known contracts, asked blocks, strictly ascending. */
export function checkLogOrder(contracts: WatchedContracts, range: BlockRange, logs: readonly CheckedLog[]): void {
  let before: CheckedLog | undefined;
  for (const log of logs) {
    if (!contracts.has(log.address)) throw new AnswerRejected('foreign-address');
    if (log.blockNumber < range.fromBlock || log.blockNumber > range.toBlock) throw new AnswerRejected('out-of-range');
    if (before !== undefined && !isAfter(log, before)) throw new AnswerRejected('out-of-order');
    before = log;
  }
}

function isAfter(log: CheckedLog, before: CheckedLog): boolean {
  if (log.blockNumber !== before.blockNumber) return log.blockNumber > before.blockNumber;
  return log.logIndex > before.logIndex;
}

/** Checks that logs belong to the block of a header. The node's word on the block's time only serves to catch it lying. */
export function checkLogsOfBlock(header: Pick<CheckedHeader, 'hash' | 'timestamp'>, logs: readonly CheckedLog[]): void {
  for (const { blockHash, blockTimestamp } of logs) {
    if (blockHash !== header.hash) throw new AnswerRejected('hash-mismatch');
    if (blockTimestamp !== undefined && blockTimestamp !== header.timestamp) throw new AnswerRejected('time-mismatch');
  }
}

/** Checks that no log stems from a contract which the block's bloom denies. */
export function checkLogsInBloom(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
): void {
  for (const { address } of logs) {
    if (!bloomMayHold(header.logsBloom, contracts.get(address)!)) throw new AnswerRejected('not-in-bloom');
  }
}

/** The contracts that a block's bloom names although none of these logs is theirs: withheld, or named by chance. */
export function findSilentContracts(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
): string[] {
  const silent: string[] = [];
  for (const [address, probe] of contracts) {
    if (!bloomMayHold(header.logsBloom, probe)) continue;
    if (!logs.some((log) => log.address === address)) silent.push(address);
  }
  return silent;
}

/**
 * Checks that `everything`, a bloom over all logs that the node now tells of the block, leaves no bit of the header's bloom
 * unexplained. Then `logs`, those of the watched contracts among them, are all there are.
 */
export function checkBlockComplete(
  contracts: WatchedContracts,
  header: CheckedHeader,
  logs: readonly CheckedLog[],
  everything: string,
): void {
  checkLogOrder(contracts, { fromBlock: header.number, toBlock: header.number }, logs);
  checkLogsOfBlock(header, logs);
  checkLogsInBloom(contracts, header, logs);
  if (!isBloomCovered(header.logsBloom, everything)) throw new AnswerRejected('withheld-logs');
}

/** Checks that two answers tell the same logs of one block. */
export function checkSameLogs(one: readonly CheckedLog[], other: readonly CheckedLog[]): void {
  const isSame = one.length === other.length && one.every((log, i) => isSameLog(log, other[i]!));
  if (!isSame) throw new AnswerRejected('withheld-logs');
}

/** Checks that the answer which is said to be whole holds everything that another told of the same block. */
export function checkHoldsLogs(whole: readonly CheckedLog[], told: readonly CheckedLog[]): void {
  const isWhole = told.every((log) => whole.some((twin) => isSameLog(log, twin)));
  if (!isWhole) throw new AnswerRejected('withheld-logs');
}

function isSameLog(one: CheckedLog, other: CheckedLog): boolean {
  return (
    one.logIndex === other.logIndex && one.address === other.address && one.transactionHash === other.transactionHash
  );
}
