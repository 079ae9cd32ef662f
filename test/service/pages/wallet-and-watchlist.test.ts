/** Wallet pages and the watchlist in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, listUncopiedIds, openVisit, readText } from './browser.ts';
import { baseUrl, fleet, machineOf, machinePath, walletOf } from './sample-pages.ts';

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
  // Another page: the watchlist itself stores where it has read to.
  await page.goto(`${baseUrl}/explorer/methodology`);
  await page.evaluate(
    `localStorage.setItem('watchlist', JSON.stringify([{ kind: 'machine', id: '${id}', seen: { machines: '' } }]));
     localStorage.setItem('watchlist-cursor', '7');`,
  );
  await page.goto(`${baseUrl}/explorer/watchlist`);
  await page.locator('.changed').waitFor();
  expect(await readText(page, '.changed')).toMatch(/^\s*Chip: verified → expired/);
  await expect.poll(() => page.evaluate(`localStorage.getItem('watchlist-cursor')`)).toBe('8');
  await visit.close();
});

it('copies the whole id of each entry of the watchlist, and of each account that changed', async () => {
  rule('pages.copy');
  const visit = await openVisit(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = visit;
  const { id } = machineOf('flagged');
  const operator = fleet.address.toLowerCase();
  const [from, to] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`];
  const change = { cursor: 8, kind: 'owner', machine_id: id, did: '', operator, from, to, block: 1, observed_at: 1 };
  const feed = { changes: [change], next: 8, newest: 8, oldest_after: 0, opened_at: 1 };
  await page.route('**/changes?*', (route) => route.fulfill({ json: feed }));
  // Another page: the watchlist itself stores where it has read to.
  await page.goto(`${baseUrl}/explorer/methodology`);
  const entries = [
    { kind: 'machine', id, seen: { rating: 'A 75' } },
    { kind: 'operator', id: operator, seen: { machines: '1 machine' } },
  ];
  await page.evaluate(
    `localStorage.setItem('watchlist', '${JSON.stringify(entries)}'); localStorage.setItem('watchlist-cursor', '7');`,
  );
  await page.goto(`${baseUrl}/explorer/watchlist`);
  await page.getByText(`Machines: 1 machine → ${fleet.machines.length} machines`).waitFor();
  expect(await listUncopiedIds(page)).toEqual([]);
  const copied: unknown[] = [];
  for (const button of await page.getByRole('button', { name: /^Cop(y|ied)/ }).all()) {
    await button.click();
    await button.getByText('Copied').waitFor();
    copied.push(await page.evaluate('navigator.clipboard.readText()'));
  }
  expect(copied).toEqual([id, from, to, operator, id, from, to]);
  expect(await visit.findAccessibilityViolations()).toEqual([]);
  await visit.close();
});

it('shows a downgrade and a lost machine of a watched operator, and grace of a watched machine', async () => {
  rule('pages.watchlist');
  const visit = await openVisit(browser);
  const { page } = visit;
  const [lost, grace] = [machineOf('flagged').id, machineOf('grace').id];
  const operator = fleet.address.toLowerCase();
  const other = `0x${'2b'.repeat(20)}`;
  const change = { did: '', block: 1, observed_at: 1, machine_id: lost };
  const feed = {
    changes: [
      { ...change, cursor: 8, kind: 'rating', operator, from: 'A', to: 'NR' },
      { ...change, cursor: 9, kind: 'operator', operator: other, from: operator, to: other },
      { ...change, cursor: 10, kind: 'bond', operator: other, from: 'Active', to: 'Grace', machine_id: grace },
    ],
    ...{ next: 10, newest: 10, oldest_after: 0, opened_at: 1 },
  };
  await page.route('**/changes?*', (route) => route.fulfill({ json: feed }));
  // Another page: the watchlist itself stores where it has read to.
  await page.goto(`${baseUrl}/explorer/methodology`);
  const entries = [
    { kind: 'machine', id: grace, seen: { bond: 'bonded' } },
    { kind: 'operator', id: operator, seen: { machines: `${fleet.machines.length} machines` } },
  ];
  await page.evaluate(
    `localStorage.setItem('watchlist', '${JSON.stringify(entries)}'); localStorage.setItem('watchlist-cursor', '7');`,
  );
  await page.goto(`${baseUrl}/explorer/watchlist`);
  const [machine, fleetEntry] = [page.locator('.watched > li').first(), page.locator('.watched > li').last()];
  await machine.getByText('Bond: bonded → bonded, in grace').waitFor();
  expect(await machine.locator('.changed').count()).toBe(1);
  await fleetEntry.locator('.observed li').last().waitFor();
  const shown = await fleetEntry.locator('.observed li').allInnerTexts();
  expect(shown[0]).toContain('Rating: A → not rated');
  expect(shown[1]).toContain('Operator: ');
  expect(shown).toHaveLength(2);
  await visit.close();
});
