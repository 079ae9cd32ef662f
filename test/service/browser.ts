/**
 * How does a suite look at a page as a person does? In a real Chromium, Debian's or the one that the dependencies bring, which notes
 * everything that a page must not do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import packaged from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const INSTALLED = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** In words of the page: the types of a browser are not those of this project. */
const NOTE_VIOLATIONS = `
  globalThis.noted = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    noted.push('policy: ' + violatedDirective + ' ' + blockedURI);
  });
`;
const LIST_BARRIERS = `
  axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))
`;

/** The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = existsSync(INSTALLED) ? INSTALLED : await packaged.executablePath();
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

export interface Visit {
  readonly page: Page;
  /** Errors of scripts, violations of the policy, and requests to other origins. */
  misdeeds(): Promise<string[]>;
  /** Each violation of accessibility with the elements it is about. */
  findBarriers(): Promise<string[]>;
  close(): Promise<void>;
}

/** A page of its own, not yet anywhere. */
export async function openVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const misdeeds: string[] = [];
  let origin: string | undefined;
  page.on('pageerror', ({ message }) => misdeeds.push(`error: ${message}`));
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    origin ??= url.origin;
    if (url.origin !== origin && url.protocol !== 'blob:') misdeeds.push(`request: ${url.origin}`);
  });
  await page.addInitScript(NOTE_VIOLATIONS);
  return {
    page,
    async misdeeds() {
      return [...misdeeds, ...(await page.evaluate<string[]>('globalThis.noted ?? []'))];
    },
    async findBarriers() {
      await page.evaluate(`${AXE}; undefined`);
      return page.evaluate<string[]>(LIST_BARRIERS);
    },
    close: () => context.close(),
  };
}

/** What a reader sees of the page, line by line. */
export async function readText(page: Page, selector = 'main'): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\n+/g, '\n');
}
