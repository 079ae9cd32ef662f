/** Tests the requests of the reference as programs: each sends what the form sends. */
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatSample, SAMPLE_LANGUAGES } from './request-samples.ts';

const BODY = JSON.stringify({ text: `"quoted" \\ 'single' $HOME \n ü` });
const TOKEN = 'a-token';

let server: Server;
let origin: string;
let folder: string;
const received: object[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
  server = createServer((request: IncomingMessage, response) => {
    void request.toArray().then((chunks) => {
      const { method, url, headers } = request;
      const body = Buffer.concat(chunks as Buffer[]).toString();
      received.push({ method, url, body, authorization: headers.authorization, type: headers['content-type'] });
      response.writeHead(404).end('{"detail":"none"}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

/** Commands that run a file of the language on every machine that runs these tests; Go is compiled by the tests of languages. */
const RUNNERS = {
  curl: (file: string) => ({ command: 'bash', parameters: [file] }),
  TypeScript: (file: string) => ({
    command: process.execPath,
    parameters: ['--experimental-strip-types', '--no-warnings', file],
  }),
  Python: (file: string) => ({ command: 'python3', parameters: [file] }),
} as const;
const ENDINGS = { curl: 'sh', TypeScript: 'mts', Python: 'py' } as const;

test.each(['curl', 'TypeScript', 'Python'] as const)('sends the same request in %s', async (language) => {
  const read = { method: 'GET', url: `${origin}/mcr/did:svc:42?limit=1` };
  const write = { method: 'POST', url: `${origin}/v1`, body: BODY, hasToken: true };
  received.length = 0;
  for (const [place, request] of [read, write].entries()) {
    const file = join(folder, `${place}.${ENDINGS[language]}`);
    writeFileSync(file, formatSample(language, request));
    const { command, parameters } = RUNNERS[language](file);
    const env = { PATH: process.env['PATH'], SVC_ONBOARDING_TOKEN: TOKEN };
    const { stdout } = await promisify(execFile)(command, parameters, { env });
    expect(stdout).toContain('{"detail":"none"}');
  }
  const absent = { authorization: undefined, type: undefined };
  expect(received).toEqual([
    { method: 'GET', url: '/mcr/did:svc:42?limit=1', body: '', ...absent },
    { method: 'POST', url: '/v1', body: BODY, authorization: `Bearer ${TOKEN}`, type: 'application/json' },
  ]);
});

test('writes a program in Go that sends body and token', () => {
  const text = formatSample('Go', { method: 'PUT', url: 'https://a.example/x', body: '{"a":1}', hasToken: true });
  expect(text).toContain('http.NewRequest("PUT", "https://a.example/x", strings.NewReader("{\\"a\\":1}"))');
  expect(text).toContain('request.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_ONBOARDING_TOKEN"))');
});

test.each(SAMPLE_LANGUAGES)('writes no token into the text in %s', (language) => {
  const text = formatSample(language, { method: 'POST', url: `${origin}/v1`, body: '{}', hasToken: true });
  expect(text).toContain('SVC_ONBOARDING_TOKEN');
});
