/**
 * Outage of a node under load: what needs the node returns 503, the rest is served, and everything recovers without a restart (architecture,
 * rule 1; chain-svm 5).
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startRpcProxy, type RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const { machines, operators, wallets, altChain } = inject('fixtures');
/** Listings are served for three intervals of an outage of the alt chain, which is longer than the tests need on a busy machine. */
const POLL_INTERVAL_SECONDS = 3;
const WORKERS = 8;
/** Between two requests of one worker, so that the load leaves processor time to the service. */
const PAUSE_MILLISECONDS = 20;
const POLL_MILLISECONDS = 50;

const readsOf = (name: string) => {
  const { id, did } = findMachine(machines, name);
  return [`/mcr/${did}`, `/machine/${did}`, `/metadata/${id}`, `/machines/${id}`];
};
const MAIN_READS = readsOf('rated-aaa');
const ALT_READS = readsOf('alt-declared');
const FLEET = `/operator/${findMachine(operators, 'fleet').address}/machines`;
const BOUND = `/solana/mcr/${wallets.find(({ state }) => state === 'bound')!.address}`;
const UNKNOWN = '/machines/123456789';

let main: RpcProxy;
let alt: RpcProxy;
let proxied: ProxiedService;
beforeAll(async () => {
  alt = await startRpcProxy(altChain!.rpcUrl);
  proxied = await startIndexedService({
    ALT_RPC_URLS: alt.url,
    POLL_INTERVAL_SECONDS: String(POLL_INTERVAL_SECONDS),
  });
  main = proxied.proxy;
});
afterAll(async () => {
  await proxied.close();
  await alt.close();
});

const statusOf = async (path: string) => (await fetchChecked(proxied.service.url + path)).status;
const textOf = async (path: string) => (await fetchChecked(proxied.service.url + path)).text;

async function until(path: string, status: number): Promise<void> {
  while ((await statusOf(path)) !== status) await delay(POLL_MILLISECONDS);
}

type Waiting = (path: string, status: number) => Promise<void>;

/**
 * Requests all paths repeatedly while `during` runs, and returns the statuses of each path. `during` waits for the
 * load itself: a short outage can end before the load requested every path.
 */
async function load(
  paths: readonly string[],
  during: (untilSeen: Waiting) => Promise<void>,
): Promise<Record<string, number[]>> {
  const seen = new Map(paths.map((path) => [path, new Set<number>()]));
  const responses = new EventEmitter();
  let isOver = false;
  const work = async (from: number) => {
    for (let next = from; !isOver; next++) {
      const path = paths[next % paths.length]!;
      const status = await statusOf(path);
      seen.get(path)!.add(status);
      responses.emit(`${status} ${path}`);
      await delay(PAUSE_MILLISECONDS);
    }
  };
  const workers = Array.from({ length: WORKERS }, (_, worker) => work(worker));
  await during(async (path, status) => {
    await once(responses, `${status} ${path}`);
  });
  isOver = true;
  await Promise.all(workers);
  return Object.fromEntries([...seen].map(([path, statuses]) => [path, [...statuses].sort()]));
}

const always = (paths: readonly string[], ...statuses: number[]) =>
  Object.fromEntries(paths.map((path) => [path, statuses]));

describe('while the alt-chain node is down', () => {
  it('its machines return 503 under load, and recover', async () => {
    const seen = await load([...MAIN_READS, ...ALT_READS, FLEET], async (untilSeen) => {
      for (const path of ALT_READS) await untilSeen(path, 200);
      alt.inject({ kind: 'cut' });
      for (const path of ALT_READS) await untilSeen(path, 503);
      alt.heal();
      for (const path of ALT_READS) await untilSeen(path, 200);
    });
    expect(seen).toEqual({ ...always([...MAIN_READS, FLEET], 200), ...always(ALT_READS, 200, 503) });
  });

  it('an id that only it can resolve is not reported as absent', async () => {
    await until(UNKNOWN, 404);
    alt.inject({ kind: 'cut' });
    await until(UNKNOWN, 503);
    expect(await textOf(UNKNOWN)).toBe('{"detail":"Home chain unavailable"}');
    alt.heal();
    await until(UNKNOWN, 404);
  });

  it('a listing counts its machines as unreadable and contains the others', async () => {
    await until(ALT_READS[0]!, 200);
    alt.inject({ kind: 'cut' });
    await until(ALT_READS[0]!, 503);
    const ofPages = async () => {
      const pages = await Promise.all(
        [0, 20, 40].map(async (offset) => {
          const { status, text, json } = await fetchChecked(`${proxied.service.url}${FLEET}?offset=${offset}`);
          expect([status, status === 200 ? undefined : text]).toEqual([200, undefined]);
          return json<Page>();
        }),
      );
      return {
        listed: pages.flatMap((page) => page.machines).length,
        unreadable: pages.reduce((sum, page) => sum + page.unreadable, 0),
        total: pages[0]!.pagination.total,
      };
    };
    expect(await ofPages()).toEqual({ listed: 45, unreadable: 5, total: 50 });
    alt.heal();
    await until(ALT_READS[0]!, 200);
    expect(await ofPages()).toEqual({ listed: 50, unreadable: 0, total: 50 });
  });

  it('a cached binding is served, because scores come from the main chain', async () => {
    await until(BOUND, 200);
    alt.inject({ kind: 'cut' });
    await until(ALT_READS[0]!, 503);
    expect(await statusOf(BOUND)).toBe(200);
    alt.heal();
    await until(ALT_READS[0]!, 200);
  });
});

interface Page {
  readonly machines: readonly object[];
  readonly unreadable: number;
  readonly pagination: { readonly total: number };
}

describe('while the main-chain node is down', () => {
  it('every route returns 200 or 503 under load, and recovers', async () => {
    const paths = [...MAIN_READS, ...ALT_READS, FLEET, BOUND];
    const seen = await load(paths, async (untilSeen) => {
      main.inject({ kind: 'cut' });
      for (const path of paths) await untilSeen(path, 503);
      main.heal();
      for (const path of paths) await untilSeen(path, 200);
    });
    expect(seen).toEqual(always(paths, 200, 503));
  });

  it('the process stays alive and reports the lost connection', async () => {
    await until('/ready', 200);
    main.inject({ kind: 'cut' });
    const isConnected = async () => (JSON.parse(await textOf('/ready')) as { rpc_connected: boolean }).rpc_connected;
    while (await isConnected()) await delay(POLL_MILLISECONDS);
    expect(await statusOf('/ready')).toBe(503);
    expect(await statusOf('/health')).toBe(200);
    main.heal();
    await until('/ready', 200);
  });
});
