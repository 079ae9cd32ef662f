/**
 * The pages in a real browser: they show what the routes return, are accessible on every screen size, and load only their
 * own files. (The explorer; `http/routes/pages.ts`.)
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type {
  ActiveMachinesResponse,
  DirectoryResponse,
  DirectorySummaryResponse,
  ExplanationResponse,
  StatementDirectoryResponse,
  StatementResponse,
} from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { launchBrowser, openVisit, readText, slowNetwork, type Visit } from './browser.ts';

/** All files together are also the first machine page. */
const MAX_GZIPPED_BYTES = 60 * 1024;
const PHONE = { width: 320, height: 740 };
/** Layout shift of a page that does not move what is read. */
const MAX_LAYOUT_SHIFT = 0.05;
/** Request timeout of the pages. */
const REQUEST_TIMEOUT_MILLISECONDS = 12_000;

const baseUrl = inject('baseUrl');
const { machines, operators, wallets } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const machinePath = (name: string) => `/explorer/machine/${machineOf(name).id}`;
const walletOf = (name: string) => wallets.find((wallet) => wallet.name === name)!.address;
const fleet = operators.find(({ name }) => name === 'fleet')!;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const PAGES: readonly (readonly [string, string])[] = [
  ['the search', '/'],
  ['a machine rated B', machinePath('rated-b')],
  ['a machine rated AAA', machinePath('rated-aaa')],
  ['a flagged machine', machinePath('flagged')],
  ['a machine without a bond', machinePath('unbonded')],
  ['a provisioned machine', machinePath('provisioned')],
  ['a machine with public events', machinePath('visibility-onchain')],
  ['a machine with hostile text', machinePath('hostile-strings')],
  ['a relocating machine', machinePath('relocating')],
  ['a machine homed elsewhere', machinePath('homed-elsewhere')],
  ['an unknown machine', '/explorer/machine/12'],
  ['an invalid machine id', '/explorer/machine/abc'],
  ['an alt-chain machine', machinePath('alt-rated')],
  ['an operator', `/explorer/operator/${fleet.address}`],
  ['an invalid address', '/explorer/operator/abc'],
  ['an unbound wallet', '/explorer/wallet/11111111111111111111111111111112'],
  ['the directory', '/explorer/machines'],
  ['a directory without a match', '/explorer/machines?rating=AAA&flag=in_force'],
  ['the system status', '/explorer/system'],
  ['a history', `${machinePath('flagged')}?tab=history`],
  ['a verification', `${machinePath('chip-revoked')}?tab=verification`],
  ['the events', `${machinePath('visibility-onchain')}?tab=events`],
  ['an identity', `${machinePath('hostile-strings')}?tab=identity`],
  ['an opt-in', `${machinePath('unbonded')}?tab=opt-in`],
  ['the code to embed', `${machinePath('rated-b')}?tab=embed`],
  ['a comparison', `/explorer/compare?ids=${machineOf('flagged').id},${machineOf('alt-rated').id}`],
  ['the watchlist', '/explorer/watchlist'],
  ['the methodology', '/methodology'],
  ['a bound wallet', `/explorer/wallet/${walletOf('bound')}`],
  ['an operator wallet', `/explorer/wallet/${walletOf('bound-operator')}`],
  ['a revoked wallet', `/explorer/wallet/${walletOf('revoked')}`],
];

describe('the view', () => {
  /** Shows every view in turn, because each context starts a process. */
  let visit: Visit;
  beforeAll(async () => {
    visit = await openVisit(browser, { viewport: PHONE });
  });
  afterAll(() => visit.close());

  it.each(PAGES)('of %s is accessible in light and dark, violates no policy, and fits a phone', async (_, path) => {
    rule('pages.accessible');
    const { page } = visit;
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(baseUrl + path);
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.locator('.skeleton').count(), { timeout: REQUEST_TIMEOUT_MILLISECONDS }).toBe(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect([colorScheme, await visit.listViolations()]).toEqual([colorScheme, []]);
      expect([colorScheme, await visit.findAccessibilityViolations()]).toEqual([colorScheme, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
  });
});

it('detects accessibility violations, policy violations, dialogs and script errors', async () => {
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
    .poll(async () => (await visit.listViolations()).toSorted())
    .toEqual([
      'dialog: x',
      'error: late',
      'policy: img-src https://elsewhere.example/x.png',
      'policy: script-src-elem inline',
      'request: https://elsewhere.example',
    ]);
  expect(await visit.page.evaluate('globalThis.ran')).toBeUndefined();
  expect((await visit.findAccessibilityViolations()).map((violation) => violation.split(':')[0])).toContain(
    'image-alt',
  );
  await visit.close();
});

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

  it('loads immutable files of at most 60 KB in total', async () => {
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
      const zipped = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
      expect([zipped.status, zipped.headers.get('content-encoding'), zipped.headers.get('cache-control')]).toEqual([
        200,
        'gzip',
        'public, max-age=31536000, immutable',
      ]);
      const plain = await fetch(baseUrl + path, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await zipped.text());
      bytes += Number(zipped.headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MAX_GZIPPED_BYTES);
    expect((await fetch(`${baseUrl}/explorer/files/page-000000000000.js`)).status).toBe(404);
  });
});

describe('the machine page', () => {
  it('shows what the routes return', async () => {
    rule('pages.machine');
    const { did } = machineOf('visibility-onchain');
    const { summary } = (await (await fetch(`${baseUrl}/mcr/${did}`)).json()) as { summary: string };
    const visit = await openVisit(browser);
    await visit.page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
    await visit.page.locator('section[aria-labelledby=section-events] tbody tr').first().waitFor();
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
    ['relocating', 'Relocating'],
    ['homed-elsewhere', 'Homed on another chain'],
    ['retired', 'Not found'],
  ])('shows for a machine that is %s the notice %s', async (name, title) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl + machinePath(name));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    await visit.close();
  });

  it.each([
    [429, { error: 'Rate limit exceeded: 90 per 1 minute' }, 'Rate limit exceeded', true],
    [503, { detail: 'Chain unavailable' }, 'Temporarily unavailable', true],
    [503, { detail: 'Event index is syncing: block 5 of 9' }, 'Syncing', true],
    [500, { detail: 'Internal Server Error' }, 'Temporarily unavailable', true],
    [404, { detail: 'Machine not found' }, 'Not found', false],
  ])('shows for the response %i %j the notice %s', async (status, json, title, isRetried) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    const headers = { 'Retry-After': '7' };
    await visit.page.route('**/mcr/**', (route) => route.fulfill({ status, json, headers }));
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    expect(await visit.page.getByRole('button', { name: 'Retry now' }).count()).toBe(isRetried ? 1 : 0);
    if (isRetried) {
      await visit.page.unroute('**/mcr/**');
      await visit.page.getByRole('button', { name: 'Retry now' }).click();
      await visit.page.locator('.summary').waitFor();
      expect(await visit.page.locator('.notice-title').count()).toBe(0);
    }
    await visit.close();
  });

  it('shows that the service is unreachable, and that a response is outdated', async () => {
    const visit = await openVisit(browser);
    await visit.page.route('**/mcr/*/explanation', (route) => route.abort());
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe('Service unreachable');
    await visit.page.unroute('**/mcr/*/explanation');
    await visit.page.route('**/mcr/*/explanation', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'chain-block-age': '300' } });
    });
    await visit.page.getByRole('button', { name: 'Retry now' }).click();
    expect(await readText(visit.page, '.notice.fair')).toBe(
      'Last updated 5 minutes ago. The newest block is more than a minute old.',
    );
    await visit.close();
  });
});

it.each([
  ['rated-b', 'available'],
  ['suspended', 'paused'],
  ['alt-rated', 'available'],
])('shows the availability of %s as %s', async (name, availability) => {
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath(name));
  const mark = visit.page.locator('.verdict .mark', { hasText: 'Availability' });
  expect((await mark.locator('.value').innerText()).trim()).toBe(availability);
  await visit.close();
});

it('lists the most recently active machines on the home page', async () => {
  const response = await fetch(`${baseUrl}/active-machines?limit=10`);
  const { machines: active } = (await response.json()) as ActiveMachinesResponse;
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl);
  const section = visit.page.locator('section[aria-labelledby=section-recently-active]');
  const links = section.locator('a');
  await links.first().waitFor();
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('title')))).toEqual(
    active.map(({ machine_id }) => machine_id),
  );
  const ratings = await section.locator('.rating').allInnerTexts();
  expect(ratings.map((rating) => rating.trim())).toEqual(
    active.map(({ mcr, mcr_score, rating_unavailable }) => {
      if (rating_unavailable !== undefined) return expect.stringMatching(/^(no events yet|being indexed)$/);
      return ['NR', 'Provisioned'].includes(mcr) ? mcr : `${mcr} ${mcr_score} of 100`;
    }),
  );
  await links.first().click();
  await visit.page.locator('.summary').waitFor();
  expect(new URL(visit.page.url()).pathname).toBe(`/explorer/machine/${active[0]!.machine_id}`);
  await visit.close();
});

describe('keyboard navigation', () => {
  it('focuses the search with a slash and opens the machine of a DID', async () => {
    rule('pages.keyboard');
    const visit = await openVisit(browser);
    const { did, id } = machineOf('rated-b');
    await visit.page.goto(`${baseUrl}/explorer/system`);
    await visit.page.locator('h1').waitFor();
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('nothing that is');
    await visit.page.keyboard.press('Enter');
    expect(await readText(visit.page, '.problem')).toBe(
      'Not recognized. Enter a machine id, DID, operator address or wallet address.',
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

  it('starts with a link that skips to the content', async () => {
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl);
    await visit.page.locator('h1').waitFor();
    await visit.page.keyboard.press('Tab');
    expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await visit.close();
  });
});

describe('the operator page', () => {
  const path = `/explorer/operator/${fleet.address}`;
  const listIds = (page: Page) =>
    page.locator('tbody a').evaluateAll((links) => links.map((link) => link.getAttribute('title')));

  it('lists, sorts and exports all machines of both chains with their ratings', async () => {
    rule('pages.fleet');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(baseUrl + path);
    await page.locator('tbody a').first().waitFor();
    expect(await page.locator('h2').allInnerTexts()).toEqual([`${fleet.machines.length} machines`, 'Machines']);
    expect(await page.getByText('Page 1 of 3').count()).toBe(1);
    await page.locator('thead').getByRole('button', { name: 'Machine', exact: true }).click();
    const ids = [];
    for (let left = fleet.machines.length; left > 0; left -= 20) {
      ids.push(...(await listIds(page)));
      if (left > 20) await page.getByRole('button', { name: 'Next' }).click();
    }
    expect(ids).toEqual(fleet.machines.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    const alt = machineOf('alt-fleet-1');
    const { mcr } = (await (await fetch(`${baseUrl}/mcr/${alt.did}`)).json()) as { mcr: string };
    await page.getByLabel('Id contains').fill(alt.id);
    const row = page.locator('tbody tr');
    expect((await row.locator('[data-label=Rating]').innerText()).trim()).toBe(mcr);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const stream = await (await download).createReadStream();
    const csv = (await stream.toArray()).join('');
    expect(
      csv
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    ).toEqual(ids.map((id) => `"${id}"`));
    await visit.close();
  });

  it('keeps page, order and focus in the URL and when the machines are loaded again', async () => {
    rule('pages.state-in-url');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${baseUrl}${path}?sort=machine&page=2`);
    await page.locator('tbody a').first().waitFor();
    expect(await page.getByText('Page 2 of 3').count()).toBe(1);
    const ids = await listIds(page);
    await page.locator('tbody a').nth(3).focus();
    const reloaded = page.waitForResponse((response) => response.url().includes('/fleet?'));
    await page.clock.fastForward(61_000);
    await reloaded;
    await expect.poll(() => listIds(page)).toEqual(ids);
    expect(await page.getByText('Page 2 of 3').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.getAttribute("title")')).toBe(ids[3]);
    await visit.close();
  });

  it('sorts on a phone, where the head of the table is hidden', async () => {
    const visit = await openVisit(browser, { viewport: PHONE, hasTouch: true });
    const { page } = visit;
    await page.goto(`${baseUrl}${path}?sort=machine`);
    await page.locator('tbody a').first().waitFor();
    const [first] = await listIds(page);
    await page.getByRole('button', { name: 'Ascending' }).tap();
    await expect.poll(async () => (await listIds(page))[0]).not.toBe(first);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-machine');
    await visit.close();
  });
});

describe('the directory', () => {
  const listIds = (page: Page) =>
    page.locator('tbody td:first-child a').evaluateAll((links) => links.map((link) => link.getAttribute('title')));

  it('lists, filters, sorts and exports the machines of both chains, with its state in the URL', async () => {
    rule('pages.directory');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/machines`);
    await page.locator('tbody a').first().waitFor();
    await page.getByLabel(/^Rating/).selectOption(['AAA,AA,A,BBB,BB,B']);
    await page.getByLabel('Home').selectOption('alt');
    await page.locator('thead').getByRole('button', { name: 'Machine' }).click();
    const query = 'rating=AAA%2CAA%2CA%2CBBB%2CBB%2CB&home=alt&sort=id';
    expect(new URL(page.url()).search).toBe(`?${query}`);
    const { machines: listed } = (await (await fetch(`${baseUrl}/directory?${query}`)).json()) as DirectoryResponse;
    const ids = listed.map(({ machine_id }) => machine_id);
    expect(ids).toContain(machineOf('alt-rated').id);
    await expect.poll(() => listIds(page)).toEqual(ids);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect(
      csv
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    ).toEqual(ids.map((id) => `"${id}"`));
    await page.reload();
    await expect.poll(() => listIds(page)).toEqual(ids);
    await visit.close();
  });

  it('lists every machine once over all pages, and those of an operator', async () => {
    rule('pages.directory');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/machines?size=25`);
    const seen = new Set<string | null>();
    for (let last: string | null = null; ;) {
      await expect.poll(async () => (await listIds(page))[0] ?? null).not.toBe(last);
      const ids = await listIds(page);
      expect(ids.filter((id) => seen.has(id))).toEqual([]);
      ids.forEach((id) => seen.add(id));
      last = ids[0]!;
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) === 0) break;
      await next.click();
    }
    const summary = (await (await fetch(`${baseUrl}/directory/summary`)).json()) as DirectorySummaryResponse;
    expect(seen.size).toBe(summary.machines);
    await page.getByLabel('Operator, or owner').fill(fleet.address);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.filters + .note').waitFor();
    const ofOperator = fleet.machines.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)).slice(0, 25);
    await expect.poll(() => listIds(page)).toEqual(ofOperator);
    await visit.close();
  });

  it('shows the distribution of ratings with the methodology', async () => {
    const summary = (await (await fetch(`${baseUrl}/directory/summary`)).json()) as DirectorySummaryResponse;
    const visit = await openVisit(browser);
    await visit.page.goto(`${baseUrl}/methodology`);
    await visit.page.locator('.spread-names li').first().waitFor();
    const parts = await visit.page.locator('.spread-names li').allInnerTexts();
    const counted = Object.entries(summary.counts.rating).filter(([, count]) => count > 0);
    expect(parts.map((text) => text.trim().split(/\s+/)).toSorted()).toEqual(
      counted.map(([letter, count]) => [letter, String(count)]).toSorted(),
    );
    await visit.close();
  });
});

describe('the tabs of a machine', () => {
  it('filter the events and export all of them', async () => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
    await page.getByLabel('Type').selectOption('Activity');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('type')).toBe('activity');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect(csv.split('\r\n')).toHaveLength(1 + 4 + 1);
    await visit.close();
  });

  it.each([
    ['verified', ['verified', 'verified']],
    ['chip-revoked', ['verified', 'revoked']],
  ])('show the records of the machine %s as %j', async (name, states) => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    await visit.page.goto(`${baseUrl}${machinePath(name)}?tab=verification`);
    const marks = visit.page.locator('.panel .mark .value');
    await expect.poll(async () => (await marks.allInnerTexts()).map((text) => text.trim())).toEqual(states);
    await visit.close();
  });

  it('show the owner of a machine on its home chain', async () => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    const { page } = visit;
    for (const name of ['with-controller', 'alt-rated']) {
      await page.goto(`${baseUrl}${machinePath(name)}?tab=identity`);
      const owner = page.locator('dt', { hasText: 'Owner on' }).locator('xpath=following-sibling::dd[1]').locator('a');
      await owner.first().waitFor();
      expect((await owner.first().getAttribute('title'))?.toLowerCase()).toBe(machineOf(name).owner.toLowerCase());
    }
    await visit.close();
  });
});

it('shows times in UTC or in the time zone of the browser, as chosen', async () => {
  rule('pages.time-zone');
  const visit = await openVisit(browser, { timezoneId: 'Asia/Kolkata' });
  const { page } = visit;
  await page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
  const time = page.locator('tbody time').first();
  await time.waitFor();
  const seconds = Date.parse((await time.getAttribute('datetime'))!);
  const shown = (offset: number, zone: string) =>
    `${new Date(seconds + offset).toISOString().slice(0, 19).replace('T', ' ')} ${zone}`;
  expect(await time.getAttribute('title')).toBe(shown(0, 'UTC'));
  await page.getByLabel('Times').selectOption('local');
  await expect.poll(() => time.getAttribute('title')).toBe(shown(5.5 * 3_600_000, 'UTC+05:30'));
  await page.reload();
  await expect.poll(() => time.getAttribute('title')).toBe(shown(5.5 * 3_600_000, 'UTC+05:30'));
  await visit.close();
});

it('lists the machines that a wallet of the alt chain owns', async () => {
  rule('pages.wallet');
  const { id, owner } = machineOf('alt-rated');
  const visit = await openVisit(browser);
  await visit.page.goto(`${baseUrl}/explorer/wallet/${owner}`);
  await visit.page.locator(`.active a[title="${id}"]`).waitFor();
  await visit.close();
});

it('lists recent rating changes on the home page', async () => {
  rule('pages.home');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id, did } = machineOf('rated-b');
  const range = { next: 7, newest: 7, oldest_after: 0, opened_at: 1_000 };
  const change = { kind: 'rating', machine_id: id, did, operator: null, from: 'BB', to: 'B', block: 5 };
  await page.route('**/changes?**', (route) =>
    route.fulfill({ json: { ...range, changes: [{ ...change, cursor: 7, observed_at: 1_772_452_800 }] } }),
  );
  await page.goto(baseUrl);
  const item = page.locator('section[aria-labelledby=section-recent-rating-changes] li');
  await item.first().waitFor();
  expect((await item.first().innerText()).replace(/\s+/g, ' ')).toMatch(/BB to B .*ago/);
  await visit.close();
});

it.each([
  ['a machine', machinePath('flagged')],
  ['a machine that is not rated yet', machinePath('provisioned')],
  ['the raw data of a machine', `${machinePath('verified')}?tab=raw`],
  ['an operator', `/explorer/operator/${fleet.address}`],
  ['the directory', '/explorer/machines'],
  ['a wallet', `/explorer/wallet/${walletOf('bound')}`],
  ['the system status', '/explorer/system'],
])('shows %s on a slow network without moving what is read', async (_, path) => {
  rule('pages.layout-shift');
  const visit = await openVisit(browser, { viewport: { width: 1_440, height: 1_000 } });
  const { page } = visit;
  await slowNetwork(page);
  await page.addInitScript(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await page.goto(baseUrl + path);
  await page.waitForLoadState('networkidle');
  expect(await page.evaluate('shift')).toBeLessThan(MAX_LAYOUT_SHIFT);
  await visit.close();
});

it.each([
  ['bound', 'in force'],
  ['bound-operator', 'in force'],
  ['revoked', 'revoked'],
  ['unbound', 'none'],
])('shows the binding of the wallet %s as %s', async (name, state) => {
  rule('pages.wallet');
  const visit = await openVisit(browser);
  await visit.page.goto(`${baseUrl}/explorer/wallet/${walletOf(name)}`);
  const mark = visit.page.locator('.mark', { hasText: 'Binding' }).locator('.value');
  await mark.waitFor();
  expect((await mark.innerText()).trim()).toBe(state);
  await visit.close();
});

it.each([
  ['grace', 'Bond', /^bonded, in grace, ends \d{4}-\d{2}-\d{2}$/],
  ['flagged', 'Negative flag', /^in force from \d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}$/],
  ['unbonded', 'Bond', /^terminated$/],
  ['borrowed-kyb', 'Operator (KYB)', /^verified, has not accepted this machine$/],
])('shows for the machine %s the mark %s', async (name, label, text) => {
  rule('pages.bond-and-flag');
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath(name));
  const mark = visit.page.locator('.verdict .mark', { hasText: label }).locator('.value').first();
  await expect.poll(async () => (await mark.innerText()).trim()).toMatch(text);
  await visit.close();
});

it('offers no opt-in where the service would refuse it, and never advises to renew a terminated bond', async () => {
  rule('pages.opt-in-preconditions');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('unbonded'));
  expect(await readText(page, '.reasons')).toContain('terminated, which is final');
  expect(await readText(page, '.reasons')).not.toContain('Renew');
  await page.goto(`${baseUrl}${machinePath('unbonded')}?tab=opt-in`);
  await page.getByRole('button', { name: 'Change opt-in' }).click();
  expect(await page.getByLabel('Opt in', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByLabel('Opt out', { exact: true }).isChecked()).toBe(true);
  await visit.close();
});

it('saves the signed rating of a machine', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('rated-b'));
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save signed rating' }).click();
  const text = (await (await (await download).createReadStream()).toArray()).join('');
  const { statement, signer } = JSON.parse(text) as StatementResponse;
  expect(statement.machineId).toBe(machineOf('rated-b').id);
  const { keys } = (await (await fetch(`${baseUrl}/.well-known/svc-statements`)).json()) as StatementDirectoryResponse;
  expect(keys.map(({ address }) => address)).toContain(signer);
  await visit.close();
});

it('shows the deduction that the factors do not contain', async () => {
  rule('pages.machine');
  const { did } = machineOf('flagged');
  const response = await fetch(`${baseUrl}/mcr/${did}/explanation`);
  const { factors, anchor, total_hundredths: total } = (await response.json()) as ExplanationResponse;
  const points = factors.reduce((sum, factor) => sum + factor.points_hundredths, 0);
  expect(points - anchor!.lost_hundredths).toBe(total);
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath('flagged'));
  const shown = await readText(visit.page, 'section[aria-labelledby=section-score-breakdown]');
  expect(shown).toContain(`Points above 50 count a sixth: −${anchor!.lost_hundredths / 100} points.`);
  await visit.close();
});

it('finds a machine by the shortened id that a list shows', async () => {
  rule('pages.keyboard');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(`${baseUrl}/explorer/machines`);
  const link = page.locator('tbody td:first-child a').nth(1);
  const [id, text] = [await link.getAttribute('title'), await link.innerText()];
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.locator('.summary').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/explorer/machine/${id!}`);
  await visit.close();
});

it('shows what changed on the watchlist since the last visit', async () => {
  rule('pages.watchlist');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id } = machineOf('flagged');
  await page.goto(baseUrl + machinePath('flagged'));
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.goto(`${baseUrl}/explorer/watchlist`);
  await page.getByText('first visit').waitFor();
  await page.evaluate(
    `localStorage.setItem('watchlist', JSON.stringify([{ kind: 'machine', id: '${id}', seen: { rating: 'AAA 99' } }]))`,
  );
  await page.reload();
  await page.locator('.changed').waitFor();
  expect(await readText(page, '.changed')).toMatch(/^\s*\(Rating: AAA 99 → /);
  await visit.close();
});
