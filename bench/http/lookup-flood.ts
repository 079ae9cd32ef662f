/**
 * Flood of lookups in front of a node with a budget of 25 calls a second: unknown ids, random wallets and junk decisions from eight addresses, while
 * another caller reads known machines and `/ready`. `BENCH_SECONDS` changes the length, `SEED` repeats a flood.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { runLookupFlood, type FloodResponse } from '../../testing/harness/lookup-flood.ts';
import { printFigures } from '../figures.ts';
import { startCountingProxy } from '../index/counting-proxy.ts';
import { waitForOk } from '../measuring.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CALLS_PER_SECOND = 25;
/** Time to index the devnet with the budget. */
const START_MILLISECONDS = 600_000;
const PAUSE_MILLISECONDS = 250;
const KNOWN = ['rated-aaa', 'rated-b', 'provisioned', 'verified'];

const root = join(import.meta.dirname, '../..');
const entry = ['dist/svc.js', 'cli/svc.ts'].find((each) => existsSync(join(root, each)))!;

const devnet = await startDevnet({ quiet: true });
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
    RATE_LIMITS: 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = line.replace('listening on ', '');
  const known = devnet.fixtures.machines.filter(({ name }) => KNOWN.includes(name)).map(({ did }) => did);
  for (const path of ['/ready', ...known.map((did) => `/mcr/${did}`)])
    await waitForOk(url + path, PAUSE_MILLISECONDS, START_MILLISECONDS);
  const send = async (path: string, init: RequestInit): Promise<FloodResponse> => {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  proxy.reset();
  const { junk, reads, p99Milliseconds, seconds } = await runLookupFlood({ seed: SEED, seconds: SECONDS, known, send });
  const refused = junk.filter(({ text }) => text.includes('Too many new lookups')).length;
  console.log(
    `SEED=${SEED} ${seconds.toFixed(1)} s: ${junk.length} junk requests, ${refused} refused for the budget; ${reads.length} reads of known machines ` +
      `and /ready, p99 ${p99Milliseconds.toFixed(0)} ms; ${proxy.calls} calls; load ${loadavg()[0]!.toFixed(1)}`,
  );
  const served = reads.filter(({ status }) => status === 200).length;
  printFigures({
    'lookup-flood/served': { ours: (100 * served) / reads.length },
    'lookup-flood/p99': { ours: p99Milliseconds },
    // The second in which the counting begins may be used already.
    'lookup-flood/calls': { ours: proxy.calls / (seconds + 1) },
  });
} finally {
  child.kill();
  await once(child, 'exit');
  await proxy.close();
  await devnet.stop();
}
