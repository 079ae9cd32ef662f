/** 2,000 clients that send a request one byte at a time, or never finish it: all other clients are served, and each slow connection is closed. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, inject, it } from 'vitest';
import { MAX_ARRIVAL_MILLISECONDS } from '../../../src/http/server/http-server.ts';
import { RESPONSE_TIMEOUT_MILLISECONDS } from '../../failure-modes-table.ts';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import { open } from '../../../testing/harness/raw-http.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { rule } from '../../conformance/rule.ts';

const SLOW_CALLERS = 2_000;
const READS = 500;
const READERS = 10;
/** Allowance for a busy machine. */
const SLACK_MILLISECONDS = 20_000;

const baseUrl = inject('baseUrl');
const rated = findMachine(inject('fixtures').machines, 'rated-aaa');
const BEGINNINGS = [
  `GET /mcr/${rated.did} HTTP/1.1\r\nHost: a\r\nX-Slow: `,
  'GET /mcr/',
  `PUT /machine/${rated.did}/monetization HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n{"opted_in"`,
  'POST /v1/verify/chip/evidence HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{',
];

/** Opens a slow request. `status` resolves with the status received before the connection ends, 0 if none. */
async function callSlowly(index: number): Promise<{ readonly socket: Socket; readonly status: Promise<number> }> {
  const socket = await open(Number(new URL(baseUrl).port));
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
  socket.on('error', () => undefined);
  // `once` of node:events would reject on an `error` before `close`, as a reset connection emits it.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(BEGINNINGS[index % BEGINNINGS.length]!);
  const status = closed.then(() => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0));
  return { socket, status };
}

it(`serves other callers during ${SLOW_CALLERS} slow connections and closes those`, { timeout: 120_000 }, async () => {
  rule('security.slow-callers');
  const callers = await Promise.all(Array.from({ length: SLOW_CALLERS }, (_, index) => callSlowly(index)));
  const drip = setInterval(() => callers.forEach(({ socket }) => socket.writable && socket.write('a')), 1_000);
  const closed = Promise.all(callers.map(({ status }) => status));
  const withTimeout = () => ({ signal: abortAfter(RESPONSE_TIMEOUT_MILLISECONDS.general) });

  let left = READS;
  const read = async () => {
    for (; left > 0; left--)
      expect((await fetchChecked(`${baseUrl}/mcr/${rated.did}`, withTimeout())).status).toBe(200);
  };
  await Promise.all(Array.from({ length: READERS }, read));

  const late = abortAfter(MAX_ARRIVAL_MILLISECONDS + SLACK_MILLISECONDS);
  const isLate = once(late, 'abort').then((): (string | number)[] => ['still open']);
  const statuses = await Promise.race([closed, isLate]);
  clearInterval(drip);
  for (const { socket } of callers) socket.destroy();
  // Late requests get 408, or 503 where the route's deadline expires while it waits for the body. One kind has no token: 401.
  expect([...new Set(statuses)].filter((status) => ![401, 408, 503].includes(Number(status)))).toEqual([]);
});
