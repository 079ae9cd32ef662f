/** How is the service asked? One request, bounded in time, that follows no redirect; what comes back is a value in every case. */
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { isObject, toServiceError, type ServiceError } from './service-errors.ts';

/** The block of the main chain that an answer stands on. */
export interface AnswerBlock {
  readonly number: bigint;
  /** Of the block when it was answered. */
  readonly ageSeconds: number;
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly block?: AnswerBlock }
  | { readonly ok: false; readonly error: ServiceError };

export type JsonObject = Readonly<Record<string, unknown>>;

/** Where the service is and how it is reached. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly namespace: Namespace;
  readonly fetch: typeof fetch;
  readonly timeoutMilliseconds: number;
}

export interface AskOptions {
  /** Ends the request; it is then `unreachable`. */
  readonly signal?: AbortSignal;
}

export interface Question extends AskOptions {
  readonly method?: 'GET' | 'PUT' | 'POST';
  /** Of the request, sent as they are. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Statuses that carry what was asked for; 200 when left out. */
  readonly statuses?: readonly number[];
  /** That of the connection when left out. */
  readonly timeoutMilliseconds?: number;
}

/** Asks, and returns the object that `isExpected` takes for an answer to this question. Never throws for what the service does. */
export async function ask<T extends object>(
  connection: Connection,
  path: string,
  isExpected: (body: JsonObject) => boolean,
  question: Question = {},
): Promise<Answer<T>> {
  const { method = 'GET', headers, body, statuses = [200], signal } = question;
  const limit = AbortSignal.timeout(question.timeoutMilliseconds ?? connection.timeoutMilliseconds);
  try {
    // Called as a function of its own: browsers refuse their `fetch` as a member of anything else.
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
    const found = parseJson(await response.text());
    if (!statuses.includes(status)) {
      return { ok: false, error: toServiceError(status, found, response.headers.get('retry-after')) };
    }
    if (!isObject(found) || !isExpected(found)) return foreign(status, 'not an answer to what was asked');
    return { ok: true, value: found as T, ...readBlock(response.headers) };
  } catch {
    return { ok: false, error: { kind: 'unreachable', text: 'no answer' } };
  }
}

export function foreign(status: number, text: string): Answer<never> {
  return { ok: false, error: { kind: 'foreign-answer', status, text } };
}

export function invalidArgument(text: string): Answer<never> {
  return { ok: false, error: { kind: 'invalid-argument', text } };
}

function readBlock(headers: Headers): { block?: AnswerBlock } {
  const [number, age] = [headers.get('chain-block') ?? '', headers.get('chain-block-age') ?? ''];
  return /^\d{1,20}$/.test(number) && /^\d{1,15}$/.test(age)
    ? { block: { number: BigInt(number), ageSeconds: Number(age) } }
    : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
