/**
 * Opt-in decisions made on the pages with browser wallets that hold real keys, against a service with its own database.
 * (The explorer; interface, Monetization.)
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { formatBase58, parseBase58 } from '../../../src/domain/identifiers/base58.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { describeFocus, launchBrowser, openVisit, readText, tabTo } from '../pages/browser.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);

let browser: Browser;
let proxied: ProxiedService;
let url: string;
beforeAll(async () => {
  [browser, proxied] = await Promise.all([launchBrowser(), startIndexedService()]);
  url = proxied.service.url;
});
afterAll(async () => {
  await browser.close();
  await proxied.close();
});

/** Announces a wallet by EIP-6963, with markup in its name. */
const ANNOUNCE = `
  const provider = { request: (call) => askWallet(call) };
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
    detail: { info: { name: 'Fake <b>wallet</b>' }, provider },
  }));
  addEventListener('eip6963:requestProvider', announce);
`;

/** Registers a wallet by the Wallet Standard. */
const REGISTER = `
  const features = ["solana:signMessage"];
  const wallet = {
    name: 'Standard wallet',
    accounts: [],
    features: {
      'standard:connect': { connect: async () => ({ accounts: [{ address: await askAddress(), features }] }) },
      'solana:signMessage': { signMessage: async ({ message }) => [{
        signature: new Uint8Array(await askSignature(Array.from(message))),
      }] },
    },
  };
  addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register(wallet));
`;

interface Call {
  readonly method: string;
  readonly params?: readonly string[];
}

/** Injects a main-chain wallet that holds one key. Returns the calls it receives. */
async function injectWallet(page: Page, key: string, account: string): Promise<Call[]> {
  const calls: Call[] = [];
  const signing = createMainChainKey(Buffer.from(key.slice(2), 'hex'));
  await page.exposeFunction('askWallet', (call: Call) => {
    calls.push(call);
    if (call.method === 'eth_requestAccounts') return [account];
    if (call.method === 'personal_sign') return signing.sign(Buffer.from(call.params![0]!.slice(2), 'hex'));
    throw new Error(`unknown method ${call.method}`);
  });
  await page.addInitScript(ANNOUNCE);
  return calls;
}

async function openForm(page: Page, id: string): Promise<void> {
  await page.goto(`${url}/explorer/machine/${id}?tab=opt-in`);
  await page.getByRole('button', { name: 'Change opt-in' }).click();
}

async function readState(id: string): Promise<Record<string, unknown>> {
  return (await fetchChecked(`${url}/machine/${id}/monetization`)).json();
}

const SIGN = { name: 'Sign with Fake <b>wallet</b>' };

describe('a main-chain wallet', () => {
  it('signs the message shown and stores the decision of the owner', async () => {
    rule('pages.signing');
    const { id, owner, ownerKey } = machineOf('fresh');
    const visit = await openVisit(browser, { viewport: { width: 360, height: 740 } });
    const { page } = visit;
    const calls = await injectWallet(page, ownerKey, owner);
    await openForm(page, id);
    await page.getByRole('button', { name: 'Show the message to sign' }).click();
    const shown = await page.locator('pre.message').textContent();
    const deployment = (await fetchChecked(`${url}/.well-known/svc-monetization`)).json<{
      registry: string;
      chain_id: string;
    }>();
    expect(shown?.replace(/\d+$/, '…')).toBe(
      [
        'svc-mcr monetization',
        `registry: ${deployment.registry}`,
        `chain_id: ${deployment.chain_id}`,
        `machine_id: ${id}`,
        'opted_in: true',
        'timestamp: …',
      ].join('\n'),
    );
    // The wallet receives no call before the user has read the message.
    expect(calls).toEqual([]);
    expect(await visit.findAccessibilityViolations()).toEqual([]);
    await page.getByRole('button', SIGN).click();
    await page.locator('.notice.good').waitFor();
    expect(calls).toEqual([
      { method: 'eth_requestAccounts' },
      { method: 'personal_sign', params: [`0x${Buffer.from(shown!).toString('hex')}`, owner] },
    ]);
    expect(await readText(page, '.notice.good')).toBe(`Stored: opted in, signed by ${owner}.`);
    const timestamp = Number(/\d+$/.exec(shown!)![0]);
    expect(await readState(id)).toEqual({
      machine_id: id,
      status: 'OPTED_IN',
      signer: owner,
      updated_at: timestamp,
      signer_is_current: true,
    });
    await page.getByText('Decision log').click();
    await page.getByText('entitled at block').waitFor();
    await page.getByText('Opted in', { exact: true }).waitFor();
    expect(await visit.findAccessibilityViolations()).toEqual([]);
    expect(await visit.listViolations()).toEqual([]);
    await visit.close();
  });

  it('gets an error with its remedy when its account is not entitled', async () => {
    const { id } = machineOf('grace');
    const { owner, ownerKey } = machineOf('fresh');
    const visit = await openVisit(browser);
    await injectWallet(visit.page, ownerKey, owner);
    await openForm(visit.page, id);
    await visit.page.getByRole('button', { name: 'Show the message to sign' }).click();
    await visit.page.getByRole('button', SIGN).click();
    expect(await readText(visit.page, '.notice.bad')).toBe(
      'The signer may not decide about this machine. An owner that is a contract cannot sign; it can set a controller.\n' +
        'Only the accounts listed above may sign. Switch to one of them in your wallet, then sign again.',
    );
    expect(await readState(id)).toMatchObject({ machine_id: id, status: 'PENDING', signer: null, updated_at: null });
    await visit.close();
  });

  it('sends nothing when the user rejects the request', async () => {
    const { id } = machineOf('grace');
    const visit = await openVisit(browser);
    await visit.page.addInitScript(`
      globalThis.ethereum = { request: async () => { throw Object.assign(new Error('no'), { code: 4001 }); } };
    `);
    const sent: string[] = [];
    visit.page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
    await openForm(visit.page, id);
    await visit.page.getByRole('button', { name: 'Show the message to sign' }).click();
    await visit.page.getByRole('button', { name: 'Sign with Browser wallet' }).click();
    expect(await readText(visit.page, '.notice.bad')).toBe(
      'Browser wallet did not sign: the request was rejected in the wallet.',
    );
    expect(sent).toEqual([]);
    await visit.close();
  });
});

it('lets a keyboard alone find, compare, watch and opt in a machine', async () => {
  rule('pages.keyboard');
  const { id, did, owner, ownerKey } = machineOf('rated-b');
  const other = machineOf('flagged');
  const visit = await openVisit(browser);
  const { page } = visit;
  const { keyboard } = page;
  await injectWallet(page, ownerKey, owner);
  await page.goto(`${url}/explorer/system`);
  await page.locator('header.top').waitFor();

  await keyboard.press('/');
  await keyboard.type(did);
  await keyboard.press('Enter');
  await page.locator('.summary').waitFor();
  expect((await describeFocus(page)).tag).toBe('MAIN');
  await tabTo(page, 'Watch');
  await keyboard.press('Space');
  await expect.poll(() => describeFocus(page)).toMatchObject({ name: 'Watching', isVisible: true });

  await tabTo(page, 'History');
  await keyboard.press('Enter');
  await page.locator('.chart').waitFor();
  expect((await describeFocus(page)).name).toBe('History');
  await tabTo(page, /^Rating: /);
  const today = await readText(page, '.read');
  await keyboard.press('ArrowLeft');
  await expect.poll(() => readText(page, '.read')).not.toBe(today);

  await tabTo(page, 'Compare', 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Compare machines' }).waitFor();
  await tabTo(page, 'Machine id or DID');
  await keyboard.type(other.did);
  await keyboard.press('Enter');
  await expect.poll(() => page.locator('.compared section').count()).toBe(2);
  expect((await describeFocus(page)).name).toBe('Machine id or DID');
  const removing = (of: string) => `Remove machine ${of.slice(0, 4)}…${of.slice(-4)}`;
  await tabTo(page, removing(other.id));
  await keyboard.press('Enter');
  await expect.poll(() => page.locator('.compared section').count()).toBe(1);
  expect(await describeFocus(page)).toMatchObject({ name: removing(id), isVisible: true });
  await tabTo(page, /^#/, 'Shift+Tab');
  await keyboard.press('Enter');
  await page.locator('.summary').waitFor();

  await tabTo(page, 'Opt-in');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change opt-in' }).waitFor();
  await tabTo(page, 'Change opt-in');
  await keyboard.press('Enter');
  expect(await tabTo(page, /^Opt (?:in|out)$/)).toMatchObject({ tag: 'INPUT', name: 'Opt in' });
  await tabTo(page, 'Show the message to sign');
  await keyboard.press('Enter');
  await expect.poll(() => describeFocus(page)).toMatchObject({ tag: 'PRE', isVisible: true });
  await tabTo(page, SIGN.name);
  await keyboard.press('Enter');
  await page.locator('.notice.good').waitFor();
  await expect
    .poll(() => describeFocus(page))
    .toMatchObject({ name: `Stored: opted in, signed by ${owner}.`, isVisible: true });
  expect(await readState(id)).toMatchObject({ status: 'OPTED_IN', signer: owner });

  await tabTo(page, 'Watchlist', 'Shift+Tab');
  await keyboard.press('Enter');
  await page.locator(`.log a[title="${id}"]`).waitFor();
  expect(await visit.listViolations()).toEqual([]);
  await visit.close();
});

it('accepts a pasted signature when the browser has no wallet', async () => {
  rule('pages.signing');
  const { id, owner, ownerKey } = machineOf('verified');
  const visit = await openVisit(browser);
  const { page } = visit;
  await openForm(page, id);
  await page.getByRole('radio', { name: 'Opt out' }).check();
  await page.getByRole('button', { name: 'Show the message to sign' }).click();
  const message = await page.locator('pre.message').textContent();
  const signature = createMainChainKey(Buffer.from(ownerKey.slice(2), 'hex')).sign(Buffer.from(message!));
  await page.getByLabel('personal_sign signature').fill('0x1234');
  await page.getByRole('button', { name: 'Send signature' }).click();
  expect(await readText(page, '.notice.bad')).toContain(
    'The request is malformed. Check the pasted signature and send it again.',
  );
  await page.getByLabel('personal_sign signature').fill(` ${signature}\n`);
  await page.getByRole('button', { name: 'Send signature' }).click();
  expect(await readText(page, '.notice.good')).toBe(`Stored: opted out, signed by ${owner}.`);
  expect(await readState(id)).toMatchObject({ status: 'OPTED_OUT', signer: owner });
  await visit.close();
});

it('signs the alt-chain message with a Solana wallet for a machine homed there', async () => {
  rule('pages.signing');
  const { id } = machineOf('multi-currency');
  const secret = new Uint8Array(32).fill(7);
  const key = ed25519.getPublicKey(secret);
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.exposeFunction('askAddress', () => formatBase58(key));
  await page.exposeFunction('askSignature', (bytes: number[]) => [...ed25519.sign(Uint8Array.from(bytes), secret)]);
  await page.addInitScript(REGISTER);
  await page.route(`**/machines/${id}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), home_chain: 7 } });
  });
  let body: Record<string, unknown> = {};
  await page.route('**/monetization', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    body = route.request().postDataJSON() as Record<string, unknown>;
    const json = { machine_id: id, status: 'OPTED_IN', signer: formatBase58(key), updated_at: body['timestamp'] };
    return route.fulfill({ json });
  });
  await openForm(page, id);
  await page.getByRole('button', { name: 'Show the message to sign' }).click();
  const message = await page.locator('pre.message').textContent();
  const { chain_id } = (await fetchChecked(`${url}/.well-known/svc-monetization`)).json<{ chain_id: string }>();
  expect(message?.split('\n').slice(0, 5)).toEqual([
    'svc-mcr monetization',
    `audience: ${chain_id}`,
    'home_chain: 7',
    `machine_id: ${id}`,
    'opted_in: true',
  ]);
  await page.getByRole('button', { name: 'Sign with Standard wallet' }).click();
  expect(await readText(page, '.notice.good')).toBe(`Stored: opted in, signed by ${formatBase58(key)}.`);
  expect(body).toEqual({
    opted_in: true,
    timestamp: Number(/\d+$/.exec(message!)![0]),
    signature: expect.any(String) as string,
    signer_pubkey: formatBase58(key),
  });
  expect(ed25519.verify(parseBase58(String(body['signature']), 64)!, Buffer.from(message!), key)).toBe(true);
  await visit.close();
});

it.each(['relocating', 'alt-relocating'])('opts out the machine %s on the chain that holds it', async (name) => {
  rule('pages.signing');
  const { id, home, owner, ownerKey } = machineOf(name);
  const visit = await openVisit(browser);
  const { page } = visit;
  await page.goto(`${url}/explorer/machine/${id}`);
  await page
    .getByRole('radio')
    .nth(home === 'main' ? 0 : 1)
    .check();
  expect(await page.getByRole('radio', { name: 'Opt in' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Show the message to sign' }).click();
  await page.locator('pre.message').waitFor();
  // The form stays while the rating is read again and the connection is lost.
  await page.route('**/mcr/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Retry now' }).click();
  await page.getByText('Service unreachable').waitFor();
  const message = Buffer.from((await page.locator('pre.message').textContent())!);
  expect(message.toString()).toContain('opted_in: false');
  if (home === 'main') {
    const signing = createMainChainKey(Buffer.from(ownerKey.slice(2), 'hex'));
    await page.getByLabel('personal_sign signature').fill(signing.sign(message));
  } else {
    await page.getByLabel('Signature (base58)').fill(formatBase58(ed25519.sign(message, Buffer.from(ownerKey, 'hex'))));
    await page.getByLabel('Public key of the owner').fill(owner);
  }
  await page.getByRole('button', { name: 'Send signature' }).click();
  expect(await readText(page, '.decision .notice')).toBe(`Stored: opted out, signed by ${owner}.`);
  expect(await visit.findAccessibilityViolations()).toEqual([]);
  await visit.close();
});
