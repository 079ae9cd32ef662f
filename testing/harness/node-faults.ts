/** Faults of a node that otherwise reports the truth, for `startRpcProxy`. */
import type { ProxyResponse, RpcFault } from './rpc-proxy.ts';

/** Changes the items of every batch. */
const changeBatches = (change: (items: readonly { readonly id: unknown }[]) => readonly object[]): RpcFault => ({
  kind: 'body',
  change(body) {
    const parsed = JSON.parse(body) as { readonly id: unknown }[];
    return Array.isArray(parsed) ? JSON.stringify(change(parsed)) : body;
  },
});

/** Returns a response whose result, or number of a block, has a million digits. */
function growQuantity(response: ProxyResponse): ProxyResponse {
  const quantity = `0x1${'0'.repeat(999_999)}`;
  const isBlock = 'result' in response && typeof response.result === 'object' && !Array.isArray(response.result);
  return { result: isBlock ? { ...response.result, number: quantity } : quantity };
}

/** Faults by name. */
export const NODE_FAULTS: Readonly<Record<string, RpcFault>> = {
  'exchanged ids in every batch': changeBatches((items) =>
    items.map((item, i) => ({ ...item, id: items[(i + 1) % items.length]!.id })),
  ),
  'foreign ids in every batch': changeBatches((items) => items.map((item, i) => ({ ...item, id: 10 ** 9 + i }))),
  'batches without their last item': changeBatches((items) => items.slice(0, -1)),
  'every item of a batch twice': changeBatches((items) => [...items, ...items]),
  'quantities of a million digits': {
    kind: 'answer',
    change: (response, { method }) => (method === 'eth_chainId' ? response : growQuantity(response)),
  },
};
