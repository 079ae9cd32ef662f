/** Compare page in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExplanationResponse, HistoryResponse } from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, machineOf } from './sample-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it.each([
  ['flagged', 'in force', true],
  ['dormant', 'none', true],
  ['rated-aaa', 'none', false],
])(
  'shows the deductions between the factors and the score of the machine %s, and its flag',
  async (name, flag, loses) => {
    rule('pages.compare');
    const { did, id } = machineOf(name);
    const explanation = await fetch(`${baseUrl}/mcr/${did}/explanation`);
    const { factors, total_hundredths: total } = (await explanation.json()) as ExplanationResponse;
    const lost = factors.reduce((sum, factor) => sum + factor.points_hundredths, 0) - total!;
    expect(lost > 0).toBe(loses);
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/compare?ids=${id}`);
    await page.locator('.facts').waitFor();
    const text = (await readText(page, '.facts')).replace(/\s+/g, ' ');
    const points = (lost / 100).toLocaleString('en-US', { maximumFractionDigits: 1 });
    expect(text).toContain(`Deductions ${lost === 0 ? 'none' : `−${points}`} Bond bonded Flag ${flag} `);
    await visit.close();
  },
);

it('names the scores of each line of the chart', async () => {
  rule('pages.compare');
  const visit = await openVisit(browser);
  const { page } = visit;
  const ids = ['flagged', 'fresh'].map((name) => machineOf(name).id);
  const { points } = (await (
    await fetch(`${baseUrl}/mcr/${machineOf('flagged').did}/history`)
  ).json()) as HistoryResponse;
  const scores = points.slice(-90).map(({ mcr_score: score }) => score);
  await page.goto(`${baseUrl}/explorer/compare?ids=${ids.join()}`);
  await page.locator('.overlay .score-line').waitFor();
  const id = `#${ids[0]!.slice(0, 4)}…${ids[0]!.slice(-4)}`;
  expect(await page.getByRole('img').getAttribute('aria-label')).toBe(
    `Scores of the last 90 days: ${id} from ${scores[0]!} to ${scores.at(-1)!}`,
  );
  await visit.close();
});

it('says which ids of its link it does not show', async () => {
  rule('pages.compare');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { id } = machineOf('flagged');
  await page.goto(`${baseUrl}/explorer/compare?ids=${id},abc`);
  await page.locator('.facts').waitFor();
  expect(await readText(page, 'header.card')).toContain('The link names ids that are not shown: 1 is no machine id.');
  await page.goto(`${baseUrl}/explorer/compare?ids=${id}`);
  await page.locator('.facts').waitFor();
  expect(await readText(page, 'header.card')).not.toContain('not shown');
  await visit.close();
});
