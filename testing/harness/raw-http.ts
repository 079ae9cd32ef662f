/** Raw HTTP over a socket: sends bytes that no client library would send, and parses the responses. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** From connecting until the server closed. */
  readonly milliseconds: number;
}

/** Sends the text (latin1) and reads until the server closes. Requests should end with `Connection: close` or be malformed. */
export async function sendRaw(port: number, ...parts: readonly string[]): Promise<RawExchange> {
  const startedAt = performance.now();
  const socket = await open(port);
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  for (const part of parts) {
    socket.write(part, 'latin1');
    if (parts.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  const responses = parseResponses(Buffer.concat(received).toString('latin1'));
  return { responses, milliseconds: performance.now() - startedAt };
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  return socket;
}

/** Parses responses that have a Content-Length or no body. Throws on anything else. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`a response without an end: ${rest.slice(0, 200)}`);
    const [statusLine, ...lines] = rest.slice(0, end).split('\r\n');
    const match = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/.exec(statusLine!);
    if (match === null) throw new Error(`no status line: ${statusLine}`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(':')).toLowerCase();
      if (name in headers) throw new Error(`header ${name} twice`);
      headers[name] = line.slice(line.indexOf(':') + 1).trim();
    }
    const length = Number(headers['content-length'] ?? 0);
    responses.push({ status: Number(match[1]), headers, text: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}
