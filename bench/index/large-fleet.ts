/**
 * Service with an index of a million machines: start until the first page, resident memory, near and far pages. Rows are written
 * through the store's own `advanceMainChain`, at blocks of a devnet that the service then follows. The machines exist only in
 * the index, with the balance of their fleet on the chain: it is queried for them and has none, so that entries disappear from a page but their cost is real.
 * `BENCH_MACHINES` and `BENCH_ROUNDS` change the size and the length.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { toMachineId, type Address } from '../../src/domain/identifiers/identifiers.ts';
import type { Checkpoint, OwnershipChange } from '../../src/ports/store.ts';
import { printFigures } from '../figures.ts';
import { median } from '../measuring.ts';
import { FLEET, PAGE, readMegabytes, startFleetService, stopFleetService, timePages } from './fleet-service.ts';
import { setFleetBalance } from './fleet-balance.ts';
import { identityOf } from './devnet-identity.ts';

const MACHINES = Number(process.env['BENCH_MACHINES'] ?? 1_000_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const FLEET_MACHINES = MACHINES / 10;
const OTHER_FLEET_MACHINES = 100;
const BATCHES = 50;
const PAGES_PER_ROUND = 100;

/** Odd, so that ids are distinct and spread over the 256 bits. */
const FACTOR = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95n;

const root = join(import.meta.dirname, '../..');
const ENTRIES = ['dist/svc.js', 'cli/svc.ts'].filter((each) => existsSync(join(root, each)));

function listChanges(from: number, to: number): OwnershipChange[] {
  return Array.from({ length: to - from }, (_, i) => {
    const place = from + i;
    const other = Math.floor(place / OTHER_FLEET_MACHINES) + 1;
    return {
      kind: 'held',
      id: toMachineId(BigInt.asUintN(256, BigInt(place + 1) * FACTOR))!,
      owner: place % 10 === 0 ? FLEET : (`0x${other.toString(16).padStart(40, '0')}` as Address),
      controller: undefined,
    };
  });
}

/** Fills a database up to the final block of the chain. */
async function fill(devnet: Devnet, databaseUrl: string): Promise<void> {
  const { request } = createRpc(devnet.rpcUrl);
  const read = (block: string) => request<{ number: string; hash: string }>('eth_getBlockByNumber', [block, false]);
  const last = Number((await read('finalized')).number);
  const store = await createStore(databaseUrl);
  const isOurs = await store.claimMainChainIdentity(...identityOf(devnet));
  if (!isOurs) throw new Error('the database is not empty');
  let checkpoint: Checkpoint | undefined;
  for (let batch = 0; batch < BATCHES; batch++) {
    const blockNumber = last - BATCHES + 1 + batch;
    const next = { blockNumber, blockHash: (await read(`0x${blockNumber.toString(16)}`)).hash };
    const changes = listChanges((MACHINES / BATCHES) * batch, (MACHINES / BATCHES) * (batch + 1));
    if (!(await store.advanceMainChain(checkpoint, next, [], { readAtBlock: blockNumber, changes }))) {
      throw new Error('the checkpoint did not move');
    }
    checkpoint = next;
  }
  await store.close();
}

const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
const devnet = await startDevnet({ dir: folder });
try {
  const DATABASE_URL = `sqlite:${join(folder, 'svc.db')}`;
  const variables = { ...devnet.env, DATABASE_URL };
  await setFleetBalance(devnet, FLEET_MACHINES);
  const began = performance.now();
  await fill(devnet, DATABASE_URL);
  console.log(`${MACHINES} machines stored in ${Math.round((performance.now() - began) / 1000)} s`);
  const last = FLEET_MACHINES - PAGE;
  for (const entry of ENTRIES) {
    // The first start records the head, which later starts on the database read.
    await stopFleetService(await startFleetService(entry, variables));
    const starts: number[] = [];
    const memories: number[] = [];
    const near: number[] = [];
    const far: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const service = await startFleetService(entry, variables);
      starts.push(service.startMilliseconds);
      try {
        await timePages(service.url, last, FLEET_MACHINES, 1);
        near.push(await timePages(service.url, 0, FLEET_MACHINES, PAGES_PER_ROUND));
        far.push(await timePages(service.url, last, FLEET_MACHINES, PAGES_PER_ROUND));
        memories.push(readMegabytes(service));
      } finally {
        await stopFleetService(service);
      }
    }
    console.log(
      `${entry}: restart to first page ${Math.round(median(starts))} ms (${starts.map(Math.round).join(', ')}), ` +
        `resident after ${2 * PAGES_PER_ROUND} pages ${Math.round(median(memories))} MB, page at 0 ${median(near).toFixed(2)} ms, ` +
        `at ${last} ${median(far).toFixed(2)} ms, ratio ${(median(far) / median(near)).toFixed(2)}; load ${loadavg()[0]!.toFixed(1)}`,
    );
    // Only the first entry is recorded: the built one, which is deployed.
    if (entry !== ENTRIES[0]) continue;
    printFigures({
      'large-fleet/resident': { ours: median(memories) },
      'large-fleet/restart': { ours: median(starts) },
      'large-fleet/pages': { ours: median(far) / median(near) },
    });
  }
} finally {
  await devnet.stop();
  rmSync(folder, { recursive: true });
}
