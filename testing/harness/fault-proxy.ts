/**
 * Fault-injecting TCP proxy between the service and any dependency, independent of the protocol. It delays, cuts,
 * resets, drops, slows down or garbles what the server sends, or connects to another server.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** A fault of everything the server sends on open and new connections. */
export type WireFault =
  | { readonly kind: 'latency'; readonly milliseconds: number }
  /** Closes all connections, and new ones at once. */
  | { readonly kind: 'cut' }
  /** Resets a connection when the server begins to send. */
  | { readonly kind: 'reset' }
  /** Accepts all input and returns nothing. */
  | { readonly kind: 'silence' }
  /** Sends responses byte by byte. */
  | { readonly kind: 'dribble'; readonly millisecondsPerByte: number }
  /** Replaces responses with garbage of the same length. */
  | { readonly kind: 'garbage' }
  /** Closes all connections and connects new ones to another server. */
  | { readonly kind: 'divert'; readonly to: NetConnectOpts };

export interface FaultProxy {
  readonly port: number;
  /** Counts the chunks and connections that the fault has affected. */
  readonly hits: number;
  inject(fault: WireFault): void;
  /** Removes the fault and closes the connections it has corrupted. */
  heal(): void;
  close(): Promise<void>;
}

const GARBAGE = Buffer.from('\u0000\u00ff<html>}{"jsonrpc":[]]\r\n\r\n', 'latin1');

export async function startFaultProxy(upstream: NetConnectOpts): Promise<FaultProxy> {
  const open = new Set<Socket>();
  let fault: WireFault | undefined;
  let met = 0;

  function applyFault(): WireFault | undefined {
    if (fault !== undefined) met += 1;
    return fault;
  }

  function corrupt(chunk: Buffer, client: Socket, done: TransformCallback): void {
    const current = applyFault();
    switch (current?.kind) {
      case 'latency':
        setTimeout(done, current.milliseconds, null, chunk);
        return;
      case 'reset':
        client.resetAndDestroy();
        return done();
      case 'silence':
        return done();
      case 'dribble':
        return dribble(chunk, current.millisecondsPerByte, client, done);
      case 'garbage':
        return done(null, Buffer.alloc(chunk.length, GARBAGE));
      default:
        return done(null, chunk);
    }
  }

  function dribble(chunk: Buffer, milliseconds: number, client: Socket, done: TransformCallback): void {
    let sent = 0;
    const timer = setInterval(() => {
      if (client.destroyed || sent === chunk.length) {
        clearInterval(timer);
        done();
      } else {
        client.write(chunk.subarray(sent, ++sent));
      }
    }, milliseconds);
  }

  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => undefined);
    client.on('close', () => open.delete(client));
    const current = fault?.kind === 'cut' || fault?.kind === 'divert' ? applyFault() : undefined;
    if (current?.kind === 'cut') return void client.destroy();
    const upstreamSocket = connect(current?.kind === 'divert' ? current.to : upstream);
    upstreamSocket.on('error', () => client.destroy());
    upstreamSocket.on('close', () => client.destroy());
    client.on('close', () => upstreamSocket.destroy());
    client.pipe(upstreamSocket);
    const responses = new Transform({ transform: (chunk: Buffer, _encoding, done) => corrupt(chunk, client, done) });
    upstreamSocket.pipe(responses).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function closeAll(): void {
    for (const client of open) client.destroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    get hits() {
      return met;
    },
    inject(next) {
      fault = next;
      met = next.kind === 'cut' || next.kind === 'divert' ? open.size : 0;
      if (next.kind === 'cut' || next.kind === 'divert') closeAll();
    },
    heal() {
      const isClean = fault === undefined || fault.kind === 'latency';
      fault = undefined;
      if (!isClean) closeAll();
    },
    async close() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}
