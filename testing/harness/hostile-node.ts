/**
 * HTTP server of a node that answers every request with one kind of bad input. Well-formed members carry a result that
 * a careless reader would accept.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

interface WireCall {
  readonly id: number;
  readonly method: string;
}

type Respond = (calls: readonly WireCall[], response: ServerResponse) => void;

const MEBIBYTE = 1024 * 1024;
const JSON_HEADERS = { 'content-type': 'application/json' };

function sendText(response: ServerResponse, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(200, { ...JSON_HEADERS, ...headers }).end(body);
}

/** Responds with one entry per call, as an array to a batch. */
function respondEach(toEntry: (id: number) => string): Respond {
  return (calls, response) => {
    const entries = calls.map(({ id }) => toEntry(id));
    sendText(response, entries.length === 1 ? entries[0]! : `[${entries.join(',')}]`);
  };
}

const respondResult = (result: string) => respondEach((id) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`);

/** Sends the same text until the client ends the connection. */
function respondEndlessly(start: string, text: string): Respond {
  const part = Buffer.from(text);
  return (_calls, response) => {
    response.writeHead(200, JSON_HEADERS).write(start);
    const fill = () => {
      while (!response.destroyed) if (!response.write(part)) break;
    };
    response.on('drain', fill);
    fill();
  };
}

function respondCompressed(encoding: string, compress: (body: Buffer) => Buffer, body: Buffer): Respond {
  let compressed: Buffer | undefined;
  return (_calls, response) => {
    compressed ??= compress(body);
    sendText(response, compressed, { 'content-encoding': encoding });
  };
}

const SPACES = Buffer.alloc(64 * MEBIBYTE, ' ');

/** Kinds of bad input by name. */
export const HOSTILE_RESPONSES: Readonly<Record<string, Respond>> = {
  'an empty body': (_calls, response) => sendText(response, ''),
  'an HTML page': (_calls, response) => sendText(response, '<html><body>busy</body></html>'),
  'a redirect': (_calls, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  'a redirect with a result': (calls, response) => {
    const body = `{"jsonrpc":"2.0","id":${calls[0]!.id},"result":"0x1"}`;
    response.writeHead(302, { location: '/elsewhere' }).end(body);
  },
  'a gzip bomb': respondCompressed('gzip', gzipSync, SPACES),
  'a deflate bomb': respondCompressed('deflate', deflateSync, SPACES),
  'a brotli bomb': respondCompressed('br', (body) => brotliCompressSync(body.subarray(0, 8 * MEBIBYTE)), SPACES),
  'a compressed result': (calls, response) => {
    const body = gzipSync(`{"jsonrpc":"2.0","id":${calls[0]!.id},"result":"0x1"}`);
    sendText(response, body, { 'content-encoding': 'gzip' });
  },
  'an endless list': respondEndlessly('[', '[],'.repeat(20_000)),
  'an endless string': respondEndlessly('{"jsonrpc":"2.0","id":1,"result":"', '0'.repeat(65_536)),
  'endless white space': respondEndlessly('', ' '.repeat(65_536)),
  'endless short chunks': respondEndlessly('', ' '.repeat(8)),
  'a declared length beyond the limit': (_calls, response) => {
    response.writeHead(200, { ...JSON_HEADERS, 'content-length': String(2 ** 40) }).write('{');
  },
  'lists nested 100,000 deep': respondResult('['.repeat(100_000) + ']'.repeat(100_000)),
  'lists nested 65 deep': respondResult('['.repeat(64) + ']'.repeat(64)),
  'objects nested 50,000 deep': respondResult('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)),
  'lists nested without end': (_calls, response) => sendText(response, '['.repeat(900_000)),
  'a number of a million digits': respondResult(`1${'0'.repeat(500_000)}.${'0'.repeat(500_000)}`),
  'an exponent of many digits': respondResult(`1e${'9'.repeat(1_000)}`),
  'an id of many digits': respondEach((id) => `{"jsonrpc":"2.0","id":${id}.${'0'.repeat(1_000)},"result":"0x1"}`),
  'a member named __proto__': respondEach(
    (id) => `{"jsonrpc":"2.0","id":${id},"__proto__":{"result":"0x1"},"result":"0x1"}`,
  ),
  'a nested member named __proto__': respondResult('{"__proto__":{"hash":"0x1"}}'),
  'a repeated result': respondEach((id) => `{"jsonrpc":"2.0","id":${id},"result":"0x2","result":"0x1"}`),
  'a repeated id': respondEach((id) => `{"jsonrpc":"2.0","id":0,"id":${id},"result":"0x1"}`),
  'a repeated nested member': respondResult('{"hash":"0x1","number":"0x1","hash":"0x2"}'),
  'an escaped member name': respondEach((id) => `{"jsonrpc":"2.0","id":${id},"r\\u0065sult":"0x1"}`),
  'an object of 257 members': respondResult(`{${Array.from({ length: 257 }, (_, i) => `"${i}":1`).join()}}`),
  'objects with 257 names': respondResult(`[${Array.from({ length: 257 }, (_, i) => `{"${i}":1}`).join()}]`),
  'invalid UTF-8': (calls, response) => {
    const [head, tail] = [`{"jsonrpc":"2.0","id":${calls[0]!.id},"result":"0x1`, '"}'];
    sendText(response, Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28]), Buffer.from(tail)]));
  },
  'a byte order mark': respondEach((id) => `\ufeff{"jsonrpc":"2.0","id":${id},"result":"0x1"}`),
  'a truncated body': respondEach((id) => `{"jsonrpc":"2.0","id":${id},"result":"0x`),
  'two values': respondEach((id) => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}{}`),
  'a wrong id': respondEach((id) => `{"jsonrpc":"2.0","id":${id + 1_000_000},"result":"0x1"}`),
  'no id': respondEach(() => '{"jsonrpc":"2.0","result":"0x1"}'),
  'no version': respondEach((id) => `{"id":${id},"result":"0x1"}`),
  'a result and an error': respondEach(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":"0x1","error":{"code":1,"message":""}}`,
  ),
  'an error without a code': respondEach((id) => `{"jsonrpc":"2.0","id":${id},"error":{"message":"no"}}`),
  'a text instead of an entry': respondEach(() => '"0x1"'),
  'a null body': (_calls, response) => sendText(response, 'null'),
};

export interface HostileNode {
  readonly url: string;
  /** Counts HTTP requests to the node itself and to where its redirects lead. */
  readonly requests: { own: number; redirected: number };
  /** Resolves when no connection is open. */
  waitForDisconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a node that sends this response to every request. */
export async function startHostileNode(respond: Respond): Promise<HostileNode> {
  const requests = { own: 0, redirected: 0 };
  const open = new Set<object>();
  let waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') requests.redirected += 1;
    else requests.own += 1;
    void readCalls(request).then((calls) => {
      if (request.url === '/elsewhere') respondResult('"0x1"')(calls, response);
      else respond(calls, response);
    });
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    waitForDisconnect: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve();
        else waiting.push(resolve);
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readCalls(request: IncomingMessage): Promise<WireCall[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString() || '[]') as WireCall | WireCall[];
  return [body].flat();
}
