/** Finalized blocks of one URL of an EVM source, or of the first one that serves. */
import type { Header } from '../../ports/main-chain.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import { headerCall, parseHeader } from '../main-chain/logs/headers.ts';
import { LogRows } from '../main-chain/logs/log-rows.ts';
import { parseRawLog, type RawLog } from '../main-chain/logs/raw-log.ts';
import type { MainRpcCall, RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import type { MainNode } from '../main-chain/rpc/main-nodes.ts';
import { parseHash, parseQuantity } from '../main-chain/rpc/quantities.ts';

/** One URL. `requestTogether` returns results of one node behind it, `request` perhaps those of several. */
export type EvmRequester = Pick<MainNode, 'request' | 'requestTogether'>;

/**
 * Returns a requester whose requests carry a call for the chain id: a URL may lead to another chain after its first check, and
 * what it lacks there proves nothing.
 */
export function checkChainId(node: EvmRequester, chainId: number): EvmRequester {
  const check =
    (request: EvmRequester['request']): EvmRequester['request'] =>
    async (calls, deadline) => {
      // Last: where a batch is refused, its first call alone shows whether that one is the cause.
      const responses = await request([...calls, { method: 'eth_chainId', params: [] }], deadline);
      if (parseQuantity(toResult(responses.at(-1)!)) !== chainId) throw new RpcFailure('wrong-chain');
      return responses.slice(0, -1);
    };
  return { request: check(node.request), requestTogether: check(node.requestTogether) };
}

/**
 * Returns the newest finalized header; that of the latest block where it is older: a Frontier node finalizes blocks before it has indexed
 * them, and its logs and receipts end at the latest one. Throws `RpcFailure`, also for a node without the tag.
 */
export async function readFinalized(node: Pick<EvmRequester, 'request'>, deadline: Deadline): Promise<Header> {
  const responses = await node.request([headerCall('finalized'), headerCall('latest')], deadline);
  const [finalized, latest] = responses.map(toTagged);
  return latest!.number < finalized!.number ? latest! : finalized!;
}

/** Returns the header in the response to a query for a block by its tag. Throws `RpcFailure`. */
export function toTagged(response: RpcResponse): Header {
  return toHeader(response, undefined);
}

/** Returns the headers with these numbers. Throws `RpcFailure`. */
export async function readHeaders(
  node: Pick<EvmRequester, 'request'>,
  numbers: readonly number[],
  deadline: Deadline,
): Promise<readonly Header[]> {
  const responses = await node.request(numbers.map(headerCall), deadline);
  return responses.map((response, i) => toHeader(response, numbers[i]));
}

/** Block with the hashes of its transactions. */
export interface BlockTransactions extends Pick<Header, 'hash' | 'logsBloom'> {
  readonly transactions: readonly string[];
}

/** Returns the hashes of the transactions of each block. Throws `RpcFailure`. */
export async function readTransactions(
  node: Pick<EvmRequester, 'request'>,
  numbers: readonly number[],
  deadline: Deadline,
): Promise<readonly BlockTransactions[]> {
  const responses = await node.request(numbers.map(headerCall), deadline);
  return responses.map((response, i) => {
    const { hash, logsBloom } = toHeader(response, numbers[i]);
    const { transactions } = toResult(response) as { readonly transactions?: unknown };
    if (!Array.isArray(transactions)) throw new RpcFailure('malformed');
    const hashes = transactions.map(parseHash);
    if (hashes.includes(undefined)) throw new RpcFailure('malformed');
    return { hash, logsBloom, transactions: hashes as string[] };
  });
}

export function receiptCall(hash: string): MainRpcCall {
  return { method: 'eth_getTransactionReceipt', params: [hash] };
}

/** Returns the result of a call. Throws `RpcFailure` for an error. */
export function toResult(response: RpcResponse): unknown {
  if (response.ok) return response.result;
  throw new RpcFailure('rpc-error', response.hint === 'unknown-block' ? 'no-block' : 'refused', {
    code: response.code,
  });
}

/** Returns the logs of a result; undefined for one that is malformed. */
export function toRows(result: unknown): Iterable<RawLog | undefined> {
  if (result instanceof LogRows) return result;
  return Array.isArray(result) ? result.map(parseRawLog) : [undefined];
}

function toHeader(response: RpcResponse, number: number | undefined): Header {
  const result = toResult(response);
  if (result === null) throw new RpcFailure('block-mismatch', 'no-block');
  const header = parseHeader(result);
  if (header === undefined) throw new RpcFailure('malformed');
  if (number !== undefined && header.number !== number) throw new RpcFailure('block-mismatch');
  return header;
}
