/** Do 2,000 callers who send a request a byte at a time, or never end it, harm the others? Everyone else is answered, and each of them is given up. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, inject, it } from 'vitest';
import { LONGEST_ARRIVAL_MILLISECONDS } from '../../src/http/server/http-server.ts';
import { PATIENCE_MILLISECONDS } from '../bad-days-table.ts';
import { open } from '../../testing/harness/raw-http.ts';
import { ask, findMachine } from './ask.ts';

const SLOW_CALLERS = 2_000;
const READS = 500;
const READERS = 10;
/** What a busy machine may add. */
const SLACK_MILLISECONDS = 20_000;

const baseUrl = inject('baseUrl');
const rated = findMachine(inject('fixtures').machines, 'rated-aaa');
const BEGINNINGS = [
  `GET /mcr/${rated.did} HTTP/1.1\r\nHost: a\r\nX-Slow: `,
  'GET /mcr/',
  `PUT /machine/${rated.did}/monetization HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n{"opted_in"`,
  'POST /v1/verify/chip/evidence HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{',
];

/** Resolves with the status that the caller is told before the connection ends; 0: none. */
async function callSlowly(index: number): Promise<{ readonly socket: Socket; readonly told: Promise<number> }> {
  const socket = await open(Number(new URL(baseUrl).port));
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
  socket.on('error', () => undefined);
  const told = once(socket, 'close').then(() => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0));
  socket.write(BEGINNINGS[index % BEGINNINGS.length]!);
  return { socket, told };
}

it(`${SLOW_CALLERS} slow connections harm nobody`, { timeout: 120_000 }, async () => {
  const callers = await Promise.all(Array.from({ length: SLOW_CALLERS }, (_, index) => callSlowly(index)));
  const drip = setInterval(() => callers.forEach(({ socket }) => socket.writable && socket.write('a')), 1_000);
  const givenUp = Promise.all(callers.map(({ told }) => told));
  const patience = () => ({ signal: AbortSignal.timeout(PATIENCE_MILLISECONDS.general) });

  let left = READS;
  const read = async () => {
    for (; left > 0; left--) expect((await ask(`${baseUrl}/mcr/${rated.did}`, patience())).status).toBe(200);
  };
  await Promise.all(Array.from({ length: READERS }, read));

  const late = AbortSignal.timeout(LONGEST_ARRIVAL_MILLISECONDS + SLACK_MILLISECONDS);
  const isLate = once(late, 'abort').then((): (string | number)[] => ['kept']);
  const told = await Promise.race([givenUp, isLate]);
  clearInterval(drip);
  for (const { socket } of callers) socket.destroy();
  // Late: 408, or, where a route waits for the body, 503 at its deadline. One kind of them has no token.
  expect([...new Set(told)].filter((status) => ![401, 408, 503].includes(Number(status)))).toEqual([]);
});
