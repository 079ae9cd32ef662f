/** Reading of large responses in a worker thread. */
import { Agent } from 'undici';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startHostileNode, type HostileNode } from '../../../../testing/harness/hostile-node.ts';
import { createHttpPost, parseRpcUrl } from '../../rpc/http-post.ts';
import { LogRows, readLogRows } from '../logs/log-rows.ts';
import { BlockReceipts, readBlockReceipts } from '../receipts/receipt-bytes.ts';
import { sendMainRpc, type MainRpcCall } from './json-rpc.ts';
import { createLargeResponseReader, LargeReadingFailed, MAX_INLINE_BYTES } from './large-response-reader.ts';

const reader = createLargeResponseReader();
const dispatcher = new Agent();
afterAll(() => Promise.all([reader.close(), dispatcher.destroy()]));
let node: HostileNode | undefined;
afterEach(() => node?.close());

const hash = (byte: string) => `0x${byte.repeat(32)}`;
const LOG = {
  address: `0x${'ab'.repeat(20)}`,
  topics: [hash('01'), hash('02')],
  data: `0x${'ff'.repeat(64)}`,
  blockNumber: '0x10',
  blockHash: hash('03'),
  transactionHash: hash('04'),
};
const logs = (count: number) => Array.from({ length: count }, (_, i) => ({ ...LOG, logIndex: `0x${i.toString(16)}` }));
const RECEIPT = {
  status: '0x1',
  cumulativeGasUsed: '0x5208',
  logsBloom: `0x${'00'.repeat(256)}`,
  transactionHash: hash('05'),
  logs: [LOG],
};
const MANY = 1_000;

const GET_LOGS: MainRpcCall = { method: 'eth_getLogs', params: [], read: readLogRows };
const GET_RECEIPTS: MainRpcCall = { method: 'eth_getBlockReceipts', params: [], read: readBlockReceipts };
const GET_HEAD: MainRpcCall = { method: 'eth_getBlockByNumber', params: [] };

async function send(calls: readonly MainRpcCall[], respond: (ids: readonly number[]) => string, isLarge = true) {
  node = await startHostileNode((sent, response) => response.end(respond(sent.map(({ id }) => id))));
  return sendMainRpc(parseRpcUrl(node.url), calls, {
    post: createHttpPost(dispatcher),
    signal: AbortSignal.timeout(60_000),
    maxResponseBytes: 64 * 1024 * 1024,
    largeResponses: isLarge ? reader : undefined,
  });
}

const entry = (id: number | undefined, result: unknown) => ({ jsonrpc: '2.0', id, result });

describe('a response above 256 KiB', () => {
  test.each([true, false])('has the results of a short one, read by a worker: %o', async (isLarge) => {
    const [receipts, found, head, failed] = await send(
      [GET_RECEIPTS, GET_LOGS, GET_HEAD, GET_LOGS],
      (ids) => {
        const error = { code: -32602, message: 'block range is too wide' };
        const body = JSON.stringify([
          { jsonrpc: '2.0', id: ids[3], error },
          { result: logs(MANY), jsonrpc: '2.0', id: ids[1] },
          entry(ids[0], [RECEIPT, { ...RECEIPT, status: '0x0' }]),
          entry(ids[2], { number: '0x10', transactions: ['a'] }),
        ]);
        expect(body.length).toBeGreaterThan(MAX_INLINE_BYTES);
        return body;
      },
      isLarge,
    );
    const rows = found?.ok === true ? found.result : undefined;
    expect(rows).toBeInstanceOf(LogRows);
    const list = [...(rows as LogRows)];
    expect(list).toHaveLength(MANY);
    expect(list[7]).toEqual({ ...LOG, blockNumber: 16, logIndex: 7, blockTimestamp: undefined });
    const block = receipts?.ok === true ? receipts.result : undefined;
    expect(block).toBeInstanceOf(BlockReceipts);
    const { list: parts, root } = block as BlockReceipts;
    expect(parts.map(({ transactionHash }) => transactionHash)).toEqual([hash('05'), hash('05')]);
    expect(new BlockReceipts(parts).root).toBe(root);
    expect(parts[0]!.bytes.subarray(-parts[0]!.logBytes.length)).toEqual(parts[0]!.logBytes);
    expect(head).toEqual({ ok: true, result: { number: '0x10', transactions: ['a'] } });
    expect(failed).toEqual({ ok: false, code: -32602, revertData: undefined, hint: 'too-large' });
  });

  const list = JSON.stringify(logs(MANY));
  test.each<[name: string, respond: (id: number) => string]>([
    ['another id', (id) => `{"jsonrpc":"2.0","id":${id + 1},"result":${list}}`],
    ['no id', () => `{"jsonrpc":"2.0","result":${list}}`],
    ['two results', (id) => `{"jsonrpc":"2.0","id":${id},"result":${list},"result":${list}}`],
    ['a result and an error', (id) => `{"jsonrpc":"2.0","id":${id},"result":${list},"error":{"code":1}}`],
    ['a log of another form', (id) => `{"jsonrpc":"2.0","id":${id},"result":${list.replace('"0x10"', '16')}}`],
    ['half of a list', (id) => `{"jsonrpc":"2.0","id":${id},"result":${list.slice(0, -2)}`],
    ['deep lists', (id) => `{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
    ['a million empty lists', (id) => `{"jsonrpc":"2.0","id":${id},"result":[${'[],'.repeat(1_000_000)}[]]}`],
    ['a huge number', (id) => `{"jsonrpc":"2.0","id":${id},"result":${'9'.repeat(1_000_000)}}`],
    ['a huge error', (id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"${'a'.repeat(2_000_000)}"}}`],
    ['white space', () => ' '.repeat(1_000_000)],
    ['HTML', () => `<html>${'busy'.repeat(100_000)}</html>`],
  ])('is malformed with %s', async (_, respond) => {
    const sending = send([GET_LOGS], ([id]) => respond(id!));
    await expect(sending).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test('keeps the good part of a batch, which is malformed when an id repeats', async () => {
    const missing = send([GET_LOGS, GET_LOGS], ([id]) => JSON.stringify([entry(id, logs(MANY))]));
    expect(await missing).toEqual([{ ok: true, result: expect.any(LogRows) }, undefined]);
    await node!.close();
    const repeated = send([GET_LOGS, GET_LOGS], ([id]) =>
      JSON.stringify([entry(id, logs(MANY)), entry(id, logs(MANY))]),
    );
    await expect(repeated).rejects.toMatchObject({ unreadable: 'malformed' });
  });
});

test.each([
  [true, { unreadable: 'malformed', kind: 'failed' }],
  [false, { unreadable: 'transport', kind: 'local' }],
])('a body that cannot be read is the fault of its node if it is the cause: %s', async (isOfBody, failure) => {
  const options = {
    post: async () => ({ status: 200, retryAfterSeconds: undefined, body: Buffer.alloc(MAX_INLINE_BYTES + 1) }),
    signal: AbortSignal.timeout(20_000),
    maxResponseBytes: 64 * 1024 * 1024,
    largeResponses: {
      read: () => Promise.reject(new LargeReadingFailed(isOfBody)),
      close: async () => undefined,
    },
  };
  await expect(sendMainRpc(parseRpcUrl('http://node.example'), [GET_LOGS], options)).rejects.toMatchObject(failure);
});

describe('a reader', () => {
  const body = (bytes = 8) => Buffer.from(new ArrayBuffer(bytes));
  const script = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

  test.each([
    ['does not start', 'throw new Error()'],
    ['exits', "import { parentPort } from 'node:worker_threads'; parentPort.once('message', () => process.exit(1));"],
    [
      'runs out of memory',
      "import { parentPort } from 'node:worker_threads'; " +
        "parentPort.once('message', () => { const all = []; for (;;) all.push([all.length]); });",
    ],
  ])(
    'fails the reads of a worker that %s, the first for its body, and starts another worker for the next',
    async (_, text) => {
      const failing = createLargeResponseReader(script(text));
      const reads = [failing.read(body(), new Map()), failing.read(body(), new Map())];
      const errors = await Promise.all(reads.map((read) => read.catch((error: unknown) => error)));
      expect(errors).toEqual([expect.any(LargeReadingFailed), expect.any(LargeReadingFailed)]);
      expect(errors).toMatchObject([{ isOfBody: true }, { isOfBody: false }]);
      await expect(failing.read(body(), new Map())).rejects.toBeInstanceOf(LargeReadingFailed);
      await failing.close();
    },
  );

  test('fails waiting reads when it is closed, and later ones', async () => {
    const silent = createLargeResponseReader(
      script("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});"),
    );
    const waiting = expect(silent.read(body(), new Map())).rejects.toBeInstanceOf(LargeReadingFailed);
    await silent.close();
    await waiting;
    await expect(silent.read(body(), new Map())).rejects.toBeInstanceOf(LargeReadingFailed);
  });

  test('refuses bodies beyond 96 MiB that wait', async () => {
    const silent = createLargeResponseReader(
      script("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});"),
    );
    const waiting = expect(silent.read(body(60 * 1024 * 1024), new Map())).rejects.toBeInstanceOf(LargeReadingFailed);
    const refused = silent.read(body(60 * 1024 * 1024), new Map()).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ isOfBody: false });
    await silent.close();
    await waiting;
  });
});
