/** Tests the EVM payment source on imitated nodes: finality, absence, hostile responses, transfers and their limits. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  FAKE_CHAIN_ID,
  FakeEvmChain,
  FakeEvmNode,
  type FakeTransaction,
} from '../../../testing/fakes/fake-evm-chain.ts';
import { openPaymentSource, type PaymentSourceHarness } from '../../../testing/harness/payment-source.ts';
import { PROXY_KEY, respondWith, type ProxyResponse, type RpcFault } from '../../../testing/harness/rpc-proxy.ts';
import { SourceUnreadable } from '../../ports/payment-sources.ts';

const USDC = `0x${'aa'.repeat(20)}`;
const FAKE_USDC = `0x${'bb'.repeat(20)}`;
const [PAYER, PAYEE, OTHER] = ['11', '22', '33'].map((digits) => `0x${digits.repeat(20)}`) as [string, string, string];
const DAY = 86_400;
const NOW = 1_772_452_800;
const WEEK = 7 * DAY;

const transfer = (from: string, to: string, units = 1_000_000n, token = USDC) => ({ token, from, to, units });
const payment = (...transfers: ReturnType<typeof transfer>[]): FakeTransaction => ({ from: PAYER, transfers });

/** One block an hour over 30 days, every third one empty; the newest is of `NOW`. */
function createChain(): FakeEvmChain {
  const chain = new FakeEvmChain();
  for (let hour = 30 * 24; hour >= 0; hour -= 1) {
    const transactions = hour % 3 === 0 ? [] : [payment(transfer(PAYER, PAYEE, BigInt(hour)))];
    chain.mine(NOW - hour * 3_600, ...transactions);
  }
  return chain;
}

const open: PaymentSourceHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});

const openNodes = (...nodes: FakeEvmNode[]) => openNodesWithin(2_000, ...nodes);

async function openNodesWithin(milliseconds: number, ...nodes: FakeEvmNode[]): Promise<PaymentSourceHarness> {
  const harness = await openPaymentSource({
    nodes: nodes.map(({ respond }) => respond),
    configured: {
      name: `eip155:${FAKE_CHAIN_ID}`,
      kind: 'evm',
      reference: String(FAKE_CHAIN_ID),
      id: String(FAKE_CHAIN_ID),
      tokens: [{ symbol: 'USDC', address: USDC }],
    },
    nowMilliseconds: NOW * 1_000,
    limits: { requestTimeoutMilliseconds: milliseconds, readTimeoutMilliseconds: 2.5 * milliseconds },
  });
  open.push(harness);
  return harness;
}

const UNKNOWN = `0x${'ee'.repeat(32)}`;
/** Window of an event that was stored two hours ago. */
const WINDOW = { fromTime: NOW - 2 * 3_600 - WEEK, throughTime: NOW - 2 * 3_600 + 900 };

const answerWith = (method: string, change: (result: never) => unknown): RpcFault => ({
  kind: 'answer',
  change: (response, call): ProxyResponse =>
    call.method === method && 'result' in response ? { result: change(response.result as never) } : response,
});
const refuseWith = (method: string, code: number, message: string): RpcFault =>
  respondWith(method, { error: { code, message } });

const TAGS: readonly unknown[] = ['finalized', 'latest'];

describe('reading a cited transaction', () => {
  it('returns the receipt of a finalized block with the logs of listed contracts', async () => {
    const chain = createChain();
    const block = chain.mine(
      NOW,
      payment(transfer(PAYER, PAYEE, 5n), transfer(PAYER, PAYEE, 7n, FAKE_USDC), transfer(PAYEE, OTHER, 2n)),
    );
    const { source } = await openNodes(new FakeEvmNode(chain));
    const read = await source.readTransaction(chain.transactionHash(block), WINDOW);
    expect(read).toMatchObject({ kind: 'evm', success: true, block, time: NOW, from: PAYER });
    expect((read as { logs: readonly object[] }).logs).toMatchObject([
      { address: USDC, data: `0x${'5'.padStart(64, '0')}` },
      { address: USDC, data: `0x${'2'.padStart(64, '0')}` },
    ]);
  });

  it('returns a transaction that failed', async () => {
    const chain = createChain();
    const block = chain.mine(NOW, { from: OTHER, failed: true });
    const { source } = await openNodes(new FakeEvmNode(chain));
    expect(await source.readTransaction(chain.transactionHash(block), WINDOW)).toEqual({
      kind: 'evm',
      success: false,
      block,
      time: NOW,
      from: OTHER,
      logs: [],
    });
  });

  it.each([undefined, null])(
    'returns a transaction of before Byzantium, whose status is %s, as executed',
    async (status) => {
      const chain = createChain();
      const block = chain.mine(NOW, payment(transfer(PAYER, PAYEE, 5n)));
      const { source, proxies } = await openNodes(new FakeEvmNode(chain));
      const withRoot = (root: string) =>
        answerWith('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), status, root }));
      proxies[0]!.inject(withRoot(`0x${'ab'.repeat(32)}`));
      const read = () => source.readTransaction(chain.transactionHash(block), WINDOW);
      expect(await read()).toMatchObject({ success: true, block });
      proxies[0]!.heal();
      proxies[0]!.inject(withRoot('0x'));
      await expect(read()).rejects.toThrow(SourceUnreadable);
    },
  );

  it('reads one receipt per transaction and one header per block, also concurrently', async () => {
    const chain = createChain();
    const block = chain.mine(NOW, payment(transfer(PAYER, PAYEE, 5n)), payment(transfer(PAYER, PAYEE, 7n)));
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    const hashes = [0, 1].map((index) => chain.transactionHash(block, index));
    await Promise.all(hashes.map((hash) => source.readTransaction(hash, WINDOW)));
    await source.readTransaction(hashes[0]!, WINDOW);
    const named = (wanted: string) =>
      proxies[0]!.calls.filter(({ method, params }) => method === wanted && !TAGS.includes(params[0])).length;
    expect([named('eth_getTransactionReceipt'), named('eth_getBlockByNumber')]).toEqual([3, 1]);
  });

  it('reads a header again after one of another hash', async () => {
    const chain = createChain();
    const block = chain.mine(NOW, payment(transfer(PAYER, PAYEE, 5n)));
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    const other = { hash: `0x${'ab'.repeat(32)}` };
    proxies[0]!.inject({
      kind: 'answer',
      change: (response, { method, params }) =>
        method === 'eth_getBlockByNumber' && !TAGS.includes(params[0]) && 'result' in response
          ? { result: { ...(response.result as object), ...other } }
          : response,
    });
    await expect(source.readTransaction(chain.transactionHash(block), WINDOW)).rejects.toThrow(SourceUnreadable);
    proxies[0]!.heal();
    expect(await source.readTransaction(chain.transactionHash(block), WINDOW)).toMatchObject({ block });
  });

  it('returns a transaction outside the window as found', async () => {
    const chain = createChain();
    const { source } = await openNodes(new FakeEvmNode(chain));
    expect(await source.readTransaction(chain.transactionHash(1), WINDOW)).toMatchObject({ block: 1 });
  });

  it.each([
    [5_000, expect.objectContaining({ length: 5_000 })],
    [5_001, 'too_many'],
  ])('judges a receipt of %i logs by their number, whatever their contract', async (count, logs) => {
    const chain = createChain();
    const block = chain.mine(NOW, payment(...Array.from({ length: count }, () => transfer(PAYER, PAYEE, 1n))));
    const { source } = await openNodes(new FakeEvmNode(chain));
    expect(await source.readTransaction(chain.transactionHash(block), WINDOW)).toMatchObject({ logs });
  });

  it('does not return a transaction before its block is finalized', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const block = chain.mine(NOW + 12, payment(transfer(PAYER, PAYEE)));
    node.unfinalizedBlocks = 1;
    const { source, time } = await openNodes(node);
    const window = { fromTime: NOW - WEEK, throughTime: NOW + 900 };
    await expect(source.readTransaction(chain.transactionHash(block), window)).rejects.toThrow(SourceUnreadable);
    node.unfinalizedBlocks = 0;
    time.milliseconds += 12_000;
    expect(await source.readTransaction(chain.transactionHash(block), window)).toMatchObject({ block });
  });

  it('reads the finalized head again before it calls a younger block unfinalized', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const { source } = await openNodes(node);
    await source.readFinalizedHead();
    const block = chain.mine(NOW + 2, payment(transfer(PAYER, PAYEE)));
    expect(await source.readTransaction(chain.transactionHash(block), WINDOW)).toMatchObject({ block });
  });

  it('finds at the second URL what the first one lacks', async () => {
    const chain = createChain();
    const [pruned, archive] = [new FakeEvmNode(chain), new FakeEvmNode(chain)];
    pruned.firstReceiptBlock = chain.blocks.length;
    const { source } = await openNodes(pruned, archive);
    expect(await source.readTransaction(chain.transactionHash(1), WINDOW)).toMatchObject({ block: 1 });
  });

  it.each<[string, RpcFault, string]>([
    [
      'a receipt of another transaction',
      answerWith('eth_getTransactionReceipt', withMember('transactionHash', UNKNOWN)),
      'malformed',
    ],
    [
      'a log of another transaction',
      answerWith('eth_getTransactionReceipt', withLog({ transactionHash: UNKNOWN })),
      'malformed',
    ],
    [
      'a log twice',
      answerWith('eth_getTransactionReceipt', ({ logs, ...receipt }: { readonly logs: readonly object[] }) => ({
        ...receipt,
        logs: [...logs, ...logs],
      })),
      'malformed',
    ],
    ['a removed log', answerWith('eth_getTransactionReceipt', withLog({ removed: true })), 'malformed'],
    [
      'a log with five topics',
      answerWith('eth_getTransactionReceipt', withLog({ topics: Array.from({ length: 5 }, () => UNKNOWN) })),
      'malformed',
    ],
    ['a log with odd data', answerWith('eth_getTransactionReceipt', withLog({ data: '0x1' })), 'malformed'],
    [
      'no status and no state root',
      answerWith('eth_getTransactionReceipt', withMember('status', undefined)),
      'malformed',
    ],
    ['a status beyond 1', answerWith('eth_getTransactionReceipt', withMember('status', '0x2')), 'malformed'],
    ['no sender', answerWith('eth_getTransactionReceipt', withMember('from', null)), 'malformed'],
    ['no logs', answerWith('eth_getTransactionReceipt', withMember('logs', null)), 'malformed'],
    [
      'the hash of a replaced block',
      answerWith('eth_getTransactionReceipt', withMember('blockHash', UNKNOWN)),
      'block-mismatch',
    ],
    ['a header of another number', answerWith('eth_getBlockByNumber', withMember('number', '0x2')), 'malformed'],
    ['an error', refuseWith('eth_getTransactionReceipt', -32_000, 'internal'), 'rpc-error'],
    ['pruned history', refuseWith('eth_getTransactionReceipt', 4_444, 'pruned history unavailable'), 'rpc-error'],
    ['no finalized tag', refuseWith('eth_getBlockByNumber', -39_001, 'Unknown block'), 'rpc-error'],
    ['null as the finalized block', respondWith('eth_getBlockByNumber', { result: null }), 'block-mismatch'],
    ['another chain', respondWith('eth_chainId', { result: '0x1' }), 'wrong-chain'],
    ['text', { kind: 'body', change: () => 'oops' }, 'malformed'],
    ['HTTP 503', { kind: 'status', status: 503 }, 'transport'],
    ['a closed connection', { kind: 'cut' }, 'transport'],
    ['no response', { kind: 'hang' }, 'deadline'],
  ])('is unreadable when the only URL sends %s', async (_, fault, problem) => {
    const chain = createChain();
    const { source, proxies, lines } = await openNodes(new FakeEvmNode(chain));
    proxies[0]!.inject(fault);
    const error = await source.readTransaction(chain.transactionHash(1), WINDOW).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SourceUnreadable);
    expect(error).toMatchObject({ source: 'eip155:8453', problem });
    expect(`${String(error)} ${lines.join()}`).not.toContain(PROXY_KEY);
  });

  it('is unreadable when a receipt is longer than the limit, and others are read at once', async () => {
    const chain = createChain();
    const { source, proxies } = await openNodesWithin(40_000, new FakeEvmNode(chain));
    const huge = chain.transactionHash(1);
    const lengthen = withLog({ data: `0x${'00'.repeat(9 * 1024 * 1024)}` });
    proxies[0]!.inject({
      kind: 'answer',
      change: (response, call) =>
        call.method === 'eth_getTransactionReceipt' && call.params[0] === huge && 'result' in response
          ? { result: lengthen(response.result as never) }
          : response,
    });
    for (let i = 0; i < 3; i++)
      await expect(source.readTransaction(huge, WINDOW)).rejects.toMatchObject({ problem: 'rpc-error' });
    expect(await source.readTransaction(chain.transactionHash(2), WINDOW)).toMatchObject({ kind: 'evm', block: 2 });
  });

  it('takes a receipt that waits for its block as none', async () => {
    const chain = createChain();
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    const pending = (receipt: object) => ({ ...receipt, blockHash: null, blockNumber: null });
    // Only that of the citation: the depth of history is shown by other receipts.
    proxies[0]!.inject({
      kind: 'answer',
      change: (response, call) =>
        call.method === 'eth_getTransactionReceipt' &&
        call.params[0] === chain.transactionHash(1) &&
        'result' in response
          ? { result: pending(response.result as object) }
          : response,
    });
    expect(await source.readTransaction(chain.transactionHash(1), WINDOW)).toBe('absent');
  });
});

describe('the absence of a transaction', () => {
  it('is stated by one witness', async () => {
    const { source } = await openNodes(new FakeEvmNode(createChain()));
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it('is stated by a URL that allows three calls in a batch', async () => {
    const { source, proxies } = await openNodes(new FakeEvmNode(createChain()));
    const refusal = {
      jsonrpc: '2.0',
      id: null,
      error: { code: 31, message: 'Batch of more than 3 requests are not allowed' },
    };
    proxies[0]!.inject({
      kind: 'body',
      change: (body) => ((JSON.parse(body) as { length?: number }).length! > 3 ? JSON.stringify(refusal) : body),
    });
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it('is not stated while another URL does not answer', async () => {
    const chain = createChain();
    const { source, proxies } = await openNodes(new FakeEvmNode(chain), new FakeEvmNode(chain));
    proxies[1]!.inject({ kind: 'status', status: 503 });
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
  });

  it('is stated by the second URL when the first one has pruned the time', async () => {
    const chain = createChain();
    const [pruned, archive] = [new FakeEvmNode(chain), new FakeEvmNode(chain)];
    pruned.firstReceiptBlock = chain.blocks.length - 24;
    const { source } = await openNodes(pruned, archive);
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it('is not stated by a URL that has pruned the first receipt of the time', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const first = chain.blocks.findIndex(
      ({ timestamp, transactions }) => timestamp >= WINDOW.fromTime && transactions.length > 0,
    );
    node.firstReceiptBlock = first + 1;
    const { source } = await openNodes(node);
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
    node.firstReceiptBlock = first;
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it('is not stated when two nodes behind one URL differ', async () => {
    const chain = createChain();
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    const cited = chain.transactionHash(chain.blocks.length - 24);
    let missing = 1;
    proxies[0]!.inject({
      kind: 'answer',
      change: (response, { method, params }) =>
        method === 'eth_getTransactionReceipt' && params[0] === cited && missing-- > 0 ? { result: null } : response,
    });
    await expect(source.readTransaction(cited, WINDOW)).rejects.toThrow(SourceUnreadable);
    expect(await source.readTransaction(cited, WINDOW)).toMatchObject({ block: chain.blocks.length - 24 });
  });

  it('is not stated by a URL whose finalized head is not later than the window', async () => {
    const chain = createChain();
    const [node, time] = [new FakeEvmNode(chain), NOW];
    const { source } = await openNodes(node);
    await expect(source.readTransaction(UNKNOWN, { ...WINDOW, throughTime: time })).rejects.toThrow(SourceUnreadable);
    expect(await source.readTransaction(UNKNOWN, { ...WINDOW, throughTime: time - 1 })).toBe('absent');
  });

  it('is stated of a transaction in a later block that is not final yet', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const block = chain.mine(NOW + 12, payment(transfer(PAYER, PAYEE)));
    node.unfinalizedBlocks = 1;
    const { source } = await openNodes(node);
    expect(await source.readTransaction(chain.transactionHash(block), WINDOW)).toBe('absent');
  });

  it('is stated where no block since the time has a transaction', async () => {
    const chain = new FakeEvmChain();
    for (let i = 0; i < 1_500; i += 1) chain.mine(NOW - 1_500 + i);
    const { source } = await openNodes(new FakeEvmNode(chain));
    // Two searches of 1,000 blocks each.
    await expect(source.readTransaction(UNKNOWN, { fromTime: 0, throughTime: NOW - 900 })).rejects.toThrow(
      SourceUnreadable,
    );
    expect(await source.readTransaction(UNKNOWN, { fromTime: 0, throughTime: NOW - 900 })).toBe('absent');
  });

  it('reads no header of days long past, which nodes may have dropped', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const { source } = await openNodes(node);
    await source.readTransaction(UNKNOWN, { fromTime: NOW - 3 * DAY, throughTime: NOW - 900 });
    const numbers = node.calls.flatMap(({ method, params }) =>
      method === 'eth_getBlockByNumber' && !TAGS.includes(params[0]) ? [Number(params[0])] : [],
    );
    expect(Math.min(...numbers)).toBeGreaterThan(chain.blocks.length - (30 * 24) / 2);
  });

  it('costs few requests once the day is known', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const { source, proxies } = await openNodes(node);
    await source.readTransaction(UNKNOWN, WINDOW);
    node.calls.length = 0;
    proxies[0]!.resetCounts();
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
    // A receipt, at most 5 headers of the day, and from one node the finalized header, the receipt and that of the first transaction.
    expect(proxies[0]!.requests).toBeLessThanOrEqual(7);
    expect(node.calls.filter(({ method }) => method !== 'eth_chainId').length).toBeLessThanOrEqual(9);
  });
});

describe('the finalized head', () => {
  it('is the latest of all URLs, and is read again after 10 s', async () => {
    const chain = createChain();
    const [behind, ahead] = [new FakeEvmNode(chain), new FakeEvmNode(chain)];
    behind.newestBlock = 100;
    const { source, time } = await openNodes(behind, ahead);
    const newest = chain.blocks.length - 1;
    expect(await source.readFinalizedHead()).toEqual({ block: newest, time: NOW });
    chain.mine(NOW + 12);
    expect(await source.readFinalizedHead()).toEqual({ block: newest, time: NOW });
    time.milliseconds += 10_000;
    expect(await source.readFinalizedHead()).toEqual({ block: newest + 1, time: NOW + 12 });
  });

  it('is read from the URLs that answer', async () => {
    const chain = createChain();
    const { source, proxies } = await openNodes(new FakeEvmNode(chain), new FakeEvmNode(chain));
    proxies[0]!.inject({ kind: 'cut' });
    expect(await source.readFinalizedHead()).toMatchObject({ time: NOW });
    proxies[1]!.inject({ kind: 'cut' });
  });
});

describe('transfers', () => {
  it('are those of listed tokens from the senders, in chain order, with the times of their blocks', async () => {
    const chain = createChain();
    const first = chain.mine(
      NOW + 2,
      payment(transfer(PAYER, PAYEE, 1n), transfer(PAYEE, PAYER, 2n), transfer(PAYEE, OTHER, 3n, FAKE_USDC)),
      payment(transfer(OTHER, PAYEE, 4n)),
    );
    chain.mine(NOW + 4, payment(transfer(PAYEE, OTHER, 5n)));
    chain.mine(NOW + 6, payment(transfer(PAYEE, OTHER, 6n)));
    const { source } = await openNodes(new FakeEvmNode(chain));
    expect(await source.transfers!.readTransfersFrom([PAYEE, OTHER], first, first + 1)).toEqual({
      transfers: [
        { from: PAYEE, to: PAYER, token: 'USDC', units: 2n, block: first, logIndex: 1, time: NOW + 2 },
        { from: OTHER, to: PAYEE, token: 'USDC', units: 4n, block: first, logIndex: 3, time: NOW + 2 },
        { from: PAYEE, to: OTHER, token: 'USDC', units: 5n, block: first + 1, logIndex: 0, time: NOW + 4 },
      ],
      throughBlock: first + 1,
    });
  });

  it.each([
    [1, Infinity],
    [7, Infinity],
    [Infinity, 3],
    [10, 1],
  ])('are complete at a node that allows %d blocks and %d addresses', async (maxLogBlocks, maxLogAddresses) => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const node = new FakeEvmNode(chain);
    Object.assign(node, { maxLogBlocks, maxLogAddresses });
    const { source } = await openNodes(node);
    const senders = [OTHER, PAYEE, ...Array.from({ length: 6 }, (_, i) => `0x${String(i).repeat(40)}`), PAYER];
    const { transfers, throughBlock } = await source.transfers!.readTransfersFrom(senders, newest - 40, newest);
    const hours = Array.from({ length: 41 }, (_, i) => 40 - i).filter((hour) => hour % 3 !== 0);
    expect([throughBlock, transfers.map(({ units }) => Number(units))]).toEqual([newest, hours]);
  });

  it('are unreadable at a node that refuses one block and one address', async () => {
    const node = new FakeEvmNode(createChain());
    node.maxLogBlocks = 0;
    const { source } = await openNodes(node);
    await expect(source.transfers!.readTransfersFrom([PAYER], 10, 12)).rejects.toThrow(SourceUnreadable);
  });

  it('are read from a node that has finalized the blocks', async () => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const [behind, ahead] = [new FakeEvmNode(chain), new FakeEvmNode(chain)];
    behind.newestBlock = newest - 10;
    const { source } = await openNodes(behind, ahead);
    const { transfers } = await source.transfers!.readTransfersFrom([PAYER], newest - 5, newest);
    expect(transfers).toHaveLength(4);
  });

  it('are read from a node that has indexed the blocks it has finalized', async () => {
    const chain = new FakeEvmChain();
    for (let i = 0; i <= 100; i += 1) chain.mine(NOW - 100 + i, ...(i === 95 ? [payment(transfer(PAYEE, PAYER))] : []));
    const node = new FakeEvmNode(chain);
    node.indexedBlock = 90;
    const { source } = await openNodes(node);
    await expect(source.transfers!.readTransfersFrom([PAYEE], 1, 100)).rejects.toThrow(SourceUnreadable);
    expect(await source.transfers!.readTransfersFrom([PAYEE], 1, 90)).toEqual({ transfers: [], throughBlock: 90 });
    node.indexedBlock = 100;
    const { transfers } = await source.transfers!.readTransfersFrom([PAYEE], 1, 100);
    expect(transfers.map(({ block }) => block)).toEqual([95]);
  });

  it('are not read where a lagging node behind the URL answers what a batch lacks', async () => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    type Item = { readonly result: unknown };
    // A node behind the URL loses the logs of every batch; another one, which lags, answers single calls.
    proxies[0]!.inject({
      kind: 'body',
      change(body) {
        const parsed = JSON.parse(body) as Item | Item[];
        if (Array.isArray(parsed)) return JSON.stringify(parsed.filter(({ result }) => !Array.isArray(result)));
        return JSON.stringify(Array.isArray(parsed.result) ? { ...parsed, result: [] } : parsed);
      },
    });
    for (let i = 0; i < 5; i += 1) {
      await expect(source.transfers!.readTransfersFrom([PAYER], newest - 5, newest)).rejects.toThrow(SourceUnreadable);
    }
    proxies[0]!.heal();
    const { transfers } = await source.transfers!.readTransfersFrom([PAYER], newest - 5, newest);
    expect(transfers).toHaveLength(4);
  });

  it.each([
    ['logs and receipts', { firstReceiptBlock: 20, firstLogBlock: 20 }],
    ['the index of logs', { firstLogBlock: 20 }],
  ])('are not read from a node that has pruned %s of the first blocks', async (_, pruned) => {
    const chain = createChain();
    const nodes = [new FakeEvmNode(chain), new FakeEvmNode(chain)] as const;
    const [alone, withArchive] = [await openNodes(nodes[0]), await openNodes(...nodes)];
    Object.assign(nodes[0], pruned);
    await expect(alone.source.transfers!.readTransfersFrom([PAYER], 18, 24)).rejects.toThrow(SourceUnreadable);
    const { transfers } = await withArchive.source.transfers!.readTransfersFrom([PAYER], 18, 24);
    expect(transfers.map(({ block }) => block)).toEqual([19, 20, 22, 23]);
    expect(await alone.source.transfers!.readTransfersFrom([PAYER], 20, 24)).toMatchObject({ throughBlock: 24 });
    Object.assign(nodes[0], { firstReceiptBlock: 0, firstLogBlock: 0 });
    expect(await alone.source.transfers!.readTransfersFrom([PAYER], 18, 24)).toMatchObject({ transfers });
  });

  it.each([
    ['are read from a node that has pruned the index of receipts, but no logs', {}, 4],
    ['are not read from such a node where it refuses all logs of a block', { servesBlockLogs: false }, undefined],
    [
      'are not read from such a node where its blooms are empty and it has pruned logs',
      { hasBlooms: false, firstLogBlock: 20 },
      undefined,
    ],
  ])('%s', async (_, node, found) => {
    const { source } = await openNodes(
      Object.assign(new FakeEvmNode(createChain()), { firstReceiptBlock: 40, ...node }),
    );
    const read = source.transfers!.readTransfersFrom([PAYER], 18, 24);
    if (found === undefined) await expect(read).rejects.toThrow(SourceUnreadable);
    else expect((await read).transfers).toHaveLength(found);
  });

  it('are read after transactions without logs, whose receipts the node has pruned', async () => {
    const chain = new FakeEvmChain();
    for (let i = 0; i < 100; i += 1) {
      chain.mine(NOW - 100 + i, payment(...(i === 10 || i === 55 ? [transfer(PAYEE, PAYER)] : [])));
    }
    const { source } = await openNodes(Object.assign(new FakeEvmNode(chain), { firstReceiptBlock: 95 }));
    expect((await source.transfers!.readTransfersFrom([PAYEE], 50, 60)).transfers).toHaveLength(1);
  });

  it('are read from a node that refuses all logs of a block, by its receipts', async () => {
    const { source } = await openNodes(Object.assign(new FakeEvmNode(createChain()), { servesBlockLogs: false }));
    expect((await source.transfers!.readTransfersFrom([PAYER], 18, 24)).transfers).toHaveLength(4);
  });

  it('are not read from a node that prunes logs after another range was read from it', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const { source } = await openNodes(node);
    await source.transfers!.readTransfersFrom([PAYER], 18, 24);
    node.firstLogBlock = 40;
    await expect(source.transfers!.readTransfersFrom([PAYER], 30, 50)).rejects.toThrow(SourceUnreadable);
  });

  it('are not read from a node that has pruned the first logs of a chain, which are after the start of the range', async () => {
    const chain = new FakeEvmChain();
    for (let i = 0; i < 100; i += 1) chain.mine(NOW - 100 + i, payment(...(i < 60 ? [] : [transfer(PAYEE, PAYER)])));
    const node = new FakeEvmNode(chain);
    const { source } = await openNodes(node);
    node.firstLogBlock = 61;
    await expect(source.transfers!.readTransfersFrom([PAYEE], 5, 80)).rejects.toThrow(SourceUnreadable);
    expect(await source.transfers!.readTransfersFrom([PAYEE], 5, 59)).toEqual({ transfers: [], throughBlock: 59 });
    node.firstLogBlock = 0;
    const { transfers } = await source.transfers!.readTransfersFrom([PAYEE], 5, 80);
    expect(transfers).toHaveLength(21);
  });

  it('are read by a proof of two searches where 1,500 blocks have no log, although the second range begins later', async () => {
    const chain = new FakeEvmChain();
    for (let i = 0; i < 1_600; i += 1) {
      chain.mine(NOW - 1_600 + i, ...(i === 50 || i === 1_590 ? [payment(transfer(PAYEE, PAYER))] : []));
    }
    const node = new FakeEvmNode(chain);
    const { source } = await openNodes(node);
    await expect(source.transfers!.readTransfersFrom([PAYEE], 1_550, 1_599)).rejects.toThrow(SourceUnreadable);
    const { transfers } = await source.transfers!.readTransfersFrom([PAYEE], 1_555, 1_599);
    expect(transfers.map(({ block }) => block)).toEqual([1_590]);
  });

  it('cost three calls a window, in one batch, once a log before it is known', async () => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const node = new FakeEvmNode(chain);
    const { source, proxies } = await openNodes(node);
    // The first read caches the log of block 241 and the finalized head.
    await source.transfers!.readTransfersFrom([OTHER], 241, 250);
    node.calls.length = 0;
    proxies[0]!.resetCounts();
    await source.transfers!.readTransfersFrom([OTHER], 251, newest);
    expect(proxies[0]!.requests).toBe(1);
    expect(node.calls.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_getLogs', 'eth_getLogs']);
  });

  it.each<[string, (logs: object[]) => unknown]>([
    [
      'a log of another sender',
      ([log]) => [{ ...log, topics: [(log as { topics: string[] }).topics[0], UNKNOWN, UNKNOWN] }],
    ],
    ['a log of another contract', ([log]) => [{ ...log, address: FAKE_USDC }]],
    ['a log outside the range', ([log]) => [{ ...log, blockNumber: '0x1' }]],
    ['a repeated log', ([log]) => [log, log]],
    ['a log of a replaced block', ([log]) => [{ ...log, blockHash: UNKNOWN }]],
    ['a removed log', ([log]) => [{ ...log, removed: true }]],
    ['no list', () => ({})],
  ])('are unreadable when the node sends %s', async (_, change) => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const { source, proxies } = await openNodes(new FakeEvmNode(chain));
    proxies[0]!.inject(answerWith('eth_getLogs', change));
    await expect(source.transfers!.readTransfersFrom([PAYER], newest - 5, newest)).rejects.toThrow(SourceUnreadable);
  });

  it('start at the first block at or after a time', async () => {
    const chain = createChain();
    const newest = chain.blocks.length - 1;
    const { source } = await openNodes(new FakeEvmNode(chain));
    const find = (time: number) => source.transfers!.findBlock(time, { block: newest, time: NOW });
    expect(await find(0)).toBe(0);
    expect(await find(NOW)).toBe(newest);
    expect(await find(NOW - 1)).toBe(newest);
    expect(await find(NOW - 3_600)).toBe(newest - 1);
    expect(await find(NOW - 10 * DAY)).toBe(newest - 240);
    expect(await find(NOW - 10 * DAY + 1)).toBe(newest - 239);
    expect(await find(NOW + 1)).toBeUndefined();
  });

  it('have an unreadable start while no URL has the blocks up to the head', async () => {
    const chain = createChain();
    const node = new FakeEvmNode(chain);
    const { source, time } = await openNodes(node);
    const head = await source.readFinalizedHead();
    node.newestBlock = head.block - 10;
    time.milliseconds += 10_000;
    await expect(source.transfers!.findBlock(NOW - 3_600, head)).rejects.toThrow(SourceUnreadable);
    node.newestBlock = undefined;
    expect(await source.transfers!.findBlock(NOW - 3_600, head)).toBe(head.block - 1);
  });
});

describe('the check of a source', () => {
  it('reports identity, finalized head and depth of history of each URL', async () => {
    const chain = createChain();
    const [archive, pruned, foreign, silent] = Array.from({ length: 4 }, () => new FakeEvmNode(chain));
    pruned!.firstReceiptBlock = 2;
    const { opened, proxies } = await openNodes(archive!, pruned!, foreign!, silent!);
    proxies[2]!.inject(respondWith('eth_chainId', { result: '0x1' }));
    proxies[3]!.inject({ kind: 'cut' });
    const finalized = { block: chain.blocks.length - 1, time: NOW };
    const unread = { finalized: undefined, isDeep: undefined, provesAbsence: undefined };
    expect(await opened.check()).toEqual([
      { position: 0, identity: 'expected', finalized, isDeep: true, provesAbsence: true },
      { position: 1, identity: 'expected', finalized, isDeep: false, provesAbsence: false },
      { position: 2, identity: 'other', ...unread },
      { position: 3, identity: 'unknown', ...unread },
    ]);
  });

  it('reports a URL without the finalized tag', async () => {
    const { opened, proxies } = await openNodes(new FakeEvmNode(createChain()));
    proxies[0]!.inject(refuseWith('eth_getBlockByNumber', -39_001, 'Unknown block'));
    expect(await opened.check()).toMatchObject([{ identity: 'expected', finalized: undefined }]);
  });
});

function withMember(name: string, value: unknown) {
  return (result: never): unknown => ({ ...(result as object), [name]: value });
}

function withLog(members: object) {
  return (receipt: never): unknown => {
    const { logs, ...rest } = receipt as { readonly logs: readonly object[] };
    return { ...rest, logs: logs.map((log) => ({ ...log, ...members })) };
  };
}
