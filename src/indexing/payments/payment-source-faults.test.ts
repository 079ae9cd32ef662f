/**
 * Failure modes of payment sources (docs/failure-modes.md): the worker over the real adapters of an EVM and a Solana source, each with
 * one URL. While one of them fails its verdicts wait; afterwards they are those of a source without the fault.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { afterEach, describe, expect, it } from 'vitest';
import { PAYMENT_SOURCE_FAILURE_MODES, type PaymentSourceFailureMode } from '../../../test/failure-modes-table.ts';
import { FAKE_CHAIN_ID, FakeEvmChain, FakeEvmNode } from '../../../testing/fakes/fake-evm-chain.ts';
import { FakeSolanaLedger } from '../../../testing/fakes/fake-solana-ledger.ts';
import { OWNER, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { createHarness, FINGERPRINT, machine, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { createAltChainKey, createMainChainKey, PORTABLE_CHECKS } from '../../../testing/fixtures/signing-keys.ts';
import { openPaymentSource } from '../../../testing/harness/payment-source.ts';
import {
  PROXY_KEY,
  respondWith,
  type ProxyCall,
  type ProxyResponse,
  type RpcFault,
} from '../../../testing/harness/rpc-proxy.ts';
import { createStore } from '../../adapters/sql/create-store.ts';
import { REAL_STOPWATCH } from '../../adapters/rpc/deadline.ts';
import { toHex } from '../../domain/evidence/signed-bytes.ts';
import { formatBase58 } from '../../domain/identifiers/base58.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import { paymentFingerprint } from '../../domain/rating/paid/payment-configuration.ts';
import { formatPayoutText } from '../../domain/rating/paid/payout-proof.ts';
import { createRateTable } from '../../domain/rating/rate-table.ts';
import { createPaymentScanner } from './payment-scanner.ts';
import { createPaymentWorker } from './payment-worker.ts';
import { readMainEvents } from './scanned-events.ts';

type Kind = PaymentSourceFailureMode['kind'];

const MACHINE = machine(11);
const POLL_MILLISECONDS = 60_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Units of a payment of USD 100. */
const UNITS = 100_000_000n;

const EVM_ACCOUNT = createMainChainKey(new Uint8Array(32).fill(7));
const SOLANA_ACCOUNT = createAltChainKey(new Uint8Array(32).fill(7));
const [PAYER, REPAID] = ['0c', '0d'].map((digits) => `0x${digits.repeat(20)}`) as [string, string];
const USDC = `0x${'ee'.repeat(20)}`;
const UNKNOWN_HASH = `0x${'ef'.repeat(32)}`;

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const SOLANA_ID = 1151111081099710n;
const keyOf = (byte: number) => formatBase58(new Uint8Array(32).fill(byte));
const [MINT, SOLANA_PAYER] = [keyOf(1), keyOf(2)];
const [SIGNATURE, UNKNOWN_SIGNATURE] = [8, 9].map((byte) => formatBase58(new Uint8Array(64).fill(byte))) as [
  string,
  string,
];
const HEAD_SLOT = 400_000_000;
const PAID_SLOT = HEAD_SLOT - 5_000;

const metadata = (content: object) => ({ metadata: toHex(utf8ToBytes(JSON.stringify(content))) });

function proofOf(account: string, sign: (text: Uint8Array) => string): Partial<EventRecord> {
  const text = formatPayoutText(MACHINE, { account, owner: OWNER }, DEFAULT_NAMESPACE);
  return metadata({ payout: account, owner: OWNER, proof: sign(utf8ToBytes(text)) });
}

function citing(sourceTxHash: string): Partial<EventRecord> {
  return { sourceChainId: BigInt(FAKE_CHAIN_ID), sourceTxHash, trustLevel: 1, value: 10_000n };
}

function citingSolana(signature: string, bytes: number): Partial<EventRecord> {
  const hash = `0x${bytesToHex(keccak_256(new Uint8Array(64).fill(bytes)))}`;
  return { ...citing(hash), sourceChainId: SOLANA_ID, ...metadata({ sig: signature }) };
}

const HEALTHY: Readonly<Record<Kind, readonly string[]>> = {
  evm: ['2 paid', '3 not_found', '4 circular'],
  solana: ['5 paid', '6 not_found'],
};
const toPending = (codes: readonly string[]) => codes.map((code) => code.replace(/ \w+/, ' pending'));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** One machine with an account on each source, and one source of each kind. */
async function openWorld() {
  const store = await createStore('sqlite::memory:');
  closing.push(() => store.close());
  const { chain, rates, log, index } = createHarness({ store });
  chain.finalityLag = 0;
  rates.use(createRateTable(false, new Map([['USDC', { decimals: 6, fixedRate: 10n ** 12n }]])));

  const evmChain = new FakeEvmChain();
  const start = chain.head.timestamp;
  for (let hour = 30 * 24; hour > 0; hour -= 1) evmChain.mine(start - hour * HOUR, { from: PAYER });
  const evmNode = new FakeEvmNode(evmChain);
  const solana = new FakeSolanaLedger(HEAD_SLOT, start);
  solana.added.set(SIGNATURE, PAID_SLOT);
  const answerSolana = (call: ProxyCall): ProxyResponse => {
    const { method, params } = call;
    if (method === 'getGenesisHash') return { result: GENESIS };
    const isKnown = solana.added.has(String(params[0])) && solana.first <= PAID_SLOT;
    return solana.respond(call) ?? { result: isKnown ? solanaPayment() : null };
  };

  /** Nodes that do not respond: nothing waits for the real timeouts of their source. */
  const silent = new Set<Kind>();
  const createStopwatch = (kind: Kind) => ({
    ...REAL_STOPWATCH,
    startTimeout: (milliseconds: number) => AbortSignal.timeout(silent.has(kind) ? 100 : milliseconds),
    // Pauses after refusals pass twenty times as fast.
    nowMilliseconds: () => 20 * performance.now(),
    pause: (milliseconds: number, signal: AbortSignal) => REAL_STOPWATCH.pause(milliseconds / 20, signal),
  });
  const evm = await openPaymentSource({
    nodes: [evmNode.respond],
    configured: {
      ...{ name: `eip155:${FAKE_CHAIN_ID}`, kind: 'evm', reference: String(FAKE_CHAIN_ID), id: String(FAKE_CHAIN_ID) },
      tokens: [{ symbol: 'USDC', address: USDC }],
    },
    stopwatch: createStopwatch('evm'),
  });
  closing.push(() => evm.close());
  const reference = GENESIS.slice(0, 32);
  const alt = await openPaymentSource({
    nodes: [answerSolana],
    configured: {
      ...{ name: `solana:${reference}`, kind: 'solana', reference, id: String(SOLANA_ID) },
      tokens: [{ symbol: 'USDC', address: MINT }],
    },
    stopwatch: createStopwatch('solana'),
  });
  closing.push(() => alt.close());

  const sources = { hash: 'test', list: [evm.source, alt.source] };
  const clock = { nowMilliseconds: () => evm.time.milliseconds };
  const shared = { store, sources, namespace: DEFAULT_NAMESPACE, fxRates: rates, clock, log };
  const elapsed = { milliseconds: 0 };
  const scanner = createPaymentScanner({ ...shared, checks: PORTABLE_CHECKS, yieldToEventLoop });
  const worker = createPaymentWorker({
    ...shared,
    monotonicClock: { nowMilliseconds: () => elapsed.milliseconds },
    ...{ homes: ['main'], timers: new VirtualTime(), pollIntervalMilliseconds: POLL_MILLISECONDS },
  });
  /** Sets the wall clock only. */
  const setClock = (seconds: number) => {
    for (const { time } of [evm, alt]) time.milliseconds = seconds * 1_000;
  };
  const setTime = (seconds: number) => {
    elapsed.milliseconds += seconds * 1_000 - evm.time.milliseconds;
    setClock(seconds);
  };
  setTime(start);

  return {
    nodes: { evm: evm.proxies[0]!, solana: alt.proxies[0]! },
    lines: () => [...evm.lines, ...alt.lines],
    evmNode,
    solana,
    report: worker.report,
    silent,

    /** The machine claims both accounts, one account pays a payer, and the machine cites payments of both sources. */
    async cite() {
      chain.mine([transferred(MACHINE), submitted(MACHINE, proofOf(EVM_ACCOUNT.address, EVM_ACCOUNT.sign))]);
      chain.mine([submitted(MACHINE, proofOf(SOLANA_ACCOUNT.key, SOLANA_ACCOUNT.sign))]);
      const repaidAt = chain.mine().timestamp;
      const toRepaid = { token: USDC, from: EVM_ACCOUNT.address, to: REPAID, units: UNITS };
      evmChain.mine(repaidAt, { from: EVM_ACCOUNT.address, transfers: [toRepaid] });
      const paidAt = chain.mine().timestamp;
      const payments = [PAYER, REPAID].map((from) => ({
        from,
        transfers: [{ token: USDC, from, to: EVM_ACCOUNT.address, units: UNITS }],
      }));
      const block = evmChain.mine(paidAt, ...payments);
      chain.mine([
        submitted(MACHINE, citing(evmChain.transactionHash(block, 0))),
        submitted(MACHINE, citing(UNKNOWN_HASH)),
        submitted(MACHINE, citing(evmChain.transactionHash(block, 1))),
        submitted(MACHINE, citingSolana(SIGNATURE, 8)),
        submitted(MACHINE, citingSolana(UNKNOWN_SIGNATURE, 9)),
      ]);
      chain.mineMany(300);
      const now = chain.head.timestamp;
      evmChain.mine(now, { from: PAYER });
      // The payment is as old as that of the other source.
      solana.headTime = paidAt + Math.floor(((HEAD_SLOT - PAID_SLOT) * 4) / 10);
      setTime(now);
      const advanced = await index.advance(NEVER);
      if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
      const readEvents = readMainEvents(chain, store, advanced.block);
      const head = { block: advanced.block.number, time: advanced.block.timestamp };
      while ((await scanner.scan('main', head, { readEvents }, NEVER)) === 'more');
    },
    setClock,
    now: () => evm.time.milliseconds / 1_000,
    /** Works until nothing is left. */
    async settle() {
      while ((await worker.step(NEVER)) === 'more');
    },
    /** Does so, and again after ten minutes each: what is postponed becomes due, and an absence is repeated. */
    async work() {
      for (let rounds = 0; rounds < 3; rounds++) {
        await this.settle();
        setTime(evm.time.milliseconds / 1_000 + 600);
      }
    },
    async poll() {
      setTime(evm.time.milliseconds / 1_000 + POLL_MILLISECONDS / 1_000);
      await this.work();
    },
    async codes() {
      const fingerprint = paymentFingerprint('test', FINGERPRINT, DEFAULT_NAMESPACE);
      const verdicts = await store.listVerdicts(fingerprint, { home: 'main', id: MACHINE }, 0, 100);
      return verdicts.map(({ seq, code }) => `${seq} ${code}`);
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

function solanaPayment(): object {
  const balance = (owner: string, units: bigint, accountIndex = 0) => ({
    ...{ accountIndex, mint: MINT, owner, uiTokenAmount: { amount: String(units) } },
  });
  return {
    slot: PAID_SLOT,
    version: 0,
    transaction: {
      signatures: [SIGNATURE],
      message: { header: { numRequiredSignatures: 1 }, accountKeys: [SOLANA_PAYER, MINT] },
    },
    meta: {
      err: null,
      preTokenBalances: [balance(SOLANA_PAYER, UNITS)],
      postTokenBalances: [balance(SOLANA_PAYER, 0n), balance(SOLANA_ACCOUNT.key, UNITS, 1)],
    },
  };
}

const change = (replace: (call: ProxyCall, result: unknown) => unknown): RpcFault => ({
  kind: 'answer',
  change: (response, call) => ('result' in response ? { result: replace(call, response.result) } : response),
});

/** Injects the fault and returns the function that ends it. */
function inject(world: World, { kind, fault }: PaymentSourceFailureMode): () => void {
  const { nodes, evmNode, solana } = world;
  const node = nodes[kind];
  const isEvm = kind === 'evm';
  const put = (rpcFault: RpcFault) => {
    node.inject(rpcFault);
    return () => node.heal();
  };
  switch (fault) {
    case 'down':
      return put({ kind: 'cut' });
    case 'no response':
      node.inject({ kind: 'hang' });
      world.silent.add(kind);
      return () => {
        world.silent.delete(kind);
        node.heal();
      };
    case 'garbage':
      return put({ kind: 'body', change: () => 'oops' });
    case 'refusing':
      return put({ kind: 'status', status: 503 });
    case 'without finality':
      return put(
        isEvm
          ? change(({ params }, result) => (params[0] === 'finalized' ? null : result))
          : respondWith('getBlockTime', { result: null }),
      );
    case 'lagging':
      evmNode.newestBlock = isEvm ? 29 * 24 : undefined;
      if (!isEvm) solana.lagSlots = (DAY * 10) / 4;
      return () => {
        evmNode.newestBlock = undefined;
        solana.lagSlots = 0;
      };
    case 'pruned':
      evmNode.firstReceiptBlock = evmNode.firstLogBlock = isEvm ? evmNode.chain.blocks.length + 10 : 0;
      solana.first = isEvm ? 0 : HEAD_SLOT - 10;
      return () => {
        evmNode.firstReceiptBlock = evmNode.firstLogBlock = 0;
        solana.first = 0;
      };
    case 'lying':
      return put(
        change(({ method }, result) => {
          if (method === 'eth_getTransactionReceipt') return { ...solidReceipt(result), blockHash: UNKNOWN_HASH };
          return method === 'getTransaction' ? { ...solanaPayment(), transaction: { signatures: [] } } : result;
        }),
      );
    case 'wrong chain':
    case 'another chain later':
      return put(change((call, result) => onOtherChain(call, result)));
  }
}

/** Returns a receipt whatever the node has. */
function solidReceipt(result: unknown): object {
  return (
    result ?? {
      transactionHash: UNKNOWN_HASH,
      blockNumber: '0x1',
      from: PAYER,
      status: '0x1',
      logs: [],
    }
  );
}

/** The other chain has the same blocks, in which no transaction and no transfer exists. */
function onOtherChain({ method }: ProxyCall, result: unknown): unknown {
  switch (method) {
    case 'eth_chainId':
      return '0x1';
    case 'getGenesisHash':
      return keyOf(3);
    case 'eth_getBlockByNumber':
      return result === null ? null : { ...(result as object), transactions: [] };
    case 'eth_getLogs':
      return [];
    case 'eth_getTransactionReceipt':
    case 'getTransaction':
      return null;
    default:
      return result;
  }
}

it('judges every citation of both sources without a fault', async () => {
  const world = await openWorld();
  await world.cite();
  await world.work();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
});

it.each([
  ['the receipts and logs', true],
  ['the index of logs', false],
])('finds a payment circular after the only node had pruned %s of the repayment', async (_, isReceiptPruned) => {
  const world = await openWorld();
  const { evmNode } = world;
  // The repayment is in the next block, the payments in the one after it.
  evmNode.firstLogBlock = evmNode.chain.blocks.length + 1;
  evmNode.firstReceiptBlock = isReceiptPruned ? evmNode.firstLogBlock : 0;
  await world.cite();
  await world.work();
  expect(await world.codes()).not.toContain('4 paid');
  evmNode.firstReceiptBlock = evmNode.firstLogBlock = 0;
  await world.poll();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
});

it('finds a payment on Solana that the archive of the node could not be asked for at first', async () => {
  const world = await openWorld();
  world.solana.added.delete(SIGNATURE);
  await world.cite();
  await world.settle();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...toPending(HEALTHY.solana)]);
  world.solana.added.set(SIGNATURE, PAID_SLOT);
  await world.work();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
});

it('finds a payment on Solana after a node without its archive was read before and after a step of the clock', async () => {
  const world = await openWorld();
  world.solana.added.delete(SIGNATURE);
  await world.cite();
  await world.settle();
  world.setClock(world.now() + 600);
  await world.settle();
  world.solana.added.set(SIGNATURE, PAID_SLOT);
  await world.work();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
});

it('decides an absence on Solana ten minutes after the first reading where the clock was far ahead during it', async () => {
  const world = await openWorld();
  await world.cite();
  const now = world.now();
  world.setClock(now + 600 * DAY);
  await world.settle();
  world.setClock(now);
  await world.work();
  expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
});

describe.each(PAYMENT_SOURCE_FAILURE_MODES)('a payment source of kind $kind: $fault', (mode) => {
  it(`delays its own verdicts while ${mode.description}, and changes none`, async () => {
    const { kind, fault } = mode;
    const world = await openWorld();
    const node = world.nodes[kind];
    if (fault !== 'wrong chain') await world.work();
    const before = node.requests;
    const heal = inject(world, mode);
    await world.cite();
    await world.work();
    const waiting = { ...HEALTHY, [kind]: toPending(HEALTHY[kind]) };
    expect(await world.codes()).toEqual([...waiting.evm, ...waiting.solana]);
    expect(node.requests).toBeGreaterThan(before);
    heal();
    await world.poll();
    expect(await world.codes()).toEqual([...HEALTHY.evm, ...HEALTHY.solana]);
    expect(world.report().map(({ isUp, waitingMachines }) => [isUp, waitingMachines])).toEqual([
      [true, 0],
      [true, 0],
    ]);
    expect(world.lines().join()).not.toContain(PROXY_KEY);
  });
});
