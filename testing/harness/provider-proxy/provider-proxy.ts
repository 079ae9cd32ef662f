/**
 * HTTP server in front of a JSON-RPC node that imitates providers: composable behaviors refuse requests, answer calls
 * and change responses. Counts requests and calls.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { PROXY_KEY, type ProxyCall, type ProxyResponse } from '../rpc-proxy.ts';
import {
  jsonAnswer,
  RESET,
  type Answer,
  type Behavior,
  type Hooks,
  type IncomingCall,
  type IncomingRequest,
  type Item,
} from './behavior.ts';

export interface ProviderProxy {
  /** Contains `PROXY_KEY` in its path. */
  readonly url: string;
  /** Number of HTTP requests so far. */
  readonly requests: number;
  /** Number of calls by method. */
  readonly calls: ReadonlyMap<string, number>;
  /** Names of the behaviors that have refused or changed something. */
  readonly acted: ReadonlySet<string>;
  close(): Promise<void>;
}

/** A node at a URL, or a function in its place. */
export type Upstream = string | ((call: ProxyCall) => ProxyResponse | Promise<ProxyResponse>);

/** Starts a proxy with the behaviors, the outermost first; without any it passes everything through. */
export async function startProviderProxy(upstream: Upstream, behaviors: readonly Behavior[]): Promise<ProviderProxy> {
  const acted = new Set<string>();
  const hooks = behaviors.map((behavior) => watchHooks(behavior.start(), () => acted.add(behavior.name)));
  const answerCall = hooks.reduceRight<Answer>(
    wrapAnswer,
    typeof upstream === 'string' ? queryNode(upstream) : async (call) => upstream(call),
  );
  const calls = new Map<string, number>();
  let requests = 0;

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(incoming);
    const parsed = JSON.parse(text) as IncomingCall | IncomingCall[];
    const request = {
      calls: [parsed].flat(),
      isBatch: Array.isArray(parsed),
      bytes: Buffer.byteLength(text),
      acceptsGzip: /gzip/.test(String(incoming.headers['accept-encoding'])),
    };
    requests += 1;
    for (const { method } of request.calls) calls.set(method, (calls.get(method) ?? 0) + 1);
    const answer = await answerRequest(hooks, request, answerCall);
    if (answer === RESET) return void incoming.socket.resetAndDestroy();
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length }).end(answer.body);
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => response.destroy());
  });
  // Idle connections stay open, because time may pass faster for the client than for this server.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v3/${PROXY_KEY}`,
    get requests() {
      return requests;
    },
    calls,
    acted,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the same hooks. Reports when one of them first refuses or changes something. */
function watchHooks({ refuse, answer, items, encode }: Hooks, report: () => void): Hooks {
  let hasActed = false;
  const act = () => {
    if (!hasActed) report();
    hasActed = true;
  };
  return {
    ...(refuse && {
      refuse(request) {
        const refusal = refuse(request);
        if (refusal !== undefined) act();
        return refusal;
      },
    }),
    ...(answer && {
      async answer(call, next) {
        const passed: ProxyResponse[] = [];
        const response = await answer(call, async (asked) => {
          const received = await next(asked);
          if (asked === call) passed.push(received);
          return received;
        });
        if (!hasActed && !passed.some((each) => isDeepStrictEqual(each, response))) act();
        return response;
      },
    }),
    ...(items && {
      items(received, request) {
        const changed = items(received, request);
        if (!hasActed && !isDeepStrictEqual(changed, received)) act();
        return changed;
      },
    }),
    ...(encode && {
      encode(encoded, request) {
        const changed = encode(encoded, request);
        if (changed !== encoded && !isDeepStrictEqual(changed, encoded)) act();
        return changed;
      },
    }),
  };
}

function wrapAnswer(next: Answer, { answer }: Hooks): Answer {
  return answer === undefined ? next : async (call) => answer(call, next);
}

async function answerRequest(hooks: readonly Hooks[], request: IncomingRequest, answerCall: Answer) {
  for (const { refuse } of hooks) {
    const refusal = refuse?.(request);
    if (refusal !== undefined) return refusal;
  }
  const responses = await Promise.all(request.calls.map(answerCall));
  let content: readonly Item[] | Item = responses.map((each, i) => ({
    jsonrpc: '2.0',
    id: request.calls[i]!.id,
    ...each,
  }));
  for (const { items } of hooks.toReversed()) {
    if (items !== undefined && isList(content)) content = items(content, request);
  }
  // A node that loses the item of a single call sends an empty body.
  const sent = isList(content) && !request.isBatch ? content[0] : content;
  let answer = sent === undefined ? { ...jsonAnswer(null), body: Buffer.alloc(0) } : jsonAnswer(sent);
  for (const { encode } of hooks.toReversed()) {
    const encoded = encode?.(answer, request) ?? answer;
    if (encoded === RESET) return RESET;
    answer = encoded;
  }
  return answer;
}

function isList(content: readonly Item[] | Item): content is readonly Item[] {
  return Array.isArray(content);
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns a function that queries the node; calls of one tick share a batch. */
export function queryNode(url: string): Answer {
  let waiting: {
    readonly call: ProxyCall;
    readonly resolve: (response: ProxyResponse) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];

  async function flush(): Promise<void> {
    const sent = waiting;
    waiting = [];
    const body = JSON.stringify(
      sent.map(({ call: { method, params } }, id) => ({ jsonrpc: '2.0', id, method, params })),
    );
    const post = () => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    try {
      // The node may have closed an idle connection.
      const response = await post().catch(post);
      const answers = (await response.json()) as ({ readonly id: number } & ProxyResponse)[];
      const byId = new Map(answers.map((answer) => [answer.id, answer]));
      for (const [id, { resolve }] of sent.entries()) {
        const answer = byId.get(id)!;
        resolve('error' in answer ? { error: answer.error } : { result: answer.result });
      }
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ call, resolve, reject });
    });
}
