/**
 * Campaign: one hostile node of two. For each kind of bad input, a service whose first node of the main chain sends it
 * answers from the second node within 2 s, uses less than 600 MB and blocks its event loop for less than 200 ms more than with two honest nodes. `KINDS` (all)
 * selects kinds by a regular expression, `SECONDS` (10) is the length of each.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { HOSTILE_RESPONSES, startHostileNode } from '../../testing/harness/hostile-node.ts';

const KINDS = new RegExp(process.env['KINDS'] ?? '');
const SECONDS = Number(process.env['SECONDS'] ?? 10);
const PAUSE_MILLISECONDS = 100;
/** Time to index the chain from the second node. */
const START_MILLISECONDS = 300_000;

const MAX_ANSWER_MILLISECONDS = 2_000;
const MAX_RESIDENT_MEGABYTES = 600;
const MAX_BLOCKED_SECONDS = 0.2;

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ quiet: true });
}, 300_000);
afterAll(() => devnet.stop());

interface Service {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcess;
}

/** Starts the service with these nodes of the main chain. */
async function startService(rpcUrls: readonly string[]): Promise<Service> {
  const adminPort = await findFreePort();
  const env = {
    ...process.env,
    ...devnet.env,
    MAIN_RPC_URLS: rpcUrls.join(),
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    ADMIN_PORT: String(adminPort),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, ['cli/svc.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening on (.*)/.exec(line) ?? [];
    if (url !== undefined) return { url, adminUrl: `http://127.0.0.1:${adminPort}`, child };
  }
  throw new Error('the service did not start');
}

/** Sends a request and measures the time until its whole response. */
async function ask(url: string): Promise<{ readonly status: number; readonly milliseconds: number }> {
  const began = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - began };
}

/** Returns the longest delay of the event loop since the last call. */
async function readBlockedSeconds({ adminUrl }: Service): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)![1]);
}

function readPeakMegabytes({ child }: Service): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

interface Measured {
  readonly statuses: readonly number[];
  readonly slowestMilliseconds: number;
  readonly blockedSeconds: number;
  readonly peakMegabytes: number;
}

/** Waits until the service has indexed everything, then reads machines for `SECONDS`. */
async function measure(name: string, rpcUrls: readonly string[]): Promise<Measured> {
  const service = await startService(rpcUrls);
  try {
    const began = performance.now();
    while ((await ask(`${service.url}/status`)).status !== 200) {
      expect(performance.now() - began).toBeLessThan(START_MILLISECONDS);
      await delay(PAUSE_MILLISECONDS);
    }
    const startMilliseconds = performance.now() - began;
    await readBlockedSeconds(service);
    const fleet = devnet.fixtures.machines.filter((each) => each.name.startsWith('fleet'));
    const answers: { readonly status: number; readonly milliseconds: number }[] = [];
    for (let i = 0; performance.now() - began < startMilliseconds + SECONDS * 1000; i++) {
      answers.push(await ask(`${service.url}/v1/verify/machines/${fleet[i % fleet.length]!.id}`));
      await delay(PAUSE_MILLISECONDS);
    }
    const measured = {
      statuses: [...new Set(answers.map(({ status }) => status))],
      slowestMilliseconds: Math.max(...answers.map(({ milliseconds }) => milliseconds)),
      blockedSeconds: await readBlockedSeconds(service),
      peakMegabytes: readPeakMegabytes(service),
    };
    process.stdout.write(
      `${name}: indexed after ${Math.round(startMilliseconds)} ms, slowest of ${answers.length} answers ` +
        `${Math.round(measured.slowestMilliseconds)} ms, blocked ${Math.round(measured.blockedSeconds * 1000)} ms, ` +
        `peak ${Math.round(measured.peakMegabytes)} MB\n`,
    );
    return measured;
  } finally {
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
  }
}

const kinds = Object.keys(HOSTILE_RESPONSES).filter((name) => KINDS.test(name));

describe('a first node that sends', () => {
  /** What other programs on the machine and the service itself block. */
  let usuallyBlockedSeconds: number;
  beforeAll(async () => {
    usuallyBlockedSeconds = (await measure('two honest nodes', [devnet.rpcUrl, devnet.rpcUrl])).blockedSeconds;
  }, 300_000);

  it.each(kinds)('%s delays, blocks and grows nothing beyond the limits', async (name) => {
    const hostile = await startHostileNode((calls, response) => {
      // A node of another chain would not be used at all.
      const [call] = calls;
      if (calls.length > 1 || call!.method !== 'eth_chainId') HOSTILE_RESPONSES[name]!(calls, response);
      else {
        const result = `0x${devnet.fixtures.mainChain.chainId.toString(16)}`;
        response.end(JSON.stringify({ jsonrpc: '2.0', id: call!.id, result }));
      }
    });
    try {
      const measured = await measure(name, [hostile.url, devnet.rpcUrl]);
      expect(measured.statuses).toEqual([200]);
      expect(measured.slowestMilliseconds).toBeLessThan(MAX_ANSWER_MILLISECONDS);
      expect(measured.peakMegabytes).toBeLessThan(MAX_RESIDENT_MEGABYTES);
      expect(measured.blockedSeconds).toBeLessThan(MAX_BLOCKED_SECONDS + usuallyBlockedSeconds);
      expect(hostile.requests.own).toBeGreaterThan(0);
    } finally {
      await hostile.close();
    }
  });
});
