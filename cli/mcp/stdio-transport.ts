/**
 * Standard input and output as a transport of the Model Context Protocol. That of the SDK drops pending responses when its input ends; here the end
 * waits for them, so that `svc mcp < requests` prints every response.
 */
import { PassThrough, type Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Creates the transport and a promise that resolves when it has closed. */
export function createStdioTransport(source: Readable): {
  readonly transport: Transport;
  readonly closed: Promise<unknown>;
} {
  const input = new PassThrough();
  const stdio = new StdioServerTransport(input);
  const pending = new Set<string | number>();
  const { promise: closed, resolve: reportClosed } = Promise.withResolvers<undefined>();
  let hasEnded = false;
  const endWhenDone = () => {
    if (hasEnded && pending.size === 0) input.end();
  };
  const settle = (id: unknown) => {
    pending.delete(id as string | number);
    endWhenDone();
  };
  const receive = (message: JSONRPCMessage) => {
    if (!('method' in message)) return;
    if ('id' in message) pending.add(message.id);
    transport.onmessage?.(message);
    // A cancelled request gets no response.
    if (message.method === 'notifications/cancelled') settle(message.params?.['requestId']);
  };
  const transport: Transport = {
    async start() {
      stdio.onmessage = receive;
      stdio.onerror = (error) => transport.onerror?.(error);
      stdio.onclose = () => {
        transport.onclose?.();
        reportClosed(undefined);
      };
      await stdio.start();
      source.on('end', () => {
        // The messages that arrived with the end are read first.
        setImmediate(() => {
          hasEnded = true;
          endWhenDone();
        });
      });
      source.pipe(input, { end: false });
    },
    async send(message) {
      await stdio.send(message);
      if ('id' in message && !('method' in message)) settle(message.id);
    },
    close: () => stdio.close(),
  };
  return { transport, closed };
}
