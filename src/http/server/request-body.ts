/** Which bytes did the caller send? Read only when a route asks, and no further than it wants. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../domain/faults.ts';
import type { RequestContext } from './request-context.ts';

/** Requests whose bodies wait to be asked for, and whether their connections are to be kept then. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/** Of a request with `Expect: 100-continue`. Where nobody asks, nobody knows whether the body still comes: the connection ends with the answer. */
export function deferBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response.shouldKeepAlive);
  response.shouldKeepAlive = false;
}

/**
 * The whole body. Throws `RequestTooLarge` as soon as it is known to be longer than `maxBytes`, by its declared length or by what
 * arrives, and `RequestMalformed` when it breaks off. What is left unread is discarded.
 */
export function readBody({ request, response }: RequestContext, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  askForBody(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      request.off('data', take);
      request.resume();
      reject(tooLarge());
    };
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => reject(new Fault('RequestMalformed', {})));
    request.on('close', () => reject(new Fault('RequestMalformed', {})));
  });
}

function askForBody(request: IncomingMessage, response: ServerResponse): void {
  const isKept = waiting.get(request);
  if (isKept === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = isKept;
  response.writeContinue();
}

function tooLarge(): Fault {
  return new Fault('RequestTooLarge', { part: 'body' });
}
