/**
 * Failure modes of the clock (design/provable 3). The wall clock and the monotonic clock of the process are moved, or a proxy in front of
 * the node changes the times of the blocks. Every route returns what the table lists, and recovers without a restart.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { stringToHex } from 'viem';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { accountOf } from '../../../devnet/accounts.ts';
import { startBareChain, type BareChain } from '../../../devnet/main-chain/bare-chain.ts';
import { activateMachine, machineIdOf } from '../../../devnet/main-chain/calls.ts';
import {
  CLOCK_FAILURE_MODES,
  CLOCK_RECOVERY_SECONDS,
  expectedOf,
  ROUTE_NAMES,
  ROUTES,
  type ClockFault,
  type OutcomeName,
  type RouteName,
} from '../../failure-modes-table.ts';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { holdHead } from '../hold-head.ts';
import { startIndexedService, startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { createCaller, describeResponse, type FailureModesFixture } from './failure-modes-fixture.ts';

const HOUR = 3_600;
const DAY = 86_400;
const DRIFT_STEP_SECONDS = 20;
const DRIFT_SECONDS = 180;
const POLL_MILLISECONDS = 250;
const START_MILLISECONDS = 60_000;
const POLL_INTERVAL_SECONDS = '15';
/** A drift of more than 120 s is confirmed by no block. */
const LAST_CONFIRMED_DRIFT_SECONDS = 100;
const FINALIZING_BLOCKS = 4;
const SOON = { timeout: 30_000 };

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

async function start(): Promise<void> {
  proxied = await startIndexedService({ POLL_INTERVAL_SECONDS });
  request = await createCaller(proxied.service.url, realNow);
}

async function readState(): Promise<string> {
  const { clock } = (await fetchChecked(`${proxied.service.url}/ready`)).json<{ clock: string }>();
  return clock;
}

async function waitForState(state: string): Promise<void> {
  const until = abortAfter(START_MILLISECONDS);
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
  const until = abortAfter(seconds * 1000);
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

/** Injects the fault into a service that runs, or starts one with it; returns what ends it. */
async function injectFault(fault: ClockFault): Promise<() => void> {
  const setClock = () => {
    offset.wallSeconds = 0;
  };
  if (fault === 'behind at the start') offset.wallSeconds = -31 * DAY;
  await start();
  if (fault === 'behind at the start') return setClock;
  await waitForState('good');
  switch (fault) {
    case 'behind':
      offset.wallSeconds = -31 * DAY;
      return setClock;
    case 'ahead and back':
      offset.wallSeconds = HOUR;
      return setClock;
    case 'suspended host':
      // A cached machine answers for an older block, so the index is asked.
      await holdHead(proxied);
      offset.monotonicSeconds = -8 * HOUR;
      return () => proxied.proxy.heal();
    case 'slow drift':
      for (; offset.wallSeconds < DRIFT_SECONDS; offset.wallSeconds += DRIFT_STEP_SECONDS) {
        if (offset.wallSeconds < LAST_CONFIRMED_DRIFT_SECONDS) await waitForState('good');
      }
      return setClock;
    default:
      throw new Error('a fault of the chain');
  }
}

/** Seconds from the real time to the times of the blocks. */
const SHIFTS: Partial<Readonly<Record<ClockFault, number>>> = {
  'hours between blocks': -5 * HOUR,
  'chain shifted into the past': -90 * DAY,
  'chain shifted into the future': 90 * DAY,
};

describe.each(CLOCK_FAILURE_MODES.filter(({ fault }) => SHIFTS[fault] === undefined))(
  '$fault',
  ({ fault, description, state, outcome }) => {
    it(`is survived: ${description}`, { timeout: 240_000 }, async () => {
      rule('challenge-errors.clock');
      const end = await injectFault(fault);
      await waitForState(state);
      await settle(CLOCK_RECOVERY_SECONDS, (name) => expectedOf(outcome, name));
      expect(await readState()).toBe(state);
      end();
      await settle(CLOCK_RECOVERY_SECONDS, healthy);
    });
  },
);

describe.each(CLOCK_FAILURE_MODES.filter(({ fault }) => SHIFTS[fault] !== undefined))(
  '$fault',
  ({ fault, description, state, outcome }) => {
    let chain: BareChain;
    afterEach(() => chain.stop());

    it(`is survived: ${description}`, { timeout: 240_000 }, async () => {
      const shift = SHIFTS[fault]!;
      chain = await startBareChain({ genesisTimestamp: Math.floor(realNow() / 1000) + shift });
      const credentials = { machineType: 'robot', credentialSubject: stringToHex(`machine of a ${fault}`) };
      const from = accountOf('owner').address;
      await chain.writer.mine([activateMachine(chain.deployment, { from, ...credentials })]);
      for (let block = 0; block < FINALIZING_BLOCKS; block++) await chain.writer.mine([]);
      proxied = await startProxiedService(toEnvironment(chain));
      const id = machineIdOf(credentials);
      const routes = { rating: `/mcr/did:svc:${id}`, verify: `/v1/verify/machines/${id}`, ready: '/ready' } as const;
      const names = Object.keys(routes) as (keyof typeof routes)[];
      const received = async () =>
        Promise.all(
          names.map(async (name) => describeResponse(await fetchChecked(proxied.service.url + routes[name]))),
        );
      const expected = (given: OutcomeName) => names.map((name) => expectedOf(given, name)[0]);
      await waitForState(state);
      await expect.poll(received, SOON).toEqual(expected(outcome));
      // Then the clock agrees with the chain.
      offset.wallSeconds = shift;
      await expect
        .poll(async () => {
          await chain.writer.mine([]);
          return [await readState(), ...(await received())];
        }, SOON)
        .toEqual(['good', ...expected('served')]);
    });
  },
);

function toEnvironment({ rpcUrl, deployment: { chainId, startBlock, addresses } }: BareChain): Record<string, string> {
  const toVariable = (name: string) => `${name.replace(/[A-Z]/g, '_$&').toUpperCase()}_ADDRESS`;
  return {
    MAIN_RPC_URLS: rpcUrl,
    MAIN_CHAIN_ID: String(chainId),
    MAIN_START_BLOCK: String(startBlock),
    POLL_INTERVAL_SECONDS,
    ...Object.fromEntries(Object.entries(addresses).map(([name, address]) => [toVariable(name), address])),
  };
}
