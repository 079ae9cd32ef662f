/** Main-chain reader of the replay, on honest, limited and contradictory nodes. */
import { describe, expect, it } from 'vitest';
import {
  ADDRESSES,
  blockHashOf,
  createCannedNode,
  NODE_URL,
  refuse,
  word,
  type CannedChain,
  type JsonRpcRequest,
  type Tamper,
} from '../../testing/fakes/replay-main-node.ts';
import { createRpc } from './json-rpc.ts';
import { readRawMachine } from './raw-chain.ts';
import { ReplayFailure } from './replay-failure.ts';

const MACHINE_ID = 2n ** 255n + 7n;

const CHAIN: CannedChain = {
  chainId: 3338n,
  machineId: MACHINE_ID,
  head: 1000,
  timestampOf: (block) => 1_788_000_000 + block * 7,
  events: [
    { block: 100, type: 0, value: 123456n, currency: 'EUR', timestamp: 1_788_000_600n, trust: 2 },
    { block: 100, type: 1, value: 0n, currency: '', timestamp: 1_788_000_650n, trust: 0 },
    { block: 350, type: 0, value: 2n ** 256n - 1n, currency: 'USD', timestamp: 5n, trust: 1 },
    { block: 999, type: 1, value: 7n, currency: '\uFEFF', timestamp: 2n ** 256n - 1n, trust: 255 },
    { block: 1000, type: 1, value: 8n, currency: '', timestamp: 1n, trust: 1 },
  ],
  status: 2,
  flaggedAt: 1_787_000_000n,
  trustOverride: 55,
  priorEvents: 0n,
  maxQueryLimit: 2,
};

const LOCATION = { ...ADDRESSES, chainId: 3338n, startBlock: 10n };

async function read(chain: CannedChain, tamper?: Tamper, location: Parameters<typeof readRawMachine>[1] = LOCATION) {
  const node = createCannedNode(chain, tamper);
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const rpc = createRpc({ urls: ['http://down.test', NODE_URL], fetch: node.fetch, wait });
  const machine = await readRawMachine(rpc, location, MACHINE_ID, { number: 1000n, hash: blockHashOf(1000) });
  return { machine, requests: node.requests, waits };
}

const failureOf = async (chain: CannedChain, tamper?: Tamper, location = LOCATION) => {
  const error: unknown = await read(chain, tamper, location).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ReplayFailure)) throw new Error(`not a ReplayFailure: ${String(error)}`);
  expect(error.message).not.toContain(NODE_URL);
  return [error.kind, error.message];
};

/** Windows of the event registry's logs. */
const windowsOf = (requests: readonly JsonRpcRequest[]) =>
  requests
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => params[0] as { address: string; fromBlock: string; toBlock: string })
    .filter(({ address }) => address === ADDRESSES.eventRegistry)
    .map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)]);

const EVENTS = [
  {
    seq: 0n,
    type: 0n,
    value: 123456n,
    currency: 'EUR',
    timestamp: 1_788_000_600n,
    trust: 2n,
    blockTimestamp: 1_788_000_700n,
  },
  {
    seq: 1n,
    type: 1n,
    value: 0n,
    currency: '',
    timestamp: 1_788_000_650n,
    trust: 0n,
    blockTimestamp: 1_788_000_700n,
  },
  {
    seq: 2n,
    type: 0n,
    value: 2n ** 256n - 1n,
    currency: 'USD',
    timestamp: 5n,
    trust: 1n,
    blockTimestamp: 1_788_002_450n,
  },
  {
    seq: 3n,
    type: 1n,
    value: 7n,
    // A byte order mark is not removed, so the event stays malformed.
    currency: '\u00EF\u00BB\u00BF',
    timestamp: 2n ** 256n - 1n,
    trust: 255n,
    blockTimestamp: 1_788_006_993n,
  },
  { seq: 4n, type: 1n, value: 8n, currency: '', timestamp: 1n, trust: 1n, blockTimestamp: 1_788_007_000n },
].map((event) => ({ ...event, attested: false, paidCents: 0n }));

/** The token is minted before the first block that is read. */
const NO_OWNER = `0x${'0'.repeat(40)}`;
/** Blocks and log indexes of the events. */
const PLACES = [
  [100n, 1n],
  [100n, 2n],
  [350n, 3n],
  [999n, 4n],
  [1000n, 5n],
];

/** A machine that was never transferred, of an operator without KYB. */
const PLAIN = {
  hands: [],
  changedHandsAt: null,
  chipIssuedAt: null,
  accepted: true,
  kyb: undefined,
  claimEnds: [],
};

describe('readRawMachine on an honest node', () => {
  it('reads everything at the pinned block', async () => {
    const { machine, requests } = await read(CHAIN);
    expect(machine).toStrictEqual({
      blockTimestamp: 1_788_007_000n,
      ...PLAIN,
      events: EVENTS,
      citing: EVENTS.map(({ seq, trust, blockTimestamp }) => ({
        ...{ seq, trust, blockTimestamp, sourceChainId: 0n, sourceTxHash: `0x${'0'.repeat(64)}` },
        ...{ metadata: new Uint8Array(), owner: NO_OWNER, place: PLACES[Number(seq)] },
      })),
      priorEvents: 0n,
      subscription: 'Grace',
      negativeFlagAt: 1_787_000_000n,
      trustOverride: 55n,
    });
    const pins = requests.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1]);
    expect(new Set(pins.map((pin) => JSON.stringify(pin)))).toStrictEqual(
      new Set([JSON.stringify({ blockHash: blockHashOf(1000) })]),
    );
    expect(windowsOf(requests)).toStrictEqual([[10, 1000]]);
  });

  it('reads a machine without events, flags or AdminFlags', async () => {
    const { eventRegistry, machineRegistry, machineSubscription } = ADDRESSES;
    const { machine } = await read({ ...CHAIN, events: [], status: 0 }, undefined, {
      eventRegistry,
      machineRegistry,
      machineSubscription,
      startBlock: 0n,
    });
    expect(machine).toStrictEqual({
      blockTimestamp: 1_788_007_000n,
      ...PLAIN,
      events: [],
      citing: [],
      priorEvents: 0n,
      subscription: 'NotActivated',
      negativeFlagAt: 0n,
      trustOverride: null,
    });
  });

  it('distinguishes an override of 0 from none', async () => {
    expect((await read({ ...CHAIN, trustOverride: 0 })).machine.trustOverride).toBe(0n);
    expect((await read({ ...CHAIN, trustOverride: null })).machine.trustOverride).toBe(null);
  });

  it('reads which events were stored while a chip was on record', async () => {
    const events = CHAIN.events.map((event, index) => ({
      ...event,
      trust: 2,
      isChipOnRecord: index === 0 || index > 2,
    }));
    const { machine } = await read({ ...CHAIN, events });
    expect(machine.events.map(({ attested }) => attested)).toStrictEqual([true, false, false, true, true]);
  });

  it('attests no event below trust level 2', async () => {
    const events = CHAIN.events.map((event) => ({ ...event, isChipOnRecord: true }));
    const { machine } = await read({ ...CHAIN, events });
    expect(machine.events.map(({ attested }) => attested)).toStrictEqual([true, false, false, false, false]);
  });

  it('reads changes of hands, their acceptance and the KYB of the printed operator', async () => {
    const kyb = { expiresAt: 9, revokedAt: 0 };
    const sold = { ...CHAIN, hands: [0, 2, 5], kyb };
    const location = { ...LOCATION, startBlock: 0n };
    const { machine } = await read(sold, undefined, location);
    expect([machine.hands, machine.changedHandsAt, machine.accepted, machine.kyb]).toStrictEqual([
      [0n, 2n, 5n],
      1_788_007_000n,
      false,
      { expiresAt: 9n, revokedAt: 0n },
    ]);
    expect((await read({ ...sold, isControllerSet: true }, undefined, location)).machine.accepted).toBe(true);
    const imported = { ...sold, priorEvents: 12n, importedAt: 50, logsBeforeImport: 3 };
    expect((await read(imported, undefined, location)).machine.hands).toStrictEqual([0n, 2n, 5n]);
  });

  it('counts logs from the last import, whatever their index', async () => {
    const { machine } = await read({ ...CHAIN, priorEvents: 12n, importedAt: 50, logsBeforeImport: 3 });
    expect([machine.priorEvents, machine.events]).toStrictEqual([12n, EVENTS]);
  });
});

describe('readRawMachine on a node with limits', () => {
  it.each([
    ['a code for the range', () => refuse(-32005)],
    ['a code for the parameters', () => refuse(-32602, 'block range too wide')],
    ['HTTP 413', () => new Response('too large', { status: 413 })],
    ['an HTTP status with a JSON-RPC error', () => Response.json({ error: { code: -32614 } }, { status: 400 })],
  ])('halves the window on %s and keeps the size', async (_name, refusal) => {
    const { machine, requests } = await read(CHAIN, ({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined;
      const [range] = params as [{ fromBlock: string; toBlock: string }];
      return Number(range.toBlock) - Number(range.fromBlock) >= 300 ? refusal() : undefined;
    });
    expect(machine.events).toStrictEqual(EVENTS);
    expect(windowsOf(requests)).toStrictEqual([
      [10, 1000],
      [10, 504],
      [10, 256],
      [257, 503],
      [504, 750],
      [751, 997],
      [998, 1000],
    ]);
  });

  it('fails when a single block is refused', async () => {
    expect(
      await failureOf(CHAIN, ({ method }) => (method === 'eth_getLogs' ? refuse(-32005) : undefined)),
    ).toStrictEqual(['unreachable', 'the node refused eth_getLogs (-32005)']);
  });

  it('halves a page that is refused', async () => {
    const limits: number[] = [];
    const { machine } = await read({ ...CHAIN, maxQueryLimit: 100 }, ({ method, params }) => {
      const { data } = (params[0] ?? {}) as { data?: string };
      if (method !== 'eth_call' || data?.startsWith('0x0ea4e6a0') !== true) return undefined;
      const limit = Number(`0x${data.slice(-64)}`);
      limits.push(limit);
      return limit > 2 ? refuse(-32000, 'out of gas') : undefined;
    });
    expect(machine.events).toStrictEqual(EVENTS);
    expect(limits).toStrictEqual([5, 2, 2, 1]);
  });

  it.each([
    ['HTTP 429', () => new Response('slow down', { status: 429 })],
    ['-32029', () => refuse(-32029)],
  ])('waits after %s and calls again', async (_name, limit) => {
    let refusals = 3;
    const { machine, waits } = await read(CHAIN, () => ((refusals -= 1) >= 0 ? limit() : undefined));
    expect([machine.events.length, waits]).toStrictEqual([5, [1000, 2000, 4000]]);
  });

  it('reports an unreachable chain when every call is rate-limited or fails', async () => {
    const limited = await failureOf(CHAIN, () => new Response('', { status: 429 }));
    const broken = await failureOf(CHAIN, () => new Response('<html>', { status: 502 }));
    expect([limited, broken]).toStrictEqual([
      ['unreachable', 'no node responded to eth_chainId'],
      ['unreachable', 'no node responded to eth_chainId'],
    ]);
  });
});

describe('readRawMachine rejects a node that', () => {
  const onLogs =
    (change: (logs: Record<string, unknown>[]) => unknown): Tamper =>
    ({ method, params }, honest) =>
      method === 'eth_getLogs' && (params[0] as { address: string }).address === ADDRESSES.eventRegistry
        ? { result: change(structuredClone(honest) as Record<string, unknown>[]) }
        : undefined;
  const onCall =
    (selector: string, result: unknown): Tamper =>
    ({ method, params }) =>
      method === 'eth_call' && (params[0] as { data: string }).data.startsWith(selector) ? { result } : undefined;

  it.each([
    ['omits a log', (logs) => logs.slice(1), '5 records but 4 logs'],
    ['repeats a log', (logs) => [logs[0], ...logs], 'malformed response: logs out of range or out of order'],
    ['returns logs out of order', (logs) => logs.reverse(), 'malformed response: logs out of range or out of order'],
    ['returns no array of logs', () => null, 'malformed response: logs are not an array'],
    [
      'returns a log of another contract',
      ([log, ...more]) => [{ ...log, address: ADDRESSES.adminFlags }, ...more],
      'malformed response: a log of another contract',
    ],
    [
      'returns a removed log',
      ([log, ...more]) => [{ ...log, removed: true }, ...more],
      'malformed response: a removed log',
    ],
    [
      'returns a log of another machine',
      ([log, ...more]) => [
        { ...log, topics: (log!['topics'] as string[]).map((topic, at) => (at === 1 ? `0x${word(1)}` : topic)) },
        ...more,
      ],
      'malformed response: a log that was not requested',
    ],
    [
      'returns another value',
      ([log, ...more]) => [{ ...log, data: `0x${word(0)}${word(1)}` }, ...more],
      'record 0 and its log differ',
    ],
    [
      'returns another type',
      ([log, ...more]) => [{ ...log, data: `0x${word(1)}${word(123456)}` }, ...more],
      'record 0 and its log differ',
    ],
    [
      'returns another currency',
      ([log, ...more]) => [
        { ...log, topics: (log!['topics'] as string[]).map((topic, at) => (at === 3 ? blockHashOf(1) : topic)) },
        ...more,
      ],
      'record 0 and its log differ',
    ],
    [
      'returns another index',
      ([log, ...more]) => [
        { ...log, topics: (log!['topics'] as string[]).map((topic, at) => (at === 2 ? `0x${word(1)}` : topic)) },
        ...more,
      ],
      'record 0 and its log differ',
    ],
    [
      'returns another block hash',
      ([log, ...more]) => [{ ...log, blockHash: blockHashOf(1) }, ...more],
      'record 0 and its log differ',
    ],
  ] as [string, (logs: Record<string, unknown>[]) => unknown, string][])(
    '%s (contradictory)',
    async (_name, change, message) => {
      expect(await failureOf(CHAIN, onLogs(change))).toStrictEqual(['contradictory', message]);
    },
  );

  it.each([
    ['empty data of the event registry', '0x1c2eaa9c', '0x', 'malformed response: the data ends too early'],
    ['a status above 4', '0x492f8724', `0x${word(5)}`, 'malformed response: subscriptionStatus is above 4'],
    [
      'an override flag of 2',
      '0xae7125e6',
      `0x${word(0)}${word(2)}${word(0)}`,
      'malformed response: a uint1 is too large',
    ],
    ['an empty page', '0x0ea4e6a0', `0x${word(32)}${word(0)}`, '0 records instead of 2 at 0 of 5'],
  ])('returns %s (contradictory)', async (_name, selector, result, message) => {
    expect(await failureOf(CHAIN, onCall(selector, result))).toStrictEqual(['contradictory', message]);
  });

  it('has another block than the service read (contradictory)', async () => {
    const [kind] = await failureOf(CHAIN, ({ method }, honest) =>
      method === 'eth_getBlockByNumber' ? { result: { ...(honest as object), hash: blockHashOf(5) } } : undefined,
    );
    expect(kind).toBe('contradictory');
  });

  it('replaces the block during the reads (contradictory)', async () => {
    let readsOfHead = 0;
    const [kind] = await failureOf(CHAIN, ({ method, params }, honest) => {
      if (method !== 'eth_getBlockByNumber' || Number(params[0]) !== 1000) return undefined;
      readsOfHead += 1;
      return readsOfHead === 3 ? { result: { ...(honest as object), hash: blockHashOf(5) } } : undefined;
    });
    expect(kind).toBe('contradictory');
  });

  it('does not have the block yet (unreachable)', async () => {
    expect(await failureOf({ ...CHAIN, head: 999 })).toStrictEqual([
      'unreachable',
      'the node does not have block 1000',
    ]);
  });

  it('serves another chain (contradictory)', async () => {
    expect(await failureOf({ ...CHAIN, chainId: 1n })).toStrictEqual([
      'contradictory',
      'the node serves chain 1, not 3338',
    ]);
  });
});
