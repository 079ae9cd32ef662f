/** API reference at `/docs`: it lists every route, and its forms call the service. (The explorer; decisions 4.) */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenapiDocument } from '../../../testing/harness/openapi-conformance.ts';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
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

async function readResponse(page: Page, id: string) {
  const form = page.locator(`[id="${id}"] form`);
  await form.locator('.response-status').waitFor();
  return {
    status: Number.parseInt(await form.locator('.response-status').innerText()),
    body: await form.locator('pre.body').innerText(),
  };
}

describe.each([
  ['light', undefined],
  ['dark', PHONE],
] as const)('the reference in %s mode', (colorScheme, viewport) => {
  it('lists every route, and each opens accessibly and without violations', async () => {
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
    expect(await visit.listViolations()).toEqual([]);
    expect(await visit.findAccessibilityViolations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await visit.close();
  });
});

describe('the form of a route', () => {
  it('sends the entered values and shows the complete response', async () => {
    rule('documents.reference-form');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getRating`);
    const form = page.locator('#getRating form');
    await form.getByLabel('did').fill(rated.did);
    expect(await form.locator('code.line').innerText()).toBe(`curl -s '${baseUrl}/mcr/${rated.did}'`);
    await form.getByRole('button', { name: 'Send' }).click();
    const { status, body } = await readResponse(page, 'getRating');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await (await fetch(`${baseUrl}/mcr/${rated.did}`)).json());
    await form.getByText('Headers', { exact: true }).click();
    expect(await form.locator('details pre').innerText()).toMatch(/^chain-block: \d+$/m);
    await visit.close();
  });

  it('shows an error response verbatim and reports a missing path parameter', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getCard`);
    const form = page.locator('#getCard form');
    await form.getByLabel('machine_id').fill('');
    await form.getByRole('button', { name: 'Send' }).click();
    expect(await form.locator('.problem').innerText()).toBe('A path parameter is missing.');
    await form.getByLabel('machine_id').fill('12');
    await form.getByRole('button', { name: 'Send' }).click();
    expect(await readResponse(page, 'getCard')).toEqual({ status: 404, body: '{\n  "detail": "Machine not found"\n}' });
    await visit.close();
  });

  it('sends a body and a token, and shows only the variable of the token in the command', async () => {
    rule('documents.reference-form');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#issueChipChallenge`);
    const form = page.locator('#issueChipChallenge form');
    const submit = async () => {
      const pending = page.waitForResponse('**/v1/verify/chip/challenge');
      await form.getByRole('button', { name: 'Send' }).click();
      const response = await pending;
      await form.locator('.response-status', { hasText: String(response.status()) }).waitFor();
      return response.status();
    };
    await form.getByLabel('Body').fill(JSON.stringify({ machineId: rated.id }));
    expect(await submit()).toBe(401);
    await form.getByLabel('Onboarding token').fill(onboardingToken);
    expect(await submit()).toBe(201);
    const line = await form.locator('code.line').innerText();
    expect(line).toContain('"Authorization: Bearer $SVC_ONBOARDING_TOKEN"');
    expect(line).not.toContain(onboardingToken);
    await visit.close();
  });

  it('shows an image response as an image and as text', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getBadge`);
    const form = page.locator('#getBadge form');
    await form.getByLabel('machine_id').fill(rated.id);
    await form.getByRole('button', { name: 'Send' }).click();
    expect((await readResponse(page, 'getBadge')).body).toMatch(/^<svg /);
    await expect
      .poll(() => page.evaluate<number>('document.querySelector("#getBadge img").naturalWidth'))
      .toBeGreaterThan(10);
    expect(await visit.listViolations()).toEqual([]);
    await visit.close();
  });

  it('shows the start of a stream of events', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#streamChanges`);
    await page.locator('#streamChanges form').getByRole('button', { name: 'Send' }).click();
    const { status, body } = await readResponse(page, 'streamChanges');
    expect([status, body.split('\n')[0]]).toEqual([200, 'retry: 3000']);
    await visit.close();
  });

  it('works with the keyboard alone', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs`);
    await page.locator('.operation > summary', { hasText: '/health' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#getHealth form').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await readResponse(page, 'getHealth')).toEqual({ status: 200, body: '{\n  "status": "ok"\n}' });
    await visit.close();
  });

  it('shows untrusted text in a response as plain text', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    const { did } = findMachine(machines, 'hostile-strings');
    await page.goto(`${baseUrl}/docs#getProfile`);
    await page.locator('#getProfile form').getByLabel('did').fill(did);
    await page.locator('#getProfile form').getByRole('button', { name: 'Send' }).click();
    const { status, body } = await readResponse(page, 'getProfile');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await (await fetch(`${baseUrl}/machine/${did}`)).json());
    expect(body).toContain('<');
    expect(await page.locator('#getProfile').locator('script, img, iframe, a, pre.body *').count()).toBe(0);
    expect(await visit.listViolations()).toEqual([]);
    await visit.close();
  });

  it('shows the request in the language that was chosen last', async () => {
    rule('documents.reference-form');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/docs#getRating`);
    const sampleOf = (id: string) => page.locator(`#${id} .sample`);
    await sampleOf('getRating').waitFor();
    const languages = await sampleOf('getRating').locator('button[aria-pressed]').allInnerTexts();
    expect(languages).toEqual(['curl', 'TypeScript', 'Python', 'Go']);
    const starts: string[] = [];
    for (const language of languages) {
      await sampleOf('getRating').getByRole('button', { name: language, exact: true }).click();
      const text = await sampleOf('getRating').getByLabel(`Request in ${language}`).innerText();
      expect(text).toContain(`${baseUrl}/mcr/`);
      starts.push(text.split(/[\s(]/)[0]!);
    }
    expect(starts).toEqual(['curl', 'const', 'import', 'package']);
    await page.locator('#getHealth > summary').click();
    expect(await sampleOf('getHealth').locator('[aria-pressed=true]').innerText()).toBe('Go');
    await visit.close();
  });

  it('is prefilled with the most recently viewed machine', async () => {
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}/explorer/machine/${rated.id}`);
    await page.locator('.summary').waitFor();
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.locator('#getProfile > summary').click();
    expect(await page.locator('#getProfile form').getByLabel('did').inputValue()).toBe(rated.did);
    expect(new URL(page.url()).hash).toBe('#getProfile');
    await visit.close();
  });
});

it('lists the guides and routes that have every word of the search, and says where there is none', async () => {
  rule('documents.reference');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(`${baseUrl}/docs`);
  const contents = page.getByRole('navigation', { name: 'Contents' });
  const links = async () => (await contents.getByRole('link').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  await contents.getByLabel('Search routes').fill('HISTORY mcr');
  await expect.poll(links).toEqual(['GET /mcr/{did}/history']);
  await contents.getByRole('link').click();
  await page.locator('#getHistory form').waitFor();
  await contents.getByLabel('Search routes').fill('no such route');
  await expect.poll(() => contents.getByRole('status').innerText()).toBe('No route matches.');
  expect(await links()).toEqual([]);
  await contents.getByLabel('Search routes').fill('');
  await expect.poll(async () => (await links()).length).toBeGreaterThan(20);
  await visit.close();
});

it('lists the members of a response, and cause and remedy of every error', async () => {
  const visit = await openVisit(browser);
  await visit.page.goto(`${baseUrl}/docs#getProfile`);
  const text = await readText(visit.page, '#getProfile');
  expect(text).toContain('mcr_score integer, 0 to 100');
  expect(text).toContain('503');
  expect(text).toContain('The machine is moving from one chain to another. Retry later');
  await visit.close();
});

it('links the OpenAPI document when JavaScript is disabled', async () => {
  const visit = await openVisit(browser, { javaScriptEnabled: false });
  await visit.page.goto(`${baseUrl}/docs`);
  expect(await readText(visit.page)).toBe(
    'API reference | Machine ratings\nEvery route with its responses and errors, and a form to call it. For programs: /openapi.json.',
  );
  await visit.close();
});
