/**
 * HTML shell of the pages: head and summary, shown before the script runs and to crawlers and link previews that run none. Every value is escaped,
 * so that no text from a chain becomes markup.
 */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { StaticAssets } from '../../ports/presentation.ts';

export interface PageDocument {
  readonly title: string;
  /** One sentence; shown until the script has rendered the page. */
  readonly summary: string;
  /** Absolute. */
  readonly url: string;
  readonly image?: PreviewImage;
}

/** Image shown beside a link to the page. */
export interface PreviewImage {
  /** Absolute. */
  readonly url: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Alternative text. */
  readonly text: string;
}

export const PAGE_FILES_PATH = '/explorer/files';

/** Members of the namespace that the script needs to read responses and write messages. */
const PAGE_WORDS = ['did_method', 'profile_object', 'well_known_path', 'statements_path', 'message_header'] as const;

/** Headers of pages, which load resources from their own origin only. */
export const PAGE_HEADERS: readonly string[] = [
  ...[
    'Content-Security-Policy',
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  ],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
];

/** Chain as the pages show it. */
export interface PageChain {
  readonly name: string;
  /** Chain id of the main chain. */
  readonly id?: string | undefined;
  /** Address of the block explorer. */
  readonly explorer?: string | undefined;
  /** Protocol chain ordinal of the alt chain; undefined for the main chain, and where no alt chain is served. */
  readonly ordinal?: number | undefined;
}

/** What the script needs to know of the deployment. */
export interface PageDeployment {
  readonly namespace: Namespace;
  readonly chains: { readonly main: PageChain; readonly alt: PageChain };
}

export function formatPage(
  { title, summary, url, image }: PageDocument,
  files: StaticAssets,
  { namespace, chains }: PageDeployment,
): string {
  const words = Object.fromEntries(PAGE_WORDS.map((name) => [name, namespace[name]]));
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${escapeMarkup(title)}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="description" content="${escapeMarkup(summary)}">`,
    '<meta name="color-scheme" content="light dark">',
    `<meta property="og:title" content="${escapeMarkup(title)}">`,
    `<meta property="og:description" content="${escapeMarkup(summary)}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:url" content="${escapeMarkup(url)}">`,
    ...(image === undefined ? [] : toImageLines(image)),
    `<link rel="icon" href="${PAGE_FILES_PATH}/${files.icon.name}">`,
    `<link rel="stylesheet" href="${PAGE_FILES_PATH}/${files.style.name}">`,
    `<script type="module" src="${PAGE_FILES_PATH}/${files.script.name}"></script>`,
    '</head>',
    `<body data-namespace="${escapeMarkup(JSON.stringify(words))}" data-chains="${escapeMarkup(JSON.stringify(chains))}">`,
    `<div id="app"><main id="main" class="plain"><h1>${escapeMarkup(title)}</h1><p>${escapeMarkup(summary)}</p></main></div>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function toImageLines({ url, width, height, text }: PreviewImage): string[] {
  return [
    `<meta property="og:image" content="${escapeMarkup(url)}">`,
    '<meta property="og:image:type" content="image/png">',
    `<meta property="og:image:width" content="${width}">`,
    `<meta property="og:image:height" content="${height}">`,
    `<meta property="og:image:alt" content="${escapeMarkup(text)}">`,
  ];
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
