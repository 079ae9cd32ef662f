/** Benchmarks with their programs, peers and goals: the source of `docs/benchmarks.md` and `npm run bench`. */

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
const BEFORE_FLOOD = 'before the flood';
const ROUNDS = { BENCH_ROUNDS: '1' };
const SHORT = { ...ROUNDS, BENCH_SECONDS: '1' };

export const BENCHMARKS: readonly Benchmark[] = [
  {
    program: 'http/hot-read.ts',
    needs: ['wrk'],
    quick: { variables: SHORT },
    method:
      '`GET /mcr/{did}` of one machine, rate limits off, 64 connections of `wrk`. The peers return the same bytes, and all three alternate.',
    figures: {
      'hot-read/node': {
        what: 'hot read of a rating',
        unit: 'requests/s',
        better: 'more',
        peer: RAW,
        goal: { of: 'ratio', least: 0.85 },
        shortfall:
          'the difference to raw node:http is twice the headers, the limits and the counters; half of the cost of a request is the kernel’s write of the response, in both',
      },
      'hot-read/cpu': { what: 'CPU of a hot read of a rating', unit: 'µs', better: 'less', peer: RAW },
      'hot-read/fastapi': { what: 'hot read of a rating', unit: 'requests/s', better: 'more', peer: FASTAPI },
    },
  },
  {
    program: 'statements/hot-statement.ts',
    needs: ['wrk'],
    quick: { variables: SHORT },
    method:
      '`GET /mcr/{did}/statement` and `GET /mcr/{did}` of one machine and service, rate limits off, 64 connections of `wrk`; the two alternate. Signatures are made in one process without HTTP.',
    figures: {
      'hot-statement/rating': {
        what: 'hot read of a statement',
        unit: 'requests/s',
        better: 'more',
        peer: 'hot read of a rating',
        goal: { of: 'ratio', least: 0.5 },
      },
      'hot-statement/signatures': { what: 'signed statements', unit: '/s', better: 'more' },
    },
  },
  {
    program: 'http/hot-read.ts',
    needs: ['wrk'],
    variables: { BENCH_PATH: 'verify' },
    quick: { variables: SHORT },
    method: 'The same for `GET /v1/verify/machines/{id}`.',
    figures: {
      'verify-read/node': { what: 'hot read of a Verify record', unit: 'requests/s', better: 'more', peer: RAW },
      'verify-read/cpu': { what: 'CPU of a hot read of a Verify record', unit: 'µs', better: 'less', peer: RAW },
      'verify-read/fastapi': {
        what: 'hot read of a Verify record',
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
      'Ten million addresses call the limiter of one process within a minute; memory above that of the empty process.',
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
    program: 'http/lookup-flood.ts',
    needs: [],
    quick: { variables: { BENCH_SECONDS: '2' } },
    method:
      'Reads of 3,000 known machines, each once and so uncached, unknown ids, random wallets and junk decisions from eight addresses, four at a time each, for a minute, in front of a node with a budget of 25 calls a second and a block every two seconds; another caller reads four known machines and `/ready`. The calls include those of the head follower and the index. The index polls every five seconds; its lag is sampled twice a second, also for a minute before the flood.',
    figures: {
      'lookup-flood/served': {
        what: 'known machines and `/ready` answered 200 in a flood of lookups',
        unit: '%',
        better: 'more',
        goal: { of: 'ours', least: 100 },
      },
      'lookup-flood/p99': {
        what: '99th percentile of these answers',
        unit: 'ms',
        better: 'less',
        goal: { of: 'ours', most: 1_000 },
      },
      'lookup-flood/calls': {
        what: 'calls to the node in this flood, of a budget of 25',
        unit: '/s',
        better: 'less',
        goal: { of: 'ours', most: 25 },
      },
      'lookup-flood/uncached': {
        what: 'known, uncached machines answered 200 to the flood itself',
        unit: '%',
        better: 'more',
      },
      'lookup-flood/index-lag': {
        what: 'finalized blocks that the index lacks in this flood, on average',
        unit: 'blocks',
        better: 'less',
        peer: BEFORE_FLOOD,
        goal: { of: 'ratio', least: 0.7 },
      },
      'lookup-flood/index-lag-max': {
        what: 'the same, at most; a poll comes every 2.5 blocks',
        unit: 'blocks',
        better: 'less',
        peer: BEFORE_FLOOD,
        goal: { of: 'ours', most: 5 },
      },
    },
  },
  {
    program: 'start-up.ts',
    needs: [],
    quick: { variables: ROUNDS },
    method: 'From the start of the built process until `/health` responds.',
    figures: {
      'start/chain': { what: 'start with a chain', unit: 'ms', better: 'less' },
      'start/uninitialised': { what: 'start without a chain', unit: 'ms', better: 'less' },
    },
  },
  {
    program: 'monetization/decisions.ts',
    needs: [],
    quick: { variables: ROUNDS },
    method:
      'Signer recovery, alternating with the peer. Complete `PUT`s on 64 connections, each with a chain read and a disk write.',
    figures: {
      'decisions/recovery': { what: 'signers recovered', unit: '/s', better: 'more', peer: 'viem' },
      'decisions/refusal': { what: 'most expensive rejection of a malformed body', unit: 'µs of CPU', better: 'less' },
      'decisions/sqlite': { what: 'decisions on SQLite', unit: '/s', better: 'more' },
      'decisions/postgres': { what: 'decisions on PostgreSQL', unit: '/s', better: 'more' },
    },
  },
  {
    program: 'verify/evidence.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_CHALLENGES: '40' } },
    method:
      'All checks of one document, in CPU time of one process. Complete challenges and submissions to a service on SQLite.',
    figures: {
      'evidence/checks': { what: 'evidence documents checked', unit: '/s of CPU', better: 'more' },
      'evidence/challenges': { what: 'challenges issued', unit: '/s', better: 'more' },
      'evidence/accepted': { what: 'documents accepted', unit: '/s', better: 'more' },
    },
  },
  {
    program: 'rating/fold.ts',
    needs: [],
    quick: {},
    method: 'Half a million events folded, and ratings from the rating state of a full year.',
    figures: {
      'rating/fold': { what: 'events folded', unit: '/s', better: 'more' },
      'rating/rate': { what: 'one rating from a full rating state', unit: 'µs', better: 'less' },
      'rating/state': {
        what: 'full rating state of a machine',
        unit: 'bytes',
        better: 'less',
        goal: { of: 'ours', most: 32_768 },
      },
    },
  },
  {
    program: 'rating/citations.ts',
    needs: [],
    quick: { variables: { BENCH_DAYS: '12' } },
    method:
      'Five machines that cite one payment a day each for 100 days, five payments to a block, followed by a service on SQLite from a proxy that counts calls and bytes. `BENCH_DAYS` changes the length.',
    figures: {
      'citation/calls': { what: 'calls to the source per cited event', unit: '', better: 'less' },
      'citation/bytes': { what: 'bytes to and from the source per cited event', unit: 'bytes', better: 'less' },
      'citation/rows': { what: 'rows stored per cited event', unit: '', better: 'less' },
      'citation/stored': { what: 'bytes stored per cited event', unit: 'bytes', better: 'less' },
      'citation/calls-per-second': {
        what: 'calls to the source for 10,000 machines with 20 cited events a day, computed',
        unit: '/s',
        better: 'less',
        goal: { of: 'ours', most: 20 },
      },
    },
  },
  {
    program: 'rating/discrimination.ts',
    needs: [],
    quick: {},
    method:
      'Forty simulated fleets of 500 machines whose worse machines are more likely to default, in a world where all report honestly and in one where three of ten bad machines game the rating; 0.5 is chance, 1 a perfect order. The interval holds the areas of 95 % of the fleets.',
    figures: {
      'rating/auc-honest': { what: 'area under the ROC curve of the score, honest world', unit: '', better: 'more' },
      'rating/auc-gamed': { what: 'the same where bad machines game the rating', unit: '', better: 'more' },
    },
  },
  {
    program: 'index/backfill.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_CHAINS: 'sparse', BENCH_PONDER: 'off' } },
    method:
      'A chain with 200,000 transfers in 1,600 blocks (dense) and one with 200 in 5,000 (sparse), indexed into PostgreSQL by each in turn: by the service from logs alone, as far as serving (`BENCH_INDEX_PROOF=before` proves each block first). All final rows are compared.',
    figures: {
      ...backfillFigures('dense'),
      ...backfillFigures('sparse'),
    },
  },
  {
    program: 'index/first-start.ts',
    needs: ['wrk'],
    quick: { variables: { ...SHORT, BENCH_BLOCKS: '20000', BENCH_DENSE: '400', BENCH_STARTS: '1' } },
    method:
      'A chain of 200,000 blocks, 0.1 % with logs, behind a node that limits log queries. Counts calls from the start of the process until a rating and all listings, in the start with the fewest of two, and computes the minutes of 10,000,000 blocks with 60,000 events of 10,000 machines in 50,000 blocks at 25 calls a second: all calls of that start, and what further blocks, machines and events cost. Without `blockTimestamp` the calls beside windows are those of a chain with 3,800 blocks with logs at 25 calls a second, with the headers of the newest quarter. Polls of the head are counted as they were in the start. Then the background proof of a dense chain (950 of 1,900 blocks with logs), and hot reads meanwhile.',
    figures: {
      ...firstStartFigures(10_000, 3),
      ...firstStartFigures(2_000, 6),
      ...firstStartFigures(1_024, 10),
      'first-start/proof': {
        what: 'background proof, with the start before it',
        unit: 'ms',
        better: 'less',
        peer: 'INDEX_PROOF=before',
        goal: { of: 'ratio', least: 0.5 },
      },
      'first-start/reads': {
        what: 'hot reads during the background proof',
        unit: '/s of CPU',
        better: 'more',
        peer: 'INDEX_PROOF=off',
        goal: { of: 'ratio', least: 0.9 },
        shortfall:
          'the CPU time of the proof itself counts as that of the reads; runs on a loaded machine differ by a tenth',
      },
    },
  },
  {
    program: 'index/alt-events.ts',
    needs: [],
    quick: { args: ['5000'] },
    method: 'A history of 100,000 alt-chain events on an in-memory chain.',
    figures: {
      'alt-events/rate': { what: 'alt-chain events indexed', unit: '/s', better: 'more' },
      'alt-events/requests': { what: 'requests to the node per event', unit: '', better: 'less' },
    },
  },
  {
    program: 'index/steady-state.ts',
    needs: ['wrk'],
    quick: { variables: { BENCH_SECONDS: '6', BLOCK_SECONDS: '2' } },
    method:
      'Reads of 100 machines as fast as `wrk` sends them while blocks arrive; counts the service’s requests to its node.',
    figures: {
      'steady/requests': { what: 'requests to the node per block, under full load', unit: '', better: 'less' },
    },
  },
  {
    program: 'index/large-fleet.ts',
    needs: [],
    quick: { variables: { ...ROUNDS, BENCH_MACHINES: '20000' } },
    method: 'A million machines in SQLite, including a fleet of 100,000, served by the built service.',
    figures: {
      'large-fleet/resident': { what: 'resident memory with a million machines', unit: 'MB', better: 'less' },
      'large-fleet/restart': { what: 'restart to the first page', unit: 'ms', better: 'less' },
      'large-fleet/pages': { what: 'last page compared with the first', unit: 'times as long', better: 'less' },
    },
  },
  {
    program: 'growth.ts',
    needs: [],
    variables: { BENCH_MACHINES: '1,3' },
    quick: { variables: { ...ROUNDS, BENCH_MACHINES: '0.02', BENCH_PARTS: '16' } },
    method:
      'Up to ten million machines in PostgreSQL, whole and in 16 partitions; see [capacity-planning.md](capacity-planning.md).',
    figures: {
      'growth/bytes': { what: 'tables and indexes per machine', unit: 'bytes', better: 'less' },
      'growth/resident': { what: 'resident memory with three million machines', unit: 'MB', better: 'less' },
      'growth/restart': { what: 'restart to the first page with three million', unit: 'ms', better: 'less' },
    },
  },
  {
    program: 'replicas/slopes.ts',
    needs: [],
    quick: { variables: { COUNTS: '1,2', RATE: '100', SECONDS: '5' } },
    method:
      'One to four replicas over one PostgreSQL and both local chains, idle and then at a fixed request rate each; see [capacity-planning.md](capacity-planning.md#cost-of-a-replica). CPU times, because throughput depends on other load.',
    figures: {
      'replicas/idle': { what: 'a further replica while idle', unit: 's of CPU a minute', better: 'less' },
      'replicas/idle-database': {
        what: 'the database for a further idle replica',
        unit: 's of CPU a minute',
        better: 'less',
      },
      'replicas/request': {
        what: 'a request of a mix of routes, with all background work',
        unit: 'µs of CPU',
        better: 'less',
      },
      'replicas/resident': { what: 'resident memory of the largest of four replicas', unit: 'MB', better: 'less' },
      'replicas/node-requests': { what: 'requests to the nodes for a further replica', unit: '/min', better: 'less' },
      'replicas/connections': { what: 'database connections of a replica', unit: '', better: 'less' },
    },
  },
  {
    program: 'replicas/rolling-restarts.ts',
    needs: ['nginx'],
    quick: { variables: { RESTARTS: '1', REQUESTS: '2000', RATE: '200' } },
    method: 'Two replicas behind nginx at a fixed request rate, restarted alternately.',
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

/** Figures of one limit of the node. `minutes`: goal for 10,000,000 blocks with `blockTimestamp`. */
function firstStartFigures(range: number, minutes: number): Readonly<Record<string, FigurePlan>> {
  const extra = {
    unit: '',
    better: 'less',
    goal: { of: 'ours', most: 30 },
    shortfall:
      'the search for the widest range takes 9 calls, the head follower one header for each of 8 unfinalized blocks and two calls a second, and the rating and listings themselves 6; a loaded machine adds polls',
  } as const;
  const needed = 'calls until serving beyond windows, counters and record pages';
  return {
    [`first-start/extra-${range}`]: { what: `${needed}, ranges of ${range}`, ...extra },
    [`first-start/extra-${range}-untimed`]: {
      what: `the same beyond headers too, no blockTimestamp, ${range}`,
      ...extra,
    },
    [`first-start/calls-${range}`]: {
      what: `all calls of this start of 200,000 blocks, ranges of ${range}`,
      unit: '',
      better: 'less',
    },
    [`first-start/windows-${range}`]: {
      what: `windows of logs among them, also refused, ${range}`,
      unit: '',
      better: 'less',
    },
    [`first-start/minutes-${range}`]: {
      what: `10,000,000 blocks at 25 calls/s until serving, ranges of ${range}`,
      unit: 'min',
      better: 'less',
      goal: { of: 'ours', most: minutes },
    },
    [`first-start/minutes-${range}-untimed`]: {
      what: `the same for machines of the last 180 of 730 days, no blockTimestamp, ${range}`,
      unit: 'min',
      better: 'less',
      goal: { of: 'ours', most: 15 },
      shortfall:
        'headers of the newest quarter of the blocks with logs take 8.3 minutes by themselves, after windows of 6.5 minutes for ranges of 1,024',
    },
  };
}

function backfillFigures(chain: 'dense' | 'sparse'): Readonly<Record<string, FigurePlan>> {
  const work =
    'each transfer is stored with its block, its time, a digest for the proof and what it means for later events, and every owner is read; the peer stores owners alone. PostgreSQL needs the time of its own copy of these rows in any case';
  /** Stated for the dense chain alone. */
  const ofDense = <T>(plan: T) => (chain === 'dense' ? plan : {});
  return {
    [`${chain}/loop`]: {
      what: `transfers indexed, ${chain}`,
      unit: '/s',
      better: 'more',
      peer: BARE_LOOP,
      ...ofDense({ goal: { of: 'ratio', least: 0.85 }, shortfall: work } as const),
    },
    [`${chain}/ponder`]: {
      what: `time from process start, ${chain}`,
      unit: 'ms',
      better: 'less',
      peer: PONDER,
      goal: { of: 'ratio', least: chain === 'dense' ? 30 : 20 },
      shortfall: work,
    },
    [`${chain}/transform`]: {
      what: `the same compared with transformation only, ${chain}`,
      unit: 'ms',
      better: 'less',
      peer: `${PONDER}, nothing left to fetch`,
      goal: { of: 'ratio', least: 3 },
      shortfall: work,
    },
    [`${chain}/requests`]: {
      what: `requests to the node, ${chain}`,
      unit: '',
      better: 'less',
      peer: PONDER,
      ...ofDense({ goal: { of: 'ratio', least: 40 } } as const),
    },
    [`${chain}/copy`]: {
      what: `copy of the stored rows inside PostgreSQL, one statement a table, ${chain}`,
      unit: 'ms',
      better: 'less',
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
