/** The service's side of a response type: whole numbers may be bigints, which are encoded with all their digits. */

/** Maps a response type to what the service may encode as it. */
export type Sent<T> = T extends number
  ? number extends T
    ? number | bigint
    : T
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> }
    : T;
