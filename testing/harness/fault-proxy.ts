/**
 * What does a bad network, or a bad server behind it, do to bytes? A TCP proxy between the service and anything it depends on, whatever that
 * speaks: it delays, cuts, resets, falls silent, dribbles, talks nonsense, or leads to another server. It heals when it is told to.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** One thing that goes wrong with every byte that the other side sends, from now on, on connections that are open and on new ones. */
export type WireFault =
  | { readonly kind: 'latency'; readonly milliseconds: number }
  /** Connections end, and new ones are closed as soon as they are open. */
  | { readonly kind: 'cut' }
  /** Connections are reset as soon as an answer begins. */
  | { readonly kind: 'reset' }
  /** Everything is taken, nothing comes back. */
  | { readonly kind: 'silence' }
  /** Answers come a byte at a time. */
  | { readonly kind: 'dribble'; readonly millisecondsPerByte: number }
  /** Answers are as long as before, and of no protocol. */
  | { readonly kind: 'garbage' }
  /** Connections end, and new ones lead elsewhere. */
  | { readonly kind: 'divert'; readonly to: NetConnectOpts };

export interface FaultProxy {
  readonly port: number;
  /** How often a part of an answer, or a connection, met the fault since it was injected. */
  readonly met: number;
  inject(fault: WireFault): void;
  /** Ends the fault. Connections that it has spoilt are closed. */
  heal(): void;
  close(): Promise<void>;
}

const GARBAGE = Buffer.from('\u0000\u00ff<html>}{"jsonrpc":[]]\r\n\r\n', 'latin1');

export async function startFaultProxy(upstream: NetConnectOpts): Promise<FaultProxy> {
  const open = new Set<Socket>();
  let fault: WireFault | undefined;
  let met = 0;

  function meet(): WireFault | undefined {
    if (fault !== undefined) met += 1;
    return fault;
  }

  function spoil(chunk: Buffer, client: Socket, done: TransformCallback): void {
    const current = meet();
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
    const current = fault?.kind === 'cut' || fault?.kind === 'divert' ? meet() : undefined;
    if (current?.kind === 'cut') return void client.destroy();
    const behind = connect(current?.kind === 'divert' ? current.to : upstream);
    behind.on('error', () => client.destroy());
    behind.on('close', () => client.destroy());
    client.on('close', () => behind.destroy());
    client.pipe(behind);
    const answers = new Transform({ transform: (chunk: Buffer, _encoding, done) => spoil(chunk, client, done) });
    behind.pipe(answers).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function closeAll(): void {
    for (const client of open) client.destroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    get met() {
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
