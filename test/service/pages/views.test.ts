/** Every view in a real browser: accessible on every screen size, within its policy, and without layout shift. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, listUncopiedIds, openVisit, slowNetwork, type Visit } from './browser.ts';
import { baseUrl, fleet, machineOf, machinePath, walletOf } from './sample-pages.ts';

const PHONE = { width: 320, height: 740 };
const DESKTOP = { width: 1_440, height: 1_000 };
/** Layout shift of a page that does not move what is read. */
const MAX_LAYOUT_SHIFT = 0.05;
/** Request timeout of the pages. */
const REQUEST_TIMEOUT_MILLISECONDS = 12_000;

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
  ['an empty comparison', '/explorer/compare'],
  ['the watchlist', '/explorer/watchlist'],
  ['an address without a page', '/explorer/nothing'],
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

  it.each(PAGES)(
    'of %s is accessible in light and dark, violates no policy, fits a phone and a desktop, and copies shortened ids',
    async (_, path) => {
      rule('pages.accessible', 'pages.copy');
      const { page } = visit;
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(baseUrl + path);
      await page.locator('header.top').waitFor();
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: REQUEST_TIMEOUT_MILLISECONDS }).toBe(0);
      expect(await listUncopiedIds(page)).toEqual([]);
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const shown = `${colorScheme}, ${viewport.width} px`;
          expect([shown, await visit.listViolations()]).toEqual([shown, []]);
          expect([shown, await visit.findAccessibilityViolations()]).toEqual([shown, []]);
          expect([shown, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([shown, 0]);
        }
      }
      await page.setViewportSize(PHONE);
    },
  );
});

it('detects accessibility violations, policy violations, dialogs and script errors', async () => {
  rule('pages.checks-work');
  const visit = await openVisit(browser, { viewport: PHONE });
  await visit.page.goto(`${baseUrl}/explorer/system`);
  await visit.page.locator('header.top').waitFor();
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

it.each([
  ['a machine', machinePath('flagged')],
  ['a machine whose marks fill two lines', machinePath('dormant')],
  ['a machine that is not rated yet', machinePath('provisioned')],
  ['the raw data of a machine', `${machinePath('verified')}?tab=raw`],
  ['an operator', `/explorer/operator/${fleet.address}`],
  ['the directory', '/explorer/machines'],
  ['a wallet', `/explorer/wallet/${walletOf('bound')}`],
  ['the system status', '/explorer/system'],
])('shows %s on a slow network without moving what is read', async (_, path) => {
  rule('pages.layout-shift');
  const visit = await openVisit(browser, { viewport: DESKTOP });
  const { page } = visit;
  await slowNetwork(page);
  await page.addInitScript(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await page.goto(baseUrl + path);
  await page.locator('header.top').waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.evaluate('shift')).toBeLessThan(MAX_LAYOUT_SHIFT);
  await visit.close();
});
