/** Does `/docs` tell of every route, and does its form ask the service as any caller would? (The explorer; decisions 4.) */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenapiDocument } from '../../testing/harness/openapi-conformance.ts';
import { rule } from '../conformance/rule.ts';
import { findMachine } from './ask.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';

const PHONE = { width: 360, height: 740 };
const baseUrl = inject('baseUrl');
const { machines, onboardingToken } = inject('fixtures');
const rated = findMachine(machines, 'rated-b');

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function readAnswer(page: Page, id: string) {
  const form = page.locator(`[id="${id}"] form`);
  await form.locator('.answered').waitFor();
  return {
    status: Number.parseInt(await form.locator('.answered').innerText()),
    body: await form.locator('pre.body').innerText(),
  };
}

describe.each([
  ['light', undefined],
  ['dark', PHONE],
] as const)('in %s', (colorScheme, viewport) => {
  it('lists every route, and each opens without a barrier or a misdeed', async () => {
    rule('documents.reference');
    const visit = await openVisit(browser, { colorScheme, ...(viewport && { viewport }) });
    const { page } = visit;
    await page.goto(`${baseUrl}/docs`);
    await page.locator('.operation').first().waitFor();
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenapiDocument;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const summaries = await page.locator('.operation > summary').allInnerTexts();
    expect(summaries.map((text) => text.split('\n')[0]!.replace(/\s+/g, ' ').trim()).toSorted()).toEqual(
      routes.toSorted(),
    );
    for (const summary of await page.locator('.operation > summary').all()) await summary.click();
    const forms = page.locator('.operation form');
    await forms.nth(routes.length - 1).waitFor();
    expect(await forms.count()).toBe(routes.length);
    expect(await visit.misdeeds()).toEqual([]);
    expect(await visit.findBarriers()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await visit.close();
  });
});

describe('its form', () => {
  it('asks what is filled in, and shows all of the answer', async () => {
    rule('documents.reference-form');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getRating`);
    const form = page.locator('#getRating form');
    await form.getByLabel('did').fill(rated.did);
    expect(await form.locator('code.line').innerText()).toBe(`curl -s '${baseUrl}/mcr/${rated.did}'`);
    await form.getByRole('button', { name: 'Send' }).click();
    const { status, body } = await readAnswer(page, 'getRating');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await (await fetch(`${baseUrl}/mcr/${rated.did}`)).json());
    await form.getByText('Headers', { exact: true }).click();
    expect(await form.locator('details pre').innerText()).toMatch(/^chain-block: \d+$/m);
    await visit.close();
  });

  it('shows a refusal as it is, and says when a value is missing', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getCard`);
    const form = page.locator('#getCard form');
    await form.getByLabel('machine_id').fill('');
    await form.getByRole('button', { name: 'Send' }).click();
    expect(await form.locator('.problem').innerText()).toBe('A value of the path is missing.');
    await form.getByLabel('machine_id').fill('12');
    await form.getByRole('button', { name: 'Send' }).click();
    expect(await readAnswer(page, 'getCard')).toEqual({ status: 404, body: '{\n  "detail": "Machine not found"\n}' });
    await visit.close();
  });

  it('sends a body and a token, and names the token in the command only', async () => {
    rule('documents.reference-form');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#issueChipChallenge`);
    const form = page.locator('#issueChipChallenge form');
    const ask = async () => {
      const answered = page.waitForResponse('**/v1/verify/chip/challenge');
      await form.getByRole('button', { name: 'Send' }).click();
      const answer = await answered;
      await form.locator('.answered', { hasText: String(answer.status()) }).waitFor();
      return answer.status();
    };
    await form.getByLabel('Body').fill(JSON.stringify({ machineId: rated.id }));
    expect(await ask()).toBe(401);
    await form.getByLabel('Onboarding token').fill(onboardingToken);
    expect(await ask()).toBe(201);
    const line = await form.locator('code.line').innerText();
    expect(line).toContain('"Authorization: Bearer $SVC_ONBOARDING_TOKEN"');
    expect(line).not.toContain(onboardingToken);
    await visit.close();
  });

  it('shows a picture as one, beside its text', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getBadge`);
    const form = page.locator('#getBadge form');
    await form.getByLabel('machine_id').fill(rated.id);
    await form.getByRole('button', { name: 'Send' }).click();
    expect((await readAnswer(page, 'getBadge')).body).toMatch(/^<svg /);
    await expect
      .poll(() => page.evaluate<number>('document.querySelector("#getBadge img").naturalWidth'))
      .toBeGreaterThan(10);
    expect(await visit.misdeeds()).toEqual([]);
    await visit.close();
  });

  it('needs no mouse', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs`);
    await page.locator('.operation > summary', { hasText: '/health' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#getHealth form').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await readAnswer(page, 'getHealth')).toEqual({ status: 200, body: '{\n  "status": "ok"\n}' });
    await visit.close();
  });

  it('makes nothing but text of what strangers wrote', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    const { did } = findMachine(machines, 'hostile-strings');
    await page.goto(`${baseUrl}/docs#getProfile`);
    await page.locator('#getProfile form').getByLabel('did').fill(did);
    await page.locator('#getProfile form').getByRole('button', { name: 'Send' }).click();
    const { status, body } = await readAnswer(page, 'getProfile');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await (await fetch(`${baseUrl}/machine/${did}`)).json());
    expect(body).toContain('<');
    expect(await page.locator('#getProfile').locator('script, img, iframe, a, pre.body *').count()).toBe(0);
    expect(await visit.misdeeds()).toEqual([]);
    await visit.close();
  });

  it('is filled with the machine that was looked at last', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/machine/${rated.id}`);
    await page.locator('.summary').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('#getProfile > summary').click();
    expect(await page.locator('#getProfile form').getByLabel('did').inputValue()).toBe(rated.did);
    expect(new URL(page.url()).hash).toBe('#getProfile');
    await visit.close();
  });
});

it('tells members, and of every error why and what to do', async () => {
  const visit = await openVisit(browser);
  await visit.page.goto(`${baseUrl}/docs#getProfile`);
  const text = await readText(visit.page, '#getProfile');
  expect(text).toContain('mcr_score integer, 0 to 100');
  expect(text).toContain('503');
  expect(text).toContain('The machine is on its way from one chain to another. Ask again later');
  await visit.close();
});

it('says where the document is to readers without scripts', async () => {
  const visit = await openVisit(browser, { javaScriptEnabled: false });
  await visit.page.goto(`${baseUrl}/docs`);
  expect(await readText(visit.page)).toBe(
    'API reference | Machine ratings\nEvery route with its answers and errors, and a form that asks it. For programs: /openapi.json.',
  );
  await visit.close();
});
