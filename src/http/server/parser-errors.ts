/**
 * JSON errors on connections whose input never becomes a request: a broken request line, a head that is too large or never ends
 * (http-facts 2 "error bodies", evidence 2).
 */
import { METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Fault } from '../../domain/faults.ts';
import { currentRequest } from './request-context.ts';
import { decodePath, normalizePath } from './request-path.ts';
import { profileOfUnknownPath, VERIFY_PREFIX, type ProfileName } from './route-profiles.ts';
import { toErrorHeaders, toWireError } from '../error-responses.ts';

/** Time that a refused client may continue sending before its connection is destroyed; an immediate reset might lose the response. */
export const LINGER_MILLISECONDS = 1_000;

const HEAD_TOO_LARGE = new Fault('RequestTooLarge', { part: 'head' });
const BODY_TOO_LARGE = new Fault('RequestTooLarge', { part: 'body' });
const TOO_SLOW = new Fault('RequestTimeout', {});
const MALFORMED = new Fault('RequestMalformed', {});

/** An error of Node's parser. `rawPacket` holds the bytes received last. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
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
    const refusal = error.code === 'HPE_INVALID_METHOD' ? refuseUnknownMethod(error.rawPacket) : undefined;
    endAfterPending(socket, profileOfUnparsed(error.rawPacket, fault), refusal ?? fault);
  }
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
  const target = findRequestLine(packet)?.target;
  return target === undefined && fault === HEAD_TOO_LARGE ? 'verify' : profileOf(target ?? '');
}

/** Returns method and target of the last request line in the packet; undefined when the line came in an earlier one. */
function findRequestLine(packet: unknown): { readonly method: string; readonly target: string } | undefined {
  if (!Buffer.isBuffer(packet)) return undefined;
  const lines = [...packet.toString('latin1').matchAll(/(?:^|\n)([^\s:]+) ((?:\/|https?:)\S*)/gi)];
  const [, method, target] = lines.at(-1) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/** Returns the refusal of a method that Node does not know, on a path of Verify. */
function refuseUnknownMethod(packet: unknown): Fault | undefined {
  const line = findRequestLine(packet);
  return line === undefined || METHODS.includes(line.method) ? undefined : refuseMethod(line.target);
}

/** Paths of Verify with their one method. */
const VERIFY_METHODS = [
  { path: /^machines\/[^/]+$/, method: 'GET' },
  { path: /^chip\/(?:challenge|evidence)$/, method: 'POST' },
];

/** Returns the refusal of a method that reaches no route; undefined for a path that Verify does not have. */
export function refuseMethod(target: string): Fault | undefined {
  const path = decodePath(normalizePath(target));
  if (!path.startsWith(VERIFY_PREFIX)) return undefined;
  const known = VERIFY_METHODS.find((each) => each.path.test(path.slice(VERIFY_PREFIX.length)));
  return known && new Fault('MethodNotAllowed', { allow: [known.method] });
}

export function profileOf(target: string): ProfileName {
  return profileOfUnknownPath(decodePath(normalizePath(target)));
}

/** Ends the connection with an error after the responses still pending on it. */
export function endAfterPending(socket: Duplex, profile: ProfileName, fault: Fault): void {
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
