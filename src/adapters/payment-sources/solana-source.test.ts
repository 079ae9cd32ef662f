/** Tests the Solana payment source on an imitated node: finality, balances, versions, absence and hostile responses. */
import { afterEach, describe, expect, it } from 'vitest';
import { openPaymentSource, type PaymentSourceHarness } from '../../../testing/harness/payment-source.ts';
import { PROXY_KEY, type ProxyCall, type ProxyResponse } from '../../../testing/harness/rpc-proxy.ts';
import { formatBase58 } from '../../domain/identifiers/base58.ts';
import { SourceUnreadable } from '../../ports/payment-sources.ts';

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const keyOf = (byte: number) => formatBase58(new Uint8Array(32).fill(byte));
const [MINT, OTHER_MINT, PAYER, PAYEE] = [1, 2, 3, 4].map(keyOf) as [string, string, string, string];
const SIGNATURE = formatBase58(new Uint8Array(64).fill(9));
const UNKNOWN = formatBase58(new Uint8Array(64).fill(8));
const NOW = 1_772_452_800;
const HEAD = 400_000_000;
const SLOT = HEAD - 10_000;
const WEEK = 7 * 86_400;
const WINDOW = { fromTime: NOW - 4_000 - WEEK, throughTime: NOW - 4_000 + 900 };

const timeOf = (slot: number) => NOW - Math.floor(((HEAD - slot) * 4) / 10);

const balance = (mint: string, owner: string | undefined, amount: string) => ({
  accountIndex: 1,
  mint,
  ...(owner !== undefined && { owner }),
  uiTokenAmount: { amount, decimals: 6, uiAmountString: '0' },
});

const TRANSACTION = {
  slot: SLOT,
  blockTime: 1,
  version: 0,
  transaction: {
    signatures: [SIGNATURE],
    message: { header: { numRequiredSignatures: 2 }, accountKeys: [PAYER, PAYEE, MINT], instructions: [] },
  },
  meta: {
    err: null,
    preTokenBalances: [balance(MINT, PAYER, '18446744073709551615'), balance(OTHER_MINT, PAYER, '5')],
    postTokenBalances: [balance(MINT, PAYEE, '7'), balance(MINT, undefined, '0')],
  },
};

/** Node that has one transaction; a test replaces its answers by method. */
class FakeSolanaNode {
  readonly answers: Record<string, (params: readonly unknown[]) => unknown> = {
    getGenesisHash: () => GENESIS,
    getSlot: () => HEAD,
    getBlockTime: ([slot]) => timeOf(slot as number),
    getFirstAvailableBlock: () => 0,
    getTransaction: ([signature]) => (signature === SIGNATURE ? TRANSACTION : null),
    getSignatureStatuses: () => ({ context: { slot: HEAD }, value: [null] }),
  };
  readonly calls: ProxyCall[] = [];

  readonly respond = (call: ProxyCall): ProxyResponse => {
    this.calls.push(call);
    const answer = this.answers[call.method]?.(call.params);
    return answer instanceof NodeError
      ? { error: { code: answer.code, message: answer.message } }
      : { result: answer ?? null };
  };
}

class NodeError extends Error {
  readonly code: number;

  constructor(code: number, message = 'refused') {
    super(message);
    this.code = code;
  }
}

const open: PaymentSourceHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});

async function openNodes(...nodes: FakeSolanaNode[]): Promise<PaymentSourceHarness> {
  const harness = await openPaymentSource({
    nodes: nodes.map(({ respond }) => respond),
    configured: {
      name: `solana:${GENESIS.slice(0, 32)}`,
      kind: 'solana',
      reference: GENESIS.slice(0, 32),
      id: '1151111081099710',
      tokens: [{ symbol: 'USDC', address: MINT }],
    },
    nowMilliseconds: NOW * 1_000,
  });
  open.push(harness);
  return harness;
}

function nodeWith(answers: FakeSolanaNode['answers'] = {}): FakeSolanaNode {
  const node = new FakeSolanaNode();
  Object.assign(node.answers, answers);
  return node;
}

const changed = (change: (transaction: typeof TRANSACTION) => unknown) =>
  nodeWith({ getTransaction: () => change(structuredClone(TRANSACTION)) });
const withMeta = (meta: object) =>
  changed((transaction) => ({ ...transaction, meta: { ...transaction.meta, ...meta } }));

describe('reading a cited transaction', () => {
  it('returns signers and balances of listed mints, with the time of the slot', async () => {
    const node = nodeWith();
    const { source } = await openNodes(node);
    expect(source).toMatchObject({ id: 1151111081099710n, kind: 'solana', transfers: undefined });
    expect(await source.readTransaction(SIGNATURE, WINDOW)).toEqual({
      kind: 'solana',
      success: true,
      block: SLOT,
      time: timeOf(SLOT),
      signers: [PAYER, PAYEE],
      pre: [{ mint: MINT, owner: PAYER, units: 2n ** 64n - 1n }],
      post: [
        { mint: MINT, owner: PAYEE, units: 7n },
        { mint: MINT, owner: null, units: 0n },
      ],
    });
    expect(node.calls.find(({ method }) => method === 'getTransaction')?.params).toEqual([
      SIGNATURE,
      { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 },
    ]);
  });

  it('returns a transaction that failed', async () => {
    const { source } = await openNodes(withMeta({ err: { InstructionError: [0, 'Custom'] } }));
    expect(await source.readTransaction(SIGNATURE, WINDOW)).toMatchObject({ success: false, block: SLOT });
  });

  it.each([null, undefined])('returns no balances where the node recorded none: %j', async (recorded) => {
    const { source } = await openNodes(withMeta({ preTokenBalances: recorded, postTokenBalances: recorded }));
    expect(await source.readTransaction(SIGNATURE, WINDOW)).toMatchObject({ pre: null, post: null });
  });

  it('returns a version that is not supported as failed, at the slot of its status', async () => {
    const node = nodeWith({
      getTransaction: () => new NodeError(-32_015, 'Transaction version (1) is not supported'),
      getSignatureStatuses: () => ({ context: { slot: HEAD }, value: [{ slot: SLOT, err: null }] }),
    });
    const { source } = await openNodes(node);
    expect(await source.readTransaction(SIGNATURE, WINDOW)).toEqual({
      kind: 'solana',
      success: false,
      block: SLOT,
      time: timeOf(SLOT),
      signers: [],
      pre: null,
      post: null,
    });
  });

  it.each<[string, FakeSolanaNode, string]>([
    [
      'another signature',
      changed((t) => ({ ...t, transaction: { ...t.transaction, signatures: [UNKNOWN] } })),
      'malformed',
    ],
    ['no meta', changed((t) => ({ ...t, meta: null })), 'malformed'],
    ['no error member', withMeta({ err: undefined }), 'malformed'],
    ['version 1', changed((t) => ({ ...t, version: 1 })), 'malformed'],
    ['an amount that is not decimal', withMeta({ postTokenBalances: [balance(MINT, PAYEE, '1.5')] }), 'malformed'],
    [
      'an amount of more than 20 digits',
      withMeta({ postTokenBalances: [balance(MINT, PAYEE, '1'.repeat(21))] }),
      'malformed',
    ],
    ['a mint that is no key', withMeta({ postTokenBalances: [balance('mint', PAYEE, '1')] }), 'malformed'],
    ['an owner that is no key', withMeta({ postTokenBalances: [balance(MINT, 'owner', '1')] }), 'malformed'],
    ['a slot above its finalized head', changed((t) => ({ ...t, slot: HEAD + 1 })), 'block-mismatch'],
    ['no time of the slot', nodeWith({ getBlockTime: ([slot]) => (slot === SLOT ? null : NOW) }), 'block-mismatch'],
    [
      'an unsupported version without a status',
      nodeWith({
        getTransaction: () => new NodeError(-32_015),
        getSignatureStatuses: () => ({ context: { slot: 1 }, value: [null] }),
      }),
      'block-mismatch',
    ],
    ['an error', nodeWith({ getTransaction: () => new NodeError(-32_603) }), 'rpc-error'],
    ['another genesis hash', nodeWith({ getGenesisHash: () => MINT }), 'wrong-chain'],
    ['no time of any newest slot', nodeWith({ getBlockTime: () => null }), 'block-mismatch'],
  ])('is unreadable when the only URL sends %s', async (_, node, problem) => {
    const { source, lines } = await openNodes(node);
    const error = await source.readTransaction(SIGNATURE, WINDOW).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SourceUnreadable);
    expect(error).toMatchObject({ problem });
    expect(`${String(error)} ${lines.join()}`).not.toContain(PROXY_KEY);
  });

  it('finds at the second URL what the first one lacks', async () => {
    const { source } = await openNodes(nodeWith({ getTransaction: () => null }), nodeWith());
    expect(await source.readTransaction(SIGNATURE, WINDOW)).toMatchObject({ block: SLOT });
  });
});

describe('the absence of a transaction', () => {
  it('is stated by one witness', async () => {
    const { source } = await openNodes(nodeWith());
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it.each<[string, number, { slot: number } | null]>([
    ['is behind the finalized head', HEAD - 1, null],
    ['has the transaction', HEAD, { slot: SLOT }],
  ])('is not stated when the node that answers behind the URL %s', async (_, slot, status) => {
    const { source } = await openNodes(
      nodeWith({ getSignatureStatuses: () => ({ context: { slot }, value: [status] }) }),
    );
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
  });

  it('is not stated while another URL does not answer', async () => {
    const { source, proxies } = await openNodes(nodeWith(), nodeWith());
    proxies[1]!.inject({ kind: 'status', status: 503 });
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
  });

  it.each([
    ['is as old as the window', WINDOW.fromTime, 'absent'],
    ['is a second younger', WINDOW.fromTime + 1, 'unreadable'],
  ])('needs a first available block that %s', async (_, firstTime, outcome) => {
    const node = nodeWith({
      getFirstAvailableBlock: () => 5,
      getBlockTime: ([slot]) => (slot === 5 ? firstTime : NOW),
    });
    const { source } = await openNodes(node);
    const read = source.readTransaction(UNKNOWN, WINDOW).catch((error: unknown) => {
      expect(error).toBeInstanceOf(SourceUnreadable);
      return 'unreadable';
    });
    expect(await read).toBe(outcome);
  });

  it('needs a finalized head that is later than the window by the delay of long-term storage', async () => {
    const { source } = await openNodes(nodeWith());
    const until = (throughTime: number) => source.readTransaction(UNKNOWN, { ...WINDOW, throughTime });
    await expect(until(NOW - 300)).rejects.toThrow(SourceUnreadable);
    expect(await until(NOW - 301)).toBe('absent');
  });
});

describe('the finalized head', () => {
  it('is the newest finalized slot that has a time', async () => {
    const node = nodeWith({
      getBlockTime: ([slot]) => (slot === HEAD ? new NodeError(-32_004) : slot === HEAD - 1 ? null : NOW - 5),
    });
    const { source } = await openNodes(node);
    expect(await source.readFinalizedHead()).toEqual({ block: HEAD - 2, time: NOW - 5 });
  });
});

describe('the check of a source', () => {
  it('reports identity, finalized head and depth of history of each URL', async () => {
    const young = nodeWith({ getFirstAvailableBlock: () => HEAD - 10 });
    const { opened } = await openNodes(nodeWith(), young, nodeWith({ getGenesisHash: () => MINT }));
    const finalized = { block: HEAD, time: NOW };
    expect(await opened.check()).toEqual([
      { position: 0, identity: 'expected', finalized, isDeep: true },
      { position: 1, identity: 'expected', finalized, isDeep: false },
      { position: 2, identity: 'other', finalized: undefined, isDeep: undefined },
    ]);
  });
});
