/** Stream of changes on a page of another origin in a real browser, whose `EventSource` resumes after its connection is cut. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../../src/app.ts';
import type { Ctx } from '../../../src/ports/ctx.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { storeRatingChange } from '../../../testing/fixtures/stored-changes.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit } from './browser.ts';

/** Passes requests on to the service, and cuts responses. */
class CuttingProxy {
  /** Header of each request. */
  readonly lastEventIds: (string | undefined)[] = [];
  readonly server: Server;
  /** Text after which the next response passes nothing on. */
  holdAfter: string | undefined;
  /** Cuts the newest response. What the browser has not read of it may be lost. */
  cut = (): void => undefined;

  constructor(servicePort: () => number) {
    this.server = createServer(({ url, headers }, response) => {
      this.lastEventIds.push(headers['last-event-id'] as string | undefined);
      const { holdAfter } = this;
      this.holdAfter = undefined;
      const forwarded = request({ host: '127.0.0.1', port: servicePort(), path: url, headers }, (received) => {
        response.writeHead(received.statusCode!, received.headers);
        let all = '';
        received.setEncoding('utf8').on('data', (text: string) => {
          const passed = all.length;
          all += text;
          const end = holdAfter === undefined ? -1 : all.indexOf(holdAfter);
          response.write(end < 0 ? text : all.slice(passed, Math.max(passed, end + holdAfter!.length)));
        });
        received.on('error', () => undefined);
      });
      forwarded.on('error', () => response.destroy()).end();
      this.cut = () => {
        forwarded.destroy();
        response.destroy();
      };
    });
  }
}

let store: Store;
let app: FastifyInstance;
let browser: Browser;
let pages: Server;
const proxy = new CuttingProxy(() => portOf(app.server));

beforeAll(async () => {
  browser = await launchBrowser();
  store = await createMemoryStore();
  await store.openChanges(1_000);
  for (const [index, rating] of ['AA', 'A', 'BBB'].entries()) await storeRatingChange(store, index + 1, rating);
  app = await buildApp(createStubCtx({ store, main: {} as Ctx['main'] }), { rateLimits: 'off' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  pages = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>x'));
  for (const server of [pages, proxy.server]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  await browser.close();
  for (const server of [pages, proxy.server]) server.close();
  await app.close();
  await store.close();
});

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

it('resumes on a page of another origin after each cut, without a gap and without a repetition', async () => {
  rule('changes.other-origin');
  const { page, close } = await openVisit(browser);
  await page.goto(`http://127.0.0.1:${portOf(pages)}/`);
  const readReceived = () => page.evaluate<[string, string][]>('globalThis.received');

  // Within an event, which the browser discards.
  proxy.holdAfter = 'id: 2\nevent: change\ndata: {"cursor":';
  await page.evaluate(`{
    globalThis.received = [];
    const stream = new EventSource('http://127.0.0.1:${portOf(proxy.server)}/changes/stream?after=0');
    stream.addEventListener('change', ({ lastEventId, data }) => received.push([lastEventId, JSON.parse(data).to]));
  }`);
  await expect.poll(readReceived).toHaveLength(1);
  proxy.cut();
  // After an event, whose id is the last that the browser knows.
  await storeRatingChange(store, 4, 'B');
  await expect.poll(readReceived).toHaveLength(4);
  proxy.cut();
  await storeRatingChange(store, 5, 'AAA');
  await expect.poll(readReceived).toHaveLength(5);
  expect(await readReceived()).toEqual([
    ['1', 'AA'],
    ['2', 'A'],
    ['3', 'BBB'],
    ['4', 'B'],
    ['5', 'AAA'],
  ]);
  expect(proxy.lastEventIds).toEqual([undefined, '1', '4']);
  await close();
});

it('answers fetch with Last-Event-ID on a page of another origin', async () => {
  rule('changes.other-origin');
  const { page, close } = await openVisit(browser);
  await page.goto(`http://127.0.0.1:${portOf(pages)}/`);
  const read = page.evaluate<string>(`(async () => {
    const headers = { 'Last-Event-ID': '2' };
    const response = await fetch('http://127.0.0.1:${portOf(app.server)}/changes/stream', { headers });
    let text = '';
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      text += bytes;
      if (text.includes('event: change')) return text;
    }
  })()`);
  expect(/^id: (\d+)\nevent: change$/m.exec(await read)![1]).toBe('3');
  await close();
});
