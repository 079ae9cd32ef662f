/** Media type and headers of SVG images. An SVG opened directly is a document, so its policy lets it load and run nothing. */

export interface Media {
  readonly type: string;
  /** Headers of every response with this media type. */
  readonly headers: Readonly<Record<string, string>>;
}

export const SVG_MEDIA: Media = {
  type: 'image/svg+xml; charset=utf-8',
  headers: {
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  },
};
