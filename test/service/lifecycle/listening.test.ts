/** Listening address when `HOST` resolves to two addresses: the service uses one of them, so that its shutdown covers every connection. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';

const ADDRESSES = ['127.0.0.1', '::1'];

/** Returns Node options that resolve `localhost` to both addresses on any host. */
function resolveToBoth(addresses: readonly string[]): string {
  const preload = `
    import dns from 'node:dns';
    const { lookup } = dns;
    const both = ${JSON.stringify(addresses)}.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    dns.lookup = (host, options, done = options) => {
      if (host !== 'localhost') return lookup(host, options, done);
      process.nextTick(() => options.all === true ? done(null, both) : done(null, both[0].address, both[0].family));
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(preload)}`;
}

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica({
    ...inject('devnetEnv'),
    HOST: 'localhost',
    INDEXER: 'off',
    DATABASE_URL: 'sqlite::memory:',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: resolveToBoth(ADDRESSES),
  });
  await replica.until('svc_ready', 1);
});
afterAll(() => replica.kill());

async function open(address: string): Promise<Socket | undefined> {
  const socket = connect(Number(new URL(replica.url).port), address);
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  );
}

it('listens at the first address only, and responds to pending requests there at shutdown', async () => {
  const sockets = await Promise.all(ADDRESSES.map(open));
  const listening = sockets.filter((socket) => socket !== undefined);
  expect(listening).toHaveLength(1);
  const [socket] = listening as [Socket];
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
  replica.signal('SIGTERM');
  let ready = await fetch(`${replica.url}/ready`);
  while (ready.headers.get('connection') !== 'close') ready = await fetch(`${replica.url}/ready`);
  socket.write('\r\n');
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(response.toString().split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
  expect(await replica.ended).toBe(0);
});
