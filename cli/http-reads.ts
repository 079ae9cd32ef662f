/** What does the service answer? One GET of a JSON document, for the commands that show it. */
import { CommandFailed } from './exit-codes.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8000';

export type JsonObject = Readonly<Record<string, unknown>>;

const TIMEOUT_MILLISECONDS = 30_000;

/** Reads one document. Throws `CommandFailed` with the service's own words when it answers anything but 200. */
export async function readDocument(baseUrl: string, path: string, signal?: AbortSignal): Promise<JsonObject> {
  const { status, body } = await askService(baseUrl, path, { signal });
  if (status === 200 && body !== undefined) return body;
  throw refusal(path, { status, body });
}

export interface ServiceAnswer {
  readonly status: number;
  /** Undefined: no JSON object. */
  readonly body: JsonObject | undefined;
}

export interface ServiceRequest {
  readonly method?: 'GET' | 'PUT' | 'POST';
  /** Sent as JSON. */
  readonly document?: object;
  /** Sent as it is, and as JSON. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

/** One request, and whatever is answered. Throws `CommandFailed` when nothing is. */
export async function askService(
  baseUrl: string,
  path: string,
  { method = 'GET', document, body = document && JSON.stringify(document), token, signal }: ServiceRequest = {},
): Promise<ServiceAnswer> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new CommandFailed('usage', '--base-url must be a URL');
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal: signal ?? AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    return { status: response.status, body: parseObject(await response.text()) };
  } catch {
    throw new CommandFailed('unreachable', `the service at ${new URL(url).origin} does not answer`);
  }
}

/** The service's own words about a request that it did not fulfil. */
export function refusal(path: string, { status, body }: ServiceAnswer): CommandFailed {
  const said = body?.['detail'] ?? body?.['error'];
  const reason = typeof said === 'string' ? said : said === undefined ? 'no JSON object' : JSON.stringify(said);
  return new CommandFailed('refused', printable(`${path}: ${status} ${reason}`));
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** What a stranger wrote must not steer a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\uFFFD');
}
