/**
 * Log queries at nodes that accept one address only: a query for several contracts becomes one for each, and their logs
 * are merged in chain order. A node counts as such once it has refused a list twice and served one address of it.
 */
import type { Deadline } from '../../rpc/deadline.ts';
import type { PoolNode } from '../../rpc/node-pool.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { LogRows } from '../logs/log-rows.ts';
import { isUnclearError, type BatchDelivery } from './batch-delivery.ts';
import { isRateLimited, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

type Deliver = BatchDelivery['deliver'];

/** What a query for one address says about the refusal of a list. */
type ListRefusal = 'of-lists' | 'of-every-query' | 'unexplained';

/** Returns `deliver` for nodes that may refuse lists of addresses. */
export function divideAddressLists(deliver: Deliver): Deliver {
  /** Queries one address of the list, and where it is served the list again. */
  async function explainRefusal(
    node: PoolNode,
    call: MainRpcCall,
    refusal: RpcResponse,
    deadline: Deadline,
  ): Promise<ListRefusal> {
    const [single] = await deliver(node, [splitByAddress(call)[0]!], deadline);
    if (single?.ok !== true)
      return isSameRefusal(refusal, single!) || isRateLimited(single!) ? 'unexplained' : 'of-every-query';
    const [again] = await deliver(node, [call], deadline);
    return isRefused(call, again!) ? 'of-lists' : 'unexplained';
  }

  async function deliverSplit(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline) {
    const parts = calls.map(splitByAddress);
    const responses = (await deliver(node, parts.flat(), deadline)).values();
    return parts.map((each) => mergeLogs(each.map(() => responses.next().value!)));
  }

  return async (node, calls, deadline) => {
    if (node.profile.lacks('address-lists')) return deliverSplit(node, calls, deadline);
    const responses = await deliver(node, calls, deadline);
    const refused = calls.findIndex((call, i) => hasAddressList(call) && isRefused(call, responses[i]!));
    if (refused === -1) return responses;
    const refusal = await explainRefusal(node, calls[refused]!, responses[refused]!, deadline);
    if (refusal === 'unexplained') return responses;
    if (refusal === 'of-lists') node.profile.recordFeature('address-lists', false);
    // Where one address is refused for another reason, such as history that is pruned, that reason is the one to report.
    return deliverSplit(node, calls, deadline);
  };
}

interface Filter {
  readonly address?: unknown;
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
}

/** Returns whether the list of addresses may be the reason: a range may be too large, a block is not. */
function isRefused({ params }: MainRpcCall, response: RpcResponse): boolean {
  const { fromBlock, toBlock } = params[0] as Filter;
  const isOfOneBlock = fromBlock === toBlock;
  return (!response.ok && response.hint === 'too-large' && isOfOneBlock) || isUnclearError(response);
}

function isSameRefusal(one: RpcResponse, other: RpcResponse): boolean {
  return !one.ok && !other.ok && one.code === other.code && one.hint === other.hint;
}

function hasAddressList({ method, params }: MainRpcCall): boolean {
  const { address } = (method === 'eth_getLogs' ? params[0] : {}) as Filter;
  return Array.isArray(address) && address.length > 1;
}

function splitByAddress(call: MainRpcCall): readonly MainRpcCall[] {
  if (!hasAddressList(call)) return [call];
  const filter = call.params[0] as Filter;
  return (filter.address as unknown[]).map((address) => ({ ...call, params: [{ ...filter, address }] }));
}

/** Returns the logs of all responses, or the first error among them. */
function mergeLogs(responses: readonly RpcResponse[]): RpcResponse {
  const [first] = responses;
  if (responses.length === 1) return first!;
  const error = responses.find(({ ok }) => !ok);
  if (error !== undefined) return error;
  const rows = responses.flatMap((response) => (response.ok ? [response.result] : []));
  // Logs of another form are refused as a whole.
  if (!rows.every((each) => each instanceof LogRows)) throw new RpcFailure('malformed');
  return { ok: true, result: LogRows.merge(rows) };
}
