/** HTML shell of the pages (`http/routes/pages.ts`): status, headers and summary without a script, and the files that it loads. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, fleet, machineOf, machinePath } from './sample-pages.ts';

/** Compressed bytes that a first visit of a machine page loads, and those of all pages. */
const MAX_FIRST_BYTES = 60 * 1024;
const MAX_ALL_BYTES = 180 * 1024;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Loads a file, which every browser may cache for ever, with and without compression. */
async function loadFile(path: string) {
  const zipped = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
  expect([zipped.status, zipped.headers.get('content-encoding'), zipped.headers.get('cache-control')]).toEqual([
    200,
    'gzip',
    'public, max-age=31536000, immutable',
  ]);
  const plain = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip;q=0' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const text = await plain.text();
  expect(text).toBe(await zipped.text());
  return { text, bytes: Number(zipped.headers.get('content-length')) };
}

function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

describe('the HTML shell', () => {
  it.each([
    ['/', 200],
    ['/explorer/system', 200],
    [machinePath('rated-b'), 200],
    [machinePath('relocating'), 503],
    [machinePath('homed-elsewhere'), 409],
    ['/explorer/machine/12', 404],
    ['/explorer/machine/0', 404],
    ['/explorer/operator/0x12', 404],
    ['/explorer', 404],
    ['/explorer/nothing', 404],
    ['/explorer/nothing/12', 404],
    [`/explorer/operator/${fleet.address}`, 200],
  ])('is served for %s with status %i and the security headers', async (path, status) => {
    rule('pages.status-and-policy');
    const response = await fetch(baseUrl + path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows the rating without JavaScript', async () => {
    rule('pages.without-script');
    const { id, did } = machineOf('rated-b');
    const { mcr, mcr_score, summary } = (await (await fetch(`${baseUrl}/mcr/${did}`)).json()) as Record<string, string>;
    const visit = await openVisit(browser, { javaScriptEnabled: false });
    await visit.page.goto(`${baseUrl}/explorer/machine/${id}`);
    const title = `Machine #${id}: ${mcr}, ${mcr_score} of 100 | Machine ratings`;
    expect(await visit.page.title()).toBe(title);
    expect(await readText(visit.page)).toBe(`${title}\n${summary}`);
    const property = (name: string) => visit.page.locator(`meta[property="${name}"]`).getAttribute('content');
    expect(await property('og:title')).toBe(title);
    expect(await property('og:description')).toBe(summary);
    expect(await property('og:image')).toMatch(new RegExp(`/machines/${id}/card\\.png$`));
    expect(await Promise.all(['type', 'width', 'height'].map((name) => property(`og:image:${name}`)))).toEqual([
      ...['image/png', '1200', '630'],
    ]);
    expect(await property('og:image:alt')).toBe(await property('og:description'));
    expect(await visit.page.locator('meta[name=description]').getAttribute('content')).toBe(summary);
    await visit.close();
  });

  it('escapes markup in the path', async () => {
    const path = '/explorer/machine/"><script>alert(1)</script>';
    const response = await fetch(baseUrl + encodeURI(path));
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<script>');
  });

  it('loads immutable files of at most 60 KB for a first machine page, and 180 KB for all pages', async () => {
    rule('pages.size');
    const page = await (await fetch(baseUrl)).text();
    const paths = [...page.matchAll(/"(\/explorer\/files\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths.map((path) => path.replace(/-[\w-]{12}\./, '.'))).toEqual([
      '/explorer/files/icon.svg',
      '/explorer/files/page.css',
      '/explorer/files/page.js',
    ]);
    const loaded = await Promise.all(paths.map(loadFile));
    const first = sumBytes(loaded);
    expect(first).toBeGreaterThan(1_000);
    expect(first).toBeLessThan(MAX_FIRST_BYTES);
    // Scripts name the others that they import.
    for (const { text } of loaded) {
      for (const [, name] of text.matchAll(/["`']\.\/([\w-]+\.js)["`']/g)) {
        const path = `/explorer/files/${name!}`;
        if (!paths.includes(path)) loaded.push(await loadFile(path));
        paths.push(path);
      }
    }
    expect(loaded.length).toBeGreaterThan(8);
    expect(sumBytes(loaded)).toBeLessThan(MAX_ALL_BYTES);
    expect((await fetch(`${baseUrl}/explorer/files/page-000000000000.js`)).status).toBe(404);
  });

  it('asks to reload the page when the script of a view is not served any more', async () => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    await visit.page.route('**/explorer/files/system-page-*.js', (route) => route.fulfill({ status: 404 }));
    await visit.page.goto(`${baseUrl}/explorer/system`);
    expect(await readText(visit.page, '.notice.bad')).toMatch(/^Page not loaded\n.* reload the page\.$/);
    await visit.page.unroute('**/explorer/files/system-page-*.js');
    await visit.page.reload();
    await visit.page.getByRole('heading', { name: 'System', exact: true }).waitFor();
    await visit.close();
  });
});
