/**
 * Browser harness: opens pages in Chromium, the installed one or that of the dependencies, and records everything that a
 * page must not do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import packaged from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const INSTALLED = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Source text, because the types of a browser are not those of this project. */
const RECORD_VIOLATIONS = `
  globalThis.recordedViolations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    recordedViolations.push('policy: ' + violatedDirective + ' ' + blockedURI);
  });
`;
const LIST_ACCESSIBILITY_VIOLATIONS = `
  axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))
`;

/** Returns the path of the browser. The one of the dependencies is unpacked first, which two processes must not do at once. */
export async function findBrowser(): Promise<string> {
  return existsSync(INSTALLED) ? INSTALLED : packaged.executablePath();
}

/** Launches a browser, which the caller closes. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findBrowser();
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

export interface Visit {
  readonly page: Page;
  /** Lists script errors, dialogs, violations of the content security policy, and requests to other origins. */
  listViolations(): Promise<string[]>;
  /** Lists each accessibility violation with the elements concerned. */
  findAccessibilityViolations(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens an empty page in a new browser context. */
export async function openVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const violations: string[] = [];
  let origin: string | undefined;
  page.on('pageerror', ({ message }) => violations.push(`error: ${message}`));
  page.on('dialog', (dialog) => {
    violations.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    origin ??= url.origin;
    if (url.origin !== origin && url.protocol !== 'blob:') violations.push(`request: ${url.origin}`);
  });
  await page.addInitScript(RECORD_VIOLATIONS);
  return {
    page,
    async listViolations() {
      return [...violations, ...(await page.evaluate<string[]>('globalThis.recordedViolations ?? []'))];
    },
    async findAccessibilityViolations() {
      if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(`${AXE}; undefined`);
      return page.evaluate<string[]>(LIST_ACCESSIBILITY_VIOLATIONS);
    },
    close: () => context.close(),
  };
}

/** Throughput in bytes per second, and latency in milliseconds, of a mobile connection. */
const SLOW_NETWORK = { offline: false, latency: 300, downloadThroughput: 200_000, uploadThroughput: 100_000 };

/** Delays every response, so that the parts of a page appear one after another. */
export async function slowNetwork(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_NETWORK);
}

/** Returns the visible text, line by line. */
export async function readText(page: Page, selector = 'main'): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\n+/g, '\n');
}

/** The text of a button or a chart is no id to copy. */
const LIST_UNCOPIED_IDS = `(() => {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement: parent } = texts.currentNode;
    if (!/\\w{4}…\\w{4}/.test(data) || parent.closest('pre, button, svg') !== null) continue;
    const place = parent.closest('.id, .short-link, .title') ?? parent.parentElement;
    if (place.querySelector('button[aria-label^="Copy "]') === null) found.push(data);
  }
  return found;
})()`;

/** Lists the shortened ids that have no button to copy all of them. */
export function listUncopiedIds(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(LIST_UNCOPIED_IDS);
}

interface FocusedElement {
  readonly tag: string;
  readonly name: string;
  /** Whether it is on the screen, covered and clipped by nothing, with an outline. */
  readonly isVisible: boolean;
}

/** The outline of a search field surrounds its button as well. */
const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest('.field') ?? element);
  const { left, right, top, bottom } = element.getClientRects()[0] ?? new DOMRect();
  const middle = (from, to, size) => (Math.max(from, 0) + Math.min(to, size)) / 2;
  const hit = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.textContent;
  return {
    tag: element.tagName,
    name: name.trim(),
    isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && element.contains(hit),
  };
})()`;

export function describeFocus(page: Page): Promise<FocusedElement> {
  return page.evaluate<FocusedElement>(DESCRIBE_FOCUS);
}

/** No page has more stops. */
const MAX_STOPS = 150;

/** Presses Tab, or the given keys, until the element with this name has the focus. Throws where the focus is not visible on the way. */
export async function tabTo(page: Page, name: string | RegExp, keys = 'Tab'): Promise<FocusedElement> {
  const passed: string[] = [];
  while (passed.length < MAX_STOPS) {
    await page.keyboard.press(keys);
    const focused = await describeFocus(page);
    if (!focused.isVisible) throw new Error(`the focus is not visible: ${JSON.stringify(focused)}`);
    if (typeof name === 'string' ? focused.name === name : name.test(focused.name)) return focused;
    passed.push(focused.name);
  }
  throw new Error(`no stop is named ${String(name)}: ${passed.join(' | ')}`);
}
