/** Tests the local token and router as a payment source, with the real adapter on a real node. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { testPaymentSource } from '../../testing/contracts/payment-source-contract.ts';
import { openPaymentSource, type PaymentSourceHarness } from '../../testing/harness/payment-source.ts';
import type { CitedTransaction, SourceTransfer } from '../../src/domain/rating/paid/source-transaction.ts';
import type { ConfiguredSource } from '../../src/adapters/payment-sources/sources-file.ts';
import { TRANSFER_TOPIC } from '../../src/domain/rating/paid/transfer-log.ts';
import { accountOf } from '../accounts.ts';
import { startAnvil, DEVNET_CHAIN_ID } from './anvil.ts';
import { createChainWriter } from './chain-writer.ts';
import {
  approveRouter,
  deployPayments,
  mintTokens,
  payThroughRouter,
  transferTokens,
  TOKEN_SYMBOL,
} from './payments.ts';

const DAY = 86_400;
const [CUSTOMER, STATION, ROBOT] = ['customer', 'station', 'robot'].map((name) => accountOf(name).address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const lower = (address: string) => address.toLowerCase();
const toTopic = (address: string) => `0x${lower(address).slice(2).padStart(64, '0')}`;

interface PaidChain {
  readonly node: string;
  readonly configured: Omit<ConfiguredSource, 'rpcUrls'>;
  readonly transactions: readonly {
    readonly about: string;
    readonly reference: string;
    readonly expected: CitedTransaction;
  }[];
  readonly transfers: readonly SourceTransfer[];
  stop(): Promise<void>;
}

async function startPaidChain(): Promise<PaidChain> {
  const now = Math.floor(Date.now() / 1000);
  const anvil = await startAnvil({ genesisTimestamp: now - 20 * DAY });
  const writer = createChainWriter(anvil.rpcUrl);
  const contracts = await deployPayments(writer, now - 20 * DAY + 1);
  const transfer = (cents: bigint) => transferTokens(contracts, CUSTOMER, { to: STATION, cents });
  await writer.mine(
    [mintTokens(contracts, { to: CUSTOMER, cents: 100_000n }), approveRouter(contracts, CUSTOMER)],
    now - 15 * DAY,
  );
  const [direct] = await writer.mine([transfer(5_000n)], now - 3 * DAY);
  const parts = [
    { to: STATION, cents: 1_000n },
    { to: ROBOT, cents: 2_000n },
  ];
  const [routed] = await writer.mine([payThroughRouter(contracts, CUSTOMER, parts)], now - 2 * DAY);
  const [failed] = await writer.mine([{ ...transfer(1_000_000n), reverts: true }], now - DAY);
  for (let i = 0; i < 3; i += 1) await writer.mine([], now - 60 + i);
  const token = lower(contracts.token);
  const log = (from: string, to: string, cents: bigint) => ({
    address: token,
    topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)],
    data: `0x${(cents * 10_000n).toString(16).padStart(64, '0')}`,
  });
  const [directBlock, routedBlock, failedBlock] = [direct, routed, failed].map((each) => Number(each!.blockNumber)) as [
    number,
    number,
    number,
  ];
  const from = lower(CUSTOMER);
  const row = (to: string, cents: bigint) => ({ from, to: lower(to), token: TOKEN_SYMBOL, units: cents * 10_000n });
  return {
    node: anvil.rpcUrl,
    configured: {
      name: `eip155:${DEVNET_CHAIN_ID}`,
      kind: 'evm',
      reference: String(DEVNET_CHAIN_ID),
      id: String(DEVNET_CHAIN_ID),
      tokens: [{ symbol: TOKEN_SYMBOL, address: token }],
    },
    transactions: [
      {
        about: 'a transfer',
        reference: direct!.transactionHash,
        expected: {
          ...{ kind: 'evm', success: true, block: directBlock, time: now - 3 * DAY, from },
          logs: [log(CUSTOMER, STATION, 5_000n)],
        },
      },
      {
        about: 'a payment through a router',
        reference: routed!.transactionHash,
        expected: {
          ...{ kind: 'evm', success: true, block: routedBlock, time: now - 2 * DAY, from },
          logs: [
            log(CUSTOMER, contracts.router, 3_000n),
            log(contracts.router, STATION, 1_000n),
            log(contracts.router, ROBOT, 2_000n),
          ],
        },
      },
      {
        about: 'a transfer that reverted',
        reference: failed!.transactionHash,
        expected: { kind: 'evm', success: false, block: failedBlock, time: now - DAY, from, logs: [] },
      },
    ],
    transfers: [
      { ...row(STATION, 5_000n), block: directBlock, logIndex: 0, time: now - 3 * DAY },
      { ...row(contracts.router, 3_000n), block: routedBlock, logIndex: 0, time: now - 2 * DAY },
    ],
    stop: anvil.stop,
  };
}

let chain: PaidChain;
const open: PaymentSourceHarness[] = [];
beforeAll(async () => {
  chain = await startPaidChain();
});
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});
afterAll(() => chain.stop());

async function openSource(): Promise<PaymentSourceHarness> {
  const harness = await openPaymentSource({ nodes: [chain.node], configured: chain.configured });
  open.push(harness);
  return harness;
}

testPaymentSource('the local main chain', async () => {
  const { source, proxies } = await openSource();
  const [{ reference, expected }] = chain.transactions as [PaidChain['transactions'][number]];
  return {
    source,
    reference,
    transaction: expected,
    absentReference: `0x${'ee'.repeat(32)}`,
    transfers: chain.transfers,
    breakNodes: () => proxies[0]!.inject({ kind: 'cut' }),
  };
});

it('returns direct, routed and reverted payments as the chain holds them', async () => {
  const { source } = await openSource();
  for (const { about, reference, expected } of chain.transactions) {
    const window = { fromTime: expected.time - DAY, throughTime: expected.time };
    expect(await source.readTransaction(reference, window), about).toEqual(expected);
  }
});

it('passes the check of doctor', async () => {
  const { opened } = await openSource();
  expect(await opened.check()).toMatchObject([{ position: 0, identity: 'expected', isDeep: true }]);
});
