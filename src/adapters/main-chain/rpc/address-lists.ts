/**
 * Log queries at nodes that accept one address only: a query for several contracts becomes one for each, and their logs
 * are merged in chain order. A node counts as such once it has refused a list twice and served one address of it.
 */
import type { Deadline } from '../../rpc/deadline.ts';
import type { PoolNode } from '../../rpc/node-pool.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { LogRows } from '../logs/log-rows.ts';
import { isUnclearError, type BatchDelivery } from './batch-delivery.ts';
import { isRateLimited, TOO_LARGE, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

type Deliver = BatchDelivery['deliver'];

/** What a query for one address says about the refusal of a list. */
type ListRefusal = 'of-lists' | 'of-every-query' | 'unexplained';

/** The logs of one query exceed the limit. */
class LogsTooLarge extends Error {
  readonly call: MainRpcCall;

  constructor(call: MainRpcCall) {
    super();
    this.call = call;
  }
}

/**
 * Returns `deliver` for nodes that may refuse lists of addresses. A query whose logs take more than `maxRowBytes` in sum
 * has the response of one that is too large, so that its caller divides the range.
 */
export function divideAddressLists(deliver: Deliver, maxRowBytes: number): Deliver {
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

  async function deliverSplit(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    deadline: Deadline,
  ): Promise<RpcResponse[]> {
    const parts = calls.map((call) => boundRows(call, splitByAddress(call)));
    try {
      const found = (await deliver(node, parts.flat(), deadline)).values();
      const responses: RpcResponse[] = [];
      for (const each of parts) responses.push(await mergeLogs(each.map(() => found.next().value!)));
      return responses;
    } catch (error) {
      if (!(error instanceof LogsTooLarge)) throw error;
      const at = calls.indexOf(error.call);
      const others = calls.toSpliced(at, 1);
      const responses = others.length === 0 ? [] : await deliverSplit(node, others, deadline);
      return responses.toSpliced(at, 0, TOO_LARGE);
    }
  }

  /** Ends the delivery once the results of these parts of the call exceed the limit in sum. */
  function boundRows(call: MainRpcCall, parts: readonly MainRpcCall[]): readonly MainRpcCall[] {
    if (parts.length === 1) return parts;
    const bytes = parts.map(() => 0);
    return parts.map((part, i) => ({
      ...part,
      onResult(result) {
        bytes[i] = result instanceof LogRows ? result.bytes.length : 0;
        if (bytes.reduce((sum, each) => sum + each) > maxRowBytes) throw new LogsTooLarge(call);
      },
    }));
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
async function mergeLogs(responses: readonly RpcResponse[]): Promise<RpcResponse> {
  const [first] = responses;
  if (responses.length === 1) return first!;
  const error = responses.find(({ ok }) => !ok);
  if (error !== undefined) return error;
  const rows = responses.flatMap((response) => (response.ok ? [response.result] : []));
  // Logs of another form are refused as a whole.
  if (!rows.every((each) => each instanceof LogRows)) throw new RpcFailure('malformed');
  return { ok: true, result: await LogRows.merge(rows) };
}
