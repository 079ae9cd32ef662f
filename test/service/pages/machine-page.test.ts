/** Page of a machine in a real browser: it shows what the routes return, and explains what they do not. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  EventListingResponse,
  ExplanationResponse,
  HistoryResponse,
  StatementDirectoryResponse,
  StatementResponse,
} from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { launchBrowser, openVisit, readText } from './browser.ts';
import { baseUrl, machineOf, machinePath } from './sample-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe('the machine page', () => {
  it('shows what the routes return', async () => {
    rule('pages.machine');
    const { did } = machineOf('visibility-onchain');
    const { summary } = (await (await fetch(`${baseUrl}/mcr/${did}`)).json()) as { summary: string };
    const visit = await openVisit(browser);
    await visit.page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
    await visit.page.locator('section[aria-labelledby=section-events] tbody tr').first().waitFor();
    const rows = await visit.page.locator('section[aria-labelledby=section-events] tbody tr').allInnerTexts();
    expect(
      rows.map((row) =>
        row
          .split('\t')
          .slice(1, 5)
          .map((cell) => cell.trim()),
      ),
    ).toEqual([
      ['revenue', '700 ZZZ', 'no rate', 'hardware-signed'],
      ['activity', '–', '–', 'hardware-signed'],
      ['revenue', '80.00 EUR', '$100.00', 'on-chain'],
      ['revenue', '50.00 USD', '$50.00', 'self-reported'],
    ]);
    expect(await readText(visit.page, '.summary')).toBe(summary);
    expect(await visit.page.locator('.progress li').allInnerTexts()).toEqual([
      '4 of 10 qualifying events',
      '4 of 5 days',
      '15 of 30 days of history',
    ]);
    await visit.close();
  });

  it.each([
    ['relocating', 'Relocating'],
    ['homed-elsewhere', 'Homed on another chain'],
    ['retired', 'Not found'],
  ])('shows for a machine that is %s the notice %s', async (name, title) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    await visit.page.goto(baseUrl + machinePath(name));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    await visit.close();
  });

  it.each([
    [429, { error: 'Rate limit exceeded: 90 per 1 minute' }, 'Rate limit exceeded', true],
    [503, { detail: 'Chain unavailable' }, 'Temporarily unavailable', true],
    [503, { detail: 'Event index is syncing: block 5 of 9' }, 'Syncing', true],
    [500, { detail: 'Internal Server Error' }, 'Temporarily unavailable', true],
    [404, { detail: 'Machine not found' }, 'Not found', false],
  ])('shows for the response %i %j the notice %s', async (status, json, title, isRetried) => {
    rule('pages.errors');
    const visit = await openVisit(browser);
    const headers = { 'Retry-After': '7' };
    await visit.page.route('**/mcr/**', (route) => route.fulfill({ status, json, headers }));
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe(title);
    expect(await visit.page.getByRole('button', { name: 'Retry now' }).count()).toBe(isRetried ? 1 : 0);
    if (isRetried) {
      await visit.page.unroute('**/mcr/**');
      await visit.page.getByRole('button', { name: 'Retry now' }).click();
      await visit.page.locator('.summary').waitFor();
      expect(await visit.page.locator('.notice-title').count()).toBe(0);
    }
    await visit.close();
  });

  it('shows that the service is unreachable, and that a response is outdated', async () => {
    const visit = await openVisit(browser);
    await visit.page.route('**/mcr/*/explanation', (route) => route.abort());
    await visit.page.goto(baseUrl + machinePath('rated-b'));
    expect(await readText(visit.page, '.notice-title')).toBe('Service unreachable');
    await visit.page.unroute('**/mcr/*/explanation');
    await visit.page.route('**/mcr/*/explanation', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'chain-block-age': '300' } });
    });
    await visit.page.getByRole('button', { name: 'Retry now' }).click();
    expect(await readText(visit.page, '.notice.fair')).toBe(
      'Last updated 5 minutes ago. The newest block is more than a minute old.',
    );
    await visit.close();
  });
});

it.each([
  ['rated-b', 'available'],
  ['suspended', 'paused'],
  ['alt-rated', 'available'],
])('shows the availability of %s as %s', async (name, availability) => {
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath(name));
  const mark = visit.page.locator('.verdict .mark', { hasText: 'Availability' });
  expect((await mark.locator('.value').innerText()).trim()).toBe(availability);
  await visit.close();
});

describe('the tabs of a machine', () => {
  it('filter the events and export all of them', async () => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    const { page } = visit;
    await page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
    await page.getByLabel('Type').selectOption('Activity');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('type')).toBe('activity');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = (await (await (await download).createReadStream()).toArray()).join('');
    expect(csv.split('\r\n')).toHaveLength(1 + 4 + 1);
    await visit.close();
  });

  it.each([
    ['verified', ['verified', 'verified']],
    ['chip-revoked', ['verified', 'revoked']],
  ])('show the records of the machine %s as %j', async (name, states) => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    await visit.page.goto(`${baseUrl}${machinePath(name)}?tab=verification`);
    const marks = visit.page.locator('.panel .mark .value');
    await expect.poll(async () => (await marks.allInnerTexts()).map((text) => text.trim())).toEqual(states);
    await visit.close();
  });

  it('show the owner of a machine on its home chain, and that none is in force on the other', async () => {
    rule('pages.machine-tabs');
    const visit = await openVisit(browser);
    const { page } = visit;
    for (const name of ['with-controller', 'alt-rated']) {
      await page.goto(`${baseUrl}${machinePath(name)}?tab=identity`);
      const owner = page.locator('dt', { hasText: 'Owner on' }).locator('xpath=following-sibling::dd[1]').locator('a');
      await owner.first().waitFor();
      expect((await owner.first().getAttribute('title'))?.toLowerCase()).toBe(machineOf(name).owner.toLowerCase());
      const rows = page.locator('dt', { hasText: 'Owner on' }).locator('xpath=following-sibling::dd[1]');
      expect([
        await rows.count(),
        await rows.filter({ hasText: 'Not in force: the machine is homed on' }).count(),
      ]).toEqual([2, 1]);
    }
    await visit.close();
  });
});

it('shows times in UTC or in the time zone of the browser, as chosen', async () => {
  rule('pages.time-zone');
  const visit = await openVisit(browser, { timezoneId: 'Asia/Kolkata' });
  const { page } = visit;
  await page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
  const time = page.locator('tbody time').first();
  await time.waitFor();
  const seconds = Date.parse((await time.getAttribute('datetime'))!);
  const shown = (offset: number, zone: string) =>
    `${new Date(seconds + offset).toISOString().slice(0, 19).replace('T', ' ')} ${zone}`;
  expect(await time.getAttribute('title')).toBe(shown(0, 'UTC'));
  await page.getByLabel('Times').selectOption('local');
  await expect.poll(() => time.getAttribute('title')).toBe(shown(5.5 * 3_600_000, 'UTC+05:30'));
  await page.reload();
  await expect.poll(() => time.getAttribute('title')).toBe(shown(5.5 * 3_600_000, 'UTC+05:30'));
  await visit.close();
});

it.each([
  ['grace', 'Bond', /^bonded, in grace, ends \d{4}-\d{2}-\d{2}$/],
  ['flagged', 'Negative flag', /^in force from \d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}$/],
  ['unbonded', 'Bond', /^terminated$/],
  ['borrowed-kyb', 'Operator (KYB)', /^verified, has not accepted this machine$/],
])('shows for the machine %s the mark %s', async (name, label, text) => {
  rule('pages.bond-and-flag');
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath(name));
  const mark = visit.page.locator('.verdict .mark', { hasText: label }).locator('.value').first();
  await expect.poll(async () => (await mark.innerText()).trim()).toMatch(text);
  await visit.close();
});

it('names a termination, and one for fraud, in its mark, its advice and its history', async () => {
  rule('pages.bond-and-flag');
  const visit = await openVisit(browser);
  const { page } = visit;
  const changes = page.locator('section[aria-labelledby=section-bond-flag-and-override] li');
  await page.goto(`${baseUrl}${machinePath('unbonded')}?tab=history`);
  await expect.poll(() => changes.first().innerText()).toMatch(/^\d{4}-\d{2}-\d{2}\s+Bond terminated$/);
  await page.route('**/mcr/*/history', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as HistoryResponse;
    const kinds = body.changes.map((change) =>
      change.kind === 'bond_terminated' ? { ...change, kind: 'bond_terminated_for_fraud' } : change,
    );
    await route.fulfill({ response, json: { ...body, changes: kinds } });
  });
  await page.reload();
  await expect.poll(() => changes.first().innerText()).toContain('Bond terminated for fraud');
  const mark = page.locator('.verdict .mark', { hasText: 'Bond' }).locator('.value');
  expect((await mark.innerText()).trim()).toBe('terminated for fraud');
  await page.getByRole('link', { name: 'Rating', exact: true }).click();
  expect(await readText(page, '.reasons')).toContain('terminated for fraud, which is final');
  await visit.close();
});

/** Embeds block explorers into the document of a page, as the service does where they are configured. */
async function configureBlockExplorers(page: Page): Promise<void> {
  await page.route(/\/explorer\/machine\//, async (route) => {
    const response = await route.fetch();
    const chains = {
      main: { name: 'Main', id: '31337', explorer: 'https://scan.example' },
      alt: { name: 'Alt', explorer: 'https://explorer.example/?cluster=devnet' },
    };
    const attribute = `data-chains="${JSON.stringify(chains).replaceAll('"', '&quot;')}"`;
    const body = (await response.text()).replace(/data-chains="[^"]*"/, attribute);
    await route.fulfill({ response, body });
  });
}

it('links blocks, accounts and transactions to the block explorers of their chains', async () => {
  rule('pages.machine');
  const visit = await openVisit(browser);
  const { page } = visit;
  await configureBlockExplorers(page);
  const hash = `0x${'cd'.repeat(32)}`;
  await page.route('**/machines/*/events?**', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as EventListingResponse;
    const events = body.events.map((event, row) => ({
      ...event,
      source_tx_hash: hash,
      source_chain_id: row === 0 ? '31337' : '8453',
    }));
    await route.fulfill({ response, json: { ...body, events } });
  });
  const hrefs = () =>
    page.locator('main a[href^="https://"]').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

  const main = machineOf('with-controller');
  await page.goto(`${baseUrl}${machinePath(main.name)}?tab=identity`);
  await expect.poll(async () => (await hrefs()).length).toBe(5);
  const [block, ...accounts] = (await hrefs()).map((href) => href!.toLowerCase());
  expect(block).toMatch(/^https:\/\/scan\.example\/block\/\d+$/);
  expect(accounts).toContain(`https://scan.example/address/${main.owner.toLowerCase()}`);

  const { name, owner } = machineOf('alt-rated');
  await page.goto(`${baseUrl}${machinePath(name)}?tab=identity`);
  await expect.poll(hrefs).toContain(`https://explorer.example/address/${owner}?cluster=devnet`);

  await page.goto(`${baseUrl}${machinePath('visibility-onchain')}?tab=events`);
  await page.locator('tbody tr').first().waitFor();
  const ofTransactions = (await hrefs()).filter((href) => href!.includes('/tx/'));
  expect(ofTransactions).toEqual([`https://scan.example/tx/${hash}`]);
  await visit.close();
});

it('offers no opt-in while pauses cannot be read, except of a machine of the alt chain', async () => {
  rule('pages.opt-in-preconditions');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.route('**/mcr/*/explanation', async (route) => {
    const response = await route.fetch();
    const explanation = (await response.json()) as ExplanationResponse;
    await route.fulfill({ response, json: { ...explanation, availability: 'unreadable' } });
  });
  await page.goto(`${baseUrl}${machinePath('rated-b')}?tab=opt-in`);
  await page.getByRole('button', { name: 'Change opt-in' }).click();
  expect(await page.getByLabel('Opt in', { exact: true }).isDisabled()).toBe(true);
  expect(await readText(page, '.panel')).toContain('The service cannot read whether the machine is paused');
  await page.goto(`${baseUrl}${machinePath('alt-rated')}?tab=opt-in`);
  await page.getByRole('button', { name: 'Change opt-in' }).click();
  expect(await page.getByLabel('Opt in', { exact: true }).isDisabled()).toBe(false);
  await visit.close();
});

it('offers no opt-in where the service would refuse it, and never advises to renew a terminated bond', async () => {
  rule('pages.opt-in-preconditions');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('unbonded'));
  expect(await readText(page, '.reasons')).toContain('terminated, which is final');
  expect(await readText(page, '.reasons')).not.toContain('Renew');
  await page.goto(`${baseUrl}${machinePath('unbonded')}?tab=opt-in`);
  await page.getByRole('button', { name: 'Change opt-in' }).click();
  expect(await page.getByLabel('Opt in', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByLabel('Opt out', { exact: true }).isChecked()).toBe(true);
  await visit.close();
});

it('saves the signed rating of a machine', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('rated-b'));
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save signed rating' }).click();
  const text = (await (await (await download).createReadStream()).toArray()).join('');
  const { statement, signer } = JSON.parse(text) as StatementResponse;
  expect(statement.machineId).toBe(machineOf('rated-b').id);
  const { keys } = (await (await fetch(`${baseUrl}/.well-known/svc-statements`)).json()) as StatementDirectoryResponse;
  expect(keys.map(({ address }) => address)).toContain(signer);
  await visit.close();
});

it('shows the deduction that the factors do not contain', async () => {
  rule('pages.machine');
  const { did } = machineOf('flagged');
  const response = await fetch(`${baseUrl}/mcr/${did}/explanation`);
  const { factors, anchor, total_hundredths: total } = (await response.json()) as ExplanationResponse;
  const points = factors.reduce((sum, factor) => sum + factor.points_hundredths, 0);
  expect(points - anchor!.lost_hundredths).toBe(total);
  const visit = await openVisit(browser);
  await visit.page.goto(baseUrl + machinePath('flagged'));
  const shown = await readText(visit.page, 'section[aria-labelledby=section-score-breakdown]');
  expect(shown).toContain(`Points above 50 count a sixth: −${anchor!.lost_hundredths / 100} points.`);
  await visit.close();
});

it('names followed payments, and no chip, as better evidence for a machine of the alt chain', async () => {
  rule('pages.machine');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('alt-rated'));
  await page.locator('.reasons').waitFor();
  const reasons = await readText(page, '.reasons');
  expect(reasons).toContain('Events whose payment was followed on a chain would add up to ');
  expect(reasons).not.toContain('signed by an attested chip would add');
  const classes = page.locator('.filters label', { hasText: 'Evidence' }).locator('option');
  expect(await classes.allInnerTexts()).toEqual(['declared only', 'payments followed on a chain']);
  await visit.close();
});

it('prints the type and the whole id of a machine, and nothing that can only be used on a screen', async () => {
  rule('pages.machine');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('alt-rated'));
  await page.locator('.machine-type').waitFor();
  await page.locator('.reasons').waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.machine-type').isVisible()).toBe(true);
  const whole = await page.evaluate(`getComputedStyle(document.querySelector('h1 [title]'), '::after').content`);
  expect(whole).toBe(JSON.stringify(machineOf('alt-rated').id));
  expect(await page.locator('button:visible, input:visible, select:visible, nav:visible').count()).toBe(0);
  await visit.close();
});

it('shows which tab is open where the system forces its colors', async () => {
  rule('pages.accessible');
  const visit = await openVisit(browser, { forcedColors: 'active' });
  const { page } = visit;
  await page.goto(`${baseUrl}${machinePath('verified')}?tab=history`);
  await page.locator('.tabs').waitFor();
  const colors = await page.evaluate<Record<string, string>>(
    `Object.fromEntries([...document.querySelectorAll('.tabs a')].map((tab) => [tab.innerText, getComputedStyle(tab).borderBottomColor]))`,
  );
  const { History: open, ...others } = colors;
  expect(new Set(Object.values(others)).size).toBe(1);
  expect(Object.values(others)).not.toContain(open);
  await visit.close();
});

it('ends the page below its content, however many events are loaded', async () => {
  rule('pages.machine-tabs');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(`${baseUrl}${machinePath('paid-aa')}?tab=events`);
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(20);
  await page.getByRole('button', { name: 'Load older events' }).click();
  await expect.poll(() => rows.count()).toBe(40);
  const [height, end] = await page.evaluate<[number, number]>(
    `[document.documentElement.scrollHeight, Math.ceil(document.querySelector('.bottom').getBoundingClientRect().bottom + scrollY)]`,
  );
  expect(height).toBeLessThanOrEqual(Math.max(end, page.viewportSize()!.height));
  await visit.close();
});

it('gives reasons that fit a machine of steady revenue, with an attested chip, and with an expired bond', async () => {
  rule('pages.machine');
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(baseUrl + machinePath('many-events'));
  expect(await readText(page, '.reasons')).toContain(
    'Not every one of the last 13 weeks earned the full amount. Steady weekly revenue raises this.',
  );
  await page.goto(baseUrl + machinePath('runoff'));
  expect(await readText(page, '.reasons')).toContain('Renewing the subscription lets the machine be rated again.');
  await page.goto(`${baseUrl}${machinePath('verified')}?tab=verification`);
  expect(await readText(page, 'section[aria-labelledby=section-payout-accounts]')).toContain(
    'Its revenue counts as declared unless an attested chip signs it.',
  );
  await visit.close();
});

it('says that the owner is the controller only where both are the same account', async () => {
  rule('pages.opt-in-preconditions');
  const visit = await openVisit(browser);
  const { page } = visit;
  const note = page.getByText('Where no controller is set, the owner is the controller.');
  for (const [name, count] of [
    ['rated-b', 1],
    ['sold', 0],
  ] as const) {
    await page.goto(`${baseUrl}${machinePath(name)}?tab=opt-in`);
    await page.locator('.plainly li').nth(1).waitFor();
    expect([name, await note.count()]).toEqual([name, count]);
  }
  await visit.close();
});
