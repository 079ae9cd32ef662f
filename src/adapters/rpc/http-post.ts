/**
 * HTTP POST to one node: reads the whole response within a size limit and repeats a request whose connection was lost.
 * Redirects are not followed and compressed bodies are not read. No URL (it may hold a key) and no transport error
 * leaves this file, only fixed words.
 */
import { Agent, request as httpRequest, type Dispatcher } from 'undici';
import { Fault } from '../../domain/faults.ts';
import { BodyMemory, type Grow } from './body-memory.ts';
import { SMALL_RESPONSE_BYTES } from './response-limits.ts';
import { parseRetryAfter } from './retry-after.ts';
import { RpcFailure } from './rpc-failure.ts';

const KEEP_ALIVE_MILLISECONDS = 30_000;

/** A node's URL in parts. */
export interface RpcNode {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Parses an RPC URL and moves its credentials into a header. Throws without naming the URL. */
export function parseRpcUrl(url: string): RpcNode {
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError('an RPC URL cannot be parsed');
  const { origin, pathname, search, username, password } = parsed;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    // A compressed body could expand beyond every limit.
    'accept-encoding': 'identity',
  };
  if (username !== '' || password !== '') {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return { origin, path: pathname + search, headers };
}

export interface HttpResponse {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** Raw bytes or text; undefined when longer than allowed, or ended for one of another host. */
  readonly body: Buffer | string | undefined;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
  /** Resolves when the body of the response is no longer used. */
  readonly used?: Promise<unknown> | undefined;
}

/** Sends one HTTP request to a node. Throws when no complete response arrives. */
export type PostRpc = (node: RpcNode, body: string, options: PostOptions) => Promise<HttpResponse>;

export interface SendOptions extends PostOptions {
  readonly post: PostRpc;
}

/** Why there is no response; `lost`: the connection ended twice while the request was in transit. */
export type PostFailure = 'deadline' | 'transport' | 'lost';

/**
 * Posts to the node, a second time when the connection is lost: every request is safe to repeat. Throws only the `Fault` or `RpcFailure`
 * for which the second one was not sent.
 */
export async function postToNode(
  node: RpcNode,
  body: string,
  options: SendOptions,
): Promise<HttpResponse | PostFailure> {
  const isExpired = () => options.signal.aborted;
  try {
    return await options.post(node, body, options);
  } catch (error) {
    if (isExpired()) return 'deadline';
    // A node may close a keep-alive connection while a request is in transit.
    if (!isConnectionLost(error)) return 'transport';
  }
  try {
    return await options.post(node, body, options);
  } catch (error) {
    if (error instanceof Fault || error instanceof RpcFailure) throw error;
    if (isExpired()) return 'deadline';
    return isConnectionLost(error) ? 'lost' : 'transport';
  }
}

export interface Connections {
  readonly post: PostRpc;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

export interface ConnectionLimits {
  readonly connectionsPerNode: number;
  readonly requestTimeoutMilliseconds: number;
}

/** Opens a pool of keep-alive connections to all nodes of a chain. */
export function openConnections(limits: ConnectionLimits): Connections {
  const dispatcher = new Agent({
    connections: limits.connectionsPerNode,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    connect: { timeout: limits.requestTimeoutMilliseconds },
  });
  return { post: createHttpPost(dispatcher), close: () => dispatcher.destroy() };
}

/** Returns a `PostRpc` that uses the dispatcher's connections. Bodies above 256 KiB share the memory. */
export function createHttpPost(dispatcher: Dispatcher, memory = LONG_BODIES): PostRpc {
  return async (node, body, { signal, maxResponseBytes, used }) => {
    const { origin, path, headers } = node;
    const response = await httpRequest(origin + path, { method: 'POST', headers, body, dispatcher, signal });
    const status = response.statusCode;
    const retryAfterSeconds = parseRetryAfter(response.headers['retry-after'], Date.now());
    const isSuccess = status >= 200 && status < 300;
    const maxBytes = isSuccess ? maxResponseBytes : Math.min(maxResponseBytes, SMALL_RESPONSE_BYTES);
    const isCompressed = (response.headers['content-encoding'] ?? 'identity') !== 'identity';
    const isTooLong = Number(response.headers['content-length'] ?? 0) > maxBytes;
    if (!isCompressed && !isTooLong) {
      const received = await readBody(response.body, { host: origin, maxBytes, memory, signal, used });
      return { status, retryAfterSeconds, body: received };
    }
    endConnection(response.body);
    return { status, retryAfterSeconds, body: isCompressed ? Buffer.alloc(0) : undefined };
  };
}

const FIRST_BYTES = 16_384;
const BLOCK_BYTES = 256 * 1024;
/** Longest body that does not share the memory: the number of connections bounds these. */
const SHORT_BODY_BYTES = BLOCK_BYTES;
/** Memory of the process for long bodies. The two of one host always fit, beside two of another that are parsed. */
const LONG_BODIES = new BodyMemory(160 * 1024 * 1024);

type BodyStream = Dispatcher.ResponseData['body'];
type BodyChunks = AsyncIterator<Buffer, undefined>;

interface BodyLimits {
  readonly host: string;
  readonly maxBytes: number;
  readonly memory: BodyMemory;
  readonly signal: AbortSignal;
  readonly used: Promise<unknown> | undefined;
}

/** Reads the body; undefined, and the connection ends, when it exceeds the limit or is ended for one of another host. */
async function readBody(stream: BodyStream, limits: BodyLimits): Promise<Buffer | undefined> {
  const { host, maxBytes, memory, signal, used } = limits;
  const chunks = stream[Symbol.asyncIterator]() as BodyChunks;
  const body = new BodyBlocks();
  try {
    if (await fill(body, chunks, Math.min(SHORT_BODY_BYTES, maxBytes))) return body.join();
    const end = () => endConnection(stream);
    const read = (grow: Grow) => fill(body, chunks, maxBytes, grow);
    if (maxBytes > SHORT_BODY_BYTES && (await memory.receive({ host, read, end, used }, signal))) return body.join();
    end();
    return undefined;
  } finally {
    body.free();
  }
}

/** Reads until the end of the body: true; or until its length exceeds `maxBytes` or it may not grow: false. */
async function fill(body: BodyBlocks, chunks: BodyChunks, maxBytes: number, grow?: Grow): Promise<boolean> {
  while (body.length <= maxBytes) {
    const next = await chunks.next();
    if (next.done === true) return true;
    if (grow?.(next.value.length) === false) return false;
    body.append(next.value);
  }
  return false;
}

/**
 * Body in blocks. Chunks are copied into them, because a list of very short chunks takes many times the memory of its
 * bytes.
 */
class BodyBlocks {
  /** The last one is being filled. */
  readonly #blocks = [Buffer.allocUnsafeSlow(FIRST_BYTES)];
  #used = 0;
  length = 0;

  append(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      if (this.#used === this.#blocks.at(-1)!.length) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#used = 0;
      }
      const copied = chunk.copy(this.#blocks.at(-1)!, this.#used, from);
      this.#used += copied;
      from += copied;
    }
    this.length += chunk.length;
  }

  /** Returns the body in one buffer that shares its memory with nothing else, and frees the blocks as it copies them. */
  join(): Buffer<ArrayBuffer> {
    const body = Buffer.allocUnsafeSlow(this.length);
    let at = 0;
    for (const block of this.#blocks) {
      // The last block is longer than what it holds.
      at += block.copy(body, at);
      free(block);
    }
    this.#blocks.length = 0;
    return body;
  }

  /** Frees all blocks. */
  free(): void {
    for (const block of this.#blocks) free(block);
    this.#blocks.length = 0;
  }
}

/** Frees the memory of a buffer at once: the blocks of many bodies could otherwise wait for the garbage collector. */
function free(block: Buffer<ArrayBuffer>): void {
  block.buffer.transfer(0);
}

/** Ends the connection of a response that is not read to its end. */
function endConnection(stream: BodyStream): void {
  // The error of the end is expected, and the response is judged without it.
  stream.on('error', () => undefined).destroy();
}

function isConnectionLost(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
