/** Tests the Solana payment source on an imitated node: finality, balances, versions, absence and hostile responses. */
import { afterEach, describe, expect, it } from 'vitest';
import { openPaymentSource, type PaymentSourceHarness } from '../../../testing/harness/payment-source.ts';
import { PROXY_KEY, type ProxyCall, type ProxyResponse } from '../../../testing/harness/rpc-proxy.ts';
import { FakeSolanaLedger } from '../../../testing/fakes/fake-solana-ledger.ts';
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

const timeOf = (slot: number) => Math.floor(NOW - (HEAD - slot) * 0.4);

const balance = (mint: string, owner: string | undefined, amount: string, accountIndex = 1) => ({
  accountIndex,
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
    preTokenBalances: [balance(MINT, PAYER, '18446744073709551615'), balance(OTHER_MINT, PAYER, '5', 2)],
    postTokenBalances: [balance(MINT, PAYEE, '7'), balance(MINT, undefined, '0', 2)],
  },
};

/** Node that has one transaction with details; a test replaces its answers by method. */
class FakeSolanaNode {
  readonly ledger: FakeSolanaLedger;
  readonly answers: Record<string, (params: readonly unknown[]) => unknown> = {
    getGenesisHash: () => GENESIS,
    getTransaction: ([signature]) => (signature === SIGNATURE ? TRANSACTION : null),
  };
  readonly calls: ProxyCall[] = [];

  constructor(headSlot = HEAD) {
    this.ledger = new FakeSolanaLedger(headSlot, NOW);
  }

  readonly respond = (call: ProxyCall): ProxyResponse => {
    this.calls.push(call);
    const answer = this.answers[call.method];
    const result = answer?.(call.params);
    if (result instanceof NodeError) return { error: { code: result.code, message: result.message } };
    return answer === undefined ? this.ledger.respond(call)! : { result: result ?? null };
  };

  /** Returns the parameters of its calls of a method. */
  callsOf(method: string): readonly (readonly unknown[])[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }
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

async function openNodes(...nodes: Pick<FakeSolanaNode, 'respond'>[]): Promise<PaymentSourceHarness> {
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

/** Imitates a URL behind which one node answers calls of some methods and another one the others. */
function poolOf(node: FakeSolanaNode, other: FakeSolanaNode, methodsOfOther: readonly string[]) {
  return { respond: (call: ProxyCall) => (methodsOfOther.includes(call.method) ? other : node).respond(call) };
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
    [
      'an account twice',
      withMeta({ postTokenBalances: [balance(MINT, PAYEE, '7'), balance(MINT, PAYEE, '7')] }),
      'malformed',
    ],
    ['a mint that is no key', withMeta({ postTokenBalances: [balance('mint', PAYEE, '1')] }), 'malformed'],
    ['an owner that is no key', withMeta({ postTokenBalances: [balance(MINT, 'owner', '1')] }), 'malformed'],
    [
      'more balances than accounts',
      withMeta({ preTokenBalances: Array.from({ length: 257 }, (_, i) => balance(MINT, PAYER, '1', i)) }),
      'malformed',
    ],
    [
      'more keys than a byte can name',
      changed(({ transaction: { message, ...rest }, ...t }) => ({
        ...t,
        transaction: { ...rest, message: { ...message, accountKeys: Array(257).fill(PAYER) } },
      })),
      'malformed',
    ],
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

  it.each<[string, (ledger: FakeSolanaLedger) => void]>([
    ['is behind the finalized head', (ledger) => (ledger.lagSlots = 1)],
    ['has the transaction', (ledger) => ledger.added.set(UNKNOWN, SLOT)],
    ['has pruned the window, as it has the transaction', (ledger) => (ledger.first = SLOT + 1)],
    ['has another block in the slot of the old transactions', (ledger) => (ledger.shift = 1)],
  ])('is not stated when the node that answers behind the URL %s', async (_, change) => {
    const [archive, other] = [nodeWith(), nodeWith()];
    change(other.ledger);
    const { source } = await openNodes(poolOf(archive, other, ['getTransaction', 'getSignatureStatuses']));
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
  });

  it('is not stated while another URL does not answer', async () => {
    const { source, proxies } = await openNodes(nodeWith(), nodeWith());
    proxies[1]!.inject({ kind: 'status', status: 503 });
    await expect(source.readTransaction(UNKNOWN, WINDOW)).rejects.toThrow(SourceUnreadable);
  });

  it('needs a finalized head that is later than the window by the delay of long-term storage', async () => {
    const { source } = await openNodes(nodeWith());
    const until = (throughTime: number) => source.readTransaction(UNKNOWN, { ...WINDOW, throughTime });
    await expect(until(NOW - 300)).rejects.toThrow(SourceUnreadable);
    expect(await until(NOW - 301)).toBe('absent');
  });
});

describe('the history of a witness', () => {
  const SHORT = { fromTime: NOW - WEEK, throughTime: NOW - 301 };
  const outcomeOf = async (read: Promise<unknown>) => {
    try {
      return await read;
    } catch (error) {
      expect(error).toBeInstanceOf(SourceUnreadable);
      return 'unreadable';
    }
  };
  /** Returns the slot of the newest block that was read. */
  const lastBlock = (node: FakeSolanaNode) => node.callsOf('getBlock').at(-1)![0] as number;

  function expectShortlyBeforeWindow(node: FakeSolanaNode, maxSeconds: number): void {
    const before = WINDOW.fromTime - node.ledger.timeOf(lastBlock(node));
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(maxSeconds);
  }

  it('is shown in the response that lacks the transaction, by transactions of a block shortly before the window', async () => {
    const node = nodeWith();
    const { source } = await openNodes(node);
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
    const [[signatures, options]] = node.callsOf('getSignatureStatuses') as [[readonly string[], object]];
    const { signatures: known } = node.ledger.block(lastBlock(node));
    expect([signatures, options]).toEqual([[UNKNOWN, ...known], { searchTransactionHistory: true }]);
    expectShortlyBeforeWindow(node, 2 * 3_600);
  });

  it('is shown by any transaction of a block whose votes the URL does not store, asked for a few at a time', async () => {
    const node = nodeWith();
    const votes = Array.from({ length: 11 }, (_, i) => formatBase58(new Uint8Array(64).fill(100 + i)));
    node.answers['getBlock'] = ([slot]) => {
      const block = node.ledger.block(slot as number);
      return { ...block, signatures: [...votes, ...block.signatures] };
    };
    const { source } = await openNodes(node);
    const outcomes = [];
    for (let i = 0; i < 3; i += 1) outcomes.push(await outcomeOf(source.readTransaction(UNKNOWN, WINDOW)));
    expect(outcomes.toSorted()).toEqual(['absent', 'unreadable', 'unreadable']);
    const asked = node.callsOf('getSignatureStatuses').map(([signatures]) => signatures as readonly string[]);
    expect(asked.map(({ length }) => length)).toEqual([5, 5, 5]);
    expect(new Set(asked.flat()).size).toBe(13);
  });

  it('may begin with that block', async () => {
    const node = nodeWith();
    await (await openNodes(node)).source.readTransaction(UNKNOWN, WINDOW);
    for (const [first, expected] of [
      [lastBlock(node), 'absent'],
      [lastBlock(node) + 1, 'unreadable'],
    ] as const) {
      const pruned = nodeWith();
      pruned.ledger.first = first;
      const { source } = await openNodes(poolOf(nodeWith(), pruned, ['getSignatureStatuses']));
      expect(await outcomeOf(source.readTransaction(UNKNOWN, WINDOW))).toBe(expected);
    }
  });

  it.each([0.35, 0.38, 0.396, 0.4, 0.41, 0.55])(
    'is searched with few calls where slots take %d s',
    async (slotSeconds) => {
      const node = nodeWith();
      node.ledger.slotSeconds = slotSeconds;
      const { source } = await openNodes(node);
      expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
      expectShortlyBeforeWindow(node, 2 * 3_600);
      expect(node.callsOf('getBlock')).toHaveLength(1);
      // The first one is that of the head.
      expect(node.callsOf('getBlockTime').length).toBeLessThanOrEqual(5);
    },
  );

  it('is searched once for transactions of one hour, also at the same time', async () => {
    const node = nodeWith();
    const { source } = await openNodes(node);
    const signatures = [20, 21, 22].map((byte) => formatBase58(new Uint8Array(64).fill(byte)));
    const read = (signature: string) => source.readTransaction(signature, WINDOW);
    expect(await Promise.all(signatures.map(read))).toEqual(['absent', 'absent', 'absent']);
    expect(node.callsOf('getBlock')).toHaveLength(1);
    node.calls.length = 0;
    expect(await read(UNKNOWN)).toBe('absent');
    expect(node.calls.map(({ method }) => method)).toEqual([
      'getTransaction',
      'getSignatureStatuses',
      'getGenesisHash',
    ]);
  });

  it('costs no call where the transaction is found', async () => {
    const node = nodeWith();
    const { source } = await openNodes(node);
    await source.readTransaction(SIGNATURE, WINDOW);
    expect([node.callsOf('getBlock'), node.callsOf('getSignatureStatuses')]).toEqual([[], []]);
  });

  it.each([
    ['four of five slots', (slot: number) => slot % 5 !== 0],
    [
      'two hours of slots before the window',
      (slot: number) => Math.abs(timeOf(slot) - WINDOW.fromTime + 3_700) < 3_600,
    ],
  ])('is found where %s are skipped', async (_, isSkipped) => {
    const node = nodeWith();
    node.ledger.isSkipped = (slot) => slot < HEAD && isSkipped(slot);
    const { source } = await openNodes(node);
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
    expectShortlyBeforeWindow(node, 6 * 3_600);
    // 49, and a few more where an identity or a connection is checked again.
    expect(node.calls.length).toBeLessThanOrEqual(60);
  });

  it('may begin with the first transaction of the chain, over skipped slots', async () => {
    for (const [first, expected] of [
      [700, 'absent'],
      [701, 'unreadable'],
    ] as const) {
      const [young, pruned] = [new FakeSolanaNode(1_500), new FakeSolanaNode(1_500)];
      young.ledger.isEmpty = pruned.ledger.isEmpty = (slot) => slot < 700;
      young.ledger.isSkipped = (slot) => slot % 3 === 2;
      pruned.ledger.first = first;
      const { source } = await openNodes(poolOf(young, pruned, ['getSignatureStatuses']));
      expect(await outcomeOf(source.readTransaction(UNKNOWN, SHORT))).toBe(expected);
      expect(lastBlock(young)).toBe(700);
    }
  });

  it('is not shown by transactions after a block that the node lacks', async () => {
    const node = new FakeSolanaNode(1_500);
    node.ledger.isEmpty = (slot) => slot < 700;
    const lacking = new Set([600]);
    node.answers['getBlock'] = ([slot]) =>
      lacking.has(slot as number) ? new NodeError(-32_007) : node.ledger.block(slot as number);
    const { source, time } = await openNodes(node);
    await expect(source.readTransaction(UNKNOWN, SHORT)).rejects.toThrow(SourceUnreadable);
    lacking.clear();
    time.milliseconds += 300_000;
    expect(await source.readTransaction(UNKNOWN, SHORT)).toBe('absent');
  });

  it('need not be shown where no block has a transaction, which is read in searches of 1,000 slots', async () => {
    const node = new FakeSolanaNode(1_500);
    node.ledger.isEmpty = () => true;
    const { source } = await openNodes(node);
    await expect(source.readTransaction(UNKNOWN, SHORT)).rejects.toThrow(SourceUnreadable);
    expect(node.callsOf('getBlock')).toHaveLength(1_001);
    expect(await source.readTransaction(UNKNOWN, SHORT)).toBe('absent');
    expect(node.callsOf('getBlock')).toHaveLength(1_501);
    expect(node.callsOf('getSignatureStatuses').map(([signatures]) => signatures)).toEqual([[UNKNOWN]]);
  });

  it('is not that of a cluster to which the URL led during the search', async () => {
    const node = new FakeSolanaNode(500);
    const { source } = await openNodes(node);
    await source.readFinalizedHead();
    node.ledger.isEmpty = () => true;
    node.answers['getGenesisHash'] = () => MINT;
    await expect(source.readTransaction(UNKNOWN, SHORT)).rejects.toThrow(SourceUnreadable);
    Object.assign(node.ledger, { isEmpty: () => false, first: 400 });
    node.answers['getGenesisHash'] = () => GENESIS;
    await expect(source.readTransaction(UNKNOWN, SHORT)).rejects.toThrow(SourceUnreadable);
  });

  it('is found where every second call reaches a node that has pruned it', async () => {
    const [archive, pruned] = [nodeWith(), nodeWith()];
    pruned.ledger.first = SLOT + 1;
    let calls = 0;
    const respond = (call: ProxyCall) => {
      const isOfBlock = call.method === 'getBlock' || call.method === 'getBlockTime';
      return (isOfBlock && ++calls % 2 === 0 ? pruned : archive).respond(call);
    };
    const { source } = await openNodes({ respond });
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });

  it('is searched at the second URL where the first one has pruned it', async () => {
    const pruned = nodeWith();
    pruned.ledger.first = SLOT + 1;
    const { source } = await openNodes(pruned, nodeWith());
    expect(await source.readTransaction(UNKNOWN, WINDOW)).toBe('absent');
  });
});

describe('a failed search', () => {
  const EARLIER = { ...WINDOW, fromTime: WINDOW.fromTime - 3 * 3_600 };
  /** Reads a citation after some seconds and returns the number of its calls to search for old transactions. */
  async function searchAfter(harness: PaymentSourceHarness, node: FakeSolanaNode, seconds: number, window = WINDOW) {
    harness.time.milliseconds += seconds * 1_000;
    // The head is read before the calls are counted.
    await harness.source.readFinalizedHead();
    node.calls.length = 0;
    await expect(harness.source.readTransaction(UNKNOWN, window)).rejects.toThrow(SourceUnreadable);
    return node.callsOf('getBlock').length + node.callsOf('getBlockTime').length;
  }

  it.each([
    ['of any time where the node does not serve the method', -32_601, 300, false],
    ['of the same hour where the node refuses the block', -32_603, 300, true],
    ['of the same hour where the node lacks the block', -32_007, 300, true],
    ['of the same hour where the node has dropped the block', -32_001, 60, true],
  ])('is not repeated for minutes for a citation %s', async (_, code, seconds, isEarlierSearched) => {
    const node = nodeWith({ getBlock: () => new NodeError(code) });
    const harness = await openNodes(node);
    expect(await searchAfter(harness, node, 0)).toBeGreaterThan(0);
    expect(await searchAfter(harness, node, seconds - 1)).toBe(0);
    expect((await searchAfter(harness, node, 0, EARLIER)) > 0).toBe(isEarlierSearched);
    expect(await searchAfter(harness, node, 1)).toBeGreaterThan(0);
  });

  it('is repeated when an overloaded node is called again', async () => {
    const node = nodeWith({ getBlock: () => new NodeError(-32_005) });
    const harness = await openNodes(node);
    await searchAfter(harness, node, 0);
    expect(await searchAfter(harness, node, 60)).toBeGreaterThan(0);
  });

  it('does not stop the search at another URL', async () => {
    const refusing = nodeWith({ getBlock: () => new NodeError(-32_601) });
    const { source } = await openNodes(refusing, nodeWith());
    for (const window of [WINDOW, EARLIER]) expect(await source.readTransaction(UNKNOWN, window)).toBe('absent');
    expect(refusing.callsOf('getBlock')).toHaveLength(1);
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
  it('reports identity, finalized head, depth of history and proof of absence of each URL', async () => {
    const young = nodeWith({ getFirstAvailableBlock: () => HEAD - 10 });
    const { opened } = await openNodes(nodeWith(), young, nodeWith({ getGenesisHash: () => MINT }));
    const finalized = { block: HEAD, time: NOW };
    expect(await opened.check()).toEqual([
      { position: 0, identity: 'expected', finalized, isDeep: true, provesAbsence: true },
      { position: 1, identity: 'expected', finalized, isDeep: false, provesAbsence: false },
      { position: 2, identity: 'other', finalized: undefined, isDeep: undefined, provesAbsence: undefined },
    ]);
  });

  it.each<[boolean | undefined, string, FakeSolanaNode['answers']]>([
    [false, 'refuses blocks', { getBlock: () => new NodeError(-32_601) }],
    [false, 'lacks blocks', { getBlock: () => new NodeError(-32_009) }],
    [false, 'refuses statuses', { getSignatureStatuses: () => new NodeError(-32_601) }],
    [undefined, 'is overloaded', { getBlock: () => new NodeError(-32_005) }],
  ])('reports %s as proof of absence of a URL that %s, whatever others serve', async (expected, _, answers) => {
    const { opened } = await openNodes(nodeWith(answers), nodeWith());
    expect((await opened.check()).map(({ provesAbsence }) => provesAbsence)).toEqual([expected, true]);
  });
});
