/**
 * Growth of the index, extrapolated to 100 million machines. Fills the real tables on PostgreSQL with 1, 3 and 10 million
 * machines, whole and in 16 partitions. Measures bytes per machine, the start of a service until its first page, near and far
 * pages, writing the changes of a block, and resident memory. A least-squares line through the sizes gives the extrapolation.
 * Needs about 30 GB of disk for 10 million and frees them afterwards. `BENCH_MACHINES` (`1,3,10`, in millions), `BENCH_PARTS`
 * (`1,16`) and `BENCH_ROUNDS` change the sizes and the length.
 */
import { existsSync, rmSync, mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createRpc } from '../devnet/main-chain/rpc.ts';
import { startDevnet, type Devnet } from '../devnet/start-devnet.ts';
import { createFixedRates } from '../src/adapters/fx/feed-rates.ts';
import { createStore } from '../src/adapters/sql/create-store.ts';
import { toMachineId, type Address, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { Checkpoint, OwnershipChange, Store } from '../src/ports/store.ts';
import { startEmbeddedPostgres } from '../testing/harness/embedded-postgres.ts';
import { listStatements, readSizes } from './growth/partitions.ts';
import { countRows, fillMachines } from './growth/rows.ts';
import { printFigures } from './figures.ts';
import { fitLine } from './line.ts';
import {
  PAGE,
  readDirectoryPages,
  readMegabytes,
  startFleetService,
  stopFleetService,
  timePage,
  timePages,
} from './index/fleet-service.ts';
import { setFleetBalance } from './index/fleet-balance.ts';
import { median, readCpuSeconds } from './measuring.ts';
import { identityOf } from './index/devnet-identity.ts';

const MILLION = 1_000_000;
const SIZES = (process.env['BENCH_MACHINES'] ?? '1,3,10').split(',').map((text) => Number(text) * MILLION);
const PARTS = (process.env['BENCH_PARTS'] ?? '1,16').split(',').map(Number);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const TARGET = 100 * MILLION;
const MACHINES_PER_FILL = 250_000;
const FILLING_CONNECTIONS = 3;
/** Of a database of this size; the small buffers of tests would make each random insert a read. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '4GB' };
const PAGES_PER_ROUND = 100;
const CHANGES_PER_BLOCK = 1_000;
const BLOCKS = 20;

const entry = existsSync(join(import.meta.dirname, '../dist/svc.js')) ? 'dist/svc.js' : 'cli/svc.ts';

interface Figures {
  readonly machines: number;
  readonly parts: number;
  readonly bytesPerMachine: number;
  readonly tables: Readonly<Record<string, { rows: number; indexes: number }>>;
  readonly fillSeconds: number;
  readonly blockMilliseconds: number;
  /** CPU time of service and database together, which other load does not distort. */
  readonly blockCpuMilliseconds: number;
  readonly restartCpuMilliseconds: number;
  readonly firstFarPageCpuMilliseconds: number;
  readonly pageCpuMilliseconds: number;
  readonly directoryPageCpuMilliseconds: number;
  readonly restartMilliseconds: number;
  readonly firstPageMilliseconds: number;
  /** First page far into the fleet, which reads the whole fleet once to locate it. */
  readonly firstFarPageMilliseconds: number;
  readonly middlePageMilliseconds: number;
  readonly lastPageMilliseconds: number;
  readonly residentMegabytes: number;
  readonly load: number;
}

/** Returns the last final blocks of the devnet, which the service then follows. */
async function readBlocks({ rpcUrl }: Devnet): Promise<Checkpoint[]> {
  const { request } = createRpc(rpcUrl);
  const read = (block: string) => request<{ number: string; hash: string }>('eth_getBlockByNumber', [block, false]);
  const last = Number((await read('finalized')).number);
  const numbers = Array.from({ length: BLOCKS + 1 }, (_, i) => last - BLOCKS + i);
  return Promise.all(
    numbers.map(async (blockNumber) => ({
      blockNumber,
      blockHash: (await read(`0x${blockNumber.toString(16)}`)).hash,
    })),
  );
}

/** Times blocks that move existing machines to existing holders. */
async function timeBlocks(
  store: Store,
  client: pg.Client,
  blocks: readonly Checkpoint[],
): Promise<Pick<Figures, 'blockMilliseconds' | 'blockCpuMilliseconds'>> {
  const times: number[] = [];
  let cpu = 0;
  const [first, ...rest] = blocks;
  if (!(await store.advanceMainChain(undefined, first!, [], { readAtBlock: first!.blockNumber, changes: [] }))) {
    throw new Error('the checkpoint did not move');
  }
  let checkpoint = first!;
  for (const next of rest) {
    const changes = await pickChanges(client);
    const backends = await readBackendsCpu(client);
    const [began, own] = [performance.now(), process.cpuUsage()];
    const isMoved = await store.advanceMainChain(checkpoint, next, [], { readAtBlock: next.blockNumber, changes });
    if (!isMoved) throw new Error('the checkpoint did not move');
    times.push(performance.now() - began);
    const { user, system } = process.cpuUsage(own);
    cpu += (user + system) / 1000 + ((await readBackendsCpu(client)) - backends) * 1000;
    checkpoint = next;
  }
  return { blockMilliseconds: median(times), blockCpuMilliseconds: cpu / times.length };
}

/** Returns the CPU seconds of all connections to this database except the caller's. */
async function readBackendsCpu(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return rows.reduce((sum, { pid }) => sum + readCpuSeconds(pid), 0);
}

async function pickChanges(client: pg.Client): Promise<OwnershipChange[]> {
  const pick = async (seed: string) =>
    (
      await client.query<{ machine_id: Buffer; owner: Buffer }>(
        'SELECT machine_id, owner FROM machine_owners WHERE machine_id >= sha256($1) AND owner <> $2 ORDER BY machine_id LIMIT 1',
        [seed, FLEET_BYTES],
      )
    ).rows[0];
  const changes = new Map<MachineId, OwnershipChange>();
  while (changes.size < CHANGES_PER_BLOCK) {
    const [machine, other] = [await pick(nextSeed()), await pick(nextSeed())];
    // No machine follows the last id.
    if (machine === undefined || other === undefined) continue;
    const id = toMachineId(BigInt(`0x${machine.machine_id.toString('hex')}`))!;
    const owner = `0x${other.owner.toString('hex')}` as Address;
    changes.set(id, { kind: 'held', id, owner, controller: undefined });
  }
  return [...changes.values()];
}

const FLEET_BYTES = Buffer.alloc(20, 0xf1);
let seeds = 0;
const nextSeed = () => `growth ${seeds++}`;

async function measure(devnet: Devnet, databaseUrl: string, machines: number, parts: number): Promise<Figures> {
  const filled = await fillDatabase(devnet, databaseUrl, machines, parts);
  const bytes = Object.values(filled.tables).reduce((sum, { rows, indexes }) => sum + rows + indexes, 0);
  const served = await measureService(devnet, databaseUrl, machines / 10);
  return { machines, parts, bytesPerMachine: bytes / machines, ...filled, ...served, load: loadavg()[0]! };
}

async function fillDatabase(devnet: Devnet, databaseUrl: string, machines: number, parts: number) {
  const store = await createStore(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const began = performance.now();
    if (parts > 1) await client.query(listStatements(parts).join('; '));
    await fillAll(databaseUrl, machines);
    await countRows(client);
    // The first configuration of the database, which the filled rating states refer to.
    const { fingerprint } = createFixedRates([]).current();
    await client.query('INSERT INTO fold_slots VALUES (0, 1, $1, 1)', [fingerprint]);
    await client.query('VACUUM ANALYZE');
    const fillSeconds = (performance.now() - began) / 1000;
    if (!(await store.claimMainChainIdentity(...identityOf(devnet)))) throw new Error('the database is not empty');
    const tables = await readSizes(client);
    return { tables, fillSeconds, ...(await timeBlocks(store, client, await readBlocks(devnet))) };
  } finally {
    await client.end();
    await store.close();
  }
}

/** Fills on several connections, each with the next machines. */
async function fillAll(databaseUrl: string, machines: number): Promise<void> {
  let next = 0;
  const fill = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    while (next < machines) {
      const from = next;
      next += MACHINES_PER_FILL;
      await fillMachines(client, from, Math.min(from + MACHINES_PER_FILL, machines));
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: FILLING_CONNECTIONS }, fill));
}

type Served = Omit<
  Figures,
  'machines' | 'parts' | 'bytesPerMachine' | 'load' | keyof Awaited<ReturnType<typeof fillDatabase>>
>;

async function measureService(devnet: Devnet, databaseUrl: string, fleet: number): Promise<Served> {
  // Without a rate feed, like the filled rating states, and without payment sources, whose search would read each history.
  const { FX_SOURCE: _rates, TOKENS_FILE: _tokens, SOURCES_FILE: _sources, ...env } = devnet.env;
  const variables = { ...env, DATABASE_URL: databaseUrl };
  // The first start records the head, which later starts on the database read.
  await stopFleetService(await startFleetService(entry, variables));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const rounds: Served[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(client, variables, fleet));
  } finally {
    await client.end();
  }
  const names = Object.keys(rounds[0]!) as (keyof Served)[];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((each) => each[name]))])) as unknown as Served;
}

async function measureRound(client: pg.Client, variables: Record<string, string>, fleet: number): Promise<Served> {
  const service = await startFleetService(entry, variables);
  const readCpu = async () => 1000 * (readCpuSeconds(service.child.pid!) + (await readBackendsCpu(client)));
  try {
    const last = fleet - PAGE;
    const started = await readCpu();
    const firstFarPageMilliseconds = await timePage(service.url, last, fleet);
    const located = await readCpu();
    const times: number[] = [];
    for (const offset of [0, fleet / 2, last]) {
      times.push(await timePages(service.url, offset, fleet, PAGES_PER_ROUND));
    }
    const [firstPageMilliseconds, middlePageMilliseconds, lastPageMilliseconds] = times as [number, number, number];
    const listed = await readCpu();
    await readDirectoryPages(service.url, PAGES_PER_ROUND);
    return {
      ...{ firstPageMilliseconds, middlePageMilliseconds, lastPageMilliseconds, firstFarPageMilliseconds },
      restartMilliseconds: service.startMilliseconds,
      restartCpuMilliseconds: started,
      firstFarPageCpuMilliseconds: located - started,
      pageCpuMilliseconds: (listed - located) / (times.length * PAGES_PER_ROUND),
      directoryPageCpuMilliseconds: ((await readCpu()) - listed) / PAGES_PER_ROUND,
      residentMegabytes: readMegabytes(service),
    };
  } finally {
    await stopFleetService(service);
  }
}

/** Extrapolates by least squares over the measured sizes. */
function extrapolate(all: readonly Figures[], figureOf: (each: Figures) => number): number {
  return fitLine(all.map((each) => [each.machines, figureOf(each)])).at(TARGET);
}

const WANTED: Readonly<Record<string, (each: Figures) => number>> = {
  'gigabytes of tables and indexes': ({ bytesPerMachine, machines }) => (bytesPerMachine * machines) / 1e9,
  'restart to first page, ms': (each) => each.restartMilliseconds,
  'page at 0, ms': (each) => each.firstPageMilliseconds,
  'page in the middle, ms': (each) => each.middlePageMilliseconds,
  'last page, ms': (each) => each.lastPageMilliseconds,
  'first far page of a fleet of a tenth, ms': (each) => each.firstFarPageMilliseconds,
  [`a block of ${CHANGES_PER_BLOCK} changes, ms`]: (each) => each.blockMilliseconds,
  'restart, ms of CPU': (each) => each.restartCpuMilliseconds,
  'page, ms of CPU': (each) => each.pageCpuMilliseconds,
  'page of the directory, ms of CPU': (each) => each.directoryPageCpuMilliseconds,
  'first far page, ms of CPU': (each) => each.firstFarPageCpuMilliseconds,
  'block, ms of CPU': (each) => each.blockCpuMilliseconds,
  'resident memory of the service, MB': (each) => each.residentMegabytes,
};

/** Prints the figures of the largest size with the last number of partitions. */
function printLargest({ bytesPerMachine, residentMegabytes, restartMilliseconds }: Figures): void {
  printFigures({
    'growth/bytes': { ours: bytesPerMachine },
    'growth/resident': { ours: residentMegabytes },
    'growth/restart': { ours: restartMilliseconds },
  });
}

const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'));
const devnet = await startDevnet({ dir: folder });
const server = await startEmbeddedPostgres({ settings: SETTINGS });
try {
  const { request } = createRpc(devnet.rpcUrl);
  await request('anvil_mine', ['0x80']);
  for (const parts of PARTS) {
    const all: Figures[] = [];
    for (const machines of SIZES) {
      await setFleetBalance(devnet, machines / 10);
      const database = await server.createDatabase();
      const figures = await measure(devnet, database.url, machines, parts);
      await database.drop();
      console.log(JSON.stringify(figures));
      all.push(figures);
    }
    for (const [name, figureOf] of Object.entries(WANTED)) {
      const measured = all.map((each) => `${each.machines / MILLION} M: ${figureOf(each).toFixed(2)}`).join(', ');
      const then = all.length > 1 ? `; 100 M extrapolated: ${extrapolate(all, figureOf).toFixed(1)}` : '';
      console.log(`${parts} part(s), ${name}: ${measured}${then}`);
    }
    printLargest(all.at(-1)!);
  }
} finally {
  await Promise.all([devnet.stop(), server.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
