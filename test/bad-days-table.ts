/**
 * What does every route say while one thing that the service depends on is unwell? The table that `test/service/bad-days.test.ts` holds the
 * service to, and that `docs/bad-days.md` is rendered from.
 */
import type { DeadlineClass } from '../src/http/server/route-profiles.ts';

/** What a caller waits for an answer, at most: what the interface promises, with the network. */
export const PATIENCE_MILLISECONDS: Readonly<Record<DeadlineClass, number>> = {
  general: 10_000,
  verify: 5_000,
  'chip-challenge': 6_000,
  'chip-evidence': 9_000,
};

/** One poll of the service under test: by then it must have recovered, without a restart. */
export const POLL_INTERVAL_SECONDS = 15;

interface AskedRoute {
  readonly line: string;
  readonly pace: DeadlineClass;
  /** Of a service that lacks nothing. */
  readonly well: string;
  /** Asked once a fault: asking uses something up. */
  readonly isWrite: boolean;
}

const read = (line: string, well = '200'): AskedRoute => ({ line, pace: 'general', well, isWrite: false });
const write = (line: string, well: string, pace: DeadlineClass): AskedRoute => ({ line, pace, well, isWrite: true });

const ASKED = {
  rating: read('`GET /mcr/{did}`'),
  explanation: read('`GET /mcr/{did}/explanation`'),
  profile: read('`GET /machine/{did}`'),
  card: read('`GET /machines/{machine_id}`'),
  metadata: read('`GET /metadata/{token_id}`'),
  altRating: read('`GET /mcr/{did}`, of the alt chain'),
  absent: read('`GET /machines/{machine_id}`, of no machine', '404 Machine not found'),
  fleet: read('`GET /operator/{did}/machines`'),
  bound: read('`GET /solana/mcr/{address}`'),
  decision: read('`GET /machine/{did}/monetization`'),
  decide: write('`PUT /machine/{did}/monetization`', '200', 'general'),
  deployment: read('`GET /.well-known/svc-monetization`'),
  verify: { ...read('`GET /v1/verify/machines/{machineId}`'), pace: 'verify' },
  challenge: write('`POST /v1/verify/chip/challenge`', '201', 'chip-challenge'),
  evidence: write('`POST /v1/verify/chip/evidence`, for no challenge', '404 CHALLENGE_NOT_FOUND', 'chip-evidence'),
  health: read('`GET /health`'),
  ready: read('`GET /ready`'),
  document: read('`GET /openapi.json`'),
} as const satisfies Readonly<Record<string, AskedRoute>>;

export type RouteName = keyof typeof ASKED;
export const ROUTES: Readonly<Record<RouteName, AskedRoute>> = ASKED;
export const ROUTE_NAMES = Object.keys(ASKED) as RouteName[];

/** What a route may say once the service has noticed; more than one where it depends on what is still kept. */
type Cell = string | readonly string[];

export interface Outcome {
  readonly says: string;
  /** Routes that are not named answer as when all is well. */
  readonly cells: Partial<Readonly<Record<RouteName, Cell>>>;
}

const MAIN = '503 Chain unavailable';
const MAIN_CODED = '503 CHAIN_UNAVAILABLE';
const ALT = '503 Home chain unavailable';
const VERIFY = '503 VERIFY_READ_UNAVAILABLE';
const STORAGE = '503 Storage unavailable';
const CHIP_STORAGE = '503 VERIFY_STORE_UNAVAILABLE';
/** The interface knows no other code for a decision that cannot be stored or read. */
export const DECISION_STORAGE = '500 INTERNAL_ERROR';

const every = (names: readonly RouteName[], cell: Cell) =>
  Object.fromEntries(names.map((name) => [name, cell])) as Partial<Record<RouteName, Cell>>;
const RATED = [
  'rating',
  'explanation',
  'profile',
  'card',
  'metadata',
  'altRating',
  'absent',
  'fleet',
  'bound',
] as const;

export const OUTCOMES = {
  served: { says: 'Everything is served.', cells: {} },
  mainUnreadable: {
    says: 'What stands on the main chain is 503; the rest is served.',
    cells: {
      ...every(RATED, MAIN),
      ...every(['decision', 'decide', 'challenge'], MAIN_CODED),
      verify: VERIFY,
      ready: '503',
    },
  },
  mainDoubted: {
    says: 'Nothing new is read from the main chain, and nothing decided; what is known, and nothing newer contradicts, is served for 60 s.',
    cells: {
      ...Object.fromEntries(RATED.map((name) => [name, [ASKED[name].well, MAIN]])),
      decision: ['200', MAIN_CODED],
      ...every(['decide', 'challenge'], MAIN_CODED),
      verify: ['200', VERIFY],
      ready: '503',
    },
  },
  altUnreadable: {
    says: 'Machines of the alt chain are 503, and so is what only it could know; a binding is served for as long as it is kept, 60 s. The rest is served.',
    cells: { ...every(['altRating', 'absent'], ALT), bound: ['200', '503 Binding registry unavailable'] },
  },
  databaseDown: {
    says: 'What needs the index or a stored decision says that storage is unavailable.',
    cells: {
      ...every(RATED, STORAGE),
      ...every(['decision', 'decide'], DECISION_STORAGE),
      verify: VERIFY,
      ...every(['challenge', 'evidence'], CHIP_STORAGE),
      ready: '503',
    },
  },
  databaseSilent: {
    says: 'The same, at the latest at the deadline of the route; a deadline does not know what it waited for.',
    cells: {
      ...every(RATED, [STORAGE, MAIN]),
      ...every(['decision', 'decide'], [DECISION_STORAGE, MAIN_CODED]),
      verify: VERIFY,
      ...every(['challenge', 'evidence'], [CHIP_STORAGE, MAIN_CODED]),
      ready: '503',
    },
  },
  databaseReadOnly: {
    says: 'What writes says that storage is unavailable; everything else is served.',
    cells: { decide: DECISION_STORAGE, challenge: CHIP_STORAGE, ready: '503' },
  },
} as const satisfies Readonly<Record<string, Outcome>>;

export type OutcomeName = keyof typeof OUTCOMES;

export type Dependency = 'main' | 'alt' | 'database';
export const DEPENDENCIES: Readonly<Record<Dependency, string>> = {
  main: 'node of the main chain',
  alt: 'node of the alt chain',
  database: 'PostgreSQL',
};

export type FaultName =
  | 'latency'
  | 'cut'
  | 'reset'
  | 'silence'
  | 'dribble'
  | 'garbage'
  | 'stale'
  | 'lying'
  | 'wrong chain'
  | 'read-only'
  | 'without its tables';

export interface BadDay {
  readonly dependency: Dependency;
  readonly fault: FaultName;
  readonly what: string;
  readonly outcome: OutcomeName;
  /** Tried with every run of the tests; the others by `BAD_DAYS=all`. */
  readonly isAlwaysTried?: true;
}

const WIRE: readonly (readonly [fault: FaultName, what: string])[] = [
  ['latency', 'every part of an answer comes late, by 200 ms, of PostgreSQL by 20 ms'],
  ['cut', 'connections end, and new ones are closed at once'],
  ['reset', 'connections are reset as soon as an answer begins'],
  ['silence', 'everything is taken and nothing comes back'],
  ['dribble', 'answers come at ten bytes a second'],
  ['garbage', 'answers are bytes of no protocol'],
];

/** In these a reader cannot tell a bad answer from one that has not come whole. */
const QUIET: readonly FaultName[] = ['silence', 'dribble', 'garbage'];

function wireDays(dependency: Dependency, down: OutcomeName, silent: OutcomeName, always: FaultName): BadDay[] {
  return WIRE.map(([fault, what]) => ({
    dependency,
    fault,
    what,
    outcome: fault === 'latency' ? 'served' : QUIET.includes(fault) ? silent : down,
    ...(fault === always && { isAlwaysTried: true }),
  }));
}

export const BAD_DAYS: readonly BadDay[] = [
  ...wireDays('main', 'mainUnreadable', 'mainUnreadable', 'garbage'),
  {
    dependency: 'main',
    fault: 'stale',
    what: 'state is that of three blocks before the block asked for',
    outcome: 'mainDoubted',
  },
  {
    dependency: 'main',
    fault: 'lying',
    what: 'every call reverts as if no machine existed',
    outcome: 'mainDoubted',
  },
  {
    dependency: 'main',
    fault: 'wrong chain',
    what: 'the URL leads to another chain with the same chain id',
    outcome: 'mainUnreadable',
    isAlwaysTried: true,
  },
  ...wireDays('alt', 'altUnreadable', 'altUnreadable', 'reset'),
  {
    dependency: 'alt',
    fault: 'stale',
    what: 'answers are of a slot long past',
    outcome: 'altUnreadable',
  },
  {
    dependency: 'alt',
    fault: 'lying',
    what: 'no account exists, and the slot is far ahead',
    outcome: 'altUnreadable',
  },
  {
    dependency: 'alt',
    fault: 'wrong chain',
    what: 'the URL leads to another cluster, in which no account exists',
    outcome: 'altUnreadable',
    isAlwaysTried: true,
  },
  ...wireDays('database', 'databaseDown', 'databaseSilent', 'cut'),
  {
    dependency: 'database',
    fault: 'read-only',
    what: 'the server takes no write, as a standby does',
    outcome: 'databaseReadOnly',
  },
  {
    dependency: 'database',
    fault: 'without its tables',
    what: 'the schema is not the one that the service made',
    outcome: 'databaseDown',
  },
];

export type Answers = Readonly<Record<RouteName, string>>;

/** All that a route may say on such a day, once it was noticed. */
export function expectedOf(outcome: OutcomeName, route: RouteName): readonly string[] {
  const { cells }: Outcome = OUTCOMES[outcome];
  return [cells[route] ?? ROUTES[route].well].flat();
}
