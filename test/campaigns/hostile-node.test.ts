/**
 * Campaign: one hostile node of two. Each kind of bad input has a verdict. A service whose first node of the main chain
 * sends it indexes everything, answers what it answers with two honest nodes, at most 2 s later, uses at most 600 MB and
 * never blocks its main thread for more than 200 ms of CPU time, from its start on. `/status` names the node. Once the second node is
 * gone, no response is wrong, 503 is the rule, and `/status` names the cause.
 *
 * `KINDS` (all) selects kinds by a regular expression, `SECONDS` (5) is the time of reads of each, and `PART=1/2` runs every
 * second kind. `PROGRESS` names a file that records each verdict; the kinds that it holds already are not run again. Writes one
 * line per kind that begins with PASS or FAIL, and a last one with the totals.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { MEASURE_BLOCKED, readBlockedMilliseconds } from '../../testing/harness/blocked-loop.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { HOSTILE_RESPONSES, startHostileNode } from '../../testing/harness/hostile-node.ts';
import { NODE_FAULTS } from '../../testing/harness/node-faults.ts';
import { startRpcProxy, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';

const KINDS = new RegExp(process.env['KINDS'] ?? '');
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const [PART, PARTS] = (process.env['PART'] ?? '1/1').split('/').map(Number) as [number, number];
const PROGRESS = process.env['PROGRESS'];
const PAUSE_MILLISECONDS = 100;
/** Time to index the chain from the second node. */
const START_MILLISECONDS = 300_000;
/** Time until `/status` names what is wrong. */
const CAUSE_MILLISECONDS = 60_000;

const MAX_ANSWER_MILLISECONDS = 2_000;
const MAX_RESIDENT_MEGABYTES = 600;
const MAX_BLOCKED_MILLISECONDS = 200;

/** Ids of no machine. */
const UNKNOWN_IDS = [10n ** 12n, 10n ** 12n + 1n, 10n ** 12n + 2n];

let devnet: Devnet;
/** The second node of every service. */
let honest: RpcProxy;
beforeAll(async () => {
  devnet = await startDevnet({ quiet: true });
  honest = await startRpcProxy(devnet.rpcUrl);
}, 300_000);
afterAll(async () => {
  await honest.close();
  await devnet.stop();
});

interface Service {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcess;
}

/** Starts the service with this first node of the main chain. `flags` are further arguments of node. */
async function startService(firstUrl: string, flags: readonly string[]): Promise<Service> {
  const adminPort = await findFreePort();
  const env = {
    ...process.env,
    ...devnet.env,
    MAIN_RPC_URLS: [firstUrl, honest.url].join(),
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    ADMIN_PORT: String(adminPort),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  const args = [...MEASURE_BLOCKED, ...flags, 'cli/svc.ts', 'serve'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, url] = /^listening on (.*)/.exec(line) ?? [];
    if (url !== undefined) return { url, adminUrl: `http://127.0.0.1:${adminPort}`, child };
  }
  throw new Error('the service did not start');
}

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

/** Returns the time for which the main threads of service and campaign have waited for a processor that other programs used. */
function readQueuedMilliseconds({ child }: Service): readonly number[] {
  return [child.pid, process.pid].map(
    (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6,
  );
}

/** Sends a request and measures the time until its whole response, without what the process that waited longest waited. */
async function ask(service: Service, path: string): Promise<Answer> {
  const before = readQueuedMilliseconds(service);
  const began = performance.now();
  const response = await fetch(service.url + path);
  const text = await response.text();
  const queued = readQueuedMilliseconds(service).map((each, i) => each - before[i]!);
  const milliseconds = performance.now() - began - Math.max(...queued);
  return { path, status: response.status, text, milliseconds };
}

function readPeakMegabytes({ child }: Service): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** Counts unusable responses of nodes by the causes that the service names. */
async function readFailures({ adminUrl }: Service): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const found = metrics.matchAll(/^svc_upstream_failures_total\{chain="main",cause="(.*)"\} (\d+)$/gm);
  const counted = [...found].map(([, cause, count]) => [cause!, Number(count)] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

/** Returns the causes in `/status`, once there is one of these or after a minute; at once where none is wanted. */
async function waitForCause(service: Service, wanted: readonly string[]): Promise<readonly string[]> {
  const until = performance.now() + (wanted.length === 0 ? 0 : CAUSE_MILLISECONDS);
  for (;;) {
    const { causes } = JSON.parse((await ask(service, '/status')).text) as { causes: { cause: string }[] };
    const names = causes.map(({ cause }) => cause);
    if (names.some((name) => wanted.includes(name)) || performance.now() > until) return names;
    await delay(PAUSE_MILLISECONDS);
  }
}

interface Measured {
  readonly isIndexed: boolean;
  readonly answers: readonly Answer[];
  readonly slowestMilliseconds: number;
  readonly blockedMilliseconds: number;
  readonly peakMegabytes: number;
  /** Causes in `/status` while both nodes are there. */
  readonly causes: readonly string[];
  /** Answers about machines that do not exist, and causes, while the first node is the only one. */
  readonly alone: readonly Answer[];
  readonly causesAlone: readonly string[];
  /** Unusable responses of nodes by cause. */
  readonly failures: Readonly<Record<string, number>>;
  readonly figures: string;
}

/** Causes that `/status` is expected to name: of a first node that the second one replaces, and of one that is alone. */
interface Expected {
  readonly replaced: readonly string[];
  readonly alone: readonly string[];
}

const NOTHING: Expected = { replaced: [], alone: [] };

/** Waits until the service has indexed everything, reads machines for `SECONDS`, and then removes the second node. */
async function measure(firstUrl: string, expected = NOTHING, flags: readonly string[] = []): Promise<Measured> {
  const service = await startService(firstUrl, flags);
  try {
    const began = performance.now();
    await readBlockedMilliseconds(service.child);
    let isIndexed = false;
    while (!isIndexed && performance.now() - began < START_MILLISECONDS) {
      isIndexed = (await ask(service, '/status')).status === 200;
      if (!isIndexed) await delay(PAUSE_MILLISECONDS);
    }
    const startMilliseconds = performance.now() - began;
    const fleet = devnet.fixtures.machines.filter((each) => each.name.startsWith('fleet'));
    const answers: Answer[] = [];
    for (let i = 0; performance.now() - began < startMilliseconds + SECONDS * 1000; i++) {
      answers.push(await ask(service, `/v1/verify/machines/${fleet[i % fleet.length]!.id}`));
      await delay(PAUSE_MILLISECONDS);
    }
    const causes = await waitForCause(service, expected.replaced);
    honest.inject({ kind: 'cut' });
    const alone: Answer[] = [];
    for (const id of UNKNOWN_IDS)
      alone.push(await ask(service, `/mcr/did:svc:${id}`), await ask(service, `/v1/verify/machines/${id}`));
    const causesAlone = await waitForCause(service, expected.alone);
    const slowestMilliseconds = Math.max(...answers.map(({ milliseconds }) => milliseconds));
    const blockedMilliseconds = await readBlockedMilliseconds(service.child);
    const peakMegabytes = readPeakMegabytes(service);
    const failures = await readFailures(service);
    const figures =
      `indexed after ${Math.round(startMilliseconds)} ms, slowest of ${answers.length} answers ` +
      `${Math.round(slowestMilliseconds)} ms, blocked ${Math.round(blockedMilliseconds)} ms, ` +
      `peak ${Math.round(peakMegabytes)} MB, failures ${JSON.stringify(failures)}, ` +
      `alone ${[...new Set(alone.map(({ status }) => status))].join()}, causes ${causes.join()}; ${causesAlone.join()}`;
    const measures = { slowestMilliseconds, blockedMilliseconds, peakMegabytes };
    return { isIndexed, answers, ...measures, causes, alone, causesAlone, failures, figures };
  } finally {
    honest.heal();
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
  }
}

/** Faults that single calls of the node do not have, so that it serves alone too and is not named. */
const SERVING = new Set([
  'foreign ids in every batch',
  'batches without their last item',
  'every item of a batch twice',
]);

/** A redirect is a failure of the connection; the pool does not name a node for these, `svc doctor` does. */
function expectedOf(name: string): Expected {
  if (SERVING.has(name)) return NOTHING;
  const alone = ['answers-malformed', 'node-unreachable'];
  return { replaced: name.startsWith('a redirect') ? [] : ['node-answers-malformed'], alone };
}

const isNamed = (causes: readonly string[], wanted: readonly string[]) =>
  wanted.length === 0 || causes.some((cause) => wanted.includes(cause));

/** Returns why the kind fails; empty when it passes. `truth` has the answers of two honest nodes. */
function judge(
  name: string,
  measured: Measured,
  truth: ReadonlyMap<string, string>,
  usualMilliseconds: number,
): string[] {
  const { isIndexed, answers, alone, causes, causesAlone, failures } = measured;
  const problems = new Set<string>();
  if (!isIndexed) problems.add('the index stays behind');
  for (const { path, status, text } of answers) {
    if (status !== 200) problems.add(`${path} answers ${status}`);
    else if ((truth.get(path) ?? text) !== text) problems.add(`${path} is wrong`);
  }
  if (measured.slowestMilliseconds > MAX_ANSWER_MILLISECONDS + usualMilliseconds) problems.add('an answer is late');
  if (measured.peakMegabytes > MAX_RESIDENT_MEGABYTES) problems.add('too much memory');
  if (measured.blockedMilliseconds > MAX_BLOCKED_MILLISECONDS) problems.add('the main thread is blocked');
  // A machine that does not exist: 404 is the truth, which a node with faults may still say.
  const allowed = name in NODE_FAULTS ? [404, 503] : [503];
  for (const { path, status } of alone) if (!allowed.includes(status)) problems.add(`${path} alone answers ${status}`);
  const expected = expectedOf(name);
  const counted = expected.replaced.length > 0 ? 'malformed' : 'transport';
  if (expected !== NOTHING && failures[counted] === undefined) problems.add(`no failure is counted as ${counted}`);
  if (!isNamed(causes, expected.replaced)) problems.add('/status does not name the node');
  if (!isNamed(causesAlone, expected.alone)) problems.add('/status does not name the cause');
  return [...problems];
}

interface HostileNode {
  readonly url: string;
  countRequests(): number;
  close(): Promise<void>;
}

async function startNode(name: string): Promise<HostileNode> {
  const respond = HOSTILE_RESPONSES[name];
  if (respond === undefined) {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    proxy.inject(NODE_FAULTS[name]!);
    return { url: proxy.url, countRequests: () => proxy.requests, close: () => proxy.close() };
  }
  const { url, requests, close } = await startHostileNode((calls, response) => {
    // A node of another chain would not be used at all.
    const [call] = calls;
    if (calls.length > 1 || call!.method !== 'eth_chainId') return respond(calls, response);
    const result = `0x${devnet.fixtures.mainChain.chainId.toString(16)}`;
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call!.id, result }));
  });
  return { url, countRequests: () => requests.own, close };
}

/** One line of the progress file. */
interface Verdict {
  readonly name: string;
  readonly problems: readonly string[];
}

function readProgress(): Map<string, Verdict> {
  if (PROGRESS === undefined || !existsSync(PROGRESS)) return new Map();
  const lines = readFileSync(PROGRESS, 'utf8').trim().split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Verdict).map((each) => [each.name, each]));
}

const SELECTED = [...Object.keys(NODE_FAULTS), ...Object.keys(HOSTILE_RESPONSES)]
  .filter((name) => KINDS.test(name))
  .filter((_, i) => i % PARTS === PART - 1);

describe('a first node that sends', () => {
  const recorded = readProgress();
  const verdicts: Verdict[] = [];
  const truth = new Map<string, string>();
  let usualMilliseconds = 0;

  beforeAll(async () => {
    if (SELECTED.every((name) => recorded.has(name))) return;
    const usual = await measure(devnet.rpcUrl);
    usualMilliseconds = usual.slowestMilliseconds;
    for (const { path, text } of usual.answers) truth.set(path, text);
    process.stdout.write(`two honest nodes: ${usual.figures}\n`);
    expect(usual.blockedMilliseconds).toBeLessThan(MAX_BLOCKED_MILLISECONDS);
  }, 600_000);

  afterAll(() => {
    const failed = verdicts.filter(({ problems }) => problems.length > 0);
    const left = SELECTED.filter((name) => verdicts.every((each) => each.name !== name));
    const totals = { kinds: SELECTED.length, passed: verdicts.length - failed.length, failed: failed.length };
    process.stdout.write(`${JSON.stringify({ ...totals, notRun: left.length, failedKinds: failed })}\n`);
  });

  it.each(SELECTED)('%s changes, delays, blocks and grows nothing, and is named', async (name) => {
    const earlier = recorded.get(name);
    if (earlier === undefined) {
      const node = await startNode(name);
      try {
        const measured = await measure(node.url, expectedOf(name));
        const problems = judge(name, measured, truth, usualMilliseconds);
        if (node.countRequests() === 0) problems.push('the node was not asked');
        verdicts.push({ name, problems });
        const verdict = problems.length === 0 ? 'PASS' : `FAIL (${problems.join(', ')})`;
        process.stdout.write(`${verdict} ${name}: ${measured.figures}\n`);
        if (PROGRESS !== undefined) appendFileSync(PROGRESS, `${JSON.stringify({ name, problems })}\n`);
      } finally {
        await node.close();
      }
    } else verdicts.push(earlier);
    expect(verdicts.at(-1)).toEqual({ name, problems: [] });
  });
});

it('the measure finds a service that computes for 250 ms', async () => {
  const busy = 'const began = process.threadCpuUsage(); while (process.threadCpuUsage(began).user < 250_000);';
  const flags = ['--import', `data:text/javascript,setInterval(() => { ${encodeURIComponent(busy)} }, 5_000)`];
  const { blockedMilliseconds } = await measure(devnet.rpcUrl, NOTHING, flags);
  expect(blockedMilliseconds).toBeGreaterThan(MAX_BLOCKED_MILLISECONDS);
});
