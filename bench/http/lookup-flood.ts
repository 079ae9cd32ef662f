/**
 * Flood of lookups in front of a node with a budget of 25 calls a second: known machines, unknown ids, random wallets and junk decisions from eight
 * addresses, while another caller reads known machines and `/ready`. The flood reads each known machine once, so none is cached. The lag of the index is
 * sampled during the flood and as long before it. `BENCH_SECONDS` changes the length, `SEED` repeats a flood.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDevnet } from '../../devnet/start-devnet.ts';
import type { OperatorIndexLag, StatusResponse } from '../../src/http/wire/response-types.ts';
import { runLookupFlood, type FloodResponse } from '../../testing/harness/lookup-flood.ts';
import { printFigures } from '../figures.ts';
import { SHORT_HISTORY } from '../../devnet/personas/histories.ts';
import { listSampleMachines } from '../../devnet/personas/sample-machines.ts';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import { startCountingProxy } from '../index/counting-proxy.ts';
import { waitForOk } from '../measuring.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CALLS_PER_SECOND = 25;
/** Time to index the devnet with the budget. */
const START_MILLISECONDS = 600_000;
const PAUSE_MILLISECONDS = 250;
/** The index polls so often that the samples see its pace, not the time between two polls. */
const POLL_INTERVAL_SECONDS = 5;
const SAMPLE_MILLISECONDS = 500;
/** Machines with few events, which the flood reads: more than it reads in the minute for which one is cached. */
const UNCACHED = 3_000;
const KNOWN = ['rated-aaa', 'rated-b', 'provisioned', 'verified'];

const root = join(import.meta.dirname, '../..');
const entry = ['dist/svc.js', 'cli/svc.ts'].find((each) => existsSync(join(root, each)))!;

/** A third of the fleet has a short history. */
const machines = listSampleMachines(3 * UNCACHED).filter(
  ({ persona: { name, events } }) => !name.startsWith('fleet-') || events === SHORT_HISTORY.events,
);
const devnet = await startDevnet({ quiet: true, machines });
const proxy = await startCountingProxy(devnet.rpcUrl);
const child = spawn(process.execPath, [join(root, entry), 'serve'], {
  env: {
    ...process.env,
    ...devnet.env,
    MAIN_RPC_URLS: proxy.url,
    MAIN_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    ALT_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    POLL_INTERVAL_SECONDS: String(POLL_INTERVAL_SECONDS),
    RATE_LIMITS: 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = line.replace('listening on ', '');
  const known = devnet.fixtures.machines.filter(({ name }) => KNOWN.includes(name)).map(({ did }) => did);
  const uncached = devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet-')).map(({ did }) => did);
  for (const path of ['/ready', ...known.map((did) => `/mcr/${did}`)])
    await waitForOk(url + path, PAUSE_MILLISECONDS, START_MILLISECONDS);
  const send = async (path: string, init: RequestInit): Promise<FloodResponse> => {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  await waitUntilProven(url);
  const calm = await sampleLags(url, new Promise((resolve) => setTimeout(resolve, SECONDS * 1000)));
  proxy.reset();
  const flooding = runLookupFlood({ seed: SEED, seconds: SECONDS, known, uncached, send });
  const lags = await sampleLags(url, flooding);
  const { junk, lookups, reads, p99Milliseconds, seconds } = await flooding;
  const countRefused = (responses: readonly FloodResponse[]) =>
    responses.filter(({ text }) => text.includes('Too many new lookups')).length;
  console.log(
    `SEED=${SEED} ${seconds.toFixed(1)} s: ${junk.length} junk requests, ${countRefused(junk)} refused for the budget; ` +
      `${lookups.length} reads of ${uncached.length} known machines, ${countRefused(lookups)} refused; ${reads.length} reads of cached machines ` +
      `and /ready, p99 ${p99Milliseconds.toFixed(0)} ms; ${proxy.calls} calls; blocks behind ${describeLags(lags)}, before the flood ` +
      `${describeLags(calm)}; load ${loadavg()[0]!.toFixed(1)}`,
  );
  const served = reads.filter(({ status }) => status === 200).length;
  printFigures({
    'lookup-flood/served': { ours: (100 * served) / reads.length },
    'lookup-flood/p99': { ours: p99Milliseconds },
    // The second in which the counting begins may be used already.
    'lookup-flood/calls': { ours: proxy.calls / (seconds + 1) },
    'lookup-flood/uncached': { ours: (100 * lookups.filter(({ status }) => status === 200).length) / lookups.length },
    'lookup-flood/index-lag': { ours: mean(lags), peer: mean(calm) },
    'lookup-flood/index-lag-max': { ours: Math.max(...lags), peer: Math.max(...calm) },
  });
} finally {
  child.kill();
  await once(child, 'exit');
  await proxy.close();
  await devnet.stop();
}

async function readIndex(url: string): Promise<OperatorIndexLag> {
  return ((await (await fetch(`${url}/status`)).json()) as StatusResponse).operator_index!;
}

/** Waits until the background proof has ended, which uses the calls that nothing else needs. */
async function waitUntilProven(url: string): Promise<void> {
  const end = performance.now() + START_MILLISECONDS;
  while ((await readIndex(url)).proof!.unproven_blocks > 0) {
    if (performance.now() > end) throw new Error('the proof does not end');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

/** Samples how many finalized blocks the index lacks, until the task ends. */
async function sampleLags(url: string, task: Promise<unknown>): Promise<number[]> {
  const rpc = createRpc(devnet.rpcUrl);
  const lags: number[] = [];
  const state = { isOver: false };
  void task.finally(() => (state.isOver = true)).catch(() => undefined);
  while (!state.isOver) {
    const { number } = await rpc.request<{ readonly number: string }>('eth_getBlockByNumber', ['finalized', false]);
    lags.push(Number(number) - (await readIndex(url)).indexed_block!);
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MILLISECONDS));
  }
  return lags;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function describeLags(lags: readonly number[]): string {
  return `${mean(lags).toFixed(1)} on average and ${Math.max(...lags)} at most`;
}
