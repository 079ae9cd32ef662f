/** Wrapper of the request listener that traces each request with the pattern of its route. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { currentRequest } from './request-context.ts';

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
