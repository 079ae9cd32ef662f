/** Ports for pages, images, language models and partner data. */

/** Asset of the explorer's pages, named after its content. */
export interface StaticAsset {
  /** Name in the URL; changes with the content. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
  readonly gzipped: Buffer;
}

export interface StaticAssets {
  /** The script that a page loads first. */
  readonly script: StaticAsset;
  /** Scripts that the first one imports when a page needs them. */
  readonly parts: readonly StaticAsset[];
  readonly style: StaticAsset;
  readonly icon: StaticAsset;
}

/** Source of the explorer's page assets. Implemented by `adapters/pages`. */
export interface PageSource {
  /** Loads the assets once, on first use. Rejects where they can neither be found nor built. */
  load(): Promise<StaticAssets>;
}

/** Renders SVG texts as PNG. Implemented by `adapters/png`. */
export interface ImageRenderer {
  /** Changes with anything but the text that changes the bytes. */
  readonly version: string;
  /**
   * Renders the PNG in the size that the text declares. Results are cached. Undefined: no request waited for it any more when rendering
   * would have started. Rejects where the text is not SVG, or rendering fails.
   */
  render(svg: string, isAwaited: () => boolean): Promise<Buffer | undefined>;
}

/** Endpoint of the Model Context Protocol. Implemented by `adapters/mcp`. */
export interface McpEndpoint {
  /** Responds to the message in `body`, which is that of the request. `read` sends a read of the API by its path. */
  handle(request: Request, body: string, read: typeof fetch): Promise<Response>;
}

/** Response of a `public` machine's data API. Fetched only where the deployment allows it (decisions 1, `PARTNER_DATA`). */
export type PartnerResponse =
  | { readonly kind: 'object'; readonly value: object }
  /** Timeout, rejected address, redirect, or any status but 200. */
  | { readonly kind: 'unreachable' }
  /** A response that is too large or not a JSON object. */
  | { readonly kind: 'invalid' };

/** Reader of partner data. Implemented by `adapters/partner`. */
export interface PartnerData {
  /** Fetches partner data; cached for a minute. Never throws. */
  readPartnerData(url: string): Promise<PartnerResponse>;
}
