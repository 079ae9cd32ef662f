/**
 * Expected response of every route while one dependency of the service fails. `test/service/outages/failure-modes.test.ts` asserts this table, and
 * `docs/failure-modes.md` is rendered from it.
 */
import type { ClockState } from '../src/domain/clock/clock-judgement.ts';
import type { DeadlineClass } from '../src/http/server/route-profiles.ts';
import type { DeliveryProblem } from '../src/ports/webhooks.ts';

/** Longest time that a caller waits for a response: the interface's promise plus the network. */
export const RESPONSE_TIMEOUT_MILLISECONDS: Readonly<Record<DeadlineClass, number>> = {
  general: 10_000,
  verify: 5_000,
  'chip-challenge': 6_000,
  'chip-evidence': 9_000,
};

/** Poll interval of the service under test, within which it must recover without a restart. */
export const POLL_INTERVAL_SECONDS = 15;

interface RequestedRoute {
  readonly line: string;
  readonly deadline: DeadlineClass;
  /** Response while every dependency works. */
  readonly healthy: string;
  /** Requested once per fault, because each request consumes something. */
  readonly isWrite: boolean;
}

const read = (line: string, healthy = '200'): RequestedRoute => ({
  line,
  deadline: 'general',
  healthy,
  isWrite: false,
});
const write = (line: string, healthy: string, pace: DeadlineClass): RequestedRoute => ({
  line,
  deadline: pace,
  healthy,
  isWrite: true,
});

const REQUESTED = {
  rating: read('`GET /mcr/{did}`'),
  explanation: read('`GET /mcr/{did}/explanation`'),
  profile: read('`GET /machine/{did}`'),
  card: read('`GET /machines/{machine_id}`'),
  metadata: read('`GET /metadata/{token_id}`'),
  altRating: read('`GET /mcr/{did}` (alt-chain machine)'),
  absent: read('`GET /machines/{machine_id}` (no such machine)', '404 Machine not found'),
  fleet: read('`GET /operator/{did}/machines`'),
  bound: read('`GET /solana/mcr/{address}`'),
  decision: read('`GET /machine/{did}/monetization`'),
  decide: write('`PUT /machine/{did}/monetization`', '200', 'general'),
  deployment: read('`GET /.well-known/svc-monetization`'),
  verify: { ...read('`GET /v1/verify/machines/{machineId}`'), deadline: 'verify' },
  challenge: write('`POST /v1/verify/chip/challenge`', '201', 'chip-challenge'),
  evidence: write('`POST /v1/verify/chip/evidence` (unknown challenge)', '404 CHALLENGE_NOT_FOUND', 'chip-evidence'),
  health: read('`GET /health`'),
  ready: read('`GET /ready`'),
  document: read('`GET /openapi.json`'),
} as const satisfies Readonly<Record<string, RequestedRoute>>;

export type RouteName = keyof typeof REQUESTED;
export const ROUTES: Readonly<Record<RouteName, RequestedRoute>> = REQUESTED;
export const ROUTE_NAMES = Object.keys(REQUESTED) as RouteName[];

/** Responses allowed once the service has detected the fault; several where the response depends on what is still cached. */
type Cell = string | readonly string[];

export interface Outcome {
  readonly summary: string;
  /** Routes that are not listed respond as they do without a fault. */
  readonly cells: Partial<Readonly<Record<RouteName, Cell>>>;
}

const MAIN = '503 Chain unavailable';
const MAIN_CODED = '503 CHAIN_UNAVAILABLE';
const ALT = '503 Home chain unavailable';
const VERIFY = '503 VERIFY_READ_UNAVAILABLE';
const CLOCK = '503 Service clock is not usable now';
/** Listings whose observation has no known age. */
const UNTIMED_LISTINGS = [
  '503 Operator index is syncing: block N of N',
  '503 Operator index is stale: chain head not read for N seconds',
  '503 Alt-chain ownership snapshot is out of date',
];
const STORAGE = '503 Storage unavailable';
const CHIP_STORAGE = '503 VERIFY_STORE_UNAVAILABLE';
/** The interface has no other code for a decision that cannot be stored or read. */
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
  served: { summary: 'Everything is served.', cells: {} },
  mainUnreadable: {
    summary: 'Routes that read the main chain return 503; the others are served.',
    cells: {
      ...every(RATED, MAIN),
      ...every(['decision', 'decide', 'challenge'], MAIN_CODED),
      verify: VERIFY,
      ready: '503',
    },
  },
  mainContradicted: {
    summary:
      'Nothing new is read from the main chain and no decision is accepted. Cached facts that nothing newer contradicts are served for 60 s.',
    cells: {
      ...Object.fromEntries(RATED.map((name) => [name, [REQUESTED[name].healthy, MAIN]])),
      decision: ['200', MAIN_CODED],
      ...every(['decide', 'challenge'], MAIN_CODED),
      verify: ['200', VERIFY],
      ready: '503',
    },
  },
  altUnreadable: {
    summary:
      'Alt-chain machines, and ids that only the alt chain can resolve, return 503. A cached binding is served for up to 60 s. The others are served.',
    cells: { ...every(['altRating', 'absent'], ALT), bound: ['200', '503 Binding registry unavailable'] },
  },
  databaseDown: {
    summary: 'Routes that need the index or a stored decision report that storage is unavailable.',
    cells: {
      ...every(RATED, STORAGE),
      ...every(['decision', 'decide'], DECISION_STORAGE),
      ...every(['challenge', 'evidence'], CHIP_STORAGE),
      ready: '503',
    },
  },
  databaseSilent: {
    summary:
      'The same, at the latest when the deadline of the route expires. An expired deadline may name the chain instead of the database.',
    cells: {
      ...every(RATED, [STORAGE, MAIN]),
      ...every(['decision', 'decide'], [DECISION_STORAGE, MAIN_CODED]),
      ...every(['challenge', 'evidence'], [CHIP_STORAGE, MAIN_CODED]),
      ready: '503',
    },
  },
  databaseReadOnly: {
    summary:
      'Routes that write report that storage is unavailable; the others are served. Without chip onboarding `/ready` stays 200.',
    cells: { decide: DECISION_STORAGE, challenge: CHIP_STORAGE, ready: '503' },
  },
  clockUnusable: {
    summary:
      'Nothing that depends on the time is served. A listing may instead report that its index or the alt chain cannot be judged.',
    cells: {
      ...every(['rating', 'explanation', 'profile', 'metadata', 'bound'], CLOCK),
      altRating: [CLOCK, ALT],
      fleet: [CLOCK, ...UNTIMED_LISTINGS],
      decide: MAIN_CODED,
      verify: VERIFY,
      ...every(['challenge', 'evidence'], '503 VERIFY_CLOCK_INVALID'),
      ready: '503',
    },
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
  | 'no response'
  | 'trickle'
  | 'garbage'
  | 'stale'
  | 'false data'
  | 'wrong chain'
  | 'no address'
  | 'full disk'
  | 'read-only'
  | 'without its tables';

export interface FailureMode {
  readonly dependency: Dependency;
  readonly fault: FaultName;
  readonly description: string;
  readonly outcome: OutcomeName;
  /** Time until `/ready` reports the fault, where its last check of the contracts stays valid; undefined: as every other route. */
  readonly readinessSeconds?: number;
  /** Included in every test run; `FAILURE_MODES=all` includes the others. */
  readonly isAlwaysRun?: true;
}

const WIRE: readonly (readonly [fault: FaultName, description: string])[] = [
  ['latency', 'every chunk of a response is delayed by 200 ms (PostgreSQL: 20 ms)'],
  ['cut', 'open connections end and new ones are closed immediately'],
  ['reset', 'connections are reset when a response begins'],
  ['no response', 'requests are accepted and no response arrives'],
  ['trickle', 'responses arrive at ten bytes a second'],
  ['garbage', 'responses are random bytes of no protocol'],
  ['no address', 'connections end and the host name does not resolve'],
];

/** Faults where a reader cannot distinguish a bad response from an incomplete one. */
const QUIET: readonly FaultName[] = ['no response', 'trickle', 'garbage'];

function wireFailureModes(
  dependency: Dependency,
  down: OutcomeName,
  silent: OutcomeName,
  always: FaultName,
): FailureMode[] {
  return WIRE.map(([fault, description]) => ({
    dependency,
    fault,
    description,
    outcome: fault === 'latency' ? 'served' : QUIET.includes(fault) ? silent : down,
    ...(fault === always && { isAlwaysRun: true }),
  }));
}

export const FAILURE_MODES: readonly FailureMode[] = [
  ...wireFailureModes('main', 'mainUnreadable', 'mainUnreadable', 'garbage'),
  {
    dependency: 'main',
    fault: 'stale',
    description: 'state is three blocks older than requested; `/ready` reports it after a minute',
    outcome: 'mainContradicted',
    readinessSeconds: 60,
  },
  {
    dependency: 'main',
    fault: 'false data',
    description: 'every call reverts as if no machine existed',
    outcome: 'mainContradicted',
  },
  {
    dependency: 'main',
    fault: 'wrong chain',
    description: 'the URL leads to another chain with the same chain id',
    outcome: 'mainUnreadable',
    isAlwaysRun: true,
  },
  ...wireFailureModes('alt', 'altUnreadable', 'altUnreadable', 'reset'),
  {
    dependency: 'alt',
    fault: 'stale',
    description: 'responses are for a slot far in the past',
    outcome: 'altUnreadable',
  },
  {
    dependency: 'alt',
    fault: 'false data',
    description: 'no account exists and the slot is far ahead',
    outcome: 'altUnreadable',
  },
  {
    dependency: 'alt',
    fault: 'wrong chain',
    description: 'the URL leads to another cluster, in which no account exists',
    outcome: 'altUnreadable',
    isAlwaysRun: true,
  },
  ...wireFailureModes('database', 'databaseDown', 'databaseSilent', 'cut'),
  {
    dependency: 'database',
    fault: 'read-only',
    description: 'the server rejects writes, like a standby',
    outcome: 'databaseReadOnly',
  },
  {
    dependency: 'database',
    fault: 'full disk',
    description: 'every write fails with 53100; a server that cannot write its log stops instead, see cut',
    outcome: 'databaseReadOnly',
  },
  {
    dependency: 'database',
    fault: 'without its tables',
    description: 'the schema is not the one the service created',
    outcome: 'databaseDown',
  },
];

/** Time in which the service must recover from a fault of its clock without a restart. */
export const CLOCK_RECOVERY_SECONDS = 30;

export type ClockFault =
  | 'behind at the start'
  | 'behind'
  | 'ahead and back'
  | 'suspended host'
  | 'slow drift'
  | 'hours between blocks'
  | 'chain shifted into the past'
  | 'chain shifted into the future';

export interface ClockFailureMode {
  readonly fault: ClockFault;
  readonly description: string;
  /** State that `GET /ready` names. */
  readonly state: ClockState;
  readonly outcome: OutcomeName;
}

export const CLOCK_FAILURE_MODES: readonly ClockFailureMode[] = [
  {
    fault: 'behind at the start',
    description: 'the clock is 31 days behind when the service starts, and is set later',
    state: 'behind',
    outcome: 'clockUnusable',
  },
  {
    fault: 'behind',
    description: 'the clock is set back by 31 days, and is set again later',
    state: 'behind',
    outcome: 'clockUnusable',
  },
  {
    fault: 'ahead and back',
    description: 'the clock jumps one hour ahead and back',
    state: 'doubtful',
    outcome: 'clockUnusable',
  },
  {
    fault: 'suspended host',
    description: 'the host was suspended for eight hours; it recovers with the next block',
    state: 'doubtful',
    outcome: 'clockUnusable',
  },
  {
    fault: 'slow drift',
    description: 'the clock gains 20 s from block to block, until it is more than 150 s ahead',
    state: 'doubtful',
    outcome: 'clockUnusable',
  },
  {
    fault: 'hours between blocks',
    description: 'the newest block is five hours old',
    state: 'unconfirmed',
    outcome: 'served',
  },
  {
    fault: 'chain shifted into the past',
    description: 'every block is 90 days older than it should be',
    state: 'unconfirmed',
    outcome: 'served',
  },
  {
    fault: 'chain shifted into the future',
    description: 'every block is 90 days newer than it should be',
    state: 'behind',
    outcome: 'clockUnusable',
  },
];

export type HostFault = 'full disk' | 'read-only file system' | 'no file descriptors';

export interface HostFailureMode {
  readonly fault: HostFault;
  readonly description: string;
  readonly outcome: OutcomeName;
}

/** Faults of the host of a service with a SQLite file. */
export const HOST_FAILURE_MODES: readonly HostFailureMode[] = [
  {
    fault: 'full disk',
    description: 'the file system of the database has no free block',
    outcome: 'databaseReadOnly',
  },
  {
    fault: 'read-only file system',
    description: 'the files of the database reject every write',
    outcome: 'databaseReadOnly',
  },
  {
    fault: 'no file descriptors',
    description:
      'the process has as many open files as its limit allows, so that it neither connects nor accepts connections',
    outcome: 'mainUnreadable',
  },
];

export type PaymentSourceFault =
  | 'down'
  | 'no response'
  | 'garbage'
  | 'refusing'
  | 'without finality'
  | 'lagging'
  | 'pruned'
  | 'lying'
  | 'wrong chain'
  | 'another chain later';

export interface PaymentSourceFailureMode {
  readonly kind: 'evm' | 'solana';
  readonly fault: PaymentSourceFault;
  readonly description: string;
}

const PAYMENT_SOURCE_FAULTS: readonly (readonly [fault: PaymentSourceFault, description: string])[] = [
  ['down', 'its connections end'],
  ['no response', 'requests are accepted and no response arrives'],
  ['garbage', 'responses are not JSON'],
  ['refusing', 'every request is refused with HTTP 503'],
  ['without finality', 'it does not report a finalized block'],
  ['lagging', 'its finalized block is a day old'],
  ['pruned', 'it has dropped the transactions of the last weeks and responds as if they did not exist'],
  ['lying', 'it returns another transaction, or one of a block that it does not have'],
  ['wrong chain', 'it serves another chain from the first request'],
  ['another chain later', 'its URL leads to another chain, in which no transaction exists, after it was read'],
];

/** Faults of the only URL of a payment source. */
export const PAYMENT_SOURCE_FAILURE_MODES: readonly PaymentSourceFailureMode[] = (['evm', 'solana'] as const).flatMap(
  (kind) => PAYMENT_SOURCE_FAULTS.map(([fault, description]) => ({ kind, fault, description })),
);

export interface ReceiverFailureMode {
  readonly fault: string;
  readonly description: string;
  /** As `svc watch list` names it; undefined: the delivery is accepted. */
  readonly problem: DeliveryProblem | undefined;
}

/** Faults of a receiver of webhooks. No route is affected by any of them. */
export const RECEIVER_FAILURE_MODES = [
  { fault: 'no response', description: 'the receiver accepts the request and never responds', problem: 'timeout' },
  { fault: 'server error', description: 'it responds with 500', problem: 'server-error' },
  { fault: 'client error', description: 'it responds with 404', problem: 'client-error' },
  { fault: 'redirect', description: 'it responds with 302, which is not followed', problem: 'redirect' },
  { fault: 'closed port', description: 'nothing listens at its address', problem: 'connection' },
  { fault: 'reset', description: 'it resets the connection after the request', problem: 'connection' },
  { fault: 'unknown name', description: 'its host name does not resolve', problem: 'connection' },
  { fault: 'private name', description: 'its host name resolves to a private address', problem: 'address' },
  { fault: 'certificate', description: 'its certificate is not trusted', problem: 'connection' },
  { fault: 'endless body', description: 'it responds with 200 and a body without an end', problem: undefined },
] as const satisfies readonly ReceiverFailureMode[];

/** Returns the responses that a route may give once the service has detected the fault. */
export function expectedOf(outcome: OutcomeName, route: RouteName): readonly string[] {
  const { cells }: Outcome = OUTCOMES[outcome];
  return [cells[route] ?? ROUTES[route].healthy].flat();
}
