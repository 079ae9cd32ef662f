/**
 * A flood of lookups in front of a node with a call budget (real-chains 3 and 8). `bench/http/lookup-flood.ts` measures the same for
 * longer. `SEED` repeats one.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runLookupFlood } from '../../../testing/harness/lookup-flood.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';

const CALLS_PER_SECOND = 25;
const SECONDS = 6;
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

const { machines } = inject('fixtures');
const UNCACHED = machines.filter(({ name }) => name.startsWith('fleet-')).map(({ did }) => did);
const KNOWN = ['rated-aaa', 'rated-b', 'provisioned', 'verified'].map((name) => findMachine(machines, name).did);

let proxied: ProxiedService;
beforeAll(async () => {
  proxied = await startProxiedService({
    MAIN_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    ALT_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => proxied.close());

it(`serves known machines and stays ready and within the budget (seed ${SEED})`, async () => {
  const { service, proxy } = proxied;
  const send = (path: string, init: RequestInit) => fetchChecked(service.url + path, init);
  // Their first reads are part of no flood.
  for (const did of KNOWN) expect((await send(`/mcr/${did}`, {})).status).toBe(200);
  proxy.resetCounts();
  const { junk, lookups, reads, seconds } = await runLookupFlood({
    seed: SEED,
    seconds: SECONDS,
    known: KNOWN,
    uncached: UNCACHED,
    send,
  });
  const calls = proxy.calls.length;

  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  // The window in which the counting begins may be used already.
  expect(calls).toBeLessThanOrEqual(CALLS_PER_SECOND * (seconds + 1));
  expect(junk.map(({ status }) => status).filter((status) => status !== 404 && status !== 503)).toEqual([]);
  expect(lookups.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const refusals = [...junk, ...lookups].filter(({ text }) => text.includes('Too many new lookups'));
  for (const { status, headers } of refusals) {
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
  }
});
