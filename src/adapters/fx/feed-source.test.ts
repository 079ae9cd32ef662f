/** Tests reading of a feed from a URL and from a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createFeedReader, FEED_LIMITS, FeedFailed } from './feed-source.ts';

describe('a URL', () => {
  let server: Server;

  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
  }

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('returns the text of a 200 without a byte order mark', async () => {
    const url = await serve((_, response) => response.end('\ufeffDate,USD €'));
    expect(await createFeedReader(url, fetch)()).toBe('Date,USD €');
  });

  it.each([201, 204, 301, 302, 404, 500])('rejects the status %i', async (status) => {
    const url = await serve((_, response) => response.writeHead(status, { location: '/elsewhere' }).end());
    await expect(createFeedReader(url, fetch)()).rejects.toThrow(new FeedFailed('http-status'));
  });

  it('follows no redirect', async () => {
    const requested: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      requested.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(createFeedReader(url, fetch)()).rejects.toThrow(FeedFailed);
    expect(requested).toStrictEqual(['/feed']);
  });

  it('stops reading a body over the limit', async () => {
    const url = await serve((_, response) => {
      response.write('x'.repeat(600));
      response.end('x'.repeat(600));
    });
    const read = (maxBytes: number): Promise<string> => createFeedReader(url, fetch, { ...FEED_LIMITS, maxBytes })();
    await expect(read(1_199)).rejects.toThrow(new FeedFailed('too-large'));
    expect(await read(1_200)).toHaveLength(1_200);
  });

  it('times out on a server that never responds or never ends the body', async () => {
    const limits = { ...FEED_LIMITS, timeoutMilliseconds: 50 };
    const silent = await serve(() => undefined);
    await expect(createFeedReader(silent, fetch, limits)()).rejects.toThrow(new FeedFailed('timeout'));
    server.closeAllConnections();
    server.close();
    const endless = await serve((_, response) => response.write('Date,'));
    await expect(createFeedReader(endless, fetch, limits)()).rejects.toThrow(new FeedFailed('timeout'));
  });

  it('rejects invalid UTF-8', async () => {
    const url = await serve((_, response) => response.end(Buffer.from([0x44, 0xff])));
    await expect(createFeedReader(url, fetch)()).rejects.toThrow(new FeedFailed('malformed'));
  });

  it('reports a connection failure as unreachable, without the text of the runtime', async () => {
    const url = await serve(() => undefined);
    const refused = (): Promise<Response> => Promise.reject(new TypeError('connect ECONNREFUSED https://key@host'));
    await expect(createFeedReader(url, refused)()).rejects.toThrow(new FeedFailed('unreachable'));
  });
});

describe('a file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fx-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('returns its current text, by path or URL', async () => {
    const path = join(folder, 'rates.csv');
    const read = createFeedReader(path, fetch);
    writeFileSync(path, 'one');
    expect(await read()).toBe('one');
    writeFileSync(path, 'two');
    expect(await read()).toBe('two');
    expect(await createFeedReader(pathToFileURL(path).href, fetch)()).toBe('two');
  });

  it('is rejected as too-large over the limit, and as unreachable when missing', async () => {
    const path = join(folder, 'rates.csv');
    writeFileSync(path, 'x'.repeat(101));
    const limits = { ...FEED_LIMITS, maxBytes: 100 };
    await expect(createFeedReader(path, fetch, limits)()).rejects.toThrow(new FeedFailed('too-large'));
    await expect(createFeedReader(join(folder, 'none'), fetch)()).rejects.toThrow(new FeedFailed('unreachable'));
    await expect(createFeedReader(folder, fetch)()).rejects.toThrow(new FeedFailed('unreachable'));
  });
});
