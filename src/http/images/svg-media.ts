/** As what is an image sent? One that is opened by itself is a document: it may load and run nothing. */

export interface Media {
  readonly type: string;
  /** Of every answer with it. */
  readonly headers: Readonly<Record<string, string>>;
}

export const SVG_MEDIA: Media = {
  type: 'image/svg+xml; charset=utf-8',
  headers: {
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  },
};
