/** Limits on requests in flight, over raw sockets that pipeline. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { buildApp } from '../../app.ts';
import { Fault } from '../../domain/faults.ts';
import { encodeJson } from '../server/json-encoding.ts';
import { sendUncached } from '../server/response.ts';
import {
  MAX_IN_FLIGHT_OF_CONNECTION,
  MAX_IN_FLIGHT_OF_NETWORK,
  MAX_IN_FLIGHT_OF_WIDE_NETWORK,
} from './in-flight-limiter.ts';

const FOUND = encodeJson({ some: 'thing' });

let app: FastifyInstance;
let sockets: Socket[];
/** Requests that wait for a chain, and what lets them go on. */
let lookups: number;
let released: PromiseWithResolvers<undefined>;
let onLookup: () => void;

beforeEach(async () => {
  sockets = [];
  lookups = 0;
  released = Promise.withResolvers();
  onLookup = () => undefined;
  app = await buildApp(createStubCtx(), {
    trustedProxies: ['127.0.0.1'],
    limiterMemoryBytes: 1_000_000,
    extraRoutes: [
      (routes) => {
        const read = { profile: 'read' } as const;
        routes.get('/cached/:id', read, (request) => sendUncached(request, 200, FOUND));
        routes.get('/lookup/:id', read, async (request) => {
          if (request.isLimited) throw new Fault('LookupsExceeded', { retryAfterSeconds: 1 });
          lookups += 1;
          onLookup();
          await released.promise;
          sendUncached(request, 200, FOUND);
        });
        routes.put('/written/:id', { profile: 'monetization' }, async (request) => sendUncached(request, 200, FOUND));
      },
    ],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  released.resolve(undefined);
  for (const socket of sockets) socket.destroy();
  await app.close();
});

interface Connection {
  /** Sends requests at once. */
  send(count: number, line: string, address: string): void;
  /** Returns the heads of the first responses. */
  heads(count: number): Promise<string[]>;
}

let lastId = 0;

async function open(): Promise<Connection> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  let received = '';
  let onData = () => undefined as unknown;
  socket.setEncoding('latin1').on('data', (text) => {
    received += String(text);
    onData();
  });
  const list = () => received.split(/(?=HTTP\/1\.1 )/).filter((text) => text.includes('\r\n\r\n'));
  return {
    send(count, line, address) {
      const head = () => `${line}/${++lastId} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`;
      socket.write(Array.from({ length: count }, head).join(''));
    },
    heads: (count) =>
      new Promise((resolve) => {
        onData = () => list().length >= count && resolve(list().slice(0, count));
        onData();
      }),
  };
}

const waitForLookups = (count: number) =>
  new Promise<void>((resolve) => {
    onLookup = () => lookups === count && resolve();
    onLookup();
  });

const toStatuses = (heads: readonly string[]) => heads.map((head) => Number(head.slice(9, 12)));
const repeat = (count: number, status: number) => Array.from({ length: count }, () => status);

test('serves only what is cached to a connection with too many requests in flight', async () => {
  const connection = await open();
  connection.send(MAX_IN_FLIGHT_OF_CONNECTION, 'GET /lookup', '192.0.2.1');
  await waitForLookups(MAX_IN_FLIGHT_OF_CONNECTION);
  connection.send(2, 'GET /lookup', '192.0.2.1');
  connection.send(1, 'GET /cached', '192.0.2.1');
  connection.send(1, 'PUT /written', '192.0.2.1');
  const other = await open();
  other.send(1, 'GET /lookup', '192.0.2.1');
  await waitForLookups(MAX_IN_FLIGHT_OF_CONNECTION + 1);
  released.resolve(undefined);
  const heads = await connection.heads(MAX_IN_FLIGHT_OF_CONNECTION + 4);
  expect(toStatuses(heads)).toEqual([...repeat(MAX_IN_FLIGHT_OF_CONNECTION, 200), 503, 503, 200, 503]);
  expect(heads.at(-4)).toMatch(/\r\nRetry-After: 1\r\n.*\{"detail":"Too many new lookups, retry later"\}/s);
  expect(heads.at(-1)).toMatch(/\r\nRetry-After: 1\r\n.*"CHAIN_UNAVAILABLE"/s);
});

test('counts the connections of one IPv6 /64 together, and serves other networks', async () => {
  const connections = MAX_IN_FLIGHT_OF_NETWORK / MAX_IN_FLIGHT_OF_CONNECTION;
  for (let i = 1; i <= connections; i++) {
    (await open()).send(MAX_IN_FLIGHT_OF_CONNECTION, 'GET /lookup', `2001:db8::${i}`);
  }
  await waitForLookups(MAX_IN_FLIGHT_OF_NETWORK);
  const [same, other] = [await open(), await open()];
  same.send(1, 'GET /lookup', '2001:db8::ffff');
  expect(toStatuses(await same.heads(1))).toEqual([503]);
  other.send(1, 'GET /lookup', '2001:db8:0:1::1');
  await waitForLookups(MAX_IN_FLIGHT_OF_NETWORK + 1);
  released.resolve(undefined);
  expect(toStatuses(await other.heads(1))).toEqual([200]);
  same.send(1, 'GET /lookup', '2001:db8::ffff');
  expect(toStatuses(await same.heads(2))).toEqual([503, 200]);
});

test('limits the networks of one IPv6 /48 together, and serves other ones', async () => {
  const connections = MAX_IN_FLIGHT_OF_WIDE_NETWORK / MAX_IN_FLIGHT_OF_CONNECTION;
  for (let i = 1; i <= connections; i++) {
    (await open()).send(MAX_IN_FLIGHT_OF_CONNECTION, 'GET /lookup', `2001:db8:0:${i}::1`);
  }
  await waitForLookups(MAX_IN_FLIGHT_OF_WIDE_NETWORK);
  const [same, other] = [await open(), await open()];
  same.send(1, 'GET /lookup', '2001:db8:0:ffff::1');
  expect(toStatuses(await same.heads(1))).toEqual([503]);
  other.send(1, 'GET /lookup', '2001:db8:1:1::1');
  await waitForLookups(MAX_IN_FLIGHT_OF_WIDE_NETWORK + 1);
  released.resolve(undefined);
  expect(toStatuses(await other.heads(1))).toEqual([200]);
  same.send(1, 'GET /lookup', '2001:db8:0:ffff::1');
  expect(toStatuses(await same.heads(2))).toEqual([503, 200]);
});
