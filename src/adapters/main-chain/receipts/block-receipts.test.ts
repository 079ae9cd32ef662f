import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUYER, OWNER, startMachineHarness, word, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import * as calls from '../../../../devnet/main-chain-calls.ts';
import type { Header, MainChainLog, ProvenLog } from '../../../ports/main-chain.ts';
import { proveReceipts, type ProvenRawLog } from './block-receipts.ts';
import { IrregularJson, JsonCursor } from '../rpc/json-cursor.ts';
import { readBlockReceipts } from './receipt-bytes.ts';

let scene: MachineHarness;
let log: MainChainLog;
let header: Header;
let receipts: Receipt[];

interface Receipt {
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[];
}

/** As an answer tells them; undefined where it is not read as receipts. */
function tell(list: unknown, space?: number): unknown {
  try {
    return readBlockReceipts(new JsonCursor(Buffer.from(JSON.stringify(list, null, space))));
  } catch (error) {
    if (error instanceof IrregularJson) return undefined;
    throw error;
  }
}

function prove(list: unknown, of = header): readonly ProvenRawLog[] | undefined {
  return proveReceipts(of, tell(list), new Set(log.addresses));
}

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

beforeAll(async () => {
  scene = await startMachineHarness();
  const { deployment } = scene.chain;
  const id = await scene.activate();
  await scene.mine(
    scene.revenue(id, 1n),
    scene.revenue(id, 2n, { metadata: `0x${'ab'.repeat(100)}` }),
    calls.suspendMachine(deployment, OWNER, id),
    calls.transferMachine(deployment, OWNER, BUYER, id),
  );
  header = await scene.readHead();
  const read = scene.chain.writer.rpc.request<Receipt[]>('eth_getBlockReceipts', [`0x${header.number.toString(16)}`]);
  receipts = await read;
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.proxy.heal();
  log = scene.open().log;
});

async function readChain(): Promise<{ headers: Header[]; toBlock: number }> {
  const { number: toBlock } = await log.readHeader('latest');
  return { headers: await log.readHeaders(Array.from({ length: toBlock + 1 }, (_, i) => i)), toBlock };
}

/** The logs of each block; undefined where they are not all proven. */
async function readProven(headers: readonly Header[]): Promise<readonly (readonly ProvenLog[])[] | undefined> {
  const blocks: (readonly ProvenLog[])[] = [];
  return (await log.readProvenLogs(headers, (logs) => blocks.push(logs))) ? blocks : undefined;
}

describe('the receipts of a block', () => {
  test('tell the same logs as a query for them, for every block of a chain', async () => {
    const { headers, toBlock } = await readChain();
    const proven = await readProven(headers);
    expect(proven!.flat()).toEqual(await log.readLogs({ fromBlock: 0, toBlock }));
    expect(proven!.at(-1)!.map(({ blockTimestamp }) => blockTimestamp)).toEqual(Array(4).fill(header.timestamp));
  });

  test('are told of more than 256 transactions', async () => {
    const id = await scene.activate();
    await scene.mine(...Array.from({ length: 260 }, (_, i) => scene.revenue(id, BigInt(i))));
    const block = await log.readHeader('latest');
    const [logs] = (await readProven([block]))!;
    expect(logs!.map(({ event }) => event?.kind === 'submitted' && event.value)).toEqual(
      Array.from({ length: 260 }, (_, i) => BigInt(i)),
    );
  });

  test('may be written in upper case', () => {
    const upper = JSON.parse(
      JSON.stringify(receipts).replaceAll(/0x[0-9a-f]{40,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`),
    );
    expect(prove(upper)).toEqual(prove(receipts));
  });

  test('may be written with members in another order, and with spaces', () => {
    const turned = receipts.map((receipt) => {
      const logs = receipt.logs.map((each) => Object.fromEntries(Object.entries(each).toReversed()));
      return Object.fromEntries(Object.entries({ ...receipt, logs }).toReversed());
    });
    expect(proveReceipts(header, tell(turned, 2), new Set(log.addresses))).toEqual(prove(receipts));
  });

  test('tell the logs of watched contracts only, each with its place among all', () => {
    const [first, second] = prove(receipts)!;
    const others = receipts.flatMap(({ logs }) => logs).map(({ address }) => address);
    expect(new Set(others).size).toBeGreaterThan(1);
    const watched = new Set([others.at(-1)!]);
    expect(proveReceipts(header, tell(receipts), watched)).toEqual(
      prove(receipts)!.filter(({ address }) => watched.has(address)),
    );
    expect([first!.logIndex, second!.logIndex]).toEqual([0, 1]);
  });

  const first = (change: (receipt: Receipt) => object) => (list: Receipt[]) =>
    list.with(0, { ...list[0]!, ...change(list[0]!) });
  const firstLog = (change: object) => first(({ logs }) => ({ logs: logs.with(0, { ...logs[0]!, ...change }) }));
  test.each<[string, (list: Receipt[]) => unknown]>([
    ['a log left out', first(() => ({ logs: [] }))],
    ['the last log left out', (list) => list.with(-1, { ...list.at(-1)!, logs: list.at(-1)!.logs.slice(1) })],
    ['a log told twice', first(({ logs }) => ({ logs: [...logs, ...logs] }))],
    ['a receipt left out', (list) => list.slice(1)],
    ['the last receipt left out', (list) => list.slice(0, -1)],
    ['receipts in another order', (list) => list.toReversed()],
    ['a log of another contract', firstLog({ address: OWNER })],
    ['another topic', first(({ logs }) => ({ logs: [{ ...logs[0], topics: logs[0]!.topics.with(1, word(9n)) }] }))],
    ['a topic more', first(({ logs }) => ({ logs: [{ ...logs[0], topics: [...logs[0]!.topics, word(9n)] }] }))],
    ['other data', firstLog({ data: '0x' })],
    ['data that is not hex', firstLog({ data: '0xzz' })],
    ['half a byte of data', firstLog({ data: '0x0' })],
    ['no address', firstLog({ address: undefined })],
    ['no topics', firstLog({ topics: undefined })],
    ['a failed transaction', first(() => ({ status: '0x0' }))],
    ['no status', first(() => ({ status: undefined }))],
    ['a root of the state instead', first(() => ({ status: undefined, root: word(1n) }))],
    ['another type', first(() => ({ type: '0x7' }))],
    ['a type beyond all', first(() => ({ type: '0x80' }))],
    ['other gas', first(() => ({ cumulativeGasUsed: '0x1' }))],
    ['no gas', first(() => ({ cumulativeGasUsed: undefined }))],
    ['another bloom', first(() => ({ logsBloom: `0x${'0'.repeat(512)}` }))],
    ['a short bloom', first(() => ({ logsBloom: '0x' }))],
    ['a receipt that is none', (list) => [null, ...list]],
    ['none', () => []],
    ['null', () => null],
  ])('with %s are not those of its header', (_, change) => {
    expect(prove(receipts)).toHaveLength(4);
    expect(prove(change(clone(receipts)))).toBeUndefined();
  });

  test('prove nothing where the header names no root', () => {
    expect(prove(receipts, { ...header, receiptsRoot: undefined })).toBeUndefined();
  });
});

describe('a node', () => {
  test('that does not know receipts says so once', async () => {
    scene.proxy.inject(respondWith('eth_getBlockReceipts', { error: { code: -32601, message: 'no such method' } }), 9);
    const { headers } = await readChain();
    scene.proxy.resetCounts();
    expect(log.tellsReceipts).toBe(true);
    expect(await readProven(headers)).toBeUndefined();
    expect([log.tellsReceipts, scene.proxy.requests]).toEqual([false, 1]);
  });

  test('that fails this time may tell them later', async () => {
    scene.proxy.inject(respondWith('eth_getBlockReceipts', { error: { code: -32602, message: 'no' } }), 9);
    expect(await readProven([header])).toBeUndefined();
    scene.proxy.heal();
    expect([log.tellsReceipts, (await readProven([header]))![0]!.length]).toEqual([true, 4]);
  });
});
