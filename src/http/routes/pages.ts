/**
 * Pages: `/`, `/explorer/machine/{id}`, `/explorer/operator/{address}`, `/explorer/wallet/{address}`, `/explorer/system`, `/explorer/machines`, `/explorer/compare`, `/explorer/watchlist`, `/methodology`, `/docs`, and the files
 * that they load. `explorer/` renders them. Pages are no part of the described interface: they show what the documented routes return to any
 * caller.
 */
import { isBehind } from '../../actions/machine-rating.ts';
import { getRatingWithin } from '../../actions/machines.ts';
import { parseAltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { nameAltChain, nameMainChain } from '../../domain/identifiers/chain-names.ts';
import { Fault } from '../../domain/faults.ts';
import {
  formatAddressDid,
  formatMachineDid,
  parseAddress,
  parseMachineId,
  type MachineId,
} from '../../domain/identifiers/identifiers.ts';
import type { Ctx } from '../../ports/ctx.ts';
import type { PageSource } from '../../ports/presentation.ts';
import { titleOf } from '../images/rating-facts.ts';
import { sendPage, sendStaticAsset } from '../server/response.ts';
import type { RequestContext } from '../server/request-context.ts';
import { formatPage, PAGE_FILES_PATH, type PreviewImage } from '../pages/html-shell.ts';
import { formatLinks, SERVICE_LINKS, type PageLink } from '../pages/page-links.ts';
import type { Routes } from '../server/route-table.ts';
import { DID_DOCUMENT_TYPE } from '../wire/did-document.ts';
import { formatMachineName } from '../wire/machines.ts';
import { toWireError } from '../error-responses.ts';
import type { Additions } from './additions/additions.ts';

interface PageText {
  readonly status: number;
  readonly title: string;
  readonly summary: string;
  readonly image?: PreviewImage;
  /** Links beside those of every page. */
  readonly links?: readonly PageLink[];
}

const SITE = 'Machine ratings';
const HOME_PAGE: PageText = {
  status: 200,
  title: SITE,
  summary: 'Look up the rating of a machine or an operator, the reasons for it, and how current the data is.',
};
const SYSTEM_PAGE: PageText = {
  status: 200,
  title: `System | ${SITE}`,
  summary: 'The chains this deployment reads, and how current its data is.',
};
const REFERENCE_PAGE: PageText = {
  status: 200,
  title: `API reference | ${SITE}`,
  summary: 'Every route with its responses and errors, and a form to call it. For programs: /openapi.json.',
};
const METHODOLOGY_PAGE: PageText = {
  status: 200,
  title: `Methodology | ${SITE}`,
  summary: 'How machines are rated: what counts, what does not, and how to check a rating.',
};
const DIRECTORY_PAGE: PageText = {
  status: 200,
  title: `Machines | ${SITE}`,
  summary: 'Every machine of this deployment with its rating, by rating, bond, verification, home and activity.',
};
const COMPARE_PAGE: PageText = {
  status: 200,
  title: `Compare machines | ${SITE}`,
  summary: 'Up to six machines side by side: ratings, factors and histories.',
};
const WATCHLIST_PAGE: PageText = {
  status: 200,
  title: `Watchlist | ${SITE}`,
  summary: 'The machines and operators that this browser watches, and what changed since the last visit.',
};
const UNKNOWN_PAGE: PageText = {
  status: 404,
  title: `Page not found | ${SITE}`,
  summary: 'No page has this address. It is misspelled, or the page was removed.',
};
const UNKNOWN_ID: PageText = {
  status: 404,
  title: `No such machine | ${SITE}`,
  summary: 'This is not a machine id. A machine id is a decimal number of up to 78 digits.',
};
const UNKNOWN_ADDRESS: PageText = {
  status: 404,
  title: `No such operator | ${SITE}`,
  summary: 'This is not an address. Check it and try again.',
};
/** After this time a page is sent without the rating, which its script then loads. */
const RATING_TIMEOUT_MILLISECONDS = 1_000;

/** Registers nothing without `ctx.pages`. Without `additions`, pages have no preview image. */
export function pagesRoutes(routes: Routes, ctx: Ctx, additions: Additions | undefined): void {
  const { pages } = ctx;
  if (pages === undefined) return;
  const deployment = { namespace: ctx.namespace, chains: nameChains(ctx) };
  const show = (path: string, describe: (request: RequestContext) => PageText | Promise<PageText>) =>
    routes.get(path, { profile: 'page' }, async (context) => {
      const { status, links = [], ...text } = await describe(context);
      const files = await loadFiles(ctx, pages);
      const url = ctx.publicUrl + (context.request.url ?? '/');
      const link = formatLinks([...links, ...SERVICE_LINKS], ctx.publicUrl);
      sendPage(context, status, formatPage({ ...text, url }, files, deployment), link);
    });

  show('/', () => HOME_PAGE);
  show('/explorer/system', () => SYSTEM_PAGE);
  show('/docs', () => REFERENCE_PAGE);
  show('/methodology', () => METHODOLOGY_PAGE);
  show('/explorer/machines', () => DIRECTORY_PAGE);
  show('/explorer/compare', () => COMPARE_PAGE);
  show('/explorer/watchlist', () => WATCHLIST_PAGE);
  show('/explorer/machine/:id', (request) => describeMachine(ctx, request.parameter('id'), additions));
  show('/explorer/operator/:address', (request) => describeOperator(request.parameter('address'), ctx));
  show('/explorer/wallet/:address', (request) => describeWallet(request.parameter('address')));
  for (const path of ['/explorer', '/explorer/:view', '/explorer/:view/:value']) show(path, () => UNKNOWN_PAGE);

  routes.get(`${PAGE_FILES_PATH}/:name`, { profile: 'page' }, async (request) => {
    const { script, parts, style, icon } = await loadFiles(ctx, pages);
    const file = [script, style, icon, ...parts].find(({ name }) => name === request.parameter('name'));
    if (file === undefined) throw new Fault('RouteUnknown', {});
    sendStaticAsset(request, file);
  });
}

function nameChains({ main, alt, blockExplorers }: Ctx) {
  return {
    main: {
      name: main === undefined ? 'Main chain' : nameMainChain(main.chain.chainId),
      id: main?.chain.chainId.toString(),
      explorer: blockExplorers?.main,
    },
    alt: {
      name: alt === undefined ? 'Solana' : nameAltChain(alt.chain.genesisHash),
      explorer: blockExplorers?.alt,
      ordinal: alt?.chain.ordinal,
    },
  };
}

async function loadFiles({ log }: Ctx, pages: PageSource) {
  try {
    return await pages.load();
  } catch (error) {
    log.error({}, 'pages could not be loaded or built');
    throw error;
  }
}

async function describeMachine(ctx: Ctx, text: string, additions: Additions | undefined): Promise<PageText> {
  const id = parseMachineId(text);
  if (id === undefined) return UNKNOWN_ID;
  const name = formatMachineName(id);
  const links = listMachineLinks(id, ctx, additions);
  const unrated = {
    title: `${name} | ${SITE}`,
    summary: 'The rating of this machine, and the reasons for it.',
    links,
  };
  try {
    const rated = await getRatingWithin(ctx, id, RATING_TIMEOUT_MILLISECONDS);
    if (rated === undefined || isBehind(rated)) return { status: 200, ...unrated };
    const { letter, score, summary } = rated.rating;
    const title = `${titleOf({ name, letter, score })} | ${SITE}`;
    const image = additions?.previewImageOf(id, summary, ctx);
    return { status: 200, title, summary, links, ...(image && { image }) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { status: toWireError('read', error).status, ...unrated };
  }
}

/** Without additions, only the routes of the interface are linked. */
function listMachineLinks(
  id: MachineId,
  { namespace, statements }: Ctx,
  additions: Additions | undefined,
): readonly PageLink[] {
  const did = formatMachineDid(id, namespace);
  const json = { rel: 'alternate', type: 'application/json' } as const;
  const card: PageLink = { path: `/machines/${id}`, ...json };
  if (additions === undefined) return [card];
  return [
    card,
    { path: `/machines/${id}/agent-registration.json`, ...json },
    { path: `/identifiers/${did}`, rel: 'describedby', type: DID_DOCUMENT_TYPE },
    ...(statements === undefined ? [] : [{ ...json, path: `/mcr/${did}/statement`, rel: 'describedby' } as const]),
  ];
}

function describeWallet(text: string): PageText {
  if (parseAltKey(text) === undefined) return UNKNOWN_ADDRESS;
  return {
    status: 200,
    title: `Wallet ${text} | ${SITE}`,
    summary: 'The machine or operator that this wallet is bound to, and its ratings.',
  };
}

function describeOperator(text: string, { namespace }: Ctx): PageText {
  const address = parseAddress(text);
  if (address === undefined) return UNKNOWN_ADDRESS;
  return {
    status: 200,
    title: `Operator ${address} | ${SITE}`,
    summary: 'The machines of this operator, and their ratings.',
    links: [
      {
        path: `/operator/${formatAddressDid(address, namespace)}/machines`,
        rel: 'alternate',
        type: 'application/json',
      },
    ],
  };
}
