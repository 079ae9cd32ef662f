/**
 * Requests of a service under full load to its node. `wrk` reads 100 machines as fast as it can, for some blocks of a devnet
 * with one block every six seconds; every upstream request is counted, once the head follower has learned the block schedule.
 * `BENCH_SECONDS` changes the length, `BLOCK_SECONDS` the schedule.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { printFigures } from '../figures.ts';
import { startCountingProxy } from './counting-proxy.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 30);
const BLOCK_SECONDS = Number(process.env['BLOCK_SECONDS'] ?? 6);
/** Number of blocks from which the follower learns the schedule. */
const WARM_UP_BLOCKS = 8;
const WARM_UP_SECONDS = WARM_UP_BLOCKS * BLOCK_SECONDS;
const MACHINES = 100;
const root = join(import.meta.dirname, '../..');

/** Returns a wrk script that reads the machines in turn. */
function toLoadScript(dids: readonly string[]): string {
  return [
    `local dids = { ${dids.map((did) => `"${did}"`).join(', ')} }`,
    'local next = 0',
    'request = function()',
    '  next = next % #dids + 1',
    '  return wrk.format("GET", "/mcr/" .. dids[next])',
    'end',
  ].join('\n');
}

async function start(variables: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [join(root, 'cli/svc.ts'), 'serve'], {
    env: { ...process.env, ...variables, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent', RATE_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, url: line.replace('listening on ', '') };
}

const folder = mkdtempSync(join(tmpdir(), 'bench-steady-'));
const devnet = await startDevnet({ dir: folder, fleet: 2 * MACHINES, blocks: 'none' });
const proxy = await startCountingProxy(devnet.rpcUrl);
try {
  const { request } = createRpc(devnet.rpcUrl);
  await request('evm_setIntervalMining', [BLOCK_SECONDS]);
  const service = await start({
    ...devnet.env,
    MAIN_RPC_URLS: proxy.url,
    DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
  });
  try {
    const dids = devnet.fixtures.machines
      .filter(({ name }) => name.startsWith('fleet'))
      .slice(0, MACHINES)
      .map(({ did }) => did);
    if (dids.length < MACHINES) throw new Error(`only ${dids.length} machines`);
    const script = join(folder, 'load.lua');
    writeFileSync(script, toLoadScript(dids));
    const load = spawn('wrk', ['-t1', '-c64', `-d${WARM_UP_SECONDS + SECONDS + 1}s`, '-s', script, service.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: string[] = [];
    load.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    await delay(WARM_UP_SECONDS * 1000);
    const readHead = async () => Number(await request<string>('eth_blockNumber'));
    const head = await readHead();
    proxy.reset();
    await delay(SECONDS * 1000);
    const counts = proxy.counts();
    const blocks = (await readHead()) - head;
    await once(load, 'exit');
    console.log(
      `${MACHINES} machines, ${SECONDS} s, a block every ${BLOCK_SECONDS} s, ${blocks} new blocks; ${/Requests\/sec:\s+[\d.]+/.exec(output.join(''))?.[0]}; ` +
        `${/Non-2xx.*/.exec(output.join(''))?.[0] ?? 'all responses 200'}; load ${loadavg()[0]!.toFixed(1)}`,
    );
    for (const [what, count] of counts) {
      console.log(`${String(count).padStart(5)} x ${what}  (${(count / blocks).toFixed(2)} per block)`);
    }
    printFigures({ 'steady/requests': { ours: [...counts.values()].reduce((sum, each) => sum + each, 0) / blocks } });
  } finally {
    service.child.kill();
    await once(service.child, 'exit');
  }
} finally {
  await proxy.close();
  await devnet.stop();
  rmSync(folder, { recursive: true });
}
