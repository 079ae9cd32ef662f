/** What does the data API of a `public` machine answer? Asked only where the deployment allows it (decisions 1, `PARTNER_DATA`). */
export type PartnerAnswer =
  | { readonly kind: 'object'; readonly value: object }
  /** No answer in time, a refused address, a redirect, any status but 200. */
  | { readonly kind: 'unreachable' }
  /** An answer that is too large or not a JSON object. */
  | { readonly kind: 'invalid' };

export interface PartnerData {
  /** Never throws. An answer is kept for a minute. */
  readPartnerData(url: string): Promise<PartnerAnswer>;
}
