/** Tests token transfers of the local alt chain as a payment source, with the real adapter and the SPL token program. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SolanaTransaction } from '../../src/domain/rating/paid/source-transaction.ts';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import { testPaymentSource } from '../../testing/contracts/payment-source-contract.ts';
import { openPaymentSource, type PaymentSourceHarness } from '../../testing/harness/payment-source.ts';
import { altAccountOf } from '../alt-chain/keys.ts';
import { startAltNode } from './alt-node.ts';
import type { AltNode } from './alt-node.ts';
import { createMintData, createTokenAccountData, TOKEN_PROGRAM, transferUnits } from './token-accounts.ts';

const DAY = 86_400;
const [CUSTOMER, STATION] = ['customer', 'station'].map(altAccountOf) as [
  ReturnType<typeof altAccountOf>,
  ReturnType<typeof altAccountOf>,
];
const [MINT, PURSE, TILL] = ['mint', 'purse', 'till'].map((name) => altAccountOf(name).key) as [
  ReturnType<typeof altAccountOf>['key'],
  ReturnType<typeof altAccountOf>['key'],
  ReturnType<typeof altAccountOf>['key'],
];
const FUNDS = 1_000_000_000n;

let node: AltNode;
let paid: { readonly signature: string; readonly expected: SolanaTransaction };
let failed: typeof paid;
const open: PaymentSourceHarness[] = [];

beforeAll(async () => {
  const now = Math.floor(Date.now() / 1000);
  node = await startAltNode({ genesisTimestamp: now - 20 * DAY });
  node.setAccount(MINT, { owner: TOKEN_PROGRAM, data: createMintData(FUNDS, 6) });
  const account = (owner: typeof CUSTOMER, units: bigint) => ({
    owner: TOKEN_PROGRAM,
    data: createTokenAccountData({ mint: MINT, owner: owner.key, units }),
  });
  node.setAccount(PURSE, account(CUSTOMER, FUNDS));
  node.setAccount(TILL, account(STATION, 0n));
  paid = await pay(now - 2 * DAY, 5_000_000n);
  failed = await pay(now - DAY, FUNDS + 1n);
  node.followClock();
});
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});
afterAll(() => node.stop());

/** Transfers units from the customer to the station; too many fail. */
async function pay(time: number, units: bigint): Promise<typeof paid> {
  node.advanceTo(time);
  const instruction = transferUnits(PURSE, TILL, CUSTOMER.key, units);
  const { signature, slot, err } = await node.submit({ instructions: [instruction], signers: [CUSTOMER.seed] });
  const isPaid = units <= FUNDS;
  expect(err === null).toBe(isPaid);
  const of = (owner: typeof CUSTOMER, held: bigint) => ({ mint: MINT, owner: owner.key, units: held });
  const [before, after] = isPaid ? [0n, units] : [5_000_000n, 5_000_000n];
  const balances = (held: bigint) => expect.arrayContaining([of(CUSTOMER, FUNDS - held), of(STATION, held)]) as [];
  const expected: SolanaTransaction = {
    kind: 'solana',
    ...{ success: isPaid, block: slot, time, signers: [CUSTOMER.key] },
    ...{ pre: balances(before), post: balances(after) },
  };
  return { signature, expected };
}

async function openSource(): Promise<PaymentSourceHarness> {
  const reference = node.genesisHash.slice(0, 32);
  const harness = await openPaymentSource({
    nodes: [node.rpcUrl],
    configured: {
      name: `solana:${reference}`,
      ...{ kind: 'solana', reference, id: '1151111081099710', tokens: [{ symbol: 'USDC', address: MINT }] },
    },
  });
  open.push(harness);
  return harness;
}

testPaymentSource('the local alt chain', async () => {
  const { source, proxies } = await openSource();
  return {
    source,
    reference: paid.signature,
    transaction: paid.expected,
    absentReference: formatBase58(new Uint8Array(64).fill(7)),
    transfers: [],
    breakNodes: () => proxies[0]!.inject({ kind: 'cut' }),
  };
});

it('returns a transfer that failed with unchanged balances', async () => {
  const { source } = await openSource();
  const { time } = failed.expected;
  const window = { fromTime: time - DAY, throughTime: time };
  expect(await source.readTransaction(failed.signature, window)).toEqual(failed.expected);
});

it('passes the check of doctor', async () => {
  const { opened } = await openSource();
  expect(await opened.check()).toMatchObject([{ position: 0, identity: 'expected', isDeep: true }]);
});
