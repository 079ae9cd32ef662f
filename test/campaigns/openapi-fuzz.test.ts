/**
 * Campaign: OpenAPI fuzzing of one process over the local chains. `REQUESTS` (5,000,000) requests generated from `/openapi.json` and `SEED` get
 * no 5xx and no undocumented response, and memory stops growing after the first tenth.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnetProcess, type DevnetProcess } from '../../testing/harness/devnet-process.ts';
import { runFuzz, untilReadable, worldOf } from '../../testing/harness/openapi-fuzz-run.ts';
import { startReplica, type Replica } from '../../testing/harness/replica.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 5_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const PARTS = 10;
const ADDED_BYTES = 128 * 1024 * 1024;

let devnet: DevnetProcess;
let service: Replica;
beforeAll(async () => {
  devnet = await startDevnetProcess();
  service = await startReplica({ ...devnet.env, DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' });
  await service.until('svc_ready', 1);
  await service.until('svc_index_ready', 1);
  await service.until('svc_alt_index_ready', 1);
  await untilReadable(service.url, worldOf(devnet.fixtures));
}, 120_000);
afterAll(async () => {
  await service.kill();
  await devnet.stop();
});

describe(`SEED=${SEED} REQUESTS=${REQUESTS}`, () => {
  let warmBytes: number;

  it.each(Array.from({ length: PARTS }, (_, part) => part))(
    'returns documented responses and no 5xx in part %i',
    async (part) => {
      const world = worldOf(devnet.fixtures);
      const requests = Math.ceil(REQUESTS / PARTS);
      const count = await runFuzz({ url: service.url, world, seed: SEED + part, requests });
      process.stdout.write(`${JSON.stringify(count)}\n`);
      if (part === 0) warmBytes = await readMemory();
    },
  );

  it('uses no more memory than after the first part', async () => {
    expect(await readMemory()).toBeLessThan(warmBytes + ADDED_BYTES);
  });

  it('logs no error', () => {
    expect(service.lines).toEqual([]);
  });
});

async function readMemory(): Promise<number> {
  return (await service.read('process_resident_memory_bytes'))!;
}
