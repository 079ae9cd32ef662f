/** Request bodies: read only when a route requests them, and up to its size limit. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../domain/faults.ts';
import type { RequestContext } from './request-context.ts';

/** Requests that wait for `100 Continue`, and whether their connection stays open once the body is read. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/**
 * Defers the body of a request with `Expect: 100-continue`. If no route reads it, whether it still arrives is unknown, so the connection closes
 * after the response.
 */
export function deferBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response.shouldKeepAlive);
  response.shouldKeepAlive = false;
}

/**
 * Returns the whole body. Throws `RequestTooLarge` as soon as it exceeds `maxBytes`, by its declared length or by what arrives, and
 * `RequestMalformed` when it is cut short. Unread data is discarded.
 */
export function readBody(context: RequestContext, maxBytes: number): Promise<Buffer> {
  const { request, response } = context;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  requestBody(request, response);
  context.setPhase('body');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      request.off('data', onData);
      request.resume();
      reject(tooLarge());
    };
    request.on('data', onData);
    request.on('end', () => {
      context.setPhase('chain');
      resolve(Buffer.concat(chunks));
    });
    request.on('error', () => reject(new Fault('RequestMalformed', {})));
    request.on('close', () => reject(new Fault('RequestMalformed', {})));
  });
}

function requestBody(request: IncomingMessage, response: ServerResponse): void {
  const keepAlive = waiting.get(request);
  if (keepAlive === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = keepAlive;
  response.writeContinue();
}

function tooLarge(): Fault {
  return new Fault('RequestTooLarge', { part: 'body' });
}
