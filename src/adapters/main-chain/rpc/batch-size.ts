/** How many calls does a node take in one JSON-RPC batch? As many as it allows, which is learned from its refusals. */
import type { Deadline } from '../../rpc/deadline.ts';
import type { RpcAnswer, MainRpcCall } from './json-rpc.ts';

export const METHOD_NOT_FOUND = -32_601;

export interface Batcher {
  /** The answers in the order of the calls, in as few requests as the node allows. Throws what `send` throws. */
  request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcAnswer[]>;
}

export function createBatcher(
  send: { request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcAnswer[]> },
  maxCalls: number,
): Batcher {
  let size = maxCalls;
  return {
    async request(calls, deadline) {
      const answers: RpcAnswer[] = [];
      while (answers.length < calls.length) {
        const asked = calls.slice(answers.length, answers.length + size);
        const got = await send.request(asked, deadline);
        // One error for all of several calls is the refusal of the batch, unless no such call is known.
        if (asked.length > 1 && got.every((answer) => !answer.ok && answer.code !== METHOD_NOT_FOUND))
          size = Math.ceil(asked.length / 2);
        else answers.push(...got);
      }
      return answers;
    },
  };
}
