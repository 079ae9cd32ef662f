/**
 * Index of both chains after its leader is killed under traffic. Replicas over one PostgreSQL are killed `KILLS` (2) times, as `SEED` chooses.
 * Afterwards every row equals that of an undisturbed process, and every rating equals a replay of the raw events.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRateTable } from '../../../cli/replay/rates.ts';
import { replay } from '../../../cli/replay/replay.ts';
import { hashSources } from '../../../cli/replay/sources.ts';
import { startDevnet, type Devnet } from '../../../devnet/start-devnet.ts';
import { Random } from '../../../sim/random.ts';
import { dayOf, formatDay } from '../../../src/domain/rating/utc-day.ts';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { openTraffic, type Traffic } from './chain-traffic.ts';

const KILLS = Number(process.env['KILLS'] ?? 2);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const MOST_STEPS = 4;
const POLL_MILLISECONDS = 50;
/** What a replay cannot recompute. */
const TAKEN_FROM_SERVICE = /^(anchor\.operator_verified|evidence\.(accounts|changed_hands_at)|verdicts of \d+ events)$/;

/** Columns that the chains determine; the number and time of import steps are left out. */
const ROWS: Readonly<Record<string, string>> = {
  checkpoint: `SELECT block_number, block_hash FROM checkpoints WHERE stream = 'main-chain'`,
  owners: 'SELECT machine_id, owner, controller FROM machine_owners',
  holdings: 'SELECT holder, machine_id FROM holdings',
  holders: 'SELECT holder, total FROM holders WHERE total > 0',
  active: 'SELECT machine_id, block_number, block_timestamp FROM active_machines',
  events: `SELECT machine_id, generation, seq, event_index, event_type, value, block_number, block_timestamp
    FROM event_logs JOIN event_histories USING (history_id, epoch)`,
  folds: `SELECT machine_id, generation, next_seq, state FROM folds JOIN event_histories USING (history_id, epoch)`,
  altMachines: `SELECT machine_id, incarnation, event_count, next_index, prior_event_count, operation_count, last_slot,
    newest_block_time, problem FROM alt_machines`,
  altOperations: `SELECT machine_id, seq, incarnation, event_index, kind, log_number, prior_event_count, record, signature,
    slot, op_order, block_time FROM alt_operations`,
  altFolds: 'SELECT machine_id, next_seq, state FROM alt_folds JOIN alt_machines USING (machine_id, revision)',
  altParked: 'SELECT signature FROM alt_parked',
  altFleets: 'SELECT operator, machine_id FROM alt_fleets',
  altUnreadable: 'SELECT operator, row_count FROM alt_fleet_unreadable',
};

let devnet: Devnet;
let server: PostgresServer;
let traffic: Traffic;
const random = new Random(SEED);
const replicas = new Set<Replica>();
const clients = new Set<pg.Client>();
beforeAll(async () => {
  devnet = await startDevnet({ quiet: true, fleet: 6, blocks: 'none' });
  server = await startEmbeddedPostgres();
  traffic = openTraffic(devnet, random);
}, 600_000);
afterAll(async () => {
  await Promise.all([...replicas].map((replica) => replica.kill()));
  await Promise.all([...clients].map((client) => client.end()));
  await server.stop();
  await devnet.stop();
});

async function start({ url }: PostgresTestDatabase): Promise<Replica> {
  const env = { ...devnet.env, DATABASE_URL: url, POLL_INTERVAL_SECONDS: '1', LOG_LEVEL: 'warn' };
  const replica = await startReplica(env);
  replicas.add(replica);
  return replica;
}

async function connect({ url }: PostgresTestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  clients.add(client);
  await client.connect();
  return client;
}

type Rows = Readonly<Record<string, readonly string[]>>;

async function readRows(client: pg.Client): Promise<Rows> {
  const rows: Record<string, readonly string[]> = {};
  for (const [name, text] of Object.entries(ROWS)) {
    const found = await client.query<(Buffer | string | number | null)[]>({ text, rowMode: 'array' });
    const show = (value: Buffer | string | number | null) => (Buffer.isBuffer(value) ? value.toString('hex') : value);
    rows[name] = found.rows.map((row) => JSON.stringify(row.map(show))).sort();
  }
  return rows;
}

/** Returns the rows that only one of the two has, by table. */
function differencesOf(one: Rows, other: Rows): Record<string, unknown> {
  const only = (name: string, here: Rows, there: Rows) => here[name]!.filter((row) => !there[name]!.includes(row));
  const names = Object.keys(ROWS).filter((name) => one[name]!.join() !== other[name]!.join());
  return Object.fromEntries(
    names.map((name) => [name, { replicated: only(name, one, other), undisturbed: only(name, other, one) }]),
  );
}

/** Returns the values of a machine's newest events, oldest first. */
function lastOf(rows: Rows, id: bigint, table: 'events' | 'altOperations', count: number): readonly bigint[] {
  const own = rows[table]!.map((row) => JSON.parse(row) as readonly string[]).filter(
    ([machine]) => machine === toKey(id),
  );
  // Position and value; a record of the alt chain is a nested list.
  const read = (row: readonly string[]) =>
    table === 'events' ? [row[2]!, row[5]!] : [row[1]!, (JSON.parse(row[7]!) as readonly string[])[1]!];
  const all = own.map(read).sort(([one], [other]) => Number(one) - Number(other));
  return all.slice(all.length - count).map(([, value]) => BigInt(value!));
}

/** Waits until the index contains all final blocks, and a fleet snapshot of the alt chain at a slot after the last change. */
async function untilWhole(replica: Replica, client: pg.Client, slot: number): Promise<void> {
  const { number } = (await rpc('eth_getBlockByNumber', ['finalized', false])) as { readonly number: string };
  for (;;) {
    const [main, fleet] = await Promise.all([
      client.query<{ block: string }>(`SELECT block_number AS block FROM checkpoints WHERE stream = 'main-chain'`),
      client.query<{ slot: string }>('SELECT slot FROM alt_fleet_observation'),
    ]);
    const altSlot = (await replica.read('svc_alt_index_slot')) ?? 0;
    const isWhole =
      Number(main.rows[0]?.block) === Number(number) && Number(fleet.rows[0]?.slot) >= slot && altSlot >= slot;
    if (isWhole) return;
    await delay(POLL_MILLISECONDS);
  }
}

async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  return ((await (await fetch(devnet.rpcUrl, { method: 'POST', headers, body })).json()) as { result: unknown }).result;
}

const toKey = (id: bigint) => id.toString(16).padStart(64, '0');

describe(`SEED=${SEED} KILLS=${KILLS}`, () => {
  it(
    'indexes both chains completely after every change of the leader',
    { timeout: 600_000 + KILLS * 30_000 },
    async () => {
      const steps = () => random.integer(1, MOST_STEPS);
      const database = await server.createDatabase();
      let leader = await start(database);
      await leader.until('svc_leader', 1);
      for (let kill = 0; kill < KILLS; kill++) {
        const [follower] = await Promise.all([start(database), traffic.go(steps())]);
        expect(await follower.read('svc_leader')).toBe(0);
        replicas.delete(leader);
        await Promise.all([traffic.go(steps()), leader.kill()]);
        await Promise.all([traffic.go(steps()), follower.until('svc_leader', 1)]);
        leader = follower;
      }
      const slot = await traffic.settle();
      const undisturbed = await server.createDatabase();
      const other = await start(undisturbed);
      const [kept, fresh] = await Promise.all([connect(database), connect(undisturbed)]);
      await Promise.all([untilWhole(leader, kept, slot), untilWhole(other, fresh, slot)]);
      // Folds follow the index within its step.
      const differ = async () => differencesOf(await readRows(kept), await readRows(fresh));
      await expect.poll(differ, { timeout: 60_000, interval: 500 }).toEqual({});

      const rows = await readRows(kept);
      for (const [id, owner] of traffic.owners) {
        expect(rows['owners']).toContain(JSON.stringify([toKey(id), owner.slice(2).toLowerCase(), null]));
      }
      for (const [id, operator] of traffic.altOperators) {
        expect(rows['altFleets']).toContain(JSON.stringify([operator.slice(2).toLowerCase(), toKey(id)]));
      }
      for (const [id, values] of traffic.events) expect(lastOf(rows, id, 'events', values.length)).toEqual(values);
      for (const [id, values] of traffic.altEvents) {
        expect(lastOf(rows, id, 'altOperations', values.length)).toEqual(values);
      }
      const [events, altEvents] = [traffic.events, traffic.altEvents].map((each) => [...each.values()].flat().length);
      expect(events).toBeGreaterThan(0);

      const { env, fixtures } = devnet;
      const chain = {
        rpcUrls: [devnet.rpcUrl],
        chainId: BigInt(fixtures.mainChain.chainId),
        startBlock: BigInt(fixtures.mainChain.startBlock),
        eventRegistry: env['EVENT_REGISTRY_ADDRESS']!,
        machineSubscription: env['MACHINE_SUBSCRIPTION_ADDRESS']!,
        crossChainMirror: env['CROSS_CHAIN_MIRROR_ADDRESS']!,
        adminFlags: env['ADMIN_FLAGS_ADDRESS']!,
        machineRegistry: env['MACHINE_REGISTRY_ADDRESS']!,
        attestationRegistry: env['ATTESTATION_REGISTRY_ADDRESS']!,
      };
      const altChain = {
        rpcUrls: [env['ALT_RPC_URLS']!],
        genesisHash: env['ALT_GENESIS_HASH']!,
        machineRegistry: env['ALT_MACHINE_REGISTRY_PROGRAM']!,
        eventRegistry: env['ALT_EVENT_REGISTRY_PROGRAM']!,
      };
      const through = formatDay(dayOf(Date.now() / 1000) - 1);
      const rates = buildRateTable({
        tokensJson: readFileSync(env['TOKENS_FILE']!, 'utf8'),
        ecbCsv: readFileSync(env['FX_SOURCE']!, 'utf8'),
        through,
      });
      const sourcesHash = hashSources(readFileSync(env['SOURCES_FILE']!, 'utf8'));
      const touched = new Set([...traffic.events.keys(), ...traffic.altEvents.keys()].map(String));
      const rated = fixtures.machines.filter(({ id }) => touched.has(id));
      expect(rated).toHaveLength(traffic.events.size + traffic.altEvents.size);
      for (const { did } of rated) {
        // Directly after an index moved, the followed blocks do not connect to it yet.
        while ((await fetchChecked(`${leader.url}/mcr/${did}`)).status !== 200) await delay(POLL_MILLISECONDS);
        const { differences, unchecked } = await replay({
          did,
          baseUrl: leader.url,
          chain,
          altChain,
          rates,
          sourcesHash,
        });
        expect([did, differences]).toEqual([did, []]);
        expect(unchecked.filter((path) => !TAKEN_FROM_SERVICE.test(path))).toEqual([]);
      }
      process.stdout.write(`${KILLS} kills, ${events} events and ${altEvents} of the alt chain\n`);
    },
  );
});
