/**
 * How does the service reach its nodes? Through URLs, behind each of which one or several nodes answer; an exchange takes its time, may
 * fail as a whole, and is cut off when the service gives it up. Stands in for HTTP below the real adapter.
 */
import type { HttpAnswer, PostRpc } from '../../src/adapters/rpc/http-post.ts';
import type { Block } from '../chain/virtual-chain.ts';
import type { Random } from '../random.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Backend, RpcCall, RpcResult, Witness } from './backend.ts';
import type { Fault, Faults } from './faults.ts';

export interface NodeUrl {
  readonly backends: readonly Backend[];
  /** Every request fails. */
  isDown: boolean;
  /** Another chain answers here; only ever from a start of the service on. */
  isForeign: boolean;
}

interface WireCall extends RpcCall {
  readonly id: number;
}

export interface NetworkParts {
  readonly urls: readonly NodeUrl[];
  readonly faults: Faults;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
}

const HANG_MILLISECONDS = 3_600_000;

/** What the service was told, and when it arrived. */
export interface ToldHead {
  readonly block: Block;
  readonly atMilliseconds: number;
}

export class Network {
  readonly #parts: NetworkParts;
  /** Every block that reached the service as the newest one, in order of arrival. */
  readonly told: ToldHead[] = [];
  /** Every block that was told as the newest final one. */
  readonly toldFinal = new Set<Block>();
  lastHiddenLogsAtMilliseconds = Number.NEGATIVE_INFINITY;
  exchanges = 0;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  get rpcUrls(): string[] {
    return this.#parts.urls.map((_, i) => `http://node-${i}`);
  }

  /** The transport of one life of the service; after its death nothing arrives any more. */
  createPost(isAlive: () => boolean): PostRpc {
    return (node, body, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Error('aborted'));
        const url = this.#parts.urls[Number(node.origin.slice('http://node-'.length))]!;
        const { answer, milliseconds, news } = this.#exchange(url, body);
        const abort = () => {
          cancel();
          if (isAlive()) reject(new Error('aborted'));
        };
        const cancel = this.#parts.time.after(milliseconds, () => {
          signal.removeEventListener('abort', abort);
          if (!isAlive()) return;
          for (const block of news) {
            this.told.push({ block, atMilliseconds: this.#parts.time.nowMilliseconds() });
          }
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
        signal.addEventListener('abort', abort, { once: true });
      });
  }

  #exchange(url: NodeUrl, body: string): { answer: HttpAnswer | Error; milliseconds: number; news: Block[] } {
    const { faults, random, trace, time } = this.#parts;
    this.exchanges += 1;
    const news: Block[] = [];
    const witness: Witness = {
      latest: (block) => void news.push(block),
      finalized: (block) => void this.toldFinal.add(block),
      hidLogs: () => {
        this.lastHiddenLogsAtMilliseconds = time.nowMilliseconds();
      },
    };
    const fault = url.isDown ? 'unreachable' : faults.draw();
    let milliseconds = random.integer(2, 60);
    if (fault === 'slow') milliseconds += random.skewed(30_000);
    if (fault === 'hang') milliseconds = HANG_MILLISECONDS;
    const parsed = JSON.parse(body) as WireCall | WireCall[];
    const calls = [parsed].flat();
    const answer = this.#failWhole(fault) ?? this.#answer(url, calls, Array.isArray(parsed), fault, witness);
    if (fault !== undefined) {
      trace.line(`  ${this.#parts.urls.indexOf(url)} ${fault}: ${calls.length} ${calls.at(-1)!.method}`);
    }
    return { answer, milliseconds, news: answer instanceof Error || answer.status !== 200 ? [] : news };
  }

  #failWhole(fault: Fault | undefined): HttpAnswer | Error | undefined {
    const { random } = this.#parts;
    switch (fault) {
      case 'unreachable':
      case 'hang':
        return new Error('unreachable');
      case 'connectionLost':
        return Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      case 'rateLimit':
        return toHttp('{}', 429, random.chance(0.5) ? random.integer(1, 90) : undefined);
      case 'serverError':
        return toHttp('<html>Bad Gateway</html>', random.pick([500, 502, 503]));
      case 'bodyTooLarge':
        return random.chance(0.5) ? toHttp('', 413) : { ...toHttp('', 200), body: undefined };
      case 'garbage':
        return toHttp(random.pick(['', 'null', '[]', '{"jsonrpc":"2.0"}', '<html>']), 200);
      default:
        return undefined;
    }
  }

  #answer(
    url: NodeUrl,
    calls: readonly WireCall[],
    isBatch: boolean,
    fault: Fault | undefined,
    witness: Witness,
  ): HttpAnswer {
    const { random } = this.#parts;
    const one = random.pick(url.backends);
    const answers = calls.map((call) => {
      const backend = fault === 'splitBatch' ? random.pick(url.backends) : one;
      const result = url.isForeign ? answerForeign(call) : backend.answer(call, fault, witness);
      return { jsonrpc: '2.0', id: call.id, ...result };
    });
    if (fault === 'loseAnswer') answers.splice(random.integer(0, answers.length - 1), 1);
    if (fault === 'repeatAnswer') answers.push(answers[0]!);
    const text = JSON.stringify(isBatch || fault === 'repeatAnswer' ? answers : (answers[0] ?? []));
    return toHttp(fault === 'truncate' ? text.slice(0, random.integer(0, text.length - 1)) : text, 200);
  }
}

/** A chain on which there is nothing of ours. */
function answerForeign({ method }: RpcCall): RpcResult {
  return { result: method === 'eth_chainId' ? '0x1' : method === 'eth_getLogs' ? [] : '0x' };
}

function toHttp(body: string, status: number, retryAfterSeconds?: number): HttpAnswer {
  return { status, retryAfterSeconds, body };
}
