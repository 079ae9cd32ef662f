/** HTTP transport of the client: one request with a timeout, without redirects. Every outcome is a value. */
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { isObject, parseJson } from '../src/domain/json/json-values.ts';
import { toServiceError, type ServiceError } from './service-errors.ts';

/** The block of the main chain that a response was computed at. */
export interface ResponseBlock {
  readonly number: bigint;
  /** The age of the block at the time of the response. */
  readonly ageSeconds: number;
}

/** A value with the block it was computed at, where the service names one, or an error. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly block?: ResponseBlock }
  | { readonly ok: false; readonly error: ServiceError };

export type JsonObject = Readonly<Record<string, unknown>>;

/** The address of the service, and how to reach it. */
export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly namespace: Namespace;
  readonly fetch: typeof fetch;
  readonly timeoutMilliseconds: number;
}

export interface RequestOptions {
  /** Aborts the request, whose error is then `unreachable`. */
  readonly signal?: AbortSignal;
}

export interface RequestSettings extends RequestOptions {
  readonly method?: 'GET' | 'PUT' | 'POST';
  /** Request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Statuses of a successful response; 200 when left out. */
  readonly statuses?: readonly number[];
  /** Left out: the timeout of the connection. */
  readonly timeoutMilliseconds?: number;
}

/** Sends a request and returns the JSON object that `isExpected` accepts as its response. Never throws for what the service does. */
export async function request<T extends object>(
  connection: Connection,
  path: string,
  isExpected: (body: JsonObject) => boolean,
  settings: RequestSettings = {},
): Promise<Result<T>> {
  const { method = 'GET', headers, body, statuses = [200], signal } = settings;
  const limit = AbortSignal.timeout(settings.timeoutMilliseconds ?? connection.timeoutMilliseconds);
  try {
    // Browsers reject their `fetch` when it is called as a member of another object.
    const { fetch } = connection;
    const response = await fetch(connection.baseUrl + path, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body !== undefined && { body }),
      redirect: 'error',
      credentials: 'omit',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const { status } = response;
    const parsed = parseJson(await response.text());
    if (!statuses.includes(status)) {
      return { ok: false, error: toServiceError(status, parsed, response.headers.get('retry-after')) };
    }
    if (!isObject(parsed) || !isExpected(parsed)) return unexpectedResponse(status, 'not a response to this request');
    return { ok: true, value: parsed as T, ...readBlock(response.headers) };
  } catch {
    return { ok: false, error: { kind: 'unreachable', text: 'no response' } };
  }
}

export function unexpectedResponse(status: number, text: string): Result<never> {
  return { ok: false, error: { kind: 'unexpected-response', status, text } };
}

export function invalidArgument(text: string): Result<never> {
  return { ok: false, error: { kind: 'invalid-argument', text } };
}

function readBlock(headers: Headers): { block?: ResponseBlock } {
  const [number, age] = [headers.get('chain-block') ?? '', headers.get('chain-block-age') ?? ''];
  return /^\d{1,20}$/.test(number) && /^\d{1,15}$/.test(age)
    ? { block: { number: BigInt(number), ageSeconds: Number(age) } }
    : {};
}
