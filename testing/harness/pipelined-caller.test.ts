/** The pipelining client sends requests in order and detects every violation of HTTP by the service. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { PipelinedCaller, type PipelinedRequest } from './pipelined-caller.ts';

const DEPTH = 4;
const get = (path: string): PipelinedRequest => ({ method: 'GET', path, headers: { accept: '*/*' }, body: undefined });
const respond = (text: string, header = '') =>
  `HTTP/1.1 200 OK\r\n${header}Content-Length: ${text.length}\r\n\r\n${text}`;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Starts a server that responds to each received chunk with `say`, and a client of it. */
async function startCaller(say: (received: string, socket: Socket) => void): Promise<PipelinedCaller> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => say(chunk.toString('latin1'), socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = new PipelinedCaller((server.address() as AddressInfo).port, DEPTH);
  ends.push(() => {
    caller.close();
    server.close();
  });
  return caller;
}

const pathsOf = (received: string) => [...received.matchAll(/^[A-Z]+ (\S+) HTTP/gm)].map(([, path]) => path!);

it('pipelines up to its depth and resolves each request with its response', async () => {
  const arrived: string[][] = [];
  const caller = await startCaller((received, socket) => {
    arrived.push(pathsOf(received));
    socket.write(
      pathsOf(received)
        .map((path) => respond(`to ${path}`))
        .join(''),
    );
  });
  const responses = await Promise.all(['/1', '/2', '/3', '/4', '/5'].map((path) => caller.send(get(path))));
  expect(responses.map(({ status, body }) => [status, body.toString()])).toEqual(
    ['/1', '/2', '/3', '/4', '/5'].map((path) => [200, `to ${path}`]),
  );
  expect(arrived).toEqual([['/1', '/2', '/3', '/4'], ['/5']]);
});

it('reads responses that arrive in pieces', async () => {
  const caller = await startCaller((_, socket) => {
    for (const letter of respond('whole', 'ETag: "x"\r\n')) socket.write(letter);
  });
  const { headers, body } = await caller.send(get('/'));
  expect([headers, body.toString()]).toEqual([{ etag: '"x"', 'content-length': '5' }, 'whole']);
});

it('expects no body after HEAD, 204 and 304', async () => {
  const caller = await startCaller((received, socket) => {
    const status = pathsOf(received)[0]!.slice(1);
    socket.write(`HTTP/1.1 ${status} x\r\nContent-Length: 9\r\n\r\n`);
  });
  const statuses = [
    await caller.send({ ...get('/200'), method: 'HEAD' }),
    await caller.send(get('/204')),
    await caller.send(get('/304')),
  ].map(({ status, body }) => [status, body.length]);
  expect(statuses).toEqual([
    [200, 0],
    [204, 0],
    [304, 0],
  ]);
});

it('sends a body alone, with its length', async () => {
  const arrived: string[] = [];
  const caller = await startCaller((received, socket) => {
    arrived.push(received);
    socket.write(
      pathsOf(received)
        .map(() => respond(''))
        .join(''),
    );
  });
  const put = { ...get('/2'), method: 'PUT', body: Buffer.from('\u00ff', 'latin1') };
  await Promise.all([caller.send(get('/1')), caller.send(put), caller.send(get('/3'))]);
  const head = 'HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n';
  expect(arrived).toEqual([
    `GET /1 ${head}\r\n`,
    `PUT /2 ${head}content-length: 1\r\n\r\n\u00ff`,
    `GET /3 ${head}\r\n`,
  ]);
});

it('sends pending requests again on a new connection', async () => {
  const connections = new Set<Socket>();
  const caller = await startCaller((received, socket) => {
    connections.add(socket);
    socket.write(respond(`to ${pathsOf(received)[0]}`, 'Connection: close\r\n'));
  });
  const responses = await Promise.all(['/1', '/2', '/3'].map((path) => caller.send(get(path))));
  expect(responses.map(({ body }) => body.toString())).toEqual(['to /1', 'to /2', 'to /3']);
  expect(connections.size).toBe(3);
});

it.each([
  ['no response', (socket: Socket) => socket.end(), 'no response: closed'],
  [
    'less than the declared length',
    (socket: Socket) => socket.end(respond('whole').slice(0, -1)),
    'no response: closed',
  ],
  ['no status line', (socket: Socket) => socket.write('Hello\r\n\r\n'), 'no response: no status line: Hello'],
  [
    'a repeated header',
    (socket: Socket) => socket.write(respond('', 'a: 1\r\nA: 1\r\n')),
    'no response: header a twice',
  ],
  [
    'a body without a length',
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    'no response: a body of no declared length',
  ],
])('rejects when the service sends %s', async (_name, say, message) => {
  const caller = await startCaller((_, socket) => void say(socket));
  await expect(caller.send(get('/'))).rejects.toThrow(message);
});

it('rejects after a response without a request', async () => {
  const caller = await startCaller((_, socket) => void socket.write(respond('') + respond('')));
  await caller.send(get('/1'));
  await expect(caller.send(get('/2'))).rejects.toThrow('a response without a request');
});
