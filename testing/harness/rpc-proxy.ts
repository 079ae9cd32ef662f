/**
 * Fault-injecting JSON-RPC server that records its calls and responds from a real node or a function. It delays, hangs,
 * cuts, garbles, refuses, responds for another block or drops responses. Its URL contains a made-up key, so that tests
 * can prove that no key is ever printed.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeFunctionData, decodeFunctionResult, encodeFunctionResult, parseAbi, type Hex } from 'viem';

export interface ProxyCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface ProxyError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type ProxyResponse = { readonly result: unknown } | { readonly error: ProxyError };

/** A fault of the node. */
export type RpcFault =
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Delays the request until the test releases it. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'body'; readonly change: (body: string) => string }
  | { readonly kind: 'call'; readonly change: (call: ProxyCall) => ProxyCall }
  /** Changes a response; undefined drops it. */
  | {
      readonly kind: 'answer';
      readonly change: (response: ProxyResponse, call: ProxyCall) => ProxyResponse | undefined;
    };

export interface RpcProxy {
  /** Contains `PROXY_KEY` in its path. */
  readonly url: string;
  /** Counts HTTP requests since the start or the last `resetCounts`. */
  readonly requests: number;
  /** Lists the calls of these requests in order. */
  readonly calls: readonly ProxyCall[];
  resetCounts(): void;
  /** Injects a fault into the next `times` requests; without `times`, into all. */
  inject(fault: RpcFault, times?: number): void;
  /** Removes all faults. */
  heal(): void;
  /** Resolves after `count` requests since the last `resetCounts`. */
  waitForRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Part of every proxy URL; must appear in no log and no error. */
export const PROXY_KEY = 'made-up-key-0123456789';

interface WireCall extends ProxyCall {
  readonly id: unknown;
}

/** Starts a proxy that responds from the node at a URL or from a function. */
export async function startRpcProxy(upstream: string | ((call: ProxyCall) => ProxyResponse)): Promise<RpcProxy> {
  const calls: ProxyCall[] = [];
  const hanging = new Set<ServerResponse>();
  let requests = 0;
  let injected: { readonly fault: RpcFault; left: number }[] = [];
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  function takeFaults(): RpcFault[] {
    const taken = injected.map(({ fault }) => fault);
    for (const each of injected) each.left -= 1;
    injected = injected.filter(({ left }) => left > 0);
    return taken;
  }

  function recordRequest(received: readonly WireCall[]): void {
    requests += 1;
    calls.push(...received.map(({ method, params }) => ({ method, params })));
    for (const { resolve } of waiters.filter(({ count }) => requests >= count)) resolve();
    waiters = waiters.filter(({ count }) => requests < count);
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const parsed = JSON.parse(text) as WireCall | WireCall[];
    const received = [parsed].flat();
    const faults = takeFaults();
    recordRequest(received);
    for (const fault of faults) {
      if (fault.kind === 'hang') return void hanging.add(response);
      if (fault.kind === 'cut') return void request.socket.destroy();
      if (fault.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
      if (fault.kind === 'hold') await fault.until;
      if (fault.kind === 'status') {
        return void response.writeHead(fault.status, { ...fault.headers }).end(fault.body ?? 'refused');
      }
    }
    const sent = received.map((call) => faults.reduce(changeCall, call));
    const results = typeof upstream === 'string' ? await queryNode(upstream, sent) : sent.map(upstream);
    const responses = results.flatMap((each, i) => {
      const changed = faults.reduce<ProxyResponse | undefined>((a, fault) => changeResponse(a, fault, sent[i]!), each);
      return changed === undefined ? [] : [{ jsonrpc: '2.0', id: received[i]!.id, ...changed }];
    });
    const whole = (JSON.stringify(Array.isArray(parsed) ? responses : responses[0]) as string | undefined) ?? '';
    const body = faults.reduce((b, fault) => (fault.kind === 'body' ? fault.change(b) : b), whole);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v3/${PROXY_KEY}`,
    get requests() {
      return requests;
    },
    calls,
    resetCounts() {
      requests = 0;
      calls.length = 0;
    },
    inject(fault, times = Number.POSITIVE_INFINITY) {
      injected.push({ fault, left: times });
    },
    heal() {
      injected = [];
    },
    waitForRequests: (count) =>
      new Promise((resolve) => {
        if (requests >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    async close() {
      for (const response of hanging) response.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function queryNode(url: string, calls: readonly WireCall[]): Promise<ProxyResponse[]> {
  const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const responses = (await response.json()) as ({ readonly id: number } & ProxyResponse)[];
  return calls.map((_, i) => {
    const response = responses.find(({ id }) => id === i)!;
    return 'error' in response ? { error: response.error } : { result: response.result };
  });
}

function changeCall(call: WireCall, fault: RpcFault): WireCall {
  return fault.kind === 'call' ? { ...call, ...fault.change(call) } : call;
}

function changeResponse(
  response: ProxyResponse | undefined,
  fault: RpcFault,
  call: ProxyCall,
): ProxyResponse | undefined {
  return fault.kind === 'answer' && response !== undefined ? fault.change(response, call) : response;
}

/** Replaces every response to one method. */
export function respondWith(method: string, response: ProxyResponse): RpcFault {
  return { kind: 'answer', change: (given, call) => (call.method === method ? response : given) };
}

/** Drops responses to one method from their batch. */
export function dropResponsesTo(method: string): RpcFault {
  return { kind: 'answer', change: (given, call) => (call.method === method ? undefined : given) };
}

/** Reads state `blocks` before the requested block without reporting it. */
export function respondFromOlderBlock(blocks: number): RpcFault {
  return {
    kind: 'call',
    change: ({ method, params }) => {
      if (method !== 'eth_call') return { method, params };
      const [call, block] = params as [unknown, string];
      return { method, params: [call, `0x${(Number(block) - blocks).toString(16)}`] };
    },
  };
}

/** Truncates the body to half. */
export function truncateBody(): RpcFault {
  return { kind: 'body', change: (body) => body.slice(0, body.length / 2) };
}

export function rateLimit(retryAfterSeconds?: number): RpcFault {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { kind: 'status', status: 429, headers };
}

const aggregateAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
]);

export interface InnerResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

export interface InnerCall {
  readonly target: Hex;
  readonly callData: Hex;
}

/** Changes the results inside an aggregated call; undefined drops one. */
export function changeInner(change: (result: InnerResult, call: InnerCall) => InnerResult | undefined): RpcFault {
  return {
    kind: 'answer',
    change(response, { method, params }) {
      if (method !== 'eth_call' || !('result' in response) || response.result === '0x') return response;
      const { data } = (params as [{ readonly data: Hex }])[0];
      const [inner] = decodeFunctionData({ abi: aggregateAbi, data }).args;
      const results = decodeFunctionResult({
        abi: aggregateAbi,
        functionName: 'aggregate3',
        data: response.result as Hex,
      });
      const changed = results.map((result, i) => change(result, inner[i]!)).filter((result) => result !== undefined);
      return { result: encodeFunctionResult({ abi: aggregateAbi, functionName: 'aggregate3', result: changed }) };
    },
  };
}

/** Replaces the results of one inner function, given by its selector. */
export function respondInner(selector: Hex, result: InnerResult): RpcFault {
  return changeInner((given, { callData }) => (callData.startsWith(selector) ? result : given));
}
