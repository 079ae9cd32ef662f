/**
 * How does the service speak HTTP/1.1 below its routes? Limits on time and size of what arrives, and JSON answers to what never becomes
 * a request: a broken request line, headers that are too large or never end (http-facts 2 "error bodies", evidence 2).
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
import { letBodyWait } from './request-body.ts';
import { decodePath, normalizePath } from './request-path.ts';
import { profileOfUnknownPath, type ProfileName } from './route-profiles.ts';
import { toErrorHeaders, toWireError } from '../error-responses.ts';

/** The longest request head that is read; longer ones are 431. Ids of thousands of digits get the answer of their route. */
export const MAX_HEAD_BYTES = 32_768;
/** A request that has not arrived whole by then is given up. */
const ARRIVAL_MILLISECONDS = 9_000;
const CHECKING_MILLISECONDS = 500;
/**
 * A connection on which nothing moves, idle or with a reader that does not read, is dropped. Longer than the 60 s after which common load balancers
 * drop an idle one, so that they are the ones to close it.
 */
const SILENCE_MILLISECONDS = 75_000;
/** How long a request may take to follow the opening of its connection, on a server that is closing. */
const ON_THE_WAY_MILLISECONDS = 250;
/** The first turn may be the rest of one in which nobody was taken any more. */
const EMPTY_TURNS = 3;
/** Whoever comes so often that there are always more is not waited for. */
const MOST_TURNS = 2_000;
/** How long a refused sender may go on sending before it is cut off; cut off at once it might lose the answer. */
const LINGER_MILLISECONDS = 1_000;

/** How long a half-sent request can keep its connection. */
export const LONGEST_ARRIVAL_MILLISECONDS = ARRIVAL_MILLISECONDS + CHECKING_MILLISECONDS + LINGER_MILLISECONDS;

const HEAD_TOO_LARGE = new Fault('RequestTooLarge', { part: 'head' });
const BODY_TOO_LARGE = new Fault('RequestTooLarge', { part: 'body' });
const TOO_SLOW = new Fault('RequestTimeout', {});
const MALFORMED = new Fault('RequestMalformed', {});
const ROUTE_UNKNOWN = new Fault('RouteUnknown', {});

/** An error of Node's parser. `rawPacket` holds the bytes that arrived last. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Connections of each server. */
const openSockets = new WeakMap<Server, Set<Socket>>();

export function createHttpServer(listener: RequestListener, arrivalMilliseconds = ARRIVAL_MILLISECONDS): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: arrivalMilliseconds,
      requestTimeout: arrivalMilliseconds,
      connectionsCheckingInterval: CHECKING_MILLISECONDS,
      // Two patiences would be a new timer at the begin and at the end of every request, half a microsecond of 14.
      keepAliveTimeout: 0,
      // Node's own refusal has no body; `Conduct` has one.
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(SILENCE_MILLISECONDS);
  const open = new Set<Socket>();
  openSockets.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node would drop further headers silently; `Conduct` refuses them.
  server.maxHeadersCount = 0;
  // A caller may end its side after the request and still hears the answer; Node has no other name for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has taken its own listener off, and a caller that resets the connection would end the process.
    socket.on('error', () => socket.destroy());
    endInTurn(socket, surfaceOf(request.url ?? ''), ROUTE_UNKNOWN);
  });
  // Node would ask for the body before anybody has seen the head.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    letBodyWait(request, response);
    listener(request, response);
  });
  // An expectation that nobody knows is nothing to refuse a request for.
  server.on('checkExpectation', listener);
  return server;
}

/** Runs `serve`, which answers the route as it is registered, and sees the response to its end. */
export type TraceRequest = (request: IncomingMessage, response: ServerResponse, serve: () => string) => void;

export function traceEach(listener: RequestListener, traceRequest: TraceRequest | undefined): RequestListener {
  if (traceRequest === undefined) return listener;
  return (request, response) =>
    traceRequest(request, response, () => {
      listener(request, response);
      const exchange = currentRequest(request.socket);
      return exchange?.request === request ? exchange.route.pattern : 'unknown';
    });
}

/** Connections that read nothing more; the parser reports every further packet of a broken request. */
const ended = new WeakSet<Duplex>();

/**
 * Answers what the parser gave up on, after the answers that are still due on the connection, and closes it.
 * To be the only listener of the server's `clientError`.
 */
export function answerUnreadable(error: ParserError, socket: Duplex): void {
  if (ended.has(socket)) return;
  ended.add(socket);
  const fault = toFault(error);
  const exchange = currentRequest(socket);
  if (error.code === 'ECONNRESET' || (socket as Socket).bytesRead === 0) {
    socket.destroy();
  } else if (exchange?.request.complete === false) {
    // Its body broke off. If it is answered already there is nothing left to say.
    if (exchange.response.headersSent) socket.destroy();
    else endWithFault(socket, exchange.route.surface, fault);
  } else {
    endInTurn(socket, surfaceOfUnread(error.rawPacket, fault), fault);
  }
}

/** Takes the connections that wait for it, one in each turn; a server that closed now would reset them. */
export async function takeWaiting(server: Server): Promise<void> {
  if (!server.listening) return;
  let turnsWithout = 0;
  const note = () => (turnsWithout = 0);
  server.on('connection', note);
  for (let turn = 0; turn < MOST_TURNS && turnsWithout < EMPTY_TURNS; turn++) {
    turnsWithout += 1;
    await afterPolling();
  }
  server.off('connection', note);
}

/**
 * Closes connections as they fall idle, so that a server that is closing ends with its last answer. Begins a moment later, and keeps Node from doing so
 * at once: a connection that was just opened counts as idle while its request is on the way, and would be reset. So does one whose answer is given and
 * not yet read; all wait for such a reader.
 */
export function closeWhenIdle(server: Server): void {
  if (!server.listening) return;
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined;
  const closesFrom = performance.now() + ON_THE_WAY_MILLISECONDS;
  const isReadBySomeone = () => [...(openSockets.get(server) ?? [])].some(({ writableLength }) => writableLength > 0);
  // What has arrived is read before the check; else a process that had to wait for its turn would reset it.
  const check = () => performance.now() >= closesFrom && setImmediate(() => isReadBySomeone() || closeIdle());
  const timer = setInterval(check, CHECKING_MILLISECONDS / 10);
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
 * By the packet that arrived last. A head that is too large may have begun in an earlier one: then it gets the answer that readers of Verify take,
 * because they take no other, and for all others it is JSON as well.
 */
function surfaceOfUnread(packet: unknown, fault: Fault): ProfileName {
  const target = findTarget(packet);
  return target === undefined && fault === HEAD_TOO_LARGE ? 'verify' : surfaceOf(target ?? '');
}

/** The target of the last request line in the packet; undefined when the line came in an earlier one. */
function findTarget(packet: unknown): string | undefined {
  if (!Buffer.isBuffer(packet)) return undefined;
  let target: string | undefined;
  for (const [, found] of packet.toString('latin1').matchAll(/(?:^|\n)[^\s:]+ ((?:\/|https?:)\S*)/gi)) target = found;
  return target;
}

function surfaceOf(target: string): ProfileName {
  return profileOfUnknownPath(decodePath(normalizePath(target)));
}

/** After the answers that are still due on the connection. */
function endInTurn(socket: Duplex, surface: ProfileName, fault: Fault): void {
  const exchange = currentRequest(socket);
  if (exchange === undefined || exchange.response.writableFinished) endWithFault(socket, surface, fault);
  else exchange.response.once('finish', () => endWithFault(socket, surface, fault));
}

function endWithFault(socket: Duplex, surface: ProfileName, fault: Fault): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const wire = toWireError(surface, fault);
  const text = JSON.stringify(wire.body);
  const headers = [...toErrorHeaders(surface, wire, text), 'Date', new Date().toUTCString(), 'Connection', 'close'];
  let head = `HTTP/1.1 ${wire.status} ${STATUS_CODES[wire.status]}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.end(`${head}\r\n${text}`);
  const cutOff = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
  socket.once('close', () => clearTimeout(cutOff));
}
