/** Splits calls into JSON-RPC batches and halves the batch size whenever a node refuses a batch. */
import type { Deadline } from '../../rpc/deadline.ts';
import type { RpcResponse, MainRpcCall } from './json-rpc.ts';

export const METHOD_NOT_FOUND = -32_601;

export interface Batcher {
  /**
   * Returns the responses in the order of the calls, in as few requests as the node allows. Throws what `send` throws.
   */
  request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]>;
}

export function createBatcher(
  send: { request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]> },
  maxCalls: number,
): Batcher {
  let size = maxCalls;
  return {
    async request(calls, deadline) {
      const responses: RpcResponse[] = [];
      while (responses.length < calls.length) {
        const batch = calls.slice(responses.length, responses.length + size);
        const received = await send.request(batch, deadline);
        // The same error for each of several calls is the refusal of the batch, unless the method is unknown.
        if (batch.length > 1 && received.every((response) => !response.ok && response.code !== METHOD_NOT_FOUND))
          size = Math.ceil(batch.length / 2);
        else responses.push(...received);
      }
      return responses;
    },
  };
}
