/** What is measured, by which program, beside which peer, and how good must it be? The table of `docs/benchmarks.md` and `npm run bench` go by it. */

import type { Measured } from './figures.ts';

export interface Goal {
  /** `ratio`: how many times better than the peer. */
  readonly of: 'ours' | 'ratio';
  readonly least?: number;
  readonly most?: number;
}

export interface FigurePlan {
  readonly what: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly peer?: string;
  readonly goal?: Goal;
  /** Why the goal is not held, where it was not when it was last measured. */
  readonly shortfall?: string;
}

export interface Benchmark {
  /** A file of `bench/`. */
  readonly program: string;
  readonly nodeFlags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Variables and arguments that make a smoke of it. */
  readonly quick: { readonly variables?: Readonly<Record<string, string>>; readonly args?: readonly string[] };
  /** Commands of the system without which it measures nothing. */
  readonly needs: readonly string[];
  readonly method: string;
  /** By name. */
  readonly figures: Readonly<Record<string, FigurePlan>>;
}

const RAW = 'raw node:http';
const FASTAPI = 'FastAPI, slowapi, uvicorn';
const BARE_LOOP = 'bare getLogs + JSON.parse';
const PONDER = 'ponder 0.16.6';
const ROUNDS = { BENCH_ROUNDS: '1' };
const SHORT = { ...ROUNDS, BENCH_SECONDS: '1' };

export const BENCHMARKS: readonly Benchmark[] = [
  {
    program: 'http/hot-read.ts',
    needs: ['wrk'],
    quick: { variables: SHORT },
    method:
      '`GET /mcr/{did}` of one machine, limiter on paper off, 64 connections of `wrk`; the peers answer the same bytes, and all three take turns.',
    figures: {
      'hot-read/node': {
        what: 'hot read of a rating',
        unit: 'requests/s',
        better: 'more',
        peer: RAW,
        goal: { of: 'ratio', least: 0.85 },
        shortfall:
          'what is above raw node:http is twice as many headers, the limits and the tally; half of what a request costs is the kernel’s write of its answer, in both',
      },
      'hot-read/cpu': { what: 'CPU of a hot read of a rating', unit: 'µs', better: 'less', peer: RAW },
      'hot-read/fastapi': { what: 'hot read of a rating', unit: 'requests/s', better: 'more', peer: FASTAPI },
    },
  },
  {
    program: 'http/hot-read.ts',
    needs: ['wrk'],
    variables: { BENCH_PATH: 'verify' },
    quick: { variables: SHORT },
    method: 'The same for `GET /v1/verify/machines/{id}`.',
    figures: {
      'verify-read/node': { what: 'hot read of a record of Verify', unit: 'requests/s', better: 'more', peer: RAW },
      'verify-read/cpu': { what: 'CPU of a hot read of a record of Verify', unit: 'µs', better: 'less', peer: RAW },
      'verify-read/fastapi': {
        what: 'hot read of a record of Verify',
        unit: 'requests/s',
        better: 'more',
        peer: FASTAPI,
      },
    },
  },
  {
    program: 'http/limiter-memory.ts',
    nodeFlags: ['--expose-gc'],
    needs: [],
    quick: { variables: { KEYS: '200000' } },
    method:
      'Ten million addresses ask the limiter of one process within a minute; memory beyond that of the empty process.',
    figures: {
      'limiter/memory': {
        what: 'memory of the limiter in a flood',
        unit: 'MiB',
        better: 'less',
        goal: { of: 'ours', most: 128 },
      },
      'limiter/count': { what: 'one request counted', unit: 'ns of CPU', better: 'less' },
    },
  },
  {
    program: 'start-up.ts',
    needs: [],
    quick: { variables: ROUNDS },
    method: 'From the start of the process, built, until `/health` has answered.',
    figures: {
      'start/chain': { what: 'start in front of a chain', unit: 'ms', better: 'less' },
      'start/uninitialised': { what: 'start without one', unit: 'ms', better: 'less' },
    },
  },
  {
    program: 'monetization/decisions.ts',
    needs: [],
    quick: { variables: ROUNDS },
    method:
      'Recovery of a signer, in turn with the peer; whole `PUT`s of 64 connections, each with its read of the chain and its write to the disk.',
    figures: {
      'decisions/recovery': { what: 'signers recovered', unit: '/s', better: 'more', peer: 'viem' },
      'decisions/refusal': { what: 'the dearest refusal of a malformed body', unit: 'µs of CPU', better: 'less' },
      'decisions/sqlite': { what: 'decisions on SQLite', unit: '/s', better: 'more' },
      'decisions/postgres': { what: 'decisions on PostgreSQL', unit: '/s', better: 'more' },
    },
  },
  {
    program: 'verify/evidence.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_CHALLENGES: '40' } },
    method:
      'All checks of one document in CPU time of one process; whole challenges and documents of a service on SQLite.',
    figures: {
      'evidence/checks': { what: 'documents of evidence checked', unit: '/s of CPU', better: 'more' },
      'evidence/challenges': { what: 'challenges issued', unit: '/s', better: 'more' },
      'evidence/accepted': { what: 'documents accepted', unit: '/s', better: 'more' },
    },
  },
  {
    program: 'rating/fold.ts',
    needs: [],
    quick: {},
    method: 'Half a million events folded, and answers from the fold of a full year.',
    figures: {
      'rating/fold': { what: 'events folded', unit: '/s', better: 'more' },
      'rating/rate': { what: 'one rating from a full fold', unit: 'µs', better: 'less' },
    },
  },
  {
    program: 'rating/discrimination.ts',
    needs: [],
    quick: {},
    method:
      'A simulated fleet whose machines default the likelier the worse they are; 0.5 is chance, 1 a perfect order.',
    figures: { 'rating/auc': { what: 'area under the ROC curve of the score', unit: '', better: 'more' } },
  },
  {
    program: 'index/backfill.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_CHAINS: 'sparse', BENCH_PONDER: 'off' } },
    method:
      'A chain with 200,000 transfers in 1,600 blocks (dense) and one with 200 in 5,000 (sparse), indexed into PostgreSQL by each in turn, final rows compared one by one.',
    figures: {
      ...backfillFigures('dense'),
      ...backfillFigures('sparse'),
    },
  },
  {
    program: 'index/alt-events.ts',
    needs: [],
    quick: { args: ['5000'] },
    method: 'A history of 100,000 events of the alt chain, of a chain in memory.',
    figures: {
      'alt-events/rate': { what: 'events of the alt chain indexed', unit: '/s', better: 'more' },
      'alt-events/questions': { what: 'questions to the node for each', unit: '', better: 'less' },
    },
  },
  {
    program: 'index/steady-state.ts',
    needs: ['wrk'],
    quick: { variables: { BENCH_SECONDS: '6', BLOCK_SECONDS: '2' } },
    method: 'Reads of 100 machines as fast as `wrk` sends them while blocks come; requests of the service to its node.',
    figures: {
      'steady/requests': { what: 'requests to the node for each block, under full load', unit: '', better: 'less' },
    },
  },
  {
    program: 'index/large-fleet.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_MACHINES: '20000' } },
    method: 'A million machines in SQLite, a fleet of 100,000 among them, served by the built service.',
    figures: {
      'large-fleet/resident': { what: 'resident memory with a million machines', unit: 'MB', better: 'less' },
      'large-fleet/restart': { what: 'restart to the first page', unit: 'ms', better: 'less' },
      'large-fleet/pages': { what: 'the last page beside the first', unit: 'times as long', better: 'less' },
    },
  },
  {
    program: 'growth.ts',
    needs: [],
    variables: { BENCH_MACHINES: '1,3' },
    quick: { variables: { ...ROUNDS, BENCH_MACHINES: '0.02', BENCH_PARTS: '16' } },
    method:
      'Up to ten million machines in PostgreSQL, whole and in 16 parts; see [operating-growth.md](operating-growth.md).',
    figures: {
      'growth/bytes': { what: 'tables and indexes for each machine', unit: 'bytes', better: 'less' },
      'growth/resident': { what: 'resident memory with three million machines', unit: 'MB', better: 'less' },
      'growth/restart': { what: 'restart to the first page with three million', unit: 'ms', better: 'less' },
    },
  },
  {
    program: 'replicas/rolling-restarts.ts',
    needs: ['nginx'],
    quick: { variables: { RESTARTS: '1', REQUESTS: '2000', RATE: '200' } },
    method: 'Two replicas behind nginx at a fixed rate of requests, taken out one after the other again and again.',
    figures: {
      'replicas/failed': {
        what: 'failed requests across rolling restarts',
        unit: '',
        better: 'less',
        goal: { of: 'ours', most: 0 },
      },
    },
  },
];

function backfillFigures(chain: 'dense' | 'sparse'): Readonly<Record<string, FigurePlan>> {
  const proof =
    'every window is proven against its headers (receipts root, block hash) and every owner read, which the peer does not do';
  return {
    [`${chain}/loop`]: {
      what: `transfers indexed, ${chain}`,
      unit: '/s',
      better: 'more',
      peer: BARE_LOOP,
      goal: { of: 'ratio', least: 0.85 },
      shortfall: proof,
    },
    [`${chain}/ponder`]: {
      what: `from the start of the process, ${chain}`,
      unit: 'ms',
      better: 'less',
      peer: PONDER,
      goal: { of: 'ratio', least: 30 },
      shortfall: proof,
    },
    [`${chain}/transform`]: {
      what: `the same against transforming alone, ${chain}`,
      unit: 'ms',
      better: 'less',
      peer: `${PONDER}, nothing left to fetch`,
      goal: { of: 'ratio', least: 3 },
      shortfall: proof,
    },
    [`${chain}/requests`]: {
      what: `requests to the node, ${chain}`,
      unit: '',
      better: 'less',
      peer: PONDER,
      goal: { of: 'ratio', least: 40 },
      shortfall:
        'a start asks what a deployment is before it indexes, and a short chain has few windows to spread that over',
    },
    [`${chain}/differences`]: {
      what: `final rows that differ from those of ${PONDER}, ${chain}`,
      unit: '',
      better: 'less',
      goal: { of: 'ours', most: 0 },
    },
  };
}

/** How many times better than the peer; undefined: nothing was measured of one. */
export function ratioOf({ better }: FigurePlan, { ours, peer }: Measured): number | undefined {
  if (peer === undefined || peer === null) return undefined;
  return better === 'more' ? ours / peer : peer / ours;
}

/** Undefined: no goal, or nothing to hold it against. */
export function isHeld(plan: FigurePlan, measured: Measured): boolean | undefined {
  const { goal } = plan;
  const value = goal?.of === 'ratio' ? ratioOf(plan, measured) : measured.ours;
  if (goal === undefined || value === undefined) return undefined;
  return value >= (goal.least ?? -Infinity) && value <= (goal.most ?? Infinity);
}
