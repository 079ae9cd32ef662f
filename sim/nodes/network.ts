/** Which blocks was the service told? Nodes of the main chain answer batches; every head that arrives is remembered for the oracle. */
import type { Block } from '../chain/virtual-chain.ts';
import {
  Network,
  type Arrival,
  type NodeUrl,
  type RpcCall,
  type RpcResult,
  type WireCall,
} from '../transport/network.ts';
import type { Backend, Witness } from './backend.ts';
import type { Fault } from './faults.ts';

/** What the service was told, and when it arrived. */
export interface ToldHead {
  readonly block: Block;
  readonly atMilliseconds: number;
}

export class MainNetwork extends Network<Backend, Fault, undefined> {
  /** Every block that reached the service as the newest one, in order of arrival. */
  readonly told: ToldHead[] = [];
  /** Every block that was told as the newest final one. */
  readonly toldFinal = new Set<Block>();
  /** Ranges of logs that were told to one who indexes. */
  ranges = 0;

  protected beginLife(): () => undefined {
    return () => undefined;
  }

  protected answer(
    url: NodeUrl<Backend>,
    question: WireCall | readonly WireCall[],
    fault: Fault | undefined,
  ): { text: string; arrive: Arrival } {
    const { random, time } = this.parts;
    const news: Block[] = [];
    const final: Block[] = [];
    const witness: Witness = {
      latest: (block) => void news.push(block),
      finalized: (block) => void final.push(block),
      range: () => {
        this.ranges += 1;
      },
    };
    const one = random.pick(url.backends);
    const answers = [question].flat().map((call: WireCall) => {
      const backend = fault === 'splitBatch' ? random.pick(url.backends) : one;
      const result = url.isForeign ? answerForeign(call) : backend.answer(call, fault, witness);
      return { jsonrpc: '2.0', id: call.id, ...result };
    });
    if (fault === 'loseAnswer') answers.splice(random.integer(0, answers.length - 1), 1);
    if (fault === 'repeatAnswer') answers.push(answers[0]!);
    const isList = Array.isArray(question) || fault === 'repeatAnswer';
    return {
      text: JSON.stringify(isList ? answers : (answers[0] ?? [])),
      arrive: () => {
        for (const block of news) this.told.push({ block, atMilliseconds: time.nowMilliseconds() });
        for (const block of final) this.toldFinal.add(block);
      },
    };
  }
}

/** A chain on which there is nothing of ours. */
function answerForeign({ method }: RpcCall): RpcResult {
  const isList = method === 'eth_getLogs' || method === 'eth_getBlockReceipts';
  return { result: method === 'eth_chainId' ? '0x1' : isList ? [] : '0x' };
}
