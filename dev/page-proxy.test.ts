/** Proxy of `npm run dev`, in front of a small server in place of the service. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPageProxy, type PageProxy } from './page-proxy.ts';

const PAGE = '<!doctype html><html><head><title>x</title></head></html>';

let folder: string;
let service: Server;
let proxy: PageProxy;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-proxy-'));
  writeFileSync(join(folder, 'tsconfig.json'), '{}');
  writeFileSync(join(folder, 'page.css'), 'a { color: red }');
  writePage('first');
  service = createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    response.writeHead(418, { 'content-type': 'application/json', 'x-method': request.method });
    request.pipe(response);
  });
  const port = await listen(service);
  proxy = createPageProxy(folder, port);
  url = `http://127.0.0.1:${await listen(proxy.server)}`;
});
afterEach(() => {
  for (const server of [service, proxy.server]) server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

function writePage(text: string): void {
  writeFileSync(join(folder, 'page.tsx'), `document.title = '${text}';`);
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function readText(path: string): Promise<string> {
  return (await fetch(`${url}${path}`)).text();
}

/** Reads the script that the first script of the service becomes. */
async function readFirstScript(): Promise<string> {
  const [, name] = /^import '\.\/(page-[\w-]+\.js)';$/.exec(await readText('/explorer/files/page-any.js'))!;
  return readText(`/explorer/files/${name}`);
}

it('forwards requests and responses unchanged', async () => {
  const response = await fetch(`${url}/any`, { method: 'POST', body: '{"a":1}' });
  expect([response.status, response.headers.get('x-method'), await response.text()]).toEqual([418, 'POST', '{"a":1}']);
});

it('adds the reload script to pages', async () => {
  expect(await readText('/')).toBe(PAGE.replace('</head>', '<script src="/dev/reload.js" defer></script></head>'));
  expect(await readText('/dev/reload.js')).toContain("new EventSource('/dev/events')");
});

it('serves the style sheet of the working tree', async () => {
  expect(await readText('/explorer/files/page-any.css')).toBe('a { color: red }');
});

it('builds the bundle again and notifies open pages after a change', async () => {
  expect(await readFirstScript()).toContain('first');
  const events = (await fetch(`${url}/dev/events`)).body!.getReader();
  writePage('second');
  proxy.reload();
  expect(new TextDecoder().decode((await events.read()).value)).toBe('data: reload\n\n');
  expect(await readFirstScript()).toContain('second');
  await events.cancel();
});

it('reports a service that does not answer (502)', async () => {
  service.close().closeAllConnections();
  const response = await fetch(`${url}/any`);
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringMatching(/^The service does not answer/),
  ]);
});
