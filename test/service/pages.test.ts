/**
 * Do the pages show what the routes answer, to everybody and on every screen, and do they load nothing but their own files?
 * (The explorer; `http/routes/pages.ts`.)
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ActiveMachinesResponse } from '../../client/client.ts';
import { rule } from '../conformance/rule.ts';
import { findMachine } from './ask.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';

const MAX_GZIPPED_BYTES = 150 * 1024;
const PHONE = { width: 360, height: 740 };
/** A page gives a question up after this. */
const ANSWERED_WITHIN_MILLISECONDS = 12_000;

const baseUrl = inject('baseUrl');
const { machines, operators } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const machinePath = (name: string) => `/explorer/machine/${machineOf(name).id}`;
const fleet = operators.find(({ name }) => name === 'fleet')!;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const PAGES: readonly (readonly [string, string])[] = [
  ['the search', '/'],
  ['a rated machine', machinePath('rated-b')],
  ['one of the best', machinePath('rated-aaa')],
  ['one with a flag', machinePath('flagged')],
  ['one without a bond', machinePath('unbonded')],
  ['one that is too young', machinePath('provisioned')],
  ['one that shows its events', machinePath('visibility-onchain')],
  ['one of a hostile owner', machinePath('hostile-strings')],
  ['one that is moving', machinePath('relocating')],
  ['one of another chain', machinePath('homed-elsewhere')],
  ['one that is not there', '/explorer/machine/12'],
  ['no id at all', '/explorer/machine/abc'],
  ['one of the second chain', machinePath('alt-rated')],
  ['an operator', `/explorer/operator/${fleet.address}`],
  ['no address at all', '/explorer/operator/abc'],
  ['a wallet where none is read', '/explorer/wallet/11111111111111111111111111111112'],
  ['the system', '/explorer/system'],
];

describe.each(PAGES)('%s', (_, path) => {
  it.each(['light', 'dark'] as const)('has no barrier, no misdeed, and fits a phone (%s)', async (colorScheme) => {
    rule('pages.accessible');
    const visit = await openVisit(browser, { colorScheme, viewport: PHONE });
    const { page } = visit;
    await page.goto(baseUrl + path);
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.locator('.skeleton').count(), { timeout: ANSWERED_WITHIN_MILLISECONDS }).toBe(0);
    expect(await visit.misdeeds()).toEqual([]);
    expect(await visit.findBarriers()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await visit.close();
  });
});

it('these tests notice a barrier, a policy that is broken, a dialog, and an error', async () => {
  rule('pages.checks-work');
  const visit = await openVisit(browser, { viewport: PHONE });
  await visit.page.goto(`${baseUrl}/explorer/system`);
  await visit.page.waitForLoadState('networkidle');
  await visit.page.evaluate(`
    const script = document.createElement('script');
    script.textContent = 'globalThis.ran = true';
    document.body.append(script, Object.assign(document.createElement('img'), { src: 'https://elsewhere.example/x.png' }));
    alert('x');
    new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('late'); }));
  `);
  await expect
    .poll(async () => (await visit.misdeeds()).toSorted())
    .toEqual([
      'dialog: x',
      'error: late',
      'policy: img-src https://elsewhere.example/x.png',
      'policy: script-src-elem inline',
      'request: https://elsewhere.example',
    ]);
  expect(await visit.page.evaluate('globalThis.ran')).toBeUndefined();
  expect((await visit.findBarriers()).map((barrier) => barrier.split(':')[0])).toContain('image-alt');
  await visit.close();
});

describe('the document that is served', () => {
  it.each([
    ['/', 200],
    ['/explorer/system', 200],
    [machinePath('rated-b'), 200],
    [machinePath('relocating'), 503],
    [machinePath('homed-elsewhere'), 409],
    ['/explorer/machine/12', 404],
    ['/explorer/machine/0', 404],
    ['/explorer/operator/0x12', 404],
    [`/explorer/operator/${fleet.address}`, 200],
  ])('%s has the status %i and the policy', async (path, status) => {
    rule('pages.status-and-policy');
    const response = await fetch(baseUrl + path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('tells the rating without a script', async () => {
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

  it('makes markup of nothing that it was asked', async () => {
    const asked = '/explorer/machine/"><script>alert(1)</script>';
    const response = await fetch(baseUrl + encodeURI(asked));
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<script>');
  });

  it('loads files that are kept for good, in all not larger than 150 KB', async () => {
    rule('pages.size');
    const page = await (await fetch(baseUrl)).text();
    const paths = [...page.matchAll(/"(\/explorer\/files\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths.map((path) => path.replace(/-[\w-]{12}\./, '.'))).toEqual([
      '/explorer/files/icon.svg',
      '/explorer/files/page.css',
      '/explorer/files/page.js',
    ]);
    let bytes = 0;
    for (const path of paths) {
      const answer = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
      expect([answer.status, answer.headers.get('content-encoding'), answer.headers.get('cache-control')]).toEqual([
        200,
        'gzip',
        'public, max-age=31536000, immutable',
      ]);
      const plain = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await answer.text());
      bytes += Number(answer.headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MAX_GZIPPED_BYTES);
    expect((await fetch(`${baseUrl}/explorer/files/page-000000000000.js`)).status).toBe(404);
  });
});

describe('a machine', () => {
  it('is shown as the routes answer', async () => {
    rule('pages.machine');
    const { did } = machineOf('visibility-onchain');
    const { summary } = (await (await fetch(`${baseUrl}/mcr/${did}`)).json()) as { summary: string };
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl + machinePath('visibility-onchain'));
    await visit.page.waitForLoadState('networkidle');
    const rows = await visit.page.locator('section[aria-labelledby=section-events] tbody tr').allInnerTexts();
    expect(
      rows.map((row) =>
        row
          .split('\t')
          .slice(1, 5)
          .map((cell) => cell.trim()),
      ),
    ).toEqual([
      ['revenue', '700 ZZZ', 'no rate', 'hardware-signed'],
      ['activity', '–', '–', 'hardware-signed'],
      ['revenue', '80.00 EUR', '$100.00', 'on-chain'],
      ['revenue', '50.00 USD', '$50.00', 'self-reported'],
    ]);
    expect(await readText(visit.page, '.summary')).toBe(summary);
    expect(await visit.page.locator('.progress li').allInnerTexts()).toEqual([
      '4 of 10 qualifying events',
      '4 of 5 days',
      '15 of 30 days of history',
    ]);
    await visit.close();
  });

  it.each([
    ['relocating', 'On the move'],
    ['homed-elsewhere', 'Lives on another chain'],
    ['retired', 'Not found'],
  ])('that is %s: %s', async (name, title) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl + machinePath(name));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    await visit.close();
  });

  it.each([
    [429, { error: 'Rate limit exceeded: 90 per 1 minute' }, 'Too many questions', true],
    [503, { detail: 'Chain unavailable' }, 'Cannot be read now', true],
    [503, { detail: 'Event index is syncing: block 5 of 9' }, 'Catching up', true],
    [500, { detail: 'Internal Server Error' }, 'Cannot be read now', true],
    [404, { detail: 'Machine not found' }, 'Not found', false],
  ])('when the answer is %i %j: %s', async (status, json, title, asksAgain) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    const headers = { 'Retry-After': '7' };
    await visit.page.route('**/mcr/**', (route) => route.fulfill({ status, json, headers }));
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    expect(await visit.page.getByRole('button', { name: 'Ask now' }).count()).toBe(asksAgain ? 1 : 0);
    if (asksAgain) {
      await visit.page.unroute('**/mcr/**');
      await visit.page.getByRole('button', { name: 'Ask now' }).click();
      await visit.page.locator('.summary').waitFor();
      expect(await visit.page.locator('.notice-title').count()).toBe(0);
    }
    await visit.close();
  });

  it('says that the service is not reached, and that an answer is old', async () => {
    const visit = await openVisit(browser);
    await visit.page.route('**/mcr/*/explanation', (route) => route.abort());
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe('The service was not reached');
    await visit.page.unroute('**/mcr/*/explanation');
    await visit.page.route('**/mcr/*/explanation', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'chain-block-age': '300' } });
    });
    await visit.page.getByRole('button', { name: 'Ask now' }).click();
    expect(await readText(visit.page, '.notice.fair')).toBe(
      'This is 5 minutes old. The newest block is older than a minute.',
    );
    await visit.close();
  });
});

it.each([
  ['rated-b', 'available'],
  ['suspended', 'paused'],
  ['alt-rated', 'available'],
])('the availability of %s is shown: %s', async (name, availability) => {
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath(name));
  const mark = visit.page.locator('.verdict .mark', { hasText: 'Availability' });
  expect((await mark.locator('.value').innerText()).trim()).toBe(availability);
  await visit.close();
});

it('the first page leads to the machines that told of something last', async () => {
  const answer = await fetch(`${baseUrl}/active-machines?limit=10`);
  const { machines: active } = (await answer.json()) as ActiveMachinesResponse;
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl);
  await visit.page.locator('.active li').first().waitFor();
  const links = visit.page.locator('.active a');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('title')))).toEqual(
    active.map(({ machine_id }) => machine_id),
  );
  const ratings = await visit.page.locator('.active .rating').allInnerTexts();
  expect(ratings.map((rating) => rating.trim())).toEqual(
    active.map(({ mcr, mcr_score, event_count, rating_unavailable }) =>
      rating_unavailable === undefined ? `${mcr} ${mcr_score} of 100` : `second chain, ${event_count} events`,
    ),
  );
  await links.first().click();
  await visit.page.locator('.summary').waitFor();
  expect(new URL(visit.page.url()).pathname).toBe(`/explorer/machine/${active[0]!.machine_id}`);
  await visit.close();
});

describe('by keyboard', () => {
  it('a slash leads to the search, and a DID from there to its machine', async () => {
    rule('pages.keyboard');
    const visit = await openVisit(browser);
    const { did, id } = machineOf('rated-b');
    await visit.page.goto(`${baseUrl}/explorer/system`);
    await visit.page.locator('h1').waitFor();
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('nothing that is');
    await visit.page.keyboard.press('Enter');
    expect(await readText(visit.page, '.problem')).toBe(
      'This is not a machine id, a DID, an operator address or a wallet address.',
    );
    await visit.page.keyboard.press('ControlOrMeta+A');
    await visit.page.keyboard.type(did);
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('.summary').waitFor();
    expect(new URL(visit.page.url()).pathname).toBe(`/explorer/machine/${id}`);
    await visit.page.goBack();
    expect(await readText(visit.page, 'h1')).toBe('System');
    await visit.close();
  });

  it('the first stop skips to the content', async () => {
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl);
    await visit.page.locator('h1').waitFor();
    await visit.page.keyboard.press('Tab');
    expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await visit.close();
  });
});

it('the fleet of an operator is listed whole, sorted, and saved', async () => {
  rule('pages.fleet');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(`${baseUrl}/explorer/operator/${fleet.address}`);
  await page.waitForLoadState('networkidle');
  expect(await page.locator('h2').allInnerTexts()).toEqual([`${fleet.machines.length} machines`, 'Machines']);
  expect(await page.getByText('Page 1 of 3').count()).toBe(1);
  await page.getByRole('button', { name: 'Machine', exact: true }).click();
  const ids = [];
  for (let left = fleet.machines.length; left > 0; left -= 20) {
    ids.push(
      ...(await page.locator('tbody a').evaluateAll((links) => links.map((link) => link.getAttribute('title')))),
    );
    if (left > 20) await page.getByRole('button', { name: 'Next' }).click();
  }
  expect(ids).toEqual(fleet.machines.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const stream = await (await saving).createReadStream();
  const csv = (await stream.toArray()).join('');
  expect(
    csv
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]),
  ).toEqual(ids.map((id) => `"${id}"`));
  await visit.close();
});
