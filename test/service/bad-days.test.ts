/**
 * What does a bad day of one dependency do to callers? With a proxy of ours before each: every route says what the table has for the day, within
 * the patience of its callers, never anything else on the way there or back, and all is well within one poll afterwards, without a restart.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil, type Anvil } from '../../devnet/anvil.ts';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import {
  BAD_DAYS,
  DECISION_STORAGE,
  DEPENDENCIES,
  expectedOf,
  POLL_INTERVAL_SECONDS,
  ROUTE_NAMES,
  ROUTES,
  type BadDay,
  type RouteName,
} from '../bad-days-table.ts';
import type { FaultProxy, WireFault } from '../../testing/harness/fault-proxy.ts';
import {
  answerOlderBlock,
  startRpcProxy,
  type ProxyAnswer,
  type RpcFault,
  type RpcProxy,
} from '../../testing/harness/rpc-proxy.ts';
import { startBadDays, type BadDaysScene, type Chain } from './bad-days-scene.ts';

const READS = ROUTE_NAMES.filter((name) => !ROUTES[name].isWrite);
const WRITES = ROUTE_NAMES.filter((name) => ROUTES[name].isWrite);
const WELL = rowOf(ROUTE_NAMES, (name) => [ROUTES[name].well]);
/** Kept facts of the main chain are believed for 5 s, and the pauses of a failed node grow to 10 s. */
const NOTICED_WITHIN_MILLISECONDS = 20_000;
const ASKING_MILLISECONDS = 250;
const LONG_PAST_SLOTS = 1_000_000;
const FAR_AHEAD_SLOTS = 1_000_000_000;

let scene: BadDaysScene;
let otherChain: Anvil;
let otherCluster: RpcProxy;
let administration: pg.Client;
beforeAll(async () => {
  scene = await startBadDays();
  otherChain = await startAnvil();
  otherCluster = await startRpcProxy(answerAsOtherCluster);
  administration = new pg.Client({ connectionString: scene.database.url });
  await administration.connect();
});
afterAll(async () => {
  await administration.end();
  await otherCluster.close();
  await otherChain.stop();
  await scene.close();
});

type Row = Partial<Readonly<Record<RouteName, string>>>;

function rowOf<T>(names: readonly RouteName[], each: (name: RouteName) => T): Partial<Record<RouteName, T>> {
  return Object.fromEntries(names.map((name) => [name, each(name)])) as Partial<Record<RouteName, T>>;
}

async function askRow(names: readonly RouteName[]): Promise<Row> {
  const said = await Promise.all(names.map(async (name) => [name, await scene.ask(name)] as const));
  return Object.fromEntries(said);
}

type Allowed = (name: RouteName) => readonly string[];

/** What differs from what is allowed, in words; empty when nothing does. */
function differences(row: Row, allowed: Allowed): string {
  const different = (Object.keys(row) as RouteName[]).filter((name) => !allowed(name).includes(row[name]!));
  return different.map((name) => `${name}: ${row[name]}, not ${allowed(name).join(' or ')}`).join('\n');
}

const ofWell = (name: RouteName) => WELL[name]!;

/** What may always be said on the way: a connection to the database that ends takes the statements on it along. */
function isRefusal(name: RouteName, said: string): boolean {
  return said.startsWith('503') || (name === 'decision' && said === DECISION_STORAGE);
}

/** Asks for all reads again and again, until they say what they should. On the way each says that, what it said before, or that it cannot. */
async function settle(milliseconds: number, before: Allowed, then: Allowed): Promise<void> {
  const until = AbortSignal.timeout(milliseconds);
  for (;;) {
    const row = await askRow(READS);
    const refused = rowOf(READS, (name) => isRefusal(name, row[name]!));
    expect(differences(row, (name) => (refused[name] === true ? [row[name]!] : [...before(name), ...then(name)]))).toBe(
      '',
    );
    const left = differences(row, then);
    if (left === '') return;
    if (until.aborted) expect(left).toBe('');
    await delay(ASKING_MILLISECONDS);
  }
}

describe.each(BAD_DAYS.filter(({ isAlwaysTried }) => isAlwaysTried || process.env['BAD_DAYS'] === 'all'))(
  '$dependency: $fault',
  (day) => {
    it(`${DEPENDENCIES[day.dependency]}, ${day.what}`, { timeout: 120_000 }, async () => {
      const then = (name: RouteName) => expectedOf(day.outcome, name);
      await settle(POLL_INTERVAL_SECONDS * 1000, ofWell, ofWell);
      const spoilt = await spoil(day);
      try {
        await settle(NOTICED_WITHIN_MILLISECONDS, ofWell, then);
        expect(differences(await askRow(WRITES), then)).toBe('');
        expect(spoilt.met()).toBeGreaterThan(0);
      } finally {
        await spoilt.heal();
      }
      await settle(POLL_INTERVAL_SECONDS * 1000, then, ofWell);
      expect(differences(await askRow(WRITES), ofWell)).toBe('');
    });
  },
);

interface Spoilt {
  /** How often the fault did something. */
  readonly met: () => number;
  heal(): unknown;
}

function spoil({ dependency, fault }: BadDay): Spoilt | Promise<Spoilt> {
  const wireFault = toWireFault(dependency, fault);
  if (wireFault !== undefined) return spoilWire(wireOf(dependency), wireFault);
  if (dependency === 'main') return spoilWords(scene.main, toMainFault(fault));
  if (dependency === 'alt') return spoilWords(scene.alt, toAltFault(fault));
  return spoilDatabase(fault);
}

function wireOf(dependency: BadDay['dependency']): FaultProxy {
  return dependency === 'database' ? scene.databaseWire : scene[dependency].wire;
}

function toWireFault(dependency: BadDay['dependency'], fault: BadDay['fault']): WireFault | undefined {
  switch (fault) {
    case 'latency':
      return { kind: fault, milliseconds: dependency === 'database' ? 20 : 200 };
    case 'dribble':
      return { kind: fault, millisecondsPerByte: 100 };
    case 'cut':
    case 'reset':
    case 'silence':
    case 'garbage':
      return { kind: fault };
    case 'wrong chain':
      return { kind: 'divert', to: addressOf(dependency === 'main' ? otherChain.rpcUrl : otherCluster.url) };
    default:
      return undefined;
  }
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function spoilWire(wire: FaultProxy, fault: WireFault): Spoilt {
  wire.inject(fault);
  return { met: () => wire.met, heal: () => wire.heal() };
}

function spoilWords({ words }: Chain, fault: RpcFault): Spoilt {
  words.resetCounts();
  words.inject(fault);
  return { met: () => words.requests, heal: () => words.heal() };
}

function toMainFault(fault: BadDay['fault']): RpcFault {
  if (fault === 'stale') return answerOlderBlock(3);
  const data = `0x7e273289${'00'.repeat(32)}`;
  return { kind: 'answer', change: () => ({ error: { code: 3, message: 'execution reverted', data } }) };
}

function toAltFault(fault: BadDay['fault']): RpcFault {
  const slots = fault === 'stale' ? -LONG_PAST_SLOTS : FAR_AHEAD_SLOTS;
  const isLie = fault === 'lying';
  return {
    kind: 'answer',
    change: (answer) => ('result' in answer ? { result: shiftSlots(answer.result, slots, isLie) } : answer),
  };
}

/** The same answer of another slot; with `isLie` every account is gone. */
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

/** A cluster on which nothing is deployed. */
function answerAsOtherCluster({
  method,
  params,
}: {
  readonly method: string;
  readonly params: readonly unknown[];
}): ProxyAnswer {
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

async function spoilDatabase(fault: BadDay['fault']): Promise<Spoilt> {
  const run = (text: string) => administration.query(text);
  const endConnections = () =>
    run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  const [spoiling, healing] =
    fault === 'read-only'
      ? [
          `ALTER DATABASE ${scene.database.name} SET default_transaction_read_only = on`,
          `ALTER DATABASE ${scene.database.name} RESET default_transaction_read_only`,
        ]
      : ['ALTER SCHEMA public RENAME TO hidden', 'ALTER SCHEMA hidden RENAME TO public'];
  await run(spoiling);
  await endConnections();
  return {
    met: () => 1,
    async heal() {
      await run('SET default_transaction_read_only = off');
      await run(healing);
      await endConnections();
    },
  };
}
