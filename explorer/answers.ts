/**
 * What did the service answer, and when is it worth asking again? Every outcome has a shape of its own: an answer, a refusal with its
 * reason, or a service that was not reached. An answer stays in view while a newer one is fetched, and also when that fails.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Answer<T> {
  readonly path: string;
  readonly body: T;
  /** The body as it came, for readers who want it so. */
  readonly text: string;
  /** The block that the answer stands on. */
  readonly block: number | undefined;
  readonly blockAgeSeconds: number | undefined;
  readonly receivedAtMilliseconds: number;
  /** Of the service against ours, from its Date header. */
  readonly clockLeadMilliseconds: number;
}

export interface Refusal {
  readonly path: string;
  /** 0: no answer arrived. */
  readonly status: number;
  readonly code: string | undefined;
  /** What the service says, in its own words. */
  readonly detail: string;
  readonly homeChain: number | undefined;
  readonly text: string;
  /** Undefined: asking again changes nothing. */
  readonly retryAfterSeconds: number | undefined;
}

export type Outcome<T> =
  { readonly answer: Answer<T>; readonly refusal?: never } | { readonly refusal: Refusal; readonly answer?: never };

const PATIENCE_MILLISECONDS = 12_000;
const RETRY_SECONDS = 30;

export async function ask<T>(path: string, init: RequestInit = {}, signal?: AbortSignal): Promise<Outcome<T>> {
  const timeout = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  try {
    const response = await fetch(path, {
      ...init,
      headers: { Accept: 'application/json', ...init.headers },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await response.text();
    if (!response.ok) return { refusal: toRefusal(path, response, text) };
    return { answer: toAnswer<T>(path, response, text) };
  } catch {
    return {
      refusal: {
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

function toAnswer<T>(path: string, { headers }: Response, text: string): Answer<T> {
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

function toRefusal(path: string, { status, headers }: Response, text: string): Refusal {
  const told = toNumber(headers.get('retry-after'));
  const isPassing = status === 429 || status === 408 || status >= 500;
  return {
    path,
    status,
    text,
    ...readDetail(text),
    retryAfterSeconds: isPassing ? (told ?? RETRY_SECONDS) : undefined,
  };
}

/** Errors are bare, coded, or a list of what is wrong. */
function readDetail(text: string): Pick<Refusal, 'code' | 'detail' | 'homeChain'> {
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

export interface Followed<T> {
  readonly answer: Answer<T> | undefined;
  /** Of the newest attempt; undefined when it was answered. */
  readonly refusal: Refusal | undefined;
  readonly retryAtMilliseconds: number | undefined;
  /** When the first of the refusals in a row came. */
  readonly refusedSinceMilliseconds: number | undefined;
  readonly retry: () => void;
}

const NOTHING = {
  answer: undefined,
  refusal: undefined,
  retryAtMilliseconds: undefined,
  refusedSinceMilliseconds: undefined,
};

/**
 * Asks, and asks again: every `refreshSeconds` (left out: never) and when a refusal says so. A page that nobody looks at does not ask.
 * `path` undefined: there is nothing to ask yet.
 */
export function useAnswer<T>(path: string | undefined, refreshSeconds?: number): Followed<T> {
  const [state, setState] = useState<Omit<Followed<T>, 'retry'> & { path?: string | undefined }>(NOTHING);
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
      const { answer, refusal } = await ask<T>(path, {}, end.signal);
      if (end.signal.aborted) return;
      const waitSeconds = refusal === undefined ? refreshSeconds : refusal.retryAfterSeconds;
      const retryAtMilliseconds =
        refusal === undefined || waitSeconds === undefined ? undefined : Date.now() + waitSeconds * 1000;
      setState((before) => ({
        path,
        answer: answer ?? (isPassing(refusal) && before.path === path ? before.answer : undefined),
        refusal,
        retryAtMilliseconds,
        refusedSinceMilliseconds:
          refusal === undefined ? undefined : (before.path === path && before.refusedSinceMilliseconds) || Date.now(),
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
  return state.path === path ? { ...state, retry } : { ...NOTHING, retry };
}

function isPassing(refusal: Refusal | undefined): boolean {
  return refusal?.retryAfterSeconds !== undefined;
}

/** Now, told anew every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
