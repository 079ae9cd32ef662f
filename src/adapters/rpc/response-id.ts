/** Ids of JSON-RPC responses. Some gateways return the number that was sent as decimal text. */

/** Returns the number of an id that is its exact decimal text; any other id unchanged. */
export function parseResponseId(id: unknown): unknown {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
}
