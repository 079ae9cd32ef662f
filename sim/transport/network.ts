/**
 * How does the service reach the nodes of a chain? Through URLs, behind each of which one or several nodes answer; an exchange takes its time,
 * may fail as a whole, and is cut off when the service gives it up. Stands in for HTTP below the real adapters.
 */
import type { HttpResponse, PostRpc } from '../../src/adapters/rpc/http-post.ts';
import type { Random } from '../random.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Faults, WholeFault } from './faults.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type WireCall = RpcCall & { readonly id: number };

export type RpcResult =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: string } };

export interface NodeUrl<Backend> {
  readonly backends: readonly Backend[];
  /** Every request fails. */
  isDown: boolean;
  /** Another chain answers here; only ever from a start of the service on. */
  isForeign: boolean;
}

export interface NetworkParts<Backend, Fault extends string> {
  /** Of the hosts, and in the trace. */
  readonly name: string;
  readonly urls: readonly NodeUrl<Backend>[];
  readonly faults: Faults<Fault | WholeFault>;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
}

/** What is said when an answer arrives whole: by a node that erred or did not. */
export type Arrival = (isSound: boolean) => void;

const HANG_MILLISECONDS = 3_600_000;

export abstract class Network<Backend, Fault extends string, Asked> {
  protected readonly parts: NetworkParts<Backend, Fault>;
  exchanges = 0;

  constructor(parts: NetworkParts<Backend, Fault>) {
    this.parts = parts;
  }

  /** For each question of one life of the service: what is known of it when it is asked. */
  protected abstract beginLife(): () => Asked;

  /** The body of an answer, and what there is to note when it arrives. */
  protected abstract answer(
    url: NodeUrl<Backend>,
    question: WireCall | readonly WireCall[],
    fault: Fault | WholeFault | undefined,
    asked: Asked,
  ): { readonly text: string; readonly arrive: Arrival };

  get rpcUrls(): string[] {
    return this.parts.urls.map((_, i) => `http://${this.parts.name}-${i}`);
  }

  /** The transport of one life of the service; after its death nothing arrives any more. */
  createPost(isAlive: () => boolean): PostRpc {
    const ask = this.beginLife();
    const prefixLength = `http://${this.parts.name}-`.length;
    return (node, body, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Error('aborted'));
        const url = this.parts.urls[Number(node.origin.slice(prefixLength))]!;
        const { answer, milliseconds, arrive } = this.#exchange(url, body, ask());
        const abort = () => {
          cancel();
          if (isAlive()) reject(new Error('aborted'));
        };
        const cancel = this.parts.time.after(milliseconds, () => {
          signal.removeEventListener('abort', abort);
          if (!isAlive()) return;
          arrive();
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
        signal.addEventListener('abort', abort, { once: true });
      });
  }

  #exchange(
    url: NodeUrl<Backend>,
    body: string,
    asked: Asked,
  ): { readonly answer: HttpResponse | Error; readonly milliseconds: number; readonly arrive: () => void } {
    const { faults, random, trace, urls, name } = this.parts;
    this.exchanges += 1;
    const fault = url.isDown ? 'unreachable' : faults.draw();
    let milliseconds = random.integer(2, 60);
    if (fault === 'slow') milliseconds += random.skewed(30_000);
    if (fault === 'hang') milliseconds = HANG_MILLISECONDS;
    const question = JSON.parse(body) as WireCall | WireCall[];
    if (fault !== undefined) {
      const calls = [question].flat();
      trace.line(`  ${name} ${urls.indexOf(url)} ${fault}: ${calls.length} ${calls.at(-1)!.method}`);
    }
    const failed = this.#failWhole(fault);
    if (failed !== undefined) return { answer: failed, milliseconds, arrive: () => undefined };
    const { text, arrive } = this.answer(url, question, fault, asked);
    const isCut = fault === 'truncate';
    const answer = toHttp(isCut ? text.slice(0, random.integer(0, text.length - 1)) : text, 200);
    return { answer, milliseconds, arrive: () => arrive(fault === undefined || fault === 'slow') };
  }

  #failWhole(fault: Fault | WholeFault | undefined): HttpResponse | Error | undefined {
    const { random } = this.parts;
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
}

function toHttp(body: string, status: number, retryAfterSeconds?: number): HttpResponse {
  return { status, retryAfterSeconds, body };
}
