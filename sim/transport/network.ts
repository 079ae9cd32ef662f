/**
 * HTTP transport to the nodes of a chain, below the real adapters. One or several nodes respond behind each URL; a request
 * takes time, may fail as a whole, and is cancelled when the service aborts it.
 */
import type { HttpResponse, PostRpc } from '../../src/adapters/rpc/http-post.ts';
import type { Random } from '../random.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Faults, TransportFault } from './faults.ts';

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
  /** Whether another chain responds here; changes only when the service starts. */
  isForeign: boolean;
}

export interface NetworkParts<Backend, Fault extends string> {
  /** Prefix of the host names, also in the trace. */
  readonly name: string;
  readonly urls: readonly NodeUrl<Backend>[];
  readonly faults: Faults<Fault | TransportFault>;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
}

/** Called when a whole response arrives; `isSound`: the request had no fault. */
export type Arrival = (isSound: boolean) => void;

interface SentCalls {
  readonly atMilliseconds: number;
  readonly calls: number;
}

const HANG_MILLISECONDS = 3_600_000;

export abstract class Network<Backend, Fault extends string, Context> {
  protected readonly parts: NetworkParts<Backend, Fault>;
  nodeRequests = 0;
  /** Most calls that one process of the service sent within a second. */
  mostCallsPerSecond = 0;
  /** Calls that the newest process of the service sent. */
  sentCalls = 0;
  /** Removes the listener of a request in flight. */
  readonly #listeners = new Set<() => void>();

  constructor(parts: NetworkParts<Backend, Fault>) {
    this.parts = parts;
  }

  /** Starts a process of the service; the returned function captures what it knows when it sends a request. */
  protected abstract beginLife(): () => Context;

  /** Returns the body of a response, and a callback for its arrival. */
  protected abstract respond(
    url: NodeUrl<Backend>,
    payload: WireCall | readonly WireCall[],
    fault: Fault | TransportFault | undefined,
    context: Context,
  ): { readonly text: string; readonly arrive: Arrival };

  get rpcUrls(): string[] {
    return this.parts.urls.map((_, i) => `http://${this.parts.name}-${i}`);
  }

  /** Creates the transport of one process of the service; after its death no response arrives. */
  createPost(isAlive: () => boolean): PostRpc {
    const capture = this.beginLife();
    this.sentCalls = 0;
    const sent: SentCalls[] = [];
    const prefixLength = `http://${this.parts.name}-`.length;
    return (node, body, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Error('aborted'));
        const url = this.parts.urls[Number(node.origin.slice(prefixLength))]!;
        const payload = JSON.parse(body) as WireCall | WireCall[];
        if (isAlive()) this.sentCalls += [payload].flat().length;
        this.#countCalls(sent, [payload].flat().length);
        const { response, milliseconds, arrive } = this.#respond(url, payload, capture());
        const abort = () => {
          cancel();
          unlisten();
          if (isAlive()) reject(new Error('aborted'));
        };
        const unlisten = () => {
          signal.removeEventListener('abort', abort);
          this.#listeners.delete(unlisten);
        };
        const cancel = this.parts.time.after(milliseconds, () => {
          unlisten();
          if (!isAlive()) return;
          arrive();
          if (response instanceof Error) reject(response);
          else resolve(response);
        });
        signal.addEventListener('abort', abort, { once: true });
        this.#listeners.add(unlisten);
      });
  }

  /** Forgets the requests in flight. The runtime never collects a composite signal that still has a listener. */
  close(): void {
    for (const unlisten of this.#listeners) unlisten();
  }

  #countCalls(sent: SentCalls[], calls: number): void {
    const atMilliseconds = this.parts.time.nowMilliseconds();
    sent.push({ atMilliseconds, calls });
    while (sent[0]!.atMilliseconds <= atMilliseconds - 1_000) sent.shift();
    this.mostCallsPerSecond = Math.max(
      this.mostCallsPerSecond,
      sent.reduce((sum, each) => sum + each.calls, 0),
    );
  }

  #respond(
    url: NodeUrl<Backend>,
    payload: WireCall | WireCall[],
    context: Context,
  ): { readonly response: HttpResponse | Error; readonly milliseconds: number; readonly arrive: () => void } {
    const { faults, random, trace, urls, name } = this.parts;
    this.nodeRequests += 1;
    const fault = url.isDown ? 'unreachable' : faults.draw();
    let milliseconds = random.integer(2, 60);
    if (fault === 'slow') milliseconds += random.skewed(30_000);
    if (fault === 'hang') milliseconds = HANG_MILLISECONDS;
    if (fault !== undefined) {
      const calls = [payload].flat();
      trace.line(`  ${name} ${urls.indexOf(url)} ${fault}: ${calls.length} ${calls.at(-1)!.method}`);
    }
    const failed = this.#failTransport(fault);
    if (failed !== undefined) return { response: failed, milliseconds, arrive: () => undefined };
    const { text, arrive } = this.respond(url, payload, fault, context);
    const isTruncated = fault === 'truncate';
    const response = toHttp(isTruncated ? text.slice(0, random.integer(0, text.length - 1)) : text, 200);
    return { response, milliseconds, arrive: () => arrive(fault === undefined || fault === 'slow') };
  }

  #failTransport(fault: Fault | TransportFault | undefined): HttpResponse | Error | undefined {
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
