/** Filter of a log query, and the test of whether a result can be its answer. */
import { LogRows } from './log-rows.ts';
import { parseRawLog, type RawLog } from './raw-log.ts';

export interface LogFilter {
  readonly fromBlock?: string;
  /** A number, or a tag: no upper bound. */
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[] | undefined;
  readonly topics?: readonly unknown[];
}

/** Returns whether the result is a list of logs of the blocks and contracts that the filter names. */
export function areLogsOf(
  { fromBlock = '0x0', toBlock, blockHash, address }: LogFilter,
  result: unknown,
): boolean | Promise<boolean> {
  const first = Number(fromBlock);
  const last = toBlock?.startsWith('0x') === true ? Number(toBlock) : Infinity;
  const contracts = address === undefined ? undefined : new Set([address].flat());
  const isOrigin = (blockNumber: number, contract: string, readBlockHash: () => string) =>
    blockNumber >= first &&
    blockNumber <= last &&
    (contracts === undefined || contracts.has(contract)) &&
    (blockHash === undefined || readBlockHash() === blockHash);
  if (result instanceof LogRows) return result.everyOrigin(isOrigin);
  const isOf = (log: RawLog | undefined) =>
    log !== undefined && isOrigin(log.blockNumber, log.address, () => log.blockHash);
  return Array.isArray(result) && result.map(parseRawLog).every(isOf);
}
