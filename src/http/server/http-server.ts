/**
 * HTTP/1.1 server below the routes. Time and size limits of requests, and JSON errors for input that the HTTP parser rejects, such as a broken
 * request line or headers that are too large or never end (http-facts 2 "error bodies", evidence 2).
 */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as afterPolling } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import { currentRequest } from './request-context.ts';
import { deferBody } from './request-body.ts';
import { decodePath, normalizePath } from './request-path.ts';
import { profileOfUnknownPath, type ProfileName } from './route-profiles.ts';
import { toErrorHeaders, toWireError } from '../error-responses.ts';

/** Longer request heads are 431. Ids of thousands of digits still reach their route. */
const MAX_HEAD_BYTES = 32_768;
/** A request that has not arrived completely after this time is rejected. */
const ARRIVAL_MILLISECONDS = 9_000;
const CHECK_INTERVAL_MILLISECONDS = 500;
/**
 * Idle timeout of a connection, including one whose client reads nothing. Longer than the 60 s of common load balancers, so that they are the
 * ones to close an idle connection.
 */
const IDLE_MILLISECONDS = 75_000;
/** Time that a request may take to follow the opening of its connection, on a server that is closing. */
const FIRST_REQUEST_MILLISECONDS = 250;
/** Event loop ticks without a new connection after which none is pending; the first may be the end of an older tick. */
const EMPTY_TICKS = 3;
/** Bounds the wait when new connections keep arriving. */
const MAX_TICKS = 2_000;
/** Time that a refused client may continue sending before its connection is destroyed; an immediate reset might lose the response. */
const LINGER_MILLISECONDS = 1_000;

/** The longest time that an incomplete request can occupy its connection. */
export const MAX_ARRIVAL_MILLISECONDS = ARRIVAL_MILLISECONDS + CHECK_INTERVAL_MILLISECONDS + LINGER_MILLISECONDS;

const HEAD_TOO_LARGE = new Fault('RequestTooLarge', { part: 'head' });
const BODY_TOO_LARGE = new Fault('RequestTooLarge', { part: 'body' });
const TOO_SLOW = new Fault('RequestTimeout', {});
const MALFORMED = new Fault('RequestMalformed', {});
const ROUTE_UNKNOWN = new Fault('RouteUnknown', {});

/** An error of Node's parser. `rawPacket` holds the bytes received last. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Open connections of each server. */
const openSockets = new WeakMap<Server, Set<Socket>>();

export function createHttpServer(listener: RequestListener, arrivalMilliseconds = ARRIVAL_MILLISECONDS): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: arrivalMilliseconds,
      requestTimeout: arrivalMilliseconds,
      connectionsCheckingInterval: CHECK_INTERVAL_MILLISECONDS,
      // A separate timeout between requests would restart timers with every request, half a microsecond of 14.
      keepAliveTimeout: 0,
      // `RequestPipeline` refuses it with a body, which Node's own refusal lacks.
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(IDLE_MILLISECONDS);
  const open = new Set<Socket>();
  openSockets.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node would drop further headers silently; `RequestPipeline` refuses them.
  server.maxHeadersCount = 0;
  // A client may close its side after the request and still receives the response; Node has no public option for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has removed its own listener; without one, a client that resets the connection would stop the process.
    socket.on('error', () => socket.destroy());
    endAfterPending(socket, profileOf(request.url ?? ''), ROUTE_UNKNOWN);
  });
  // Node would request the body before the route has seen the head.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    deferBody(request, response);
    listener(request, response);
  });
  // An unknown expectation does not refuse a request.
  server.on('checkExpectation', listener);
  return server;
}

/** Traces a request until its response ends. Calls `serve`, which returns the pattern of the route. */
export type TraceRequest = (request: IncomingMessage, response: ServerResponse, serve: () => string) => void;

/** Wraps the listener so that every request is traced; returns it unchanged without a tracer. */
export function withTracing(listener: RequestListener, traceRequest: TraceRequest | undefined): RequestListener {
  if (traceRequest === undefined) return listener;
  return (request, response) =>
    traceRequest(request, response, () => {
      listener(request, response);
      const context = currentRequest(request.socket);
      return context?.request === request ? context.route.pattern : 'unknown';
    });
}

/** Connections that are refused already; the parser reports every further packet of a broken request. */
const ended = new WeakSet<Duplex>();

/**
 * Sends the error for a request that the parser rejected, after the responses still pending on the connection, and closes it.
 * Must be the only listener of the server's `clientError`.
 */
export function respondToParserError(error: ParserError, socket: Duplex): void {
  if (ended.has(socket)) return;
  ended.add(socket);
  const fault = toFault(error);
  const context = currentRequest(socket);
  if (error.code === 'ECONNRESET' || ('bytesRead' in socket && socket.bytesRead === 0)) {
    socket.destroy();
  } else if (context?.request.complete === false) {
    // The body was cut short. Nothing more is sent when the response was sent already.
    if (context.response.headersSent) socket.destroy();
    else endWithFault(socket, context.route.profile, fault);
  } else {
    endAfterPending(socket, profileOfUnparsed(error.rawPacket, fault), fault);
  }
}

/** Accepts the connections that are pending, one in each tick; a server that closed now would reset them. */
export async function acceptPendingConnections(server: Server): Promise<void> {
  if (!server.listening) return;
  let emptyTicks = 0;
  const note = () => (emptyTicks = 0);
  server.on('connection', note);
  for (let tick = 0; tick < MAX_TICKS && emptyTicks < EMPTY_TICKS; tick++) {
    emptyTicks += 1;
    await afterPolling();
  }
  server.off('connection', note);
}

/**
 * Closes connections as they become idle, so that a closing server ends with its last response. Starts after a delay and keeps Node from closing
 * them at once: a connection just opened counts as idle until its request arrives and would be reset, and so does one whose response is not yet
 * read. No connection is closed while a client is still reading.
 */
export function closeWhenIdle(server: Server): void {
  if (!server.listening) return;
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined;
  const closesFrom = performance.now() + FIRST_REQUEST_MILLISECONDS;
  const isAnyBeingRead = () => [...(openSockets.get(server) ?? [])].some(({ writableLength }) => writableLength > 0);
  // Received data is read before the check; a busy process would otherwise reset its connection.
  const check = () => performance.now() >= closesFrom && setImmediate(() => isAnyBeingRead() || closeIdle());
  const timer = setInterval(check, CHECK_INTERVAL_MILLISECONDS / 10);
  server.once('close', () => clearInterval(timer));
}

function toFault({ code }: ParserError): Fault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return HEAD_TOO_LARGE;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return BODY_TOO_LARGE;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW;
    default:
      return MALFORMED;
  }
}

/**
 * Returns the profile by the packet received last. A head that is too large may have begun in an earlier one: it then gets the response of Verify,
 * because clients of Verify accept no other, and for all others it is JSON as well.
 */
function profileOfUnparsed(packet: unknown, fault: Fault): ProfileName {
  const target = findTarget(packet);
  return target === undefined && fault === HEAD_TOO_LARGE ? 'verify' : profileOf(target ?? '');
}

/** Returns the target of the last request line in the packet; undefined when the line came in an earlier one. */
function findTarget(packet: unknown): string | undefined {
  if (!Buffer.isBuffer(packet)) return undefined;
  let target: string | undefined;
  for (const [, found] of packet.toString('latin1').matchAll(/(?:^|\n)[^\s:]+ ((?:\/|https?:)\S*)/gi)) target = found;
  return target;
}

function profileOf(target: string): ProfileName {
  return profileOfUnknownPath(decodePath(normalizePath(target)));
}

/** Ends the connection with an error after the responses still pending on it. */
function endAfterPending(socket: Duplex, profile: ProfileName, fault: Fault): void {
  const context = currentRequest(socket);
  if (context === undefined || context.response.writableFinished) endWithFault(socket, profile, fault);
  else context.response.once('finish', () => endWithFault(socket, profile, fault));
}

function endWithFault(socket: Duplex, profile: ProfileName, fault: Fault): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const wire = toWireError(profile, fault);
  const text = JSON.stringify(wire.body);
  const headers = [...toErrorHeaders(profile, wire, text), 'Date', new Date().toUTCString(), 'Connection', 'close'];
  let head = `HTTP/1.1 ${wire.status} ${STATUS_CODES[wire.status]!}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]!}: ${headers[i + 1]!}\r\n`;
  socket.end(`${head}\r\n${text}`);
  const cutOff = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
  socket.once('close', () => clearTimeout(cutOff));
}
