/** What a reader does on the page of a machine in a real browser: reads days of the history, tries what would change the rating, embeds the badge. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HistoryResponse } from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, machineOf, machinePath } from './sample-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const DAYS_A_WEEK = 7;
const FLAGGED_DAYS_AGO = 10;

async function openHistory(page: Page, name: string): Promise<HistoryResponse> {
  const pending = page.waitForResponse('**/mcr/*/history');
  await page.goto(`${baseUrl}${machinePath(name)}?tab=history`);
  await page.locator('.chart svg').waitFor();
  return (await (await pending).json()) as HistoryResponse;
}

const describePoint = ({ day, mcr, mcr_score: score }: HistoryResponse['points'][number]) =>
  `${day}: ${mcr}, ${score} of 100`;

it('reads a day of the history with the arrow keys and with the pointer', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { points } = await openHistory(page, 'flagged');
  const read = page.locator('.chart .read');
  const expectDay = async (daysAgo: number) =>
    expect.poll(() => read.innerText()).toContain(`${describePoint(points.at(-1 - daysAgo)!)}; $`);
  await expectDay(0);
  await page.locator('.chart svg').focus();
  await page.keyboard.press('ArrowLeft');
  await expectDay(1);
  await page.keyboard.press('PageUp');
  await expectDay(1 + DAYS_A_WEEK);
  await page.keyboard.press('ArrowRight');
  await expectDay(DAYS_A_WEEK);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await expectDay(0);
  for (let day = 0; day < FLAGGED_DAYS_AGO; day++) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => read.innerText()).toMatch(/in this week; Negative flag set$/);
  const box = (await page.locator('.chart svg').boundingBox())!;
  // The right edge is part of no day, and the last day is read there.
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
  await expectDay(0);
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await expect.poll(() => read.innerText()).toMatch(new RegExp(`^${points[0]!.day}: provisioned; \\$`));
  await visit.close();
});

it('marks each change in the history chart, leaves a gap where there was no rating, and lists the weeks', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { points, changes } = await openHistory(page, 'flagged');
  const dayOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const days = await page.locator('.chart .marker title').allTextContents();
  const within = changes.filter(({ at }) => at >= Date.parse(points[0]!.day) / 1000);
  expect(within.map(({ kind }) => kind)).toContain('flagged');
  expect(days.map((text) => text.slice(0, 10))).toEqual(within.map(({ at }) => dayOf(at)));
  const rated = points.filter(({ mcr }) => mcr !== 'NR' && mcr !== 'Provisioned');
  const line = await page.locator('.chart .score-line').getAttribute('d');
  expect(line!.match(/[ML]/g)).toHaveLength(rated.length);
  expect(rated.length).toBeLessThan(points.length);
  await page.getByText('Show as a table, by week').click();
  const rows = page.locator('.chart + details tbody tr');
  const cells = (await rows.allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()));
  const newest = points.at(-1)!;
  const cents = points.slice(-DAYS_A_WEEK).reduce((sum, { revenue }) => sum + revenue, 0);
  const dollars = (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  expect(cells[0]).toEqual([newest.day, newest.mcr, String(newest.mcr_score), dollars]);
  expect(cells[1]![0]).toBe(points.at(-1 - DAYS_A_WEEK)!.day);
  await visit.close();
});

it('rates in the browser what the reader supposes, and offers only the evidence that the machine can have', async () => {
  rule('pages.machine');
  const visit = await openVisit(browser);
  const { page } = visit;
  const form = page.locator('section[aria-labelledby=section-what-if]');
  const outcome = async () => (await form.locator('.outcome').innerText()).replace(/\s+/g, ' ').trim();
  const evidences = () => form.getByLabel('Evidence').locator('option').allInnerTexts();
  await page.goto(baseUrl + machinePath('rated-b'));
  await form.waitFor();
  expect(await evidences()).toEqual(['declared only', 'payments followed on a chain', 'signed by an attested chip']);
  await form.getByLabel('Weekly revenue').fill('1000');
  await form.getByLabel('Weeks of history').fill('60');
  await form.getByLabel('Operator verified').check();
  const score = async () => Number(/(\d+) of 100/.exec(await outcome())![1]);
  const outcomes: number[] = [];
  for (const name of ['declared', 'paid', 'attested']) {
    await form.getByLabel('Evidence').selectOption(name);
    outcomes.push(await score());
  }
  const [declared, paid, attested] = outcomes as [number, number, number];
  expect([declared < paid, paid < attested]).toEqual([true, true]);
  await form.getByLabel('Weeks of history').fill('0');
  await expect.poll(outcome).toBe('Provisioned');
  await page.goto(baseUrl + machinePath('alt-rated'));
  await form.waitFor();
  expect(await evidences()).toEqual(['declared only', 'payments followed on a chain']);
  await visit.close();
});

it('offers code that embeds the badge and the card with a link to the page', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id } = machineOf('rated-b');
  await page.goto(`${baseUrl}${machinePath('rated-b')}?tab=embed`);
  await page.locator('.embed').nth(1).waitFor();
  const codes = await page.locator('.embed pre').allInnerTexts();
  const link = `${baseUrl}/explorer/machine/${id}`;
  expect(codes).toHaveLength(4);
  for (const [place, name] of ['badge', 'card'].entries()) {
    const image = `${baseUrl}/machines/${id}/${name}.svg`;
    expect(codes.slice(2 * place, 2 * place + 2)).toEqual([
      `<a href="${link}"><img src="${image}" alt="Machine rating"></a>`,
      `[![Machine rating](${image})](${link})`,
    ]);
    const response = await fetch(image);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  }
  await expect
    .poll(() =>
      page.evaluate('[...document.querySelectorAll(".embed img")].map(({ naturalWidth }) => naturalWidth > 20)'),
    )
    .toEqual([true, true]);
  expect(await readText(page, '.embed')).toContain('Badge');
  await visit.close();
});
