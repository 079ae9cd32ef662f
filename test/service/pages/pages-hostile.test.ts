/** Property tests: untrusted text of any response appears as plain text on the pages. A failure prints its seed. */
import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { launchBrowser, openVisit, type Visit } from './browser.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 25);
const REDUCED_RUNS = Math.ceil(RUNS / 2);
const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Successful attacks set `globalThis.ran`, send a request, or add an element that no view has. */
const ATTACKS = [
  '<script>globalThis.ran=1</script>',
  '"><img src=x onerror="globalThis.ran=1">',
  "'><svg onload=globalThis.ran=1>",
  'javascript:globalThis.ran=1',
  '<iframe srcdoc="<script>parent.ran=1</script>">',
  '</title></head><body onload=globalThis.ran=1>',
  '<a href="https://evil.example">free</a>',
  '{{constructor.constructor("globalThis.ran=1")()}}',
  '\u202Etxt.exe\u2066\u200F',
  '\u0000\u001B[31m\r\nSet-Cookie: a=b',
  '__proto__',
  '\uD800',
  'x'.repeat(5_000),
];

const hostileText = fc.oneof(
  fc.constantFrom(...ATTACKS),
  fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(...ATTACKS)).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
);
const hostileValue = fc.oneof(hostileText, fc.jsonValue({ maxDepth: 2 }));

const hostileProfile = fc.record({
  documentation_url: fc.oneof(fc.constant(null), hostileText),
  machine_type: hostileText,
  owner: hostileText,
  controller: hostileText,
  service_endpoints: fc.array(fc.record({ id: hostileValue, type: hostileValue, endpoint: hostileValue }), {
    maxLength: 5,
  }),
  metadata: fc.dictionary(hostileText, hostileValue, { maxKeys: 4 }),
});

const INJECTED =
  'main :is(script, img, iframe, object, embed, style, link, base, form[action], [onerror], [onload], [srcdoc])';
const EXTERNAL_LINKS = `
  [...document.querySelectorAll('a[href]')].map((link) => link.href).filter((href) => !href.startsWith(location.origin + '/'))
`;
/** Matches invisible characters and direction marks, except line breaks and tabs. */
const INVISIBLE =
  '/[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}]/u.test(document.body.innerText.replace(/[\\n\\t]/g, ""))';

/** Asserts that nothing ran, became an element or a link, altered the display, widened the page, or violated the policy. */
async function expectOnlyText({ page, listViolations }: Visit): Promise<void> {
  expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  expect(await page.locator(INJECTED).count()).toBe(0);
  expect(await page.evaluate(EXTERNAL_LINKS)).toEqual([]);
  expect(await page.evaluate(INVISIBLE)).toBe(false);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(await listViolations()).toEqual([]);
}

it('shows untrusted text of a machine as plain text', async () => {
  rule('hostile-text.no-markup', 'pages.hostile-text');
  const { id } = findMachine(machines, 'visibility-onchain');
  const visit = await openVisit(browser, { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  let hostile: typeof hostileProfile extends fc.Arbitrary<infer T> ? T | undefined : never;
  await page.route('**/machine/did:*', async (route) => {
    if (!/\/machine\/did:[^/]*$/.test(route.request().url())) return route.continue();
    const response = await route.fetch();
    const profile = (await response.json()) as { svcos: object };
    return route.fulfill({ response, json: { ...profile, svcos: { ...profile.svcos, ...hostile } } });
  });
  await page.route('**/events?*', async (route) => {
    const response = await route.fetch();
    const listing = (await response.json()) as { events: object[] };
    const events = listing.events.map((event) => ({ ...event, metadata: hostile!.metadata }));
    await route.fulfill({ response, json: { ...listing, events } });
  });
  await fc.assert(
    fc.asyncProperty(hostileProfile, async (profile) => {
      hostile = profile;
      await page.goto(`${baseUrl}/explorer/machine/${id}?tab=events`);
      await page.locator('section[aria-labelledby=section-events] tbody tr').first().waitFor();
      await expectOnlyText(visit);
      await page.getByRole('link', { name: 'Identity' }).click();
      await page.locator('section[aria-labelledby=section-identity] dl').waitFor();
      expect(await page.locator('.services li').count()).toBe(profile.service_endpoints.length);
      await expectOnlyText(visit);
      await page.getByRole('link', { name: 'Raw data' }).click();
      for (const summary of await page.locator('details > summary').all()) await summary.click();
      await expectOnlyText(visit);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  await visit.close();
}, 180_000);

it('shows untrusted text of an alt-chain machine as plain text', async () => {
  const { id } = findMachine(machines, 'alt-rated');
  const visit = await openVisit(browser, { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  let hostile: unknown;
  await page.route(/\/machine\/did:[^/]*$/, async (route) => {
    const response = await route.fetch();
    const profile = (await response.json()) as { svcos: object };
    await route.fulfill({ response, json: { ...profile, svcos: { ...profile.svcos, ...(hostile as object) } } });
  });
  await fc.assert(
    fc.asyncProperty(hostileProfile, async (profile) => {
      hostile = profile;
      await page.goto(`${baseUrl}/explorer/machine/${id}?tab=identity`);
      await page.locator('section[aria-labelledby=section-identity] dl').waitFor();
      await expectOnlyText(visit);
    }),
    { numRuns: REDUCED_RUNS, endOnFailure: true },
  );
  await visit.close();
}, 180_000);

it('shows arbitrary error messages as plain text', async () => {
  const { id } = findMachine(machines, 'rated-b');
  const visit = await openVisit(browser, { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  let failure: { status: number; detail: unknown } | undefined;
  const anyFailure = fc.record({
    status: fc.constantFrom(400, 404, 409, 422, 429, 500, 503),
    detail: fc.oneof(
      hostileText,
      fc.record({ code: hostileText, message: hostileText, home_protocol_chain_id: hostileValue }),
      fc.array(fc.record({ msg: hostileText }), { maxLength: 3 }),
    ),
  });
  await page.route(/\/(?:mcr|active-machines|ready)\b/, (route) =>
    route.fulfill({ status: failure!.status, json: { detail: failure!.detail } }),
  );
  await fc.assert(
    fc.asyncProperty(anyFailure, fc.constantFrom(`/explorer/machine/${id}`, '/'), async (next, path) => {
      failure = next;
      await page.goto(baseUrl + path);
      await page.locator('main :is(.notice, .system-line.bad)').first().waitFor();
      await expectOnlyText(visit);
    }),
    { numRuns: REDUCED_RUNS, endOnFailure: true },
  );
  await visit.close();
}, 180_000);
