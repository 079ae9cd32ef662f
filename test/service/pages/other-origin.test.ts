/** The API as a page of another origin reaches it in a real browser (http-facts 1, CORS). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit } from './browser.ts';
import { baseUrl, machineOf } from './sample-pages.ts';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await launchBrowser();
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>x'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  await browser.close();
  server.close();
});

/** Source text of a function that fetches as the page does, and returns what its script can read. */
const FETCH = `async (path, init) => {
  try {
    const response = await fetch(${JSON.stringify(baseUrl)} + path, init);
    const { status, headers } = response;
    const text = await response.text();
    const isJson = headers.get('content-type').startsWith('application/json');
    return { status, headers: Object.fromEntries(headers), body: isJson ? JSON.parse(text) : text };
  } catch (error) {
    return { blocked: error.name };
  }
}`;

it('answers reads, conditional reads, decisions and streams of another origin, and no verification', async () => {
  rule('pages.other-origin');
  const { did, id } = machineOf('rated-b');
  const { page, close } = await openVisit(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const send = (path: string, init: object = {}) =>
    page.evaluate<{ status?: number; headers?: Record<string, string>; body?: unknown; blocked?: string }>(
      `(${FETCH})(${JSON.stringify(path)}, ${JSON.stringify(init)})`,
    );

  const read = await send(`/mcr/${did}`, { cache: 'no-store' });
  expect([read.status, read.body]).toMatchObject([200, { machine_id: id }]);
  const { etag, 'chain-block': block, 'chain-block-age': age, date } = read.headers!;
  expect([etag, block, age, date]).toEqual([
    expect.stringMatching(/^(?:W\/)?"/),
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\d+$/),
    undefined,
  ]);

  // Headers without which a page would take a part for the whole, or could not act on an error.
  const part = await send('/directory.csv?limit=2', { cache: 'no-store' });
  expect(part.headers).toMatchObject({
    link: expect.stringContaining('rel="next"') as string,
    'content-disposition': expect.stringMatching(/^attachment; /) as string,
  });
  const refused = await send(`/mcr/${did}`, { method: 'POST' });
  expect([refused.status, refused.headers!['allow']]).toEqual([405, 'GET, HEAD']);

  // A header that needs a preflight.
  const again = await send(`/metadata/${id}`, { cache: 'no-store', headers: { 'If-None-Match': '"other"' } });
  expect(again.status).toBe(200);
  expect(await send('/mcr/12', { headers: { 'X-Unknown': '1' } })).toEqual({ blocked: 'TypeError' });

  const headers = { 'Content-Type': 'application/json' };
  const decision = await send(`/machine/${did}/monetization`, { method: 'PUT', headers, body: '{"opted_in":"yes"}' });
  expect([decision.status, decision.body]).toMatchObject([400, { detail: { code: 'INVALID_REQUEST' } }]);

  const opened = page.evaluate<string>(`new Promise((resolve) => {
    const stream = new EventSource(${JSON.stringify(`${baseUrl}/changes/stream?after=0`)});
    stream.onopen = () => { stream.close(); resolve('opened'); };
    stream.onerror = () => { stream.close(); resolve('failed'); };
  })`);
  expect(await opened).toBe('opened');
  const changes = await send('/changes?after=0');
  expect(changes).toMatchObject({ status: 200, body: { changes: expect.any(Array) as unknown[] } });

  expect(await send(`/v1/verify/machines/${id}`)).toEqual({ blocked: 'TypeError' });
  await close();
});
