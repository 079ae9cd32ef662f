/** Network of the virtual main chain. Records every head that reaches the service, for the oracle. */
import type { Block } from '../chain/virtual-chain.ts';
import {
  Network,
  type Arrival,
  type NodeUrl,
  type RpcCall,
  type RpcResult,
  type WireCall,
} from '../transport/network.ts';
import type { Backend, ResponseObserver } from './backend.ts';
import type { Fault } from './faults.ts';

/** A head that reached the service, with its arrival time. */
export interface ReceivedHead {
  readonly block: Block;
  readonly atMilliseconds: number;
}

export class MainNetwork extends Network<Backend, Fault, undefined> {
  /** Every block that reached the service as the newest one, in order of arrival. */
  readonly receivedHeads: ReceivedHead[] = [];
  /** Every block that reached the service as the newest final one. */
  readonly receivedFinal = new Set<Block>();

  protected beginLife(): () => undefined {
    return () => undefined;
  }

  protected respond(
    url: NodeUrl<Backend>,
    payload: WireCall | readonly WireCall[],
    fault: Fault | undefined,
  ): { text: string; arrive: Arrival } {
    const { random, time } = this.parts;
    const heads: Block[] = [];
    const final: Block[] = [];
    const observer: ResponseObserver = {
      latest: (block) => void heads.push(block),
      finalized: (block) => void final.push(block),
    };
    const one = random.pick(url.backends);
    const responses = [payload].flat().map((call: WireCall) => {
      const backend = fault === 'splitBatch' ? random.pick(url.backends) : one;
      const result = url.isForeign ? respondForeign(call) : backend.respond(call, fault, observer);
      return { jsonrpc: '2.0', id: call.id, ...result };
    });
    if (fault === 'loseResponse') responses.splice(random.integer(0, responses.length - 1), 1);
    if (fault === 'repeatResponse') responses.push(responses[0]!);
    const isList = Array.isArray(payload) || fault === 'repeatResponse';
    return {
      text: JSON.stringify(isList ? responses : (responses[0] ?? [])),
      arrive: () => {
        for (const block of heads) this.receivedHeads.push({ block, atMilliseconds: time.nowMilliseconds() });
        for (const block of final) this.receivedFinal.add(block);
      },
    };
  }
}

/** Responds as a chain without any of our contracts. */
function respondForeign({ method }: RpcCall): RpcResult {
  const isList = method === 'eth_getLogs' || method === 'eth_getBlockReceipts';
  return { result: method === 'eth_chainId' ? '0x1' : isList ? [] : '0x' };
}
