/** Wallet pages and the watchlist in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, machineOf, machinePath, walletOf } from './sample-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it('lists the machines that a wallet of the alt chain owns', async () => {
  rule('pages.wallet');
  const { id, owner } = machineOf('alt-rated');
  const visit = await openVisit(browser);
  await visit.page.goto(`${baseUrl}/explorer/wallet/${owner}`);
  await visit.page.locator(`.active a[title="${id}"]`).waitFor();
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

it('shows what changed on the watchlist since the last visit', async () => {
  rule('pages.watchlist');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id } = machineOf('flagged');
  await page.goto(baseUrl + machinePath('flagged'));
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.goto(`${baseUrl}/explorer/watchlist`);
  await page.getByText('first visit').waitFor();
  // The page stores what it has shown; it would replace the values that follow.
  await expect.poll(() => page.evaluate(`localStorage.getItem('watchlist')`)).toMatch(/"seen":\{"rating"/);
  await page.evaluate(
    `localStorage.setItem('watchlist', JSON.stringify([{ kind: 'machine', id: '${id}', seen: { rating: 'AAA 99' } }]))`,
  );
  await page.reload();
  await page.locator('.changed').waitFor();
  expect(await readText(page, '.changed')).toMatch(/^\s*\(Rating: AAA 99 → /);
  await visit.close();
});

it('shows on the watchlist what the feed of changes observed since the last visit', async () => {
  rule('pages.watchlist');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id } = machineOf('flagged');
  const change = { cursor: 8, kind: 'chip', machine_id: id, did: '', operator: null, from: 'verified', to: 'expired' };
  const feed = {
    changes: [{ ...change, block: 1, observed_at: 1 }],
    next: 8,
    newest: 8,
    oldest_after: 0,
    opened_at: 1,
  };
  await page.route('**/changes?*', (route) => route.fulfill({ json: feed }));
  await page.goto(`${baseUrl}/explorer/watchlist`);
  await page.evaluate(
    `localStorage.setItem('watchlist', JSON.stringify([{ kind: 'machine', id: '${id}', seen: { machines: '' } }]));
     localStorage.setItem('watchlist-cursor', '7');`,
  );
  await page.reload();
  await page.locator('.changed').waitFor();
  expect(await readText(page, '.changed')).toMatch(/^\s*Chip: verified → expired/);
  await expect.poll(() => page.evaluate(`localStorage.getItem('watchlist-cursor')`)).toBe('8');
  await visit.close();
});
