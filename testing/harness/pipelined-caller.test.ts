/** Would a campaign notice a service that answers wrongly on the wire, or not at all? */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { PipelinedCaller, type PipelinedRequest } from './pipelined-caller.ts';

const DEPTH = 4;
const get = (path: string): PipelinedRequest => ({ method: 'GET', path, headers: { accept: '*/*' }, body: undefined });
const answer = (text: string, header = '') =>
  `HTTP/1.1 200 OK\r\n${header}Content-Length: ${text.length}\r\n\r\n${text}`;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server that answers each piece of what arrives by `say`. */
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

it('asks at once what it may, and gives each its own answer', async () => {
  const arrived: string[][] = [];
  const caller = await startCaller((received, socket) => {
    arrived.push(pathsOf(received));
    socket.write(
      pathsOf(received)
        .map((path) => answer(`to ${path}`))
        .join(''),
    );
  });
  const answers = await Promise.all(['/1', '/2', '/3', '/4', '/5'].map((path) => caller.send(get(path))));
  expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual(
    ['/1', '/2', '/3', '/4', '/5'].map((path) => [200, `to ${path}`]),
  );
  expect(arrived).toEqual([['/1', '/2', '/3', '/4'], ['/5']]);
});

it('reads answers that come in pieces', async () => {
  const caller = await startCaller((_, socket) => {
    for (const letter of answer('whole', 'ETag: "x"\r\n')) socket.write(letter);
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
        .map(() => answer(''))
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

it('asks on another connection what a closed one left', async () => {
  const connections = new Set<Socket>();
  const caller = await startCaller((received, socket) => {
    connections.add(socket);
    socket.write(answer(`to ${pathsOf(received)[0]}`, 'Connection: close\r\n'));
  });
  const answers = await Promise.all(['/1', '/2', '/3'].map((path) => caller.send(get(path))));
  expect(answers.map(({ body }) => body.toString())).toEqual(['to /1', 'to /2', 'to /3']);
  expect(connections.size).toBe(3);
});

it.each([
  ['nothing', (socket: Socket) => socket.end(), 'no answer: closed'],
  ['less than it says', (socket: Socket) => socket.end(answer('whole').slice(0, -1)), 'no answer: closed'],
  ['no status', (socket: Socket) => socket.write('Hello\r\n\r\n'), 'no answer: no status line: Hello'],
  ['a header twice', (socket: Socket) => socket.write(answer('', 'a: 1\r\nA: 1\r\n')), 'no answer: header a twice'],
  [
    'a body of any length',
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    'no answer: a body of no declared length',
  ],
])('fails when the service says %s', async (_name, say, message) => {
  const caller = await startCaller((_, socket) => void say(socket));
  await expect(caller.send(get('/'))).rejects.toThrow(message);
});

it('fails when more is answered than was asked', async () => {
  const caller = await startCaller((_, socket) => void socket.write(answer('') + answer('')));
  await caller.send(get('/1'));
  await expect(caller.send(get('/2'))).rejects.toThrow('an answer to nothing');
});
