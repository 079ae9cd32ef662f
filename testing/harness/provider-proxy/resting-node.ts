/**
 * Cache in front of a node whose chain grows only on request and is never reorganized. Many services behind many proxies
 * cost the node one call for each response: until the chain grows, or for good where the call names its blocks.
 */
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import type { Answer } from './behavior.ts';
import type { LogFilter } from './log-behaviors.ts';

export interface RestingNode {
  readonly answer: Answer;
  /** Lets the chain grow. Responses that are read before `act` ends are not reused after it. */
  grow<T>(act: () => Promise<T>): Promise<T>;
}

/** Position of the block parameter by method. */
const BLOCK_PARAMETERS: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockByHash: 0,
  eth_getBlockReceipts: 0,
  eth_call: 1,
  eth_getCode: 1,
};

/** Returns the cache in front of `next`. */
export function createRestingNode(next: Answer): RestingNode {
  const lasting = new Map<string, Promise<ProxyResponse>>();
  let passing = new Map<string, Promise<ProxyResponse>>();
  let head = 0;

  /** Returns whether the call names existing blocks by number or hash. */
  function isOfFixedBlocks({ method, params }: ProxyCall): boolean {
    const isFixed = (block: unknown) => typeof block === 'string' && (block.length === 66 || Number(block) <= head);
    if (method !== 'eth_getLogs') return isFixed(toBlock(params[BLOCK_PARAMETERS[method] ?? -1]));
    const { blockHash, toBlock: last } = params[0] as LogFilter;
    return isFixed(blockHash ?? last);
  }

  return {
    answer(call) {
      const key = JSON.stringify([call.method, call.params]);
      const known = lasting.get(key) ?? passing.get(key);
      if (known !== undefined) return known;
      const response = next(call);
      const responses = passing;
      responses.set(key, response);
      const isLasting = isOfFixedBlocks(call);
      response.then(
        (received) => {
          if (!('result' in received) || received.result === null) return;
          if (isLasting) lasting.set(key, response);
          if (call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest')
            head = Number((received.result as { readonly number: string }).number);
        },
        () => responses.delete(key),
      );
      return response;
    },
    grow: (act) => act().finally(() => void (passing = new Map())),
  };
}

/** Returns the number, tag or hash in a block parameter. */
function toBlock(parameter: unknown): unknown {
  return typeof parameter === 'object' && parameter !== null && 'blockHash' in parameter
    ? parameter.blockHash
    : parameter;
}
