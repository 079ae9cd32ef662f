/** Requests of the replay to the service. */

const TIMEOUT_MILLISECONDS = 30_000;

/** Requests JSON. Rejects as `fetch` does, also for a redirect and after 30 s. */
export function requestJson(send: typeof fetch, url: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  return send(url, { headers: { accept: 'application/json' }, redirect: 'error', signal });
}
