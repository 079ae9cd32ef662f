/**
 * Flood of lookups that cost calls to nodes (real-chains 3 and 8): known machines one after the other, unknown ids, random wallets
 * and junk decisions from eight addresses, while another caller reads known machines and `/ready`. The service must trust the
 * `X-Forwarded-For` of this process.
 */
import { performance } from 'node:perf_hooks';
import { Random } from '../../sim/random.ts';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export interface FloodResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface LookupFloodOptions {
  readonly seed: number;
  readonly seconds: number;
  /** DIDs of machines that the honest caller reads. */
  readonly known: readonly string[];
  /** DIDs of machines that the flood reads in turn; none is cached while there are more of them than reads in a minute. */
  readonly uncached: readonly string[];
  send(path: string, init: RequestInit): Promise<FloodResponse>;
}

export interface LookupFloodRun {
  readonly junk: readonly FloodResponse[];
  /** Responses to the flood's reads of known machines. */
  readonly lookups: readonly FloodResponse[];
  /** Responses to the honest caller. */
  readonly reads: readonly { readonly status: number; readonly milliseconds: number }[];
  readonly p99Milliseconds: number;
  readonly seconds: number;
}

const FLOODING = Array.from({ length: 8 }, (_, i) => `198.51.100.${i + 1}`);
/** Requests that each flooding address keeps in flight. */
const DEPTH = 4;
const HONEST = '203.0.113.9';

export async function runLookupFlood({
  seed,
  seconds,
  known,
  uncached,
  send,
}: LookupFloodOptions): Promise<LookupFloodRun> {
  const call = (address: string, path: string, init: RequestInit = {}) =>
    send(path, { ...init, headers: { 'content-type': 'application/json', 'x-forwarded-for': address } });
  const readKnown = async (path: string) => {
    const sentAt = performance.now();
    const { status } = await call(HONEST, path);
    return { status, milliseconds: performance.now() - sentAt };
  };
  const paths = [...known.map((did) => `/mcr/${did}`), '/ready'];
  for (const path of paths) await readKnown(path);

  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= seconds * 1000;
  const junk: FloodResponse[] = [];
  const lookups: FloodResponse[] = [];
  let turns = 0;
  const flood = FLOODING.flatMap((address, i) =>
    Array.from({ length: DEPTH }, async (_, k) => {
      const random = new Random(seed + DEPTH * i + k);
      while (!isOver()) {
        if (random.chance(0.5)) lookups.push(await call(address, `/mcr/${uncached[turns++ % uncached.length]}`));
        const { path, init } = drawJunk(random);
        junk.push(await call(address, path, init));
      }
    }),
  );
  const reads: { readonly status: number; readonly milliseconds: number }[] = [];
  while (!isOver()) for (const path of paths) reads.push(await readKnown(path));
  await Promise.all(flood);
  const sorted = reads.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const p99Milliseconds = sorted[Math.floor(sorted.length * 0.99)]!;
  return { junk, lookups, reads, p99Milliseconds, seconds: (performance.now() - startedAt) / 1000 };
}

function drawJunk(random: Random): { readonly path: string; readonly init?: RequestInit } {
  const unknownId = 10 ** 12 + random.integer(0, 10 ** 12);
  switch (random.integer(0, 2)) {
    case 0:
      return { path: `/mcr/did:svc:${unknownId}` };
    case 1: {
      const wallet = formatAltKey(Uint8Array.from({ length: 32 }, () => random.integer(0, 255)));
      return { path: `/solana/mcr/${wallet}` };
    }
    default: {
      const body = { opted_in: true, timestamp: Math.floor(Date.now() / 1000), signature: `0x${'1'.repeat(130)}` };
      return { path: `/machine/${unknownId}/monetization`, init: { method: 'PUT', body: JSON.stringify(body) } };
    }
  }
}
