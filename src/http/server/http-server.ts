/**
 * HTTP/1.1 server below the routes: limits of time and size of a request, and the deviations from Node's defaults (http-facts 2,
 * evidence 2). Input that the parser rejects is in `parser-errors.ts`, shutdown in `connection-drain.ts`.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Fault } from '../../domain/faults.ts';
import { trackConnections } from './connection-drain.ts';
import { endAfterPending, LINGER_MILLISECONDS, profileOf, refuseMethod } from './parser-errors.ts';
import { deferBody } from './request-body.ts';

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
/** The longest time that an incomplete request can occupy its connection. */
export const MAX_ARRIVAL_MILLISECONDS = ARRIVAL_MILLISECONDS + CHECK_INTERVAL_MILLISECONDS + LINGER_MILLISECONDS;

const ROUTE_UNKNOWN = new Fault('RouteUnknown', {});

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
  trackConnections(server);
  // Node would drop further headers silently; `RequestPipeline` refuses them.
  server.maxHeadersCount = 0;
  // A client may close its side after the request and still receives the response; Node has no public option for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has removed its own listener; without one, a client that resets the connection would stop the process.
    socket.on('error', () => socket.destroy());
    const target = request.url ?? '';
    endAfterPending(socket, profileOf(target), refuseMethod(target) ?? ROUTE_UNKNOWN);
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
