/** Links of a page for programs, as the header `Link` (RFC 8288) carries them. */

export interface PageLink {
  /** Path below the address of the service. */
  readonly path: string;
  readonly rel: 'alternate' | 'describedby' | 'service-desc' | 'service-doc';
  readonly type: string;
}

/** Links of every page. */
export const SERVICE_LINKS: readonly PageLink[] = [
  { path: '/openapi.json', rel: 'service-desc', type: 'application/json' },
  { path: '/docs', rel: 'service-doc', type: 'text/html' },
];

export function formatLinks(links: readonly PageLink[], publicUrl: string): string {
  return links.map(({ path, rel, type }) => `<${publicUrl}${path}>; rel="${rel}"; type="${type}"`).join(', ');
}
