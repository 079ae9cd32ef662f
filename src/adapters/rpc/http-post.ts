/**
 * How is a request brought to one node? By HTTP, with its answer whole and within a size, and once more over a connection that was closed meanwhile.
 * No URL (it may hold a key) and no error of the transport leaves this file: only fixed words do.
 */
import { Agent, request as httpRequest, type Dispatcher } from 'undici';

const KEEP_ALIVE_MILLISECONDS = 30_000;

/** One node, its URL taken apart. */
export interface RpcNode {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes credentials out of the URL and into a header. Throws without naming the URL. */
export function parseRpcUrl(url: string): RpcNode {
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError('an RPC URL cannot be parsed');
  const { origin, pathname, search, username, password } = parsed;
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (username !== '' || password !== '') {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return { origin, path: pathname + search, headers };
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** As it came, or its text; undefined: longer than allowed. */
  readonly body: Buffer | string | undefined;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
}

/** One HTTP exchange with a node. Throws when there was no whole answer. */
export type PostRpc = (node: RpcNode, body: string, options: PostOptions) => Promise<HttpAnswer>;

export interface SendOptions extends PostOptions {
  readonly post: PostRpc;
}

/** Why there is no answer. */
export type PostProblem = 'deadline' | 'transport';

/** Every request here can be repeated. Never throws. */
export async function postToNode(node: RpcNode, body: string, options: SendOptions): Promise<HttpAnswer | PostProblem> {
  try {
    return await options.post(node, body, options);
  } catch (error) {
    if (options.signal.aborted) return 'deadline';
    // A node may close a kept-alive connection while a request is on its way.
    if (!isConnectionLost(error)) return 'transport';
  }
  try {
    return await options.post(node, body, options);
  } catch {
    return options.signal.aborted ? 'deadline' : 'transport';
  }
}

export interface Connections {
  readonly post: PostRpc;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

export interface ConnectionLimits {
  readonly connectionsPerNode: number;
  readonly requestTimeoutMilliseconds: number;
}

/** To all nodes of a chain; kept between requests. */
export function openConnections(limits: ConnectionLimits): Connections {
  const dispatcher = new Agent({
    connections: limits.connectionsPerNode,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    connect: { timeout: limits.requestTimeoutMilliseconds },
  });
  return { post: createHttpPost(dispatcher), close: () => dispatcher.destroy() };
}

/** Posts over HTTP, with the connections of the dispatcher. */
export function createHttpPost(dispatcher: Dispatcher): PostRpc {
  return async (node, body, { signal, maxResponseBytes }) => {
    const { origin, path, headers } = node;
    const response = await httpRequest(origin + path, { method: 'POST', headers, body, dispatcher, signal });
    const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxResponseBytes) {
        response.body.destroy();
        return { status: response.statusCode, retryAfterSeconds, body: undefined };
      }
      chunks.push(chunk);
    }
    return { status: response.statusCode, retryAfterSeconds, body: Buffer.concat(chunks, bytes) };
  };
}

function isConnectionLost(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
