/** Ports for pages, images and partner data. */

/** What do the pages of the explorer load besides themselves? One script, one style sheet and an icon, named after what is in them. */

export interface StaticAsset {
  /** Of the URL; changes with the content. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
  readonly gzipped: Buffer;
}

export interface StaticAssets {
  readonly script: StaticAsset;
  readonly style: StaticAsset;
  readonly icon: StaticAsset;
}

export interface PageSource {
  /** Made once, when the first page is asked for. Rejects where the pages can neither be found nor be made. */
  load(): Promise<StaticAssets>;
}

/** Who draws an SVG text as a PNG? Implemented by `adapters/png`. */

export interface ImageRenderer {
  /** Changes with whatever else than the text changes the bytes. */
  readonly version: string;
  /**
   * The PNG in the size that the text names. The same text is drawn once and kept for a while. Undefined: nobody waited any more when its
   * turn came. Rejects where the text is no SVG, or nothing can be drawn.
   */
  render(svg: string, isAwaited: () => boolean): Promise<Buffer | undefined>;
}

/** What does the data API of a `public` machine answer? Asked only where the deployment allows it (decisions 1, `PARTNER_DATA`). */
export type PartnerResponse =
  | { readonly kind: 'object'; readonly value: object }
  /** No answer in time, a refused address, a redirect, any status but 200. */
  | { readonly kind: 'unreachable' }
  /** An answer that is too large or not a JSON object. */
  | { readonly kind: 'invalid' };

export interface PartnerData {
  /** Never throws. An answer is kept for a minute. */
  readPartnerData(url: string): Promise<PartnerResponse>;
}
