/** Behavior of an RPC provider: hooks that a provider proxy applies to requests, calls and responses. */
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';

export interface Behavior {
  readonly name: string;
  /** Section of providers.md that documents it, and the provider or client. */
  readonly imitates: string;
  /** Whether the service can serve completely behind it, or must refuse with a named cause. */
  readonly expect: 'served' | 'refused';
  /** Creates hooks with their own state, one set per proxy. */
  start(): Hooks;
}

export interface IncomingCall extends ProxyCall {
  readonly id: unknown;
}

/** One HTTP request of a client. */
export interface IncomingRequest {
  /** In order; a single call is a list of one. */
  readonly calls: readonly IncomingCall[];
  readonly isBatch: boolean;
  /** Size of its body. */
  readonly bytes: number;
  /** Whether the client accepts compressed responses. */
  readonly acceptsGzip: boolean;
}

/** One JSON object of a response, usually an envelope with `jsonrpc`, `id` and `result` or `error`. */
export type Item = Readonly<Record<string, unknown>>;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Ends a request without a response: the connection is reset. */
export const RESET = 'reset';

export type Answer = (call: ProxyCall) => Promise<ProxyResponse>;

/** All hooks are optional. With several behaviors the first is the outermost. */
export interface Hooks {
  /** Refuses a whole request before any call is answered; undefined lets it pass. */
  refuse?(request: IncomingRequest): HttpAnswer | typeof RESET | undefined;
  /** Answers one call; `next` asks the node behind. */
  answer?(call: ProxyCall, next: Answer): Promise<ProxyResponse> | ProxyResponse;
  /** Changes the items of a response; more or fewer items are allowed. */
  items?(items: readonly Item[], request: IncomingRequest): readonly Item[] | Item;
  /** Changes the encoded response. */
  encode?(answer: HttpAnswer, request: IncomingRequest): HttpAnswer | typeof RESET;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

export function jsonAnswer(content: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: Buffer.from(JSON.stringify(content)) };
}

export function textAnswer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'text/html', ...headers }, body: Buffer.from(body) };
}

/** Returns a JSON-RPC error object. */
export function errorItem(id: unknown, code: number, message: string, data?: unknown): Item {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

export function failure(code: number, message: string, data?: unknown): ProxyResponse {
  return { error: { code, message, ...(data !== undefined && { data }) } };
}

/** Returns a behavior whose hooks have no state. */
export function stateless(
  name: string,
  imitates: string,
  hooks: Hooks,
  expect: Behavior['expect'] = 'served',
): Behavior {
  return { name, imitates, expect, start: () => hooks };
}

export function stateful(
  name: string,
  imitates: string,
  start: () => Hooks,
  expect: Behavior['expect'] = 'served',
): Behavior {
  return { name, imitates, expect, start };
}

export const quantity = (value: number): string => `0x${value.toString(16)}`;

/** Returns whether the call of this kind is answered with a result that `change` may replace. */
export function changeResults(method: string, change: (result: unknown, call: ProxyCall) => unknown): Hooks {
  return {
    async answer(call, next) {
      const response = await next(call);
      return call.method === method && 'result' in response ? { result: change(response.result, call) } : response;
    },
  };
}
