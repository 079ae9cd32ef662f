/** Which bytes did the caller send? Read only when a route asks, and no further than it wants. */
import { Fault } from '../domain/faults.ts';
import type { Exchange } from './exchange.ts';

/**
 * The whole body. Throws `RequestTooLarge` as soon as it is known to be longer than `maxBytes`, by its declared length or by what
 * arrives, and `RequestMalformed` when it breaks off. What is left unread is discarded.
 */
export function readBody({ request }: Exchange, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
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

function tooLarge(): Fault {
  return new Fault('RequestTooLarge', { part: 'body' });
}
