/** Proof of a block's logs from its receipts, against a real node. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUYER, OWNER, startMachineHarness, word, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import { countTicks } from '../../../../testing/harness/tick-counter.ts';
import type { Header, MainChainLog, ProvenLog } from '../../../ports/main-chain.ts';
import { createMainChainLog, type MainChainLogOptions } from '../logs/logs.ts';
import { proveReceipts, type ProvenRawLog } from './block-receipts.ts';
import { IrregularJson, JsonCursor } from '../rpc/json-cursor.ts';
import { readBlockReceipts, type BlockReceipts } from './receipt-bytes.ts';

let harness: MachineHarness;
let log: MainChainLog;
let header: Header;
let receipts: Receipt[];

interface Receipt {
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

/** Parses receipts as a node sends them; undefined when they are rejected. */
function parse(list: unknown, space?: number): unknown {
  try {
    return readBlockReceipts(new JsonCursor(Buffer.from(JSON.stringify(list, null, space))));
  } catch (error) {
    if (error instanceof IrregularJson) return undefined;
    throw error;
  }
}

function prove(list: unknown, of = header): readonly ProvenRawLog[] | undefined {
  return proveWatched(parse(list), new Set(log.addresses), of);
}

function proveWatched(of: unknown, watched: ReadonlySet<string>, by = header): readonly ProvenRawLog[] | undefined {
  const logs = proveReceipts(by, of, watched);
  return logs && [...logs].filter((each) => each !== undefined);
}

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

beforeAll(async () => {
  harness = await startMachineHarness();
  const { deployment } = harness.chain;
  const id = await harness.activate();
  await harness.mine(
    harness.revenue(id, 1n),
    harness.revenue(id, 2n, { metadata: `0x${'ab'.repeat(100)}` }),
    calls.suspendMachine(deployment, OWNER, id),
    calls.transferMachine(deployment, OWNER, BUYER, id),
  );
  header = await harness.readHead();
  const read = harness.chain.writer.rpc.request<Receipt[]>('eth_getBlockReceipts', [`0x${header.number.toString(16)}`]);
  receipts = await read;
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.proxy.heal();
  log = harness.open().log;
});

async function readChain(): Promise<{ headers: Header[]; toBlock: number }> {
  const { number: toBlock } = await log.readHeader('latest');
  return { headers: await log.readHeaders(Array.from({ length: toBlock + 1 }, (_, i) => i)), toBlock };
}

/** Returns the logs of each block; undefined when they are not all proven. */
async function readProven(headers: readonly Header[]): Promise<readonly (readonly ProvenLog[])[] | undefined> {
  const blocks: (readonly ProvenLog[])[] = [];
  return (await log.readProvenLogs(headers, (logs) => blocks.push(logs))) ? blocks : undefined;
}

describe('the receipts of a block', () => {
  test('prove the same logs as a log query, for every block of a chain', async () => {
    const { headers, toBlock } = await readChain();
    const proven = await readProven(headers);
    expect(proven!.flat()).toEqual(await log.readLogs({ fromBlock: 0, toBlock }));
    expect(proven!.at(-1)!.map(({ blockTimestamp }) => blockTimestamp)).toEqual(Array(4).fill(header.timestamp));
  });

  test.each([
    ['some', (count: number) => count % 3 > 0],
    ['most', (count: number) => count % 4 === 3],
  ])('are asked for again where %s nodes behind the URL do not serve them', async (_, isServed) => {
    const { headers } = await readChain();
    const expected = await readProven(headers);
    let requested = 0;
    let refused = 0;
    harness.proxy.inject(
      {
        kind: 'answer',
        change(answer, { method }) {
          if (method !== 'eth_getBlockReceipts' || isServed(requested++)) return answer;
          refused += 1;
          return { error: { code: -32601, message: 'the method does not exist' } };
        },
      },
      999,
    );
    expect(await readProven(headers)).toEqual(expected);
    expect(refused).toBeGreaterThan(1);
  });

  test('prove the logs of more than 256 transactions', async () => {
    const id = await harness.activate();
    await harness.mine(...Array.from({ length: 260 }, (_, i) => harness.revenue(id, BigInt(i))));
    const block = await log.readHeader('latest');
    const [logs] = (await readProven([block]))!;
    expect(logs!.map(({ event }) => event?.kind === 'submitted' && event.value)).toEqual(
      Array.from({ length: 260 }, (_, i) => BigInt(i)),
    );
  });

  test('may be in upper case', () => {
    const upper = JSON.parse(
      JSON.stringify(receipts).replaceAll(/0x[0-9a-f]{40,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`),
    );
    expect(prove(upper)).toEqual(prove(receipts));
  });

  test('may contain white space and members in another order', () => {
    const reordered = receipts.map((receipt) => {
      const logs = receipt.logs.map((each) => Object.fromEntries(Object.entries(each).toReversed()));
      return Object.fromEntries(Object.entries({ ...receipt, logs }).toReversed());
    });
    expect(proveWatched(parse(reordered, 2), new Set(log.addresses))).toEqual(prove(receipts));
  });

  test('prove the logs of watched contracts only, each with its index among all logs', () => {
    const [first, second] = prove(receipts)!;
    const others = receipts.flatMap(({ logs }) => logs).map(({ address }) => address);
    expect(new Set(others).size).toBeGreaterThan(1);
    const watched = new Set([others.at(-1)!]);
    expect(proveWatched(parse(receipts), watched)).toEqual(
      prove(receipts)!.filter(({ address }) => watched.has(address)),
    );
    expect([first!.logIndex, second!.logIndex]).toEqual([0, 1]);
  });

  const first = (change: (receipt: Receipt) => object) => (list: Receipt[]) =>
    list.with(0, { ...list[0]!, ...change(list[0]!) });
  const firstLog = (change: object) => first(({ logs }) => ({ logs: logs.with(0, { ...logs[0]!, ...change }) }));
  test.each<[string, (list: Receipt[]) => unknown]>([
    ['a missing log', first(() => ({ logs: [] }))],
    ['a missing last log', (list) => list.with(-1, { ...list.at(-1)!, logs: list.at(-1)!.logs.slice(1) })],
    ['a duplicate log', first(({ logs }) => ({ logs: [...logs, ...logs] }))],
    ['a missing receipt', (list) => list.slice(1)],
    ['a missing last receipt', (list) => list.slice(0, -1)],
    ['receipts in another order', (list) => list.toReversed()],
    ['a log of another contract', firstLog({ address: OWNER })],
    ['another topic', first(({ logs }) => ({ logs: [{ ...logs[0], topics: logs[0]!.topics.with(1, word(9n)) }] }))],
    ['an extra topic', first(({ logs }) => ({ logs: [{ ...logs[0], topics: [...logs[0]!.topics, word(9n)] }] }))],
    ['other data', firstLog({ data: '0x' })],
    ['data that is not hex', firstLog({ data: '0xzz' })],
    ['half a byte of data', firstLog({ data: '0x0' })],
    ['a log without address', firstLog({ address: undefined })],
    ['a log without topics', firstLog({ topics: undefined })],
    ['a failed transaction', first(() => ({ status: '0x0' }))],
    ['no status', first(() => ({ status: undefined }))],
    ['a state root instead of a status', first(() => ({ status: undefined, root: word(1n) }))],
    ['another type', first(() => ({ type: '0x7' }))],
    ['an invalid type', first(() => ({ type: '0x80' }))],
    ['other gas', first(() => ({ cumulativeGasUsed: '0x1' }))],
    ['no gas', first(() => ({ cumulativeGasUsed: undefined }))],
    ['another bloom', first(() => ({ logsBloom: `0x${'0'.repeat(512)}` }))],
    ['a short bloom', first(() => ({ logsBloom: '0x' }))],
    ['an invalid receipt', (list) => [null, ...list]],
    ['no receipts', () => []],
    ['null instead of a list', () => null],
  ])('do not match the header with %s', (_, change) => {
    expect(prove(receipts)).toHaveLength(4);
    expect(prove(change(clone(receipts)))).toBeUndefined();
  });

  test.each([
    ['of watched contracts', 0],
    ['of other contracts', 1_600],
  ])('prove many logs %s in several ticks', async (_, others) => {
    const [watched] = receipts[0]!.logs;
    const logs = Array(1_600).fill(others === 0 ? watched : { ...watched, address: OWNER });
    const result = parse([{ ...receipts[0]!, logs }]) as BlockReceipts;
    const request = () => Promise.resolve([{ ok: true, result }]);
    const options = { addresses: harness.addresses, nodes: { request }, startRead: () => undefined };
    const { readProvenLogs } = createMainChainLog(options as unknown as MainChainLogOptions);
    let found: readonly ProvenLog[] = [];
    const ticks = await countTicks(() =>
      readProvenLogs([{ ...header, receiptsRoot: result.root }], (proven) => (found = proven)),
    );
    expect([found.length, ticks]).toEqual([1_600 - others, 3]);
  });

  test('prove nothing when the header has no receipts root', () => {
    expect(prove(receipts, { ...header, receiptsRoot: undefined })).toBeUndefined();
  });
});

describe('a node', () => {
  const WITHOUT = respondWith('eth_getBlockReceipts', { error: { code: -32601, message: 'no such method' } });

  test('is queried five times when it does not support receipts, and once again after ten minutes', async () => {
    harness.proxy.inject(WITHOUT);
    const { headers } = await readChain();
    harness.proxy.resetCounts();
    expect(log.servesReceipts).toBe(true);
    expect(await readProven(headers)).toBeUndefined();
    expect([log.servesReceipts, harness.proxy.requests]).toEqual([false, 5]);
    harness.time.milliseconds += 599_000;
    expect(log.servesReceipts).toBe(false);
    harness.time.milliseconds += 1_000;
    expect(log.servesReceipts).toBe(true);
    expect(await readProven([header])).toBeUndefined();
    expect([log.servesReceipts, harness.proxy.requests]).toEqual([false, 6]);
    harness.time.milliseconds += 600_000;
    harness.proxy.heal();
    expect(await readProven(headers)).toHaveLength(headers.length);
    expect(log.servesReceipts).toBe(true);
  });

  test('is queried again where one of several behind its URL does not support receipts', async () => {
    const { headers } = await readChain();
    const expected = await readProven(headers);
    harness.proxy.inject(WITHOUT, 2);
    expect(await readProven(headers)).toEqual(expected);
    expect(log.servesReceipts).toBe(true);
  });

  test('is queried again after any other error', async () => {
    harness.proxy.inject(respondWith('eth_getBlockReceipts', { error: { code: -32602, message: 'no' } }), 9);
    expect(await readProven([header])).toBeUndefined();
    harness.proxy.heal();
    expect([log.servesReceipts, (await readProven([header]))![0]!.length]).toEqual([true, 4]);
  });
});
