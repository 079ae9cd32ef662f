/**
 * First start of the service on a long chain whose node limits log queries: calls by kind until the first rating and every listing are served, and the
 * minutes that a chain of ten million blocks takes behind a provider of 25 calls a second, computed from them. Then the background proof of a dense chain
 * against a start that proves first, and the CPU time of hot reads meanwhile. `BENCH_BLOCKS`, `BENCH_DENSE`, `BENCH_STARTS`,
 * `BENCH_ROUNDS` and `BENCH_SECONDS` change the length, `BENCH_PART` (`starts`, `proof`, `reads`) runs one part.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { printFigures, type MeasuredFigures } from '../figures.ts';
import { median, readCpuSeconds } from '../measuring.ts';
import {
  buildLongChain,
  RECENT_PART,
  startCountedNode,
  type Counts,
  type LongChain,
  type NodeLimits,
} from './long-chain.ts';

const run = promisify(execFile);

const BLOCKS = Number(process.env['BENCH_BLOCKS'] ?? 200_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
/** Starts of which the one with the fewest calls counts. */
const STARTS = Number(process.env['BENCH_STARTS'] ?? 2);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 10);
const RANGES = [10_000, 2_000, 1_024];
const DENSE_BLOCKS = Number(process.env['BENCH_DENSE'] ?? 1_900);
const CALLS_PER_SECOND = 25;

/** The chain of design/backfill.md. */
const TARGET = { blocks: 10_000_000, logBlocks: 50_000, machines: 10_000, events: 60_000 };

/** Items that one call reads. */
const MACHINES_PER_CALL = 200;
const RECORDS_PER_CALL = 100;
/** Machines beside the recent one; one call reads them together. */
const MACHINES = MACHINES_PER_CALL - 1;
/** The same of the chain without block times, whose owners are read as those of the target are. */
const DENSE_MACHINES = 10 * MACHINES_PER_CALL - 1;

const root = join(import.meta.dirname, '../..');
const entry = ['dist/svc.js', 'cli/svc.ts'].find((each) => existsSync(join(root, each)))!;
const folder = mkdtempSync(join(tmpdir(), 'bench-first-start-'));
const TIMED_OUT_MILLISECONDS = 300_000;
const PAUSE_MILLISECONDS = 25;

/** How a response with status 200 says that it is not complete. */
const PARTIAL = /"rating_unavailable":"indexer_behind"|"unreadable":[1-9]/;

interface Started {
  readonly url: string;
  readonly pid: number;
  readonly began: number;
  counts(): Counts;
  widestRange(): number;
  stop(): Promise<void>;
}

let databases = 0;

/** Builds a chain with logs in every second block. */
const buildDense = (blocks: number, machines = MACHINES) =>
  buildLongChain({ blocks, blocksPerLogBlock: 2, machines, seed: 8 });

/** Starts a service with an empty database behind a node of its own. */
async function start(chain: LongChain, limits: NodeLimits, variables: Record<string, string>): Promise<Started> {
  const node = await startCountedNode(chain, limits);
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, entry), 'serve'], {
    env: {
      ...process.env,
      ...chain.env,
      MAIN_RPC_URLS: node.url,
      DATABASE_URL: `sqlite:${join(folder, `${databases++}.db`)}`,
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'silent',
      RATE_LIMITS: 'off',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await stopProcess(child);
    await node.close();
  };
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${entry} exited before it listened`)));
  gone.catch(() => undefined);
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), gone])) as [string];
  const { counts, widestRange } = node;
  return { url: line.replace('listening on ', ''), pid: child.pid!, began, counts, widestRange, stop };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/** Polls a path until its response passes. Throws after five minutes. */
async function waitFor(
  { url }: Started,
  path: string,
  isEnough: (body: string) => boolean = (body) => !PARTIAL.test(body),
): Promise<void> {
  for (const end = performance.now() + TIMED_OUT_MILLISECONDS; performance.now() < end;) {
    const response = await fetch(url + path);
    const body = await response.text();
    if (response.status === 200 && isEnough(body)) return;
    if (response.status !== 503 && response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
    await delay(PAUSE_MILLISECONDS);
  }
  throw new Error(`${path} was not served`);
}

const waitForRating = (service: Started, id: bigint) => waitFor(service, `/mcr/did:svc:${id}`);

async function waitForListings(service: Started, { owners }: LongChain): Promise<void> {
  for (const owner of owners) await waitFor(service, `/operator/${owner}/machines`);
}

interface FirstStart {
  readonly counts: Counts;
  readonly widestRange: number;
}

/** Counts calls until one machine and every listing are served. The proof takes only calls that are left, so it is off. */
async function countFirstStart(chain: LongChain, limits: NodeLimits): Promise<FirstStart> {
  const service = await start(chain, limits, { INDEX_PROOF: 'off' });
  try {
    // Readiness costs no call.
    await waitFor(service, '/ready');
    await waitForRating(service, chain.recent);
    await waitForListings(service, chain);
    const counts = service.counts();
    const seconds = ((performance.now() - service.began) / 1000).toFixed(1);
    console.log(
      `ranges of ${limits.maxRange}, ${limits.servesLogTimes ? 'with' : 'without'} blockTimestamp: ` +
        `${sum(counts)} calls in ${seconds} s: ${format(counts)}; load ${loadavg()[0]!.toFixed(1)}`,
    );
    return { counts, widestRange: service.widestRange() };
  } finally {
    await service.stop();
  }
}

/** Returns the counts of the start with the fewest calls: a start that other load delays polls the head more often. */
async function countFewest(chain: LongChain, limits: NodeLimits): Promise<FirstStart> {
  const rounds: FirstStart[] = [];
  for (let round = 0; round < STARTS; round++) rounds.push(await countFirstStart(chain, limits));
  return rounds.toSorted((one, other) => sum(one.counts) - sum(other.counts))[0]!;
}

const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);
const format = (counts: Counts) =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');

/** Returns the calls that the chain itself needs: windows, headers without times, counters and pages of records. */
function countNeeded(chain: LongChain, { maxRange, servesLogTimes }: NodeLimits): number {
  const windows = Math.ceil(BLOCKS / maxRange);
  const headers = servesLogTimes ? 0 : chain.logBlocks;
  const counters = 1 + Math.ceil(chain.machines.length / MACHINES_PER_CALL) + chain.owners.length;
  return windows + headers + counters + Math.ceil(chain.events / RECORDS_PER_CALL);
}

/** Returns the minutes of the target chain until serving: a measured start, and what its further blocks, machines and events cost. */
function computeMinutes({ counts, widestRange }: FirstStart, chain: LongChain): number {
  const records = counts['records'] ?? 0;
  const calls =
    sum(counts) +
    countFurtherWindows(widestRange) +
    countFurtherMachines(counts, chain) +
    records * (TARGET.events / chain.events - 1);
  return calls / CALLS_PER_SECOND / 60;
}

/**
 * Returns the minutes of the target chain until its recent machines are served where no log has a time: the windows of a start, and a start on a dense
 * chain with the headers of the newest part of the target. Records are read for a rating, or after the last header.
 */
function computeUntimedMinutes({ counts, widestRange }: FirstStart, denseCounts: Counts, dense: LongChain): number {
  const calls =
    countWindows(counts) +
    countFurtherWindows(widestRange) +
    sum(denseCounts) -
    countWindows(denseCounts) +
    countFurtherMachines(denseCounts, dense) +
    RECENT_PART * (TARGET.logBlocks - dense.logBlocks);
  return calls / CALLS_PER_SECOND / 60;
}

const countWindows = (counts: Counts) => (counts['logs'] ?? 0) + (counts['logs, refused'] ?? 0);
const countFurtherWindows = (widestRange: number) => Math.ceil((TARGET.blocks - BLOCKS) / widestRange);
const countFurtherMachines = (counts: Counts, { machines }: LongChain) =>
  (counts['owner and controller'] ?? 0) * (TARGET.machines / (machines.length + 1) - 1);

async function measureFirstStarts(): Promise<MeasuredFigures> {
  const chain = buildLongChain({ blocks: BLOCKS, blocksPerLogBlock: 1_000, machines: MACHINES, seed: 7 });
  console.log(`${BLOCKS} blocks, ${chain.logBlocks} with logs, ${chain.events} events; ${entry}`);
  const figures: Record<string, MeasuredFigures[string]> = {};
  const dense = buildDense(4 * DENSE_BLOCKS, DENSE_MACHINES);
  const denseCounts = await countDenseStart(dense);
  for (const maxRange of RANGES) {
    for (const servesLogTimes of [true, false]) {
      const limits = { maxRange, servesLogTimes };
      const fewest = await countFewest(chain, limits);
      const extra = sum(fewest.counts) - countNeeded(chain, limits);
      const suffix = servesLogTimes ? maxRange : `${maxRange}-untimed`;
      figures[`first-start/extra-${suffix}`] = { ours: extra };
      const minutes = servesLogTimes
        ? computeMinutes(fewest, chain)
        : computeUntimedMinutes(fewest, denseCounts, dense);
      figures[`first-start/minutes-${suffix}`] = { ours: minutes };
      if (!servesLogTimes) continue;
      figures[`first-start/calls-${suffix}`] = { ours: sum(fewest.counts) };
      figures[`first-start/windows-${suffix}`] = { ours: countWindows(fewest.counts) };
    }
  }
  return figures;
}

/** Counts calls at the rate of the target until a machine of the newest part of the chain is served; no log has a time. */
async function countDenseStart(dense: LongChain): Promise<Counts> {
  const variables = { INDEX_PROOF: 'off', MAIN_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND) };
  const service = await start(dense, { maxRange: 10_000, servesLogTimes: false }, variables);
  try {
    await waitForRating(service, dense.recent);
    const counts = service.counts();
    console.log(`the newest ${RECENT_PART} of ${dense.logBlocks} blocks with logs: ${format(counts)}`);
    return counts;
  } finally {
    await service.stop();
  }
}

/** Milliseconds from the process start until all blocks with logs and a sample are proven. */
async function timeProof(chain: LongChain, mode: 'background' | 'before'): Promise<number> {
  const limits = { maxRange: 10_000, servesLogTimes: true };
  const service = await start(chain, limits, { INDEX_PROOF: mode, POLL_INTERVAL_SECONDS: '2' });
  try {
    await waitForRating(service, chain.recent);
    await waitForListings(service, chain);
    if (mode === 'background') await waitFor(service, '/status', isProven);
    const milliseconds = performance.now() - service.began;
    console.log(
      `${mode}: ${Math.round(milliseconds)} ms, ${format(service.counts())}; load ${loadavg()[0]!.toFixed(1)}`,
    );
    return milliseconds;
  } finally {
    await service.stop();
  }
}

function isProven(body: string): boolean {
  const proof = /"proof":({.*?\]})/.exec(body)?.[1];
  if (proof === undefined) return false;
  const { unproven_blocks, segment_count } = JSON.parse(proof) as Record<'unproven_blocks' | 'segment_count', number>;
  return unproven_blocks === 0 && segment_count > 0;
}

/** Compares hot reads of a service that proves in the background with those of one that does not, in turn. */
async function measureReads(chain: LongChain): Promise<MeasuredFigures[string]> {
  const limits = { maxRange: 10_000, servesLogTimes: true };
  const metered = { MAIN_RPC_CALLS_PER_SECOND: String(CALLS_PER_SECOND) };
  const services = await Promise.all(
    ['background', 'off'].map((INDEX_PROOF) => start(chain, limits, { ...metered, INDEX_PROOF })),
  );
  try {
    for (const service of services) await waitForRating(service, chain.recent);
    const before = services[0]!.counts();
    const rates: HotReads[][] = [[], []];
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, service] of services.entries()) rates[i]!.push(await measureHotReads(service, chain.recent));
    const proofs = (services[0]!.counts()['eth_getBlockReceipts'] ?? 0) - (before['eth_getBlockReceipts'] ?? 0);
    console.log(`${proofs} blocks proven meanwhile`);
    if (proofs === 0) throw new Error('nothing was proven while hot reads were measured');
    const [perSecond, idlePerSecond] = rates.map((each) => median(each.map((read) => read.perSecond)));
    console.log(`${Math.round(perSecond!)} hot reads a second, ${Math.round(idlePerSecond!)} without a proof`);
    const [ours, peer] = rates.map((each) => median(each.map((read) => read.perCpuSecond)));
    return { ours: ours!, peer: peer! };
  } finally {
    for (const service of services) await service.stop();
  }
}

interface HotReads {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** The node runs in this process, so that `wrk` must not block it. */
async function measureHotReads({ url, pid }: Started, id: bigint): Promise<HotReads> {
  const cpu = readCpuSeconds(pid);
  const { stdout } = await run('wrk', ['-t1', '-c16', `-d${SECONDS}s`, `${url}/mcr/did:svc:${id}`]);
  if (/Non-2xx/.test(stdout)) throw new Error(stdout);
  const requests = Number(/(\d+) requests in/.exec(stdout)![1]);
  return {
    perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)![1]),
    perCpuSecond: requests / (readCpuSeconds(pid) - cpu),
  };
}

try {
  const only = process.env['BENCH_PART'];
  if (only === undefined || only === 'starts') printFigures({ ...(await measureFirstStarts()) });
  const dense = buildDense(DENSE_BLOCKS);
  if (only === undefined || only === 'proof')
    printFigures({
      'first-start/proof': { ours: await timeProof(dense, 'background'), peer: await timeProof(dense, 'before') },
    });
  if (only === undefined || only === 'reads') printFigures({ 'first-start/reads': await measureReads(dense) });
} finally {
  rmSync(folder, { recursive: true });
}
