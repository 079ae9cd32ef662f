/**
 * Takes screenshots of every page and state, light and dark, at 360 and 1,440 pixels, and prints what each view violates: accessibility,
 * policy, width, and layout shift on a slow network. The pages are those of a running service in front of a seeded devnet (`npm run dev`).
 * A pattern selects views by name.
 *
 *     node test/campaigns/screenshots.ts http://127.0.0.1:8000 .devnet/fixtures.json /tmp/screenshots [pattern]
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { launchBrowser, openVisit, slowNetwork } from '../service/pages/browser.ts';

interface View {
  readonly name: string;
  readonly path: string;
  /** Prepares the state before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Acts on the open page. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const WIDTHS = { phone: { width: 360, height: 780 }, desktop: { width: 1_440, height: 1_000 } } as const;
const MAX_LAYOUT_SHIFT = 0.05;
/** Requests of the directory, without the script of its page. */
const DIRECTORY = /\/directory(?:\/summary)?(?:\?|$)/;
const RECORD_SHIFT = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

function listViews({ machines, operators, wallets }: Fixtures): View[] {
  const machine = (name: string) => `/explorer/machine/${machines.find((each) => each.name === name)!.id}`;
  const operator = (name: string) => `/explorer/operator/${operators.find((each) => each.name === name)!.address}`;
  const wallet = (name: string) => `/explorer/wallet/${wallets.find((each) => each.name === name)!.address}`;
  const owner = machines.find(({ name }) => name === 'alt-rated')!.owner;
  const ids = ['rated-aaa', 'rated-b', 'flagged', 'alt-rated'].map((name) => machine(name).split('/').at(-1)!);
  /** Values of a last visit: nothing, the same, and another rating. */
  const watched = JSON.stringify([
    { kind: 'machine', id: ids[0] },
    { kind: 'machine', id: ids[1], seen: { rating: 'BB 55', bond: 'bonded', flag: 'no flag' } },
    { kind: 'machine', id: ids[2], seen: { bond: 'bonded', flag: 'flag in force' } },
    { kind: 'machine', id: '12' },
    { kind: 'operator', id: operator('fleet').split('/').at(-1)!.toLowerCase(), seen: { machines: '40 machines' } },
  ]);
  const tabs = ['history', 'events', 'verification', 'identity', 'opt-in', 'embed', 'raw'];
  const fail = (pattern: string | RegExp, status: number, json: object) => (page: Page) =>
    page.route(pattern, (route) => route.fulfill({ status, json, headers: { 'Retry-After': '30' } }));
  const pages: View[] = [
    { name: 'home', path: '/' },
    { name: 'machines', path: '/explorer/machines' },
    { name: 'machines-filtered', path: '/explorer/machines?rating=AAA,AA,A,BBB,BB,B&home=alt&sort=-activity' },
    { name: 'machines-none', path: '/explorer/machines?rating=AAA&flag=in_force' },
    { name: 'methodology', path: '/methodology' },
    { name: 'system', path: '/explorer/system' },
    { name: 'not-found', path: '/explorer/nothing' },
    { name: 'compare-empty', path: '/explorer/compare' },
    { name: 'compare', path: `/explorer/compare?ids=${ids.join()}` },
    { name: 'compare-left-out', path: `/explorer/compare?ids=${ids.join()},abc` },
    { name: 'watchlist', path: '/explorer/watchlist' },
    {
      name: 'watchlist-filled',
      path: '/explorer/watchlist',
      prepare: (page) => page.addInitScript(`localStorage.setItem('watchlist', ${JSON.stringify(watched)})`),
    },
    { name: 'docs', path: '/docs' },
    { name: 'docs-operation', path: '/docs#getRating' },
    { name: 'operator', path: operator('fleet') },
    { name: 'operator-empty', path: operator('empty') },
    { name: 'operator-invalid', path: '/explorer/operator/abc' },
    ...wallets.map(({ name }) => ({ name: `wallet-${name}`, path: wallet(name) })),
    { name: 'wallet-owner', path: `/explorer/wallet/${owner}` },
    { name: 'machine-unknown', path: '/explorer/machine/12' },
    { name: 'machine-invalid', path: '/explorer/machine/abc' },
    ...machines
      .filter(({ name }) => !/fleet/.test(name))
      .map(({ name }) => ({ name: `machine-${name}`, path: machine(name) })),
    ...tabs.map((tab) => ({ name: `tab-${tab}`, path: `${machine('verified')}?tab=${tab}` })),
    ...['history', 'identity'].map((tab) => ({ name: `tab-${tab}-flagged`, path: `${machine('flagged')}?tab=${tab}` })),
    { name: 'tab-events-onchain', path: `${machine('visibility-onchain')}?tab=events` },
    { name: 'tab-events-private', path: `${machine('visibility-private')}?tab=events` },
    { name: 'tab-events-pages', path: `${machine('paid-aa')}?tab=events` },
    { name: 'tab-events-many', path: `${machine('many-events')}?tab=events` },
    { name: 'tab-identity-hostile', path: `${machine('hostile-strings')}?tab=identity` },
    { name: 'tab-identity-alt', path: `${machine('alt-rated')}?tab=identity` },
    { name: 'tab-verification-alt', path: `${machine('alt-rated')}?tab=verification` },
    { name: 'tab-verification-revoked', path: `${machine('chip-revoked')}?tab=verification` },
    { name: 'tab-verification-sold', path: `${machine('sold')}?tab=verification` },
    { name: 'tab-opt-in-sold', path: `${machine('sold')}?tab=opt-in` },
    { name: 'tab-opt-in-unbonded', path: `${machine('unbonded')}?tab=opt-in` },
    {
      name: 'tab-opt-in-open',
      path: `${machine('rated-b')}?tab=opt-in`,
      act: (page) => page.getByRole('button', { name: 'Change opt-in' }).click(),
    },
    ...['rated-b', 'alt-rated'].map((name) => ({
      name: `tab-opt-in-message-${name}`,
      path: `${machine(name)}?tab=opt-in`,
      act: async (page: Page) => {
        await page.getByRole('button', { name: 'Change opt-in' }).click();
        await page.getByRole('button', { name: 'Show the message to sign' }).click();
        await page.locator('.message').waitFor();
      },
    })),
    {
      name: 'search-transaction',
      path: '/',
      act: async (page) => {
        await page.getByRole('searchbox').fill(`0x${'5f'.repeat(32)}`);
        await page.keyboard.press('Enter');
      },
    },
  ];
  const states: View[] = [
    {
      name: 'state-machine-loading',
      path: machine('rated-b'),
      prepare: (page) => page.route('**/mcr/**', () => undefined),
    },
    {
      name: 'state-operator-loading',
      path: operator('fleet'),
      prepare: (page) => page.route('**/operator/**/fleet**', () => undefined),
    },
    {
      name: 'state-machines-loading',
      path: '/explorer/machines',
      prepare: (page) => page.route(DIRECTORY, () => undefined),
    },
    {
      name: 'state-unreadable',
      path: machine('rated-b'),
      prepare: fail('**/mcr/**', 503, { detail: 'Chain unavailable' }),
    },
    {
      name: 'state-rate-limited',
      path: machine('rated-b'),
      prepare: fail('**/mcr/**', 429, { error: 'Rate limit exceeded: 90 per 1 minute' }),
    },
    {
      name: 'state-machines-syncing',
      path: '/explorer/machines',
      prepare: fail(DIRECTORY, 503, { detail: 'Operator index is syncing: block 5 of 9' }),
    },
    {
      name: 'state-unreachable',
      path: machine('rated-b'),
      prepare: (page) => page.route('**/mcr/**', (route) => route.abort()),
    },
    {
      name: 'state-out-of-date',
      path: machine('rated-b'),
      prepare: (page) =>
        page.route('**/mcr/*/explanation', async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, headers: { ...response.headers(), 'chain-block-age': '300' } });
        }),
    },
    {
      name: 'state-not-ready',
      path: '/',
      prepare: fail('**/ready', 503, { detail: 'Chain unavailable' }),
    },
  ];
  return [...pages, ...states];
}

/** Takes a light and a dark screenshot of a view, and returns what it violates. */
async function take(
  browser: Browser,
  baseUrl: string,
  { name, path, prepare, act }: View,
  size: keyof typeof WIDTHS,
  folder: string,
): Promise<string[]> {
  const visit = await openVisit(browser, { viewport: WIDTHS[size] });
  const { page } = visit;
  await slowNetwork(page);
  await page.addInitScript(RECORD_SHIFT);
  await prepare?.(page);
  await page.goto(baseUrl + path);
  const isLoading = name.endsWith('-loading');
  if (isLoading) await page.locator('.skeleton').first().waitFor();
  else {
    await page.locator('header.top').waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }
  const shift = await page.evaluate<number>('shift');
  await act?.(page);
  const found = shift >= MAX_LAYOUT_SHIFT ? [`layout shift ${shift.toFixed(3)}`] : [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true });
    found.push(...(await visit.findAccessibilityViolations()).map((text) => `${colorScheme}: ${text}`));
  }
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (overflow > 0) found.push(`wider than the screen by ${overflow} pixels`);
  found.push(...(await visit.listViolations()));
  await visit.close();
  return found;
}

const [baseUrl, fixturesFile, folder, only = ''] = process.argv.slice(2);
if (baseUrl === undefined || fixturesFile === undefined || folder === undefined) {
  process.stderr.write('usage: node test/campaigns/screenshots.ts BASE_URL FIXTURES_FILE FOLDER [PATTERN]\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const listed = listViews(JSON.parse(readFileSync(fixturesFile, 'utf8')) as Fixtures);
const browser = await launchBrowser();
let violations = 0;
let views = 0;
for (const view of listed.filter(({ name }) => new RegExp(only).test(name))) {
  for (const size of ['phone', 'desktop'] as const) {
    const found = await take(browser, baseUrl, view, size, folder).catch((error: unknown) => [String(error)]);
    views += 1;
    violations += found.length;
    for (const text of found) process.stdout.write(`${view.name}-${size}: ${text}\n`);
  }
}
await browser.close();
process.stdout.write(`${views} views in ${folder}, ${violations} violations\n`);
process.exitCode = violations === 0 ? 0 : 1;
