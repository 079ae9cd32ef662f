/** Pages of a machine that was sold: a chip record and an opt-in from before the sale are shown as such. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { launchBrowser, openVisit } from './browser.ts';

const SELLER = '0x00000000000000000000000000000000000000A1';
const machinePage = `${inject('baseUrl')}/explorer/machine/${findMachine(inject('fixtures').machines, 'rated-b').id}`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Changes what the route with this ending returns. */
async function changeResponse(page: Page, ending: string, change: (body: object) => object): Promise<void> {
  await page.route(`**${ending}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as object) });
  });
}

it.each([true, false])('states whether the chip record is from before a sale: %s', async (isFromBefore) => {
  rule('pages.sold-machine');
  const { page, close } = await openVisit(browser);
  await changeResponse(page, '/explanation', (body) => {
    const { evidence } = body as { evidence: object };
    return { ...body, evidence: { ...evidence, chip_changed_hands: isFromBefore } };
  });
  await page.goto(`${machinePage}?tab=verification`);
  await page.getByRole('heading', { name: 'Operator (KYB)' }).waitFor();
  const count = isFromBefore ? 1 : 0;
  expect(await page.getByText('was issued before the machine changed hands').count()).toBe(count);
  expect(await page.locator('.verdict .mark', { hasText: 'Chip record' }).count()).toBe(count);
  await close();
});

it.each([true, false])('states whether the signer of an opt-in may still sign: %s', async (isCurrent) => {
  rule('pages.sold-machine');
  const { page, close } = await openVisit(browser);
  await changeResponse(page, '/monetization', (body) => ({
    ...body,
    ...{ status: 'OPTED_IN', signer: SELLER, updated_at: 1_700_000_000, signer_is_current: isCurrent },
  }));
  await page.goto(`${machinePage}?tab=opt-in`);
  await page.getByText('Signed by').waitFor();
  expect(await page.getByText('Decided before the machine changed hands').count()).toBe(isCurrent ? 0 : 1);
  const state = page.locator('section .mark', { hasText: 'State' });
  expect(await state.getAttribute('class')).toContain(isCurrent ? 'good' : 'fair');
  await close();
});
