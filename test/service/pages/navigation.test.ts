/** Start page, search and keyboard navigation in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActiveMachinesResponse } from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, fleet, machineOf, walletOf } from './sample-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

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
    await visit.page.locator('header.top').waitFor();
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('nothing that is');
    await visit.page.keyboard.press('Enter');
    expect(await readText(visit.page, '.problem')).toBe(
      'Not recognized. Enter a machine id, DID, operator address, wallet address or transaction.',
    );
    await visit.page.keyboard.press('ControlOrMeta+A');
    await visit.page.keyboard.type(did);
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('.summary').waitFor();
    expect(new URL(visit.page.url()).pathname).toBe(`/explorer/machine/${id}`);
    await visit.page.goBack();
    await visit.page.getByRole('heading', { name: 'System', exact: true }).waitFor();
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

it.each([
  [`0x${'5f'.repeat(32)}`, 'main'],
  ['5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW', 'alt'],
] as const)('says that no block explorer is configured for the transaction %s', async (transaction, chain) => {
  rule('pages.search');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl);
  const names = await page.evaluate<Record<typeof chain, { name: string }>>('JSON.parse(document.body.dataset.chains)');
  await page.getByRole('searchbox').fill(transaction);
  await page.keyboard.press('Enter');
  expect(await readText(page, '.problem')).toBe(
    `This looks like a transaction of ${names[chain].name}, for which no block explorer is configured here. ` +
      'Search for its machine instead: the tab Events names the transactions that the owner publishes.',
  );
  await visit.close();
});

it.each([
  ['machine', `Machine #${shorten(machineOf('rated-b').id)}`, `/explorer/machine/${machineOf('rated-b').id}`],
  ['operator', `Operator ${shorten(fleet.address)}`, `/explorer/operator/${fleet.address}`],
  ['wallet', `Wallet ${shorten(walletOf('bound'))}`, `/explorer/wallet/${walletOf('bound')}`],
])('names the page of a %s in its heading, and nothing else', async (_, name, path) => {
  rule('pages.copy');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + path);
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  await visit.close();
});

function shorten(id: string): string {
  return `${id.slice(0, 6)}…${id.slice(-6)}`;
}
