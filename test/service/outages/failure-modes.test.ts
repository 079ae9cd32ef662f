/**
 * Failure modes of each dependency, injected by a proxy in front of it. Every route returns what the table lists for the fault, within the
 * timeout of its callers and without any other response on the way there or back, and recovers within one poll without a restart.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil, type Anvil } from '../../../devnet/main-chain/anvil.ts';
import { formatBase58 } from '../../../src/domain/identifiers/base58.ts';
import {
  FAILURE_MODES,
  DECISION_STORAGE,
  DEPENDENCIES,
  expectedOf,
  POLL_INTERVAL_SECONDS,
  ROUTE_NAMES,
  ROUTES,
  type FailureMode,
  type RouteName,
} from '../../failure-modes-table.ts';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import type { FaultProxy, WireFault } from '../../../testing/harness/fault-proxy.ts';
import {
  respondFromOlderBlock,
  startRpcProxy,
  type ProxyResponse,
  type RpcFault,
  type RpcProxy,
} from '../../../testing/harness/rpc-proxy.ts';
import { HOSTS, startFailureModesFixture, type FailureModesFixture, type Chain } from './failure-modes-fixture.ts';
import { rule } from '../../conformance/rule.ts';

const READS = ROUTE_NAMES.filter((name) => !ROUTES[name].isWrite);
const WRITES = ROUTE_NAMES.filter((name) => ROUTES[name].isWrite);
const HEALTHY = rowOf(ROUTE_NAMES, (name) => [ROUTES[name].healthy]);
/** Cached facts of the main chain are trusted for 5 s, and the circuit breaker of a failing node opens for up to 10 s. */
const DETECTED_WITHIN_MILLISECONDS = 20_000;
const POLL_MILLISECONDS = 250;
const LONG_PAST_SLOTS = 1_000_000;
const FAR_AHEAD_SLOTS = 1_000_000_000;

let harness: FailureModesFixture;
let otherChain: Anvil;
let otherCluster: RpcProxy;
let administration: pg.Client;
beforeAll(async () => {
  harness = await startFailureModesFixture();
  otherChain = await startAnvil();
  otherCluster = await startRpcProxy(answerAsOtherCluster);
  administration = new pg.Client({ connectionString: harness.database.url });
  await administration.connect();
});
afterAll(async () => {
  await administration.end();
  await otherCluster.close();
  await otherChain.stop();
  await harness.close();
});

type Row = Partial<Readonly<Record<RouteName, string>>>;

function rowOf<T>(names: readonly RouteName[], each: (name: RouteName) => T): Partial<Record<RouteName, T>> {
  return Object.fromEntries(names.map((name) => [name, each(name)]));
}

async function requestRow(names: readonly RouteName[]): Promise<Row> {
  const received = await Promise.all(names.map(async (name) => [name, await harness.request(name)] as const));
  return Object.fromEntries(received);
}

type Allowed = (name: RouteName) => readonly string[];

/** Describes every response that is not allowed; empty when all are. */
function differences(row: Row, allowed: Allowed): string {
  const different = (Object.keys(row) as RouteName[]).filter((name) => !allowed(name).includes(row[name]!));
  return different.map((name) => `${name}: ${row[name]}, not ${allowed(name).join(' or ')}`).join('\n');
}

const whenHealthy = (name: RouteName) => HEALTHY[name]!;

/** Returns whether a response is allowed during any transition: a database connection that ends aborts its statements. */
function isRefusal(name: RouteName, received: string): boolean {
  return received.startsWith('503') || (name === 'decision' && received === DECISION_STORAGE);
}

/** Polls all reads until they return what they should. Meanwhile each returns that, what it returned before, or an error. */
async function settle(milliseconds: number, before: Allowed, then: Allowed): Promise<void> {
  const until = abortAfter(milliseconds);
  for (;;) {
    const row = await requestRow(READS);
    const refused = rowOf(READS, (name) => isRefusal(name, row[name]!));
    expect(differences(row, (name) => (refused[name] === true ? [row[name]!] : [...before(name), ...then(name)]))).toBe(
      '',
    );
    const left = differences(row, then);
    if (left === '') return;
    if (until.aborted) expect(left).toBe('');
    await delay(POLL_MILLISECONDS);
  }
}

/** Requests all writes; again, for one poll at most, those that are refused with another 503 because the machine is busy. */
async function expectWrites(allowed: Allowed): Promise<void> {
  const until = abortAfter(POLL_INTERVAL_SECONDS * 1000);
  for (let names = WRITES; ;) {
    const row = await requestRow(names);
    const isAllowed = (name: RouteName) => allowed(name).includes(row[name]!);
    const isLate = (name: RouteName) => row[name]!.startsWith('503') && !until.aborted;
    expect(differences(row, (name) => (isLate(name) ? [row[name]!] : allowed(name)))).toBe('');
    names = names.filter((name) => !isAllowed(name));
    if (names.length === 0) return;
    await delay(POLL_MILLISECONDS);
  }
}

describe.each(FAILURE_MODES.filter(({ isAlwaysRun }) => isAlwaysRun || process.env['FAILURE_MODES'] === 'all'))(
  '$dependency: $fault',
  (mode) => {
    it(`${DEPENDENCIES[mode.dependency]}: ${mode.description}`, { timeout: 900_000 }, async () => {
      rule('security.faulty-dependency');
      const then = (name: RouteName) => expectedOf(mode.outcome, name);
      await settle(POLL_INTERVAL_SECONDS * 1000, whenHealthy, whenHealthy);
      const injected = await inject(mode);
      try {
        await settle(DETECTED_WITHIN_MILLISECONDS + (mode.readinessSeconds ?? 0) * 1000, whenHealthy, then);
        await expectWrites(then);
        expect(injected.met()).toBeGreaterThan(0);
      } finally {
        await injected.heal();
      }
      await settle(POLL_INTERVAL_SECONDS * 1000, then, whenHealthy);
      await expectWrites(whenHealthy);
    });
  },
);

interface InjectedFault {
  /** Returns how often the fault took effect. */
  readonly met: () => number;
  heal(): unknown;
}

function inject({ dependency, fault }: FailureMode): InjectedFault | Promise<InjectedFault> {
  if (fault === 'no address') return injectUnknownHost(dependency);
  const wireFault = toWireFault(dependency, fault);
  if (wireFault !== undefined) return injectWireFault(wireOf(dependency), wireFault);
  if (dependency === 'main') return injectRpcFault(harness.main, toMainFault(fault));
  if (dependency === 'alt') return injectRpcFault(harness.alt, toAltFault(fault));
  return injectDatabaseFault(fault);
}

function wireOf(dependency: FailureMode['dependency']): FaultProxy {
  return dependency === 'database' ? harness.databaseWire : harness[dependency].wire;
}

function toWireFault(dependency: FailureMode['dependency'], fault: FailureMode['fault']): WireFault | undefined {
  switch (fault) {
    case 'latency':
      return { kind: fault, milliseconds: dependency === 'database' ? 20 : 200 };
    case 'trickle':
      return { kind: 'dribble', millisecondsPerByte: 100 };
    case 'no response':
      return { kind: 'silence' };
    case 'cut':
    case 'reset':
    case 'garbage':
      return { kind: fault };
    case 'wrong chain':
      return { kind: 'divert', to: addressOf(dependency === 'main' ? otherChain.rpcUrl : otherCluster.url) };
    default:
      return undefined;
  }
}

/** Ends the connections and lets the name of the host fail, as an outage of the name servers does. */
function injectUnknownHost(dependency: FailureMode['dependency']): InjectedFault {
  const { hostNames } = harness;
  const before = hostNames.failures;
  hostNames.fail(HOSTS[dependency]);
  const wire = wireOf(dependency);
  wire.inject({ kind: 'cut' });
  wire.heal();
  return { met: () => hostNames.failures - before, heal: () => hostNames.heal() };
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function injectWireFault(wire: FaultProxy, fault: WireFault): InjectedFault {
  wire.inject(fault);
  return { met: () => wire.hits, heal: () => wire.heal() };
}

function injectRpcFault({ rpc }: Chain, fault: RpcFault): InjectedFault {
  rpc.resetCounts();
  rpc.inject(fault);
  return { met: () => rpc.requests, heal: () => rpc.heal() };
}

function toMainFault(fault: FailureMode['fault']): RpcFault {
  if (fault === 'stale') return respondFromOlderBlock(3);
  const data = `0x7e273289${'00'.repeat(32)}`;
  return { kind: 'answer', change: () => ({ error: { code: 3, message: 'execution reverted', data } }) };
}

function toAltFault(fault: FailureMode['fault']): RpcFault {
  const slots = fault === 'stale' ? -LONG_PAST_SLOTS : FAR_AHEAD_SLOTS;
  const isLie = fault === 'false data';
  return {
    kind: 'answer',
    change: (response) => ('result' in response ? { result: shiftSlots(response.result, slots, isLie) } : response),
  };
}

/** Returns the same response for another slot; with `isLie` no account exists in it. */
function shiftSlots(result: unknown, slots: number, isLie: boolean): unknown {
  if (typeof result === 'number') return Math.max(0, result + slots);
  const { context, value } = (result ?? {}) as {
    readonly context?: { readonly slot: number };
    readonly value?: unknown;
  };
  if (context === undefined) return result;
  const gone = Array.isArray(value) ? value.map(() => null) : null;
  return { context: { ...context, slot: Math.max(0, context.slot + slots) }, value: isLie ? gone : value };
}

/** Answers like a cluster on which nothing is deployed. */
function answerAsOtherCluster({
  method,
  params,
}: {
  readonly method: string;
  readonly params: readonly unknown[];
}): ProxyResponse {
  const context = { slot: FAR_AHEAD_SLOTS };
  switch (method) {
    case 'getGenesisHash':
      return { result: formatBase58(Buffer.alloc(32, 7)) };
    case 'getMultipleAccounts':
      return { result: { context, value: (params[0] as readonly string[]).map(() => null) } };
    case 'getAccountInfo':
      return { result: { context, value: null } };
    case 'getProgramAccounts':
      return { result: { context, value: [] } };
    case 'getSlot':
      return { result: context.slot };
    default:
      return { result: [] };
  }
}

/** Runs a statement for each table, in its own transaction: the service locks several tables in its own order. */
const forEachTable = (statement: string) =>
  `DO $$ DECLARE each name; BEGIN
     FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
       EXECUTE format('${statement}', each);
       COMMIT;
     END LOOP; END $$`;

type Statements = readonly string[];

/** Statements that break the database, and those that repair it. */
const DATABASE_FAULTS: Readonly<
  Partial<Record<FailureMode['fault'], (name: string) => readonly [breaking: Statements, healing: Statements]>>
> = {
  'read-only': (name) => [
    [`ALTER DATABASE ${name} SET default_transaction_read_only = on`],
    [`ALTER DATABASE ${name} RESET default_transaction_read_only`],
  ],
  'without its tables': () => [['ALTER SCHEMA public RENAME TO hidden'], ['ALTER SCHEMA hidden RENAME TO public']],
  'full disk': () => [
    [
      `CREATE FUNCTION fail_as_full() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
      forEachTable('CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION fail_as_full()'),
    ],
    [forEachTable('DROP TRIGGER full_disk ON %I'), 'DROP FUNCTION fail_as_full'],
  ],
};

async function injectDatabaseFault(fault: FailureMode['fault']): Promise<InjectedFault> {
  const run = (text: string) => administration.query(text);
  const endConnections = () =>
    run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  const [breaking, healing] = DATABASE_FAULTS[fault]!(harness.database.name);
  for (const statement of breaking) await run(statement);
  await endConnections();
  return {
    met: () => 1,
    async heal() {
      await run('SET default_transaction_read_only = off');
      for (const statement of healing) await run(statement);
      await endConnections();
    },
  };
}
