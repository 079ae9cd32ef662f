/** Lists of machines in a real browser: the fleet of an operator and the directory of the deployment. */
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DirectoryResponse, DirectorySummaryResponse, RatedFleetResponse } from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, tabTo } from './browser.ts';
import { baseUrl, fleet, machineOf } from './sample-pages.ts';

const PHONE = { width: 320, height: 740 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Lists the ids of the machines that the table shows. */
function listIds(page: Page): Promise<(string | null)[]> {
  return page.locator('tbody td:first-child a').evaluateAll((links) => links.map((link) => link.getAttribute('title')));
}

/** Reads the first cells of a CSV file, without that of its head. */
async function readFirstColumn(download: Download): Promise<(string | undefined)[]> {
  const csv = (await (await download.createReadStream()).toArray()).join('');
  return csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0]);
}

describe('the operator page', () => {
  const path = `/explorer/operator/${fleet.address}`;

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
    expect(await readFirstColumn(await download)).toEqual(ids.map((id) => `"${id}"`));
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

  it('sorts by the trend of each machine, and copies whole ids', async () => {
    rule('pages.fleet');
    const visit = await openVisit(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = visit;
    await page.goto(`${baseUrl}${path}?sort=-trend`);
    await page.locator('tbody a').first().waitFor();
    const { machines } = (await (
      await fetch(`${baseUrl}/operator/${fleet.address}/fleet`)
    ).json()) as RatedFleetResponse;
    const ranks = ['rising', 'stable', 'falling', 'not enough data', '–'];
    const trends = await page.locator('td[data-label=Trend]').allInnerTexts();
    const rising = machines.filter(({ revenue_trend: trend }) => trend === 'up').length;
    expect(trends.map((text) => text.trim())).toEqual(
      trends.map((text) => text.trim()).toSorted((a, b) => ranks.indexOf(a) - ranks.indexOf(b)),
    );
    expect(trends.filter((text) => text.trim() === 'rising')).toHaveLength(Math.min(20, rising));
    const [id] = await listIds(page);
    await page.getByRole('button', { name: 'Copy the id' }).first().click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(id);
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
    // No stop before the first machine is hidden.
    await page.getByLabel('Id contains').focus();
    expect((await tabTo(page, /^#/)).tag).toBe('A');
    await visit.close();
  });
});

describe('the directory', () => {
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
    expect(await readFirstColumn(await download)).toEqual(ids.map((id) => `"${id}"`));
    await page.reload();
    await expect.poll(() => listIds(page)).toEqual(ids);
    await visit.close();
  });

  it('uses the width of a screen of 2,560 pixels', async () => {
    rule('pages.directory');
    const visit = await openVisit(browser, { viewport: { width: 2_560, height: 1_200 } });
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/machines`);
    await page.locator('tbody a').first().waitFor();
    expect((await page.locator('table').boundingBox())!.width).toBeGreaterThan(2_400);
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
