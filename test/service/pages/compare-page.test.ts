/** Compare page in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExplanationResponse } from '../../../client/client.ts';
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
