/**
 * Failure modes of the clock (design/provable 3). The wall clock and the monotonic clock of the process are moved, or a proxy in front of
 * the node changes the times of the blocks. Every route returns what the table lists, and recovers without a restart.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import {
  CLOCK_FAILURE_MODES,
  CLOCK_RECOVERY_SECONDS,
  expectedOf,
  ROUTE_NAMES,
  ROUTES,
  type ClockFault,
  type RouteName,
} from '../../failure-modes-table.ts';
import type { RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { createCaller, type FailureModesFixture } from './failure-modes-fixture.ts';

const HOUR = 3_600;
const DAY = 86_400;
const DRIFT_STEP_SECONDS = 20;
const DRIFT_SECONDS = 180;
const POLL_MILLISECONDS = 250;
const START_MILLISECONDS = 60_000;
const POLL_INTERVAL_SECONDS = '15';

const realNow = Date.now.bind(Date);
const realMonotonic = performance.now.bind(performance);
const expired = findMachine(inject('fixtures').machines, 'kyb-expired');

const offset = { wallSeconds: 0, monotonicSeconds: 0 };
let proxied: ProxiedService;
let request: FailureModesFixture['request'];

beforeEach(() => {
  Object.assign(offset, { wallSeconds: 0, monotonicSeconds: 0 });
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + offset.wallSeconds * 1000);
  vi.spyOn(performance, 'now').mockImplementation(() => realMonotonic() + offset.monotonicSeconds * 1000);
});
afterEach(async () => {
  Object.assign(offset, { wallSeconds: 0, monotonicSeconds: 0 });
  await proxied.close();
  vi.restoreAllMocks();
});

async function start(prepare?: (proxy: RpcProxy) => void): Promise<void> {
  proxied = await startProxiedService({ POLL_INTERVAL_SECONDS }, prepare);
  request = await createCaller(proxied.service.url, realNow);
}

async function readState(): Promise<string> {
  const { clock } = (await fetchChecked(`${proxied.service.url}/ready`)).json<{ clock: string }>();
  return clock;
}

async function waitForState(state: string): Promise<void> {
  const until = AbortSignal.timeout(START_MILLISECONDS);
  while ((await readState()) !== state) {
    if (until.aborted) expect(await readState()).toBe(state);
    await delay(POLL_MILLISECONDS);
  }
}

/** Returns every response that is not expected; no expired record may be reported as verified. */
async function findDifferences(names: readonly RouteName[], expected: (name: RouteName) => readonly string[]) {
  const { status, text } = await fetchChecked(`${proxied.service.url}/v1/verify/machines/${expired.id}`);
  if (status === 200) expect(JSON.parse(text)).toMatchObject({ verification: { kyb: { status: 'expired' } } });
  const received = await Promise.all(names.map(async (name) => [name, await request(name)] as const));
  return received.filter(([name, response]) => !expected(name).includes(response)).map((each) => each.join(': '));
}

/** Polls the reads until they are as expected, then sends the writes. */
async function settle(seconds: number, expected: (name: RouteName) => readonly string[]): Promise<void> {
  const reads = ROUTE_NAMES.filter((name) => !ROUTES[name].isWrite);
  const until = AbortSignal.timeout(seconds * 1000);
  for (;;) {
    const differences = await findDifferences(reads, expected);
    if (differences.length === 0) break;
    if (until.aborted) expect(differences).toEqual([]);
    await delay(POLL_MILLISECONDS);
  }
  const writes = ROUTE_NAMES.filter((name) => ROUTES[name].isWrite);
  expect(await findDifferences(writes, expected)).toEqual([]);
}

const healthy = (name: RouteName) => [ROUTES[name].healthy];

/** Changes the times of all blocks. */
function shiftBlocks(proxy: RpcProxy, seconds: number): void {
  const shift = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shift);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) =>
        (key === 'timestamp' || key === 'blockTimestamp') && typeof each === 'string'
          ? [key, `0x${(Number(each) + seconds).toString(16)}`]
          : [key, shift(each)],
      ),
    );
  };
  proxy.inject({
    kind: 'answer',
    change: (response) => ('result' in response ? { result: shift(response.result) } : response),
  });
}

/** Hides every block after the newest one. */
async function holdHead(proxy: RpcProxy): Promise<void> {
  const { mainChain } = inject('fixtures');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(mainChain.rpcUrl, { method: 'POST', headers, body });
  const { result: head } = (await response.json()) as { readonly result: string };
  const pin = (param: unknown) => (param === 'latest' ? head : param === 'finalized' ? toFinalized(head) : param);
  proxy.inject({ kind: 'call', change: ({ method, params }) => ({ method, params: params.map(pin) }) });
}

const toFinalized = (head: string) => `0x${(Number(head) - 2).toString(16)}`;

/** Injects the fault into a service that runs, or starts one with it; returns what ends it. */
async function injectFault(fault: ClockFault): Promise<() => void> {
  const setClock = () => {
    offset.wallSeconds = 0;
  };
  const heal = () => proxied.proxy.heal();
  if (fault === 'behind at the start') offset.wallSeconds = -31 * DAY;
  await start(fault === 'chain shifted into the past' ? (proxy) => shiftBlocks(proxy, -90 * DAY) : undefined);
  if (fault === 'behind at the start' || fault === 'chain shifted into the past')
    return fault === 'behind at the start' ? setClock : heal;
  await waitForState('good');
  switch (fault) {
    case 'behind':
      offset.wallSeconds = -31 * DAY;
      return setClock;
    case 'ahead and back':
      offset.wallSeconds = HOUR;
      return setClock;
    case 'suspended host':
      await holdHead(proxied.proxy);
      offset.monotonicSeconds = -8 * HOUR;
      return heal;
    case 'slow drift':
      for (; offset.wallSeconds < DRIFT_SECONDS; offset.wallSeconds += DRIFT_STEP_SECONDS) {
        if (offset.wallSeconds < 100) await waitForState('good');
      }
      return setClock;
    case 'hours between blocks':
      await holdHead(proxied.proxy);
      offset.wallSeconds = offset.monotonicSeconds = 5 * HOUR;
      return () => {
        offset.wallSeconds = offset.monotonicSeconds = 0;
        heal();
      };
    case 'chain shifted into the future':
      shiftBlocks(proxied.proxy, 90 * DAY);
      return heal;
  }
}

describe.each(CLOCK_FAILURE_MODES)('$fault', ({ fault, description, state, outcome }) => {
  it(`is survived: ${description}`, { timeout: 240_000 }, async () => {
    rule('challenge-errors.clock');
    const end = await injectFault(fault);
    await waitForState(state);
    await settle(CLOCK_RECOVERY_SECONDS, (name) => expectedOf(outcome, name));
    expect(await readState()).toBe(state);
    end();
    await settle(CLOCK_RECOVERY_SECONDS, healthy);
  });
});
