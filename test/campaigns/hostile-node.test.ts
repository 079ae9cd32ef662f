/**
 * Campaign: one hostile node of two. For each kind of bad input, a service whose first node of the main chain sends it
 * answers what it answers with two honest nodes, at most 2 s later, uses less than 600 MB and blocks its event loop for less than 200 ms
 * of CPU time, from its start on. Once the second node is gone it answers 503, and names the cause. `KINDS` (all) selects kinds by a
 * regular expression, `SECONDS` (10) is the length of each.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { MEASURE_BLOCKED, readBlockedMilliseconds } from '../../testing/harness/blocked-loop.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { HOSTILE_RESPONSES, startHostileNode } from '../../testing/harness/hostile-node.ts';
import { startRpcProxy, type ProxyResponse, type RpcFault, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';

const KINDS = new RegExp(process.env['KINDS'] ?? '');
const SECONDS = Number(process.env['SECONDS'] ?? 10);
const PAUSE_MILLISECONDS = 100;
/** Time to index the chain from the second node. */
const START_MILLISECONDS = 300_000;

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

/** Sends a request and measures the time until its whole response. */
async function ask({ url }: Service, path: string): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(url + path);
  const text = await response.text();
  return { path, status: response.status, text, milliseconds: performance.now() - began };
}

function readPeakMegabytes({ child }: Service): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** Counts unusable responses of nodes by the causes that the service names. */
async function readCauses({ adminUrl }: Service): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const found = metrics.matchAll(/^svc_upstream_failures_total\{chain="main",cause="(.*)"\} (\d+)$/gm);
  const counted = [...found].map(([, cause, count]) => [cause!, Number(count)] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

interface Measured {
  readonly answers: readonly Answer[];
  readonly slowestMilliseconds: number;
  readonly blockedMilliseconds: number;
  readonly peakMegabytes: number;
  /** Answers about machines that do not exist, while the first node is the only one. */
  readonly alone: readonly Answer[];
  readonly causes: Readonly<Record<string, number>>;
}

/** Waits until the service has indexed everything, reads machines for `SECONDS`, and then removes the second node. */
async function measure(name: string, firstUrl: string, flags: readonly string[] = []): Promise<Measured> {
  const service = await startService(firstUrl, flags);
  try {
    const began = performance.now();
    await readBlockedMilliseconds(service.child);
    while ((await ask(service, '/status')).status !== 200) {
      expect(performance.now() - began).toBeLessThan(START_MILLISECONDS);
      await delay(PAUSE_MILLISECONDS);
    }
    const startMilliseconds = performance.now() - began;
    const fleet = devnet.fixtures.machines.filter((each) => each.name.startsWith('fleet'));
    const answers: Answer[] = [];
    for (let i = 0; performance.now() - began < startMilliseconds + SECONDS * 1000; i++) {
      answers.push(await ask(service, `/v1/verify/machines/${fleet[i % fleet.length]!.id}`));
      await delay(PAUSE_MILLISECONDS);
    }
    honest.inject({ kind: 'cut' });
    const alone: Answer[] = [];
    for (const id of UNKNOWN_IDS)
      alone.push(await ask(service, `/mcr/did:svc:${id}`), await ask(service, `/v1/verify/machines/${id}`));
    const measured = {
      answers,
      slowestMilliseconds: Math.max(...answers.map(({ milliseconds }) => milliseconds)),
      blockedMilliseconds: await readBlockedMilliseconds(service.child),
      peakMegabytes: readPeakMegabytes(service),
      alone,
      causes: await readCauses(service),
    };
    process.stdout.write(
      `${name}: indexed after ${Math.round(startMilliseconds)} ms, slowest of ${answers.length} answers ` +
        `${Math.round(measured.slowestMilliseconds)} ms, blocked ${Math.round(measured.blockedMilliseconds)} ms, ` +
        `peak ${Math.round(measured.peakMegabytes)} MB, causes ${JSON.stringify(measured.causes)}\n`,
    );
    return measured;
  } finally {
    honest.heal();
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
  }
}

/** Changes the items of every batch. */
const changeBatches = (change: (items: readonly { readonly id: unknown }[]) => readonly object[]): RpcFault => ({
  kind: 'body',
  change(body) {
    const parsed = JSON.parse(body) as { readonly id: unknown }[];
    return Array.isArray(parsed) ? JSON.stringify(change(parsed)) : body;
  },
});

/** Returns a response whose result, or number of a block, has a million digits. */
function growQuantity(response: ProxyResponse): ProxyResponse {
  const quantity = `0x1${'0'.repeat(999_999)}`;
  const isBlock = 'result' in response && typeof response.result === 'object' && !Array.isArray(response.result);
  return { result: isBlock ? { ...response.result, number: quantity } : quantity };
}

/**
 * Faults of a node that otherwise says the truth. A node that exchanges the ids of a batch is not among them: the index then waits, with the cause
 * `answers-malformed` in `/status`, instead of using the second node.
 */
const FAULTS: Readonly<Record<string, RpcFault>> = {
  'batches without their last item': changeBatches((items) => items.slice(0, -1)),
  'every item of a batch twice': changeBatches((items) => [...items, ...items]),
  'quantities of a million digits': {
    kind: 'answer',
    change: (response, { method }) => (method === 'eth_chainId' ? response : growQuantity(response)),
  },
};

interface HostileNode {
  readonly url: string;
  countRequests(): number;
  close(): Promise<void>;
}

async function startNode(name: string): Promise<HostileNode> {
  const respond = HOSTILE_RESPONSES[name];
  if (respond === undefined) {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    proxy.inject(FAULTS[name]!);
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

const selected = (names: object) => Object.keys(names).filter((name) => KINDS.test(name));

describe('a first node that sends', () => {
  let usual: Measured;
  const truth = new Map<string, string>();
  beforeAll(async () => {
    usual = await measure('two honest nodes', devnet.rpcUrl);
    for (const { path, text } of usual.answers) truth.set(path, text);
    expect(usual.blockedMilliseconds).toBeLessThan(MAX_BLOCKED_MILLISECONDS);
  }, 300_000);

  /** Expects the same answers as with two honest nodes, within the limits. */
  async function expectHarmless(name: string): Promise<Measured> {
    const node = await startNode(name);
    try {
      const measured = await measure(name, node.url);
      for (const { path, status, text } of measured.answers)
        expect([path, status, text]).toEqual([path, 200, truth.get(path) ?? text]);
      expect(measured.slowestMilliseconds).toBeLessThan(MAX_ANSWER_MILLISECONDS + usual.slowestMilliseconds);
      expect(measured.peakMegabytes).toBeLessThan(MAX_RESIDENT_MEGABYTES);
      expect(measured.blockedMilliseconds).toBeLessThan(MAX_BLOCKED_MILLISECONDS);
      expect(node.countRequests()).toBeGreaterThan(0);
      return measured;
    } finally {
      await node.close();
    }
  }

  it.each(selected(HOSTILE_RESPONSES))('%s changes, delays, blocks and grows nothing, and is named', async (name) => {
    const { alone, causes } = await expectHarmless(name);
    expect(alone.filter(({ status }) => status !== 503)).toEqual([]);
    expect(Object.keys(causes)).toContain(name.startsWith('a redirect') ? 'transport' : 'malformed');
  });

  it.each(selected(FAULTS))('%s changes, delays, blocks and grows nothing', async (name) => {
    const { alone } = await expectHarmless(name);
    expect(alone.filter(({ status }) => status !== 503 && status !== 404)).toEqual([]);
  });
});

it('the measure finds a service that computes for 250 ms', async () => {
  const busy = 'const began = process.threadCpuUsage(); while (process.threadCpuUsage(began).user < 250_000);';
  const flags = ['--import', `data:text/javascript,setInterval(() => { ${encodeURIComponent(busy)} }, 5_000)`];
  const { blockedMilliseconds } = await measure('a planted loop', devnet.rpcUrl, flags);
  expect(blockedMilliseconds).toBeGreaterThan(MAX_BLOCKED_MILLISECONDS);
});
