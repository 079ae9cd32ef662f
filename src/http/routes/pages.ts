/**
 * `/`, `/explorer/machine/{id}`, `/explorer/operator/{address}`, `/explorer/wallet/{address}`,
 * `/explorer/system`, `/docs`: the pages for people, and the files that they
 * load. They are no part of the described interface: a page shows what the documented routes answer to everybody.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { getRating } from '../../actions/machines.ts';
import { parseAltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { Fault } from '../../domain/faults.ts';
import { parseAddress, parseMachineId } from '../../domain/identifiers/identifiers.ts';
import type { Ctx } from '../../ports/ctx.ts';
import type { PageSource } from '../../ports/presentation.ts';
import { sendPage, sendStaticAsset } from '../server/response.ts';
import type { RequestContext } from '../server/request-context.ts';
import { PREVIEW } from '../images/rating-preview.ts';
import { formatPage, PAGE_FILES_PATH, type PreviewImage } from '../pages/html-shell.ts';
import type { Routes } from '../server/route-table.ts';
import { formatMachineName } from '../wire/machines.ts';
import { toWireError } from '../error-responses.ts';

interface PageText {
  readonly status: number;
  readonly title: string;
  readonly summary: string;
  readonly image?: PreviewImage;
}

const SITE = 'Machine ratings';
const HOME_PAGE: PageText = {
  status: 200,
  title: SITE,
  summary: 'Look up a machine or an operator: how far it can be relied on, why, and how fresh that is.',
};
const SYSTEM_PAGE: PageText = {
  status: 200,
  title: `System | ${SITE}`,
  summary: 'What this deployment reads, and how fresh it is.',
};
const REFERENCE_PAGE: PageText = {
  status: 200,
  title: `API reference | ${SITE}`,
  summary: 'Every route with its answers and errors, and a form that asks it. For programs: /openapi.json.',
};
const UNKNOWN_ID: PageText = { status: 404, title: `No such machine | ${SITE}`, summary: 'This is not a machine id.' };
const UNKNOWN_ADDRESS: PageText = {
  status: 404,
  title: `No such operator | ${SITE}`,
  summary: 'This is not an address.',
};
/** A chain that is slower than that is waited for by the page, which says so. */
const PATIENCE_MILLISECONDS = 1_000;

/** Without `ctx.pages` there are none of these. */
export function pagesRoutes(routes: Routes, ctx: Ctx): void {
  const { pages } = ctx;
  if (pages === undefined) return;
  const show = (path: string, describe: (exchange: RequestContext) => PageText | Promise<PageText>) =>
    routes.get(path, { surface: 'page' }, async (exchange) => {
      const [files, { status, ...text }] = await Promise.all([loadFiles(ctx, pages), describe(exchange)]);
      const url = ctx.publicUrl + (exchange.request.url ?? '/');
      sendPage(exchange, status, formatPage({ ...text, url }, files, ctx.namespace));
    });

  show('/', () => HOME_PAGE);
  show('/explorer/system', () => SYSTEM_PAGE);
  show('/docs', () => REFERENCE_PAGE);
  show('/explorer/machine/:id', (exchange) => describeMachine(ctx, exchange.parameter('id')));
  show('/explorer/operator/:address', (exchange) => describeOperator(exchange.parameter('address')));

  show('/explorer/wallet/:address', (exchange) => describeWallet(exchange.parameter('address')));

  routes.get(`${PAGE_FILES_PATH}/:name`, { surface: 'page' }, async (exchange) => {
    const files = await loadFiles(ctx, pages);
    const file = Object.values(files).find(({ name }) => name === exchange.parameter('name'));
    if (file === undefined) throw new Fault('RouteUnknown', {});
    sendStaticAsset(exchange, file);
  });
}

async function loadFiles({ log }: Ctx, pages: PageSource) {
  try {
    return await pages.load();
  } catch (error) {
    log.error({}, 'the pages cannot be made');
    throw error;
  }
}

async function describeMachine(ctx: Ctx, text: string): Promise<PageText> {
  const id = parseMachineId(text);
  if (id === undefined) return UNKNOWN_ID;
  const name = formatMachineName(id);
  const unread = { title: `${name} | ${SITE}`, summary: 'What this machine is worth trusting, and why.' };
  try {
    const patience = delay(PATIENCE_MILLISECONDS, undefined, { ref: false });
    const rated = await Promise.race([getRating(ctx, id), patience]);
    if (rated === undefined) return { status: 200, ...unread };
    const { letter, score, summary } = rated.rating;
    const title = `${name}: ${letter}, ${score} of 100 | ${SITE}`;
    if (ctx.additions === 'off' || ctx.pictures === undefined) return { status: 200, title, summary };
    const url = `${ctx.publicUrl}/machines/${id}/card.png`;
    return { status: 200, title, summary, image: { url, ...PREVIEW, text: summary } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { status: toWireError('read', error).status, ...unread };
  }
}

function describeWallet(text: string): PageText {
  if (parseAltKey(text) === undefined) return UNKNOWN_ADDRESS;
  return { status: 200, title: `Wallet ${text} | ${SITE}`, summary: 'What this wallet is bound to, and its ratings.' };
}

function describeOperator(text: string): PageText {
  const address = parseAddress(text);
  if (address === undefined) return UNKNOWN_ADDRESS;
  return {
    status: 200,
    title: `Operator ${address} | ${SITE}`,
    summary: 'The machines of this operator, and their ratings.',
  };
}
