/**
 * Queries to the service's API. Each outcome has its own shape: a response, a rejected request with its reason, or an
 * unreachable service (status 0). A response stays in view while a newer one is fetched, and also when that request
 * fails.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface ApiResponse<T> {
  readonly path: string;
  readonly body: T;
  /** The body as received, for display as raw data. */
  readonly text: string;
  /** Block at which the response was computed. */
  readonly block: number | undefined;
  readonly blockAgeSeconds: number | undefined;
  readonly receivedAtMilliseconds: number;
  /** Lead of the service's clock over ours, from the Date header. */
  readonly clockLeadMilliseconds: number;
}

export interface ApiFailure {
  readonly path: string;
  /** 0: no response arrived. */
  readonly status: number;
  readonly code: string | undefined;
  /** Message of the service. */
  readonly detail: string;
  readonly homeChain: number | undefined;
  readonly text: string;
  /** Undefined: a retry cannot succeed. */
  readonly retryAfterSeconds: number | undefined;
}

export type ApiResult<T> =
  | { readonly response: ApiResponse<T>; readonly failure?: never }
  | { readonly failure: ApiFailure; readonly response?: never };

const TIMEOUT_MILLISECONDS = 12_000;
const RETRY_SECONDS = 30;

/** Sends a request and parses the JSON response. Never throws. */
export async function requestJson<T>(
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
  signal?: AbortSignal,
): Promise<ApiResult<T>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  try {
    const response = await fetch(path, {
      ...init,
      headers: { Accept: 'application/json', ...init.headers },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    if (!response.ok) return { failure: toFailure(path, response, text) };
    return { response: toResponse<T>(path, response, text) };
  } catch {
    return {
      failure: {
        path,
        status: 0,
        code: undefined,
        detail: '',
        homeChain: undefined,
        text: '',
        retryAfterSeconds: RETRY_SECONDS,
      },
    };
  }
}

function toResponse<T>(path: string, { headers }: Response, text: string): ApiResponse<T> {
  const now = Date.now();
  const date = Date.parse(headers.get('date') ?? '');
  return {
    path,
    body: JSON.parse(text) as T,
    text,
    block: toNumber(headers.get('chain-block')),
    blockAgeSeconds: toNumber(headers.get('chain-block-age')),
    receivedAtMilliseconds: now,
    clockLeadMilliseconds: Number.isNaN(date) ? 0 : date - now,
  };
}

function toFailure(path: string, { status, headers }: Response, text: string): ApiFailure {
  const isTransient = status === 429 || status === 408 || status >= 500;
  return {
    path,
    status,
    text,
    ...readDetail(text),
    retryAfterSeconds: isTransient ? (toNumber(headers.get('retry-after')) ?? RETRY_SECONDS) : undefined,
  };
}

/**
 * Reads the three error formats of the interface: a bare text, a code with a message, and a list of validation errors.
 */
function readDetail(text: string): Pick<ApiFailure, 'code' | 'detail' | 'homeChain'> {
  const body = parseObject(text);
  const detail = body['detail'] ?? body['error'] ?? '';
  if (typeof detail === 'string') return { code: undefined, detail, homeChain: undefined };
  if (Array.isArray(detail)) {
    return { code: undefined, detail: detail.map(({ msg }: { msg: string }) => msg).join('; '), homeChain: undefined };
  }
  const { code, message, home_protocol_chain_id: homeChain } = detail as Record<string, unknown>;
  return {
    code: typeof code === 'string' ? code : undefined,
    detail: typeof message === 'string' ? message : '',
    homeChain: typeof homeChain === 'number' ? homeChain : undefined,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export interface Query<T> {
  readonly response: ApiResponse<T> | undefined;
  /** Failure of the newest attempt; undefined when it succeeded. */
  readonly failure: ApiFailure | undefined;
  readonly retryAtMilliseconds: number | undefined;
  /** Time of the first of the consecutive failures. */
  readonly failingSinceMilliseconds: number | undefined;
  readonly retry: () => void;
}

const EMPTY = {
  response: undefined,
  failure: undefined,
  retryAtMilliseconds: undefined,
  failingSinceMilliseconds: undefined,
};

/**
 * Fetches `path`, then again every `refreshSeconds` (left out: never) and after a transient failure. A hidden page
 * sends nothing until it is visible. Sends nothing while `path` is undefined.
 */
export function useQuery<T>(path: string | undefined, refreshSeconds?: number): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, 'retry'> & { path?: string | undefined }>(EMPTY);
  const reload = useRef<() => void>(() => undefined);

  useEffect(() => {
    if (path === undefined) return undefined;
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;

    const load = async () => {
      clearTimeout(timer);
      if (document.hidden) {
        document.addEventListener('visibilitychange', () => void load(), { once: true, signal: end.signal });
        return;
      }
      const { response, failure } = await requestJson<T>(path, {}, end.signal);
      if (end.signal.aborted) return;
      const waitSeconds = failure === undefined ? refreshSeconds : failure.retryAfterSeconds;
      const retryAtMilliseconds =
        failure === undefined || waitSeconds === undefined ? undefined : Date.now() + waitSeconds * 1000;
      setState((before) => ({
        path,
        response: response ?? (isTransient(failure) && before.path === path ? before.response : undefined),
        failure,
        retryAtMilliseconds,
        failingSinceMilliseconds:
          failure === undefined ? undefined : (before.path === path && before.failingSinceMilliseconds) || Date.now(),
      }));
      if (waitSeconds !== undefined) timer = setTimeout(() => void load(), waitSeconds * 1000);
    };

    reload.current = () => void load();
    void load();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [path, refreshSeconds]);

  const retry = useCallback(() => reload.current(), []);
  return state.path === path ? { ...state, retry } : { ...EMPTY, retry };
}

function isTransient(failure: ApiFailure | undefined): boolean {
  return failure?.retryAfterSeconds !== undefined;
}

/** Returns the current time in milliseconds, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
