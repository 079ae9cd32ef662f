/** The search of events for payments, the judgement of citations and the following of transfers, over a fake chain and a fake source. */
import { afterEach, describe, expect, it } from 'vitest';

import { controlled, OWNER, submitted, transferred, type FakeLog } from '../../../testing/fakes/fake-logs.ts';
import { controlledTooOften } from '../../../testing/contracts/store/samples.ts';
import { machine, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { createMainChainKey, PORTABLE_CHECKS } from '../../../testing/fixtures/signing-keys.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import {
  citing,
  citingSolana,
  CUSTOMER,
  openPaymentWorld,
  PAID_ACCOUNT,
  PAID_MACHINE,
  PAID_TOKENS,
  PAYMENT_POLL_MILLISECONDS,
  proofOf,
  signatureOf,
  wordOf,
  type PaymentWorldOptions,
} from '../../../testing/fixtures/payment-world.ts';
import { FakePaymentSource } from '../../../testing/fakes/fake-payment-source.ts';
import { formatBase58 } from '../../domain/identifiers/base58.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import type { SolanaTransaction } from '../../domain/rating/paid/source-transaction.ts';
import { TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import { dayOf } from '../../domain/rating/utc-day.ts';
import type { SignatureChecks } from '../../domain/signatures/signature-checks.ts';
import type { Store } from '../../ports/store.ts';
import { replaceRegistryLogs } from '../../../testing/fixtures/replace-logs.ts';

const A = PAID_MACHINE;
const B = machine(12);
const ACCOUNT = PAID_ACCOUNT;
const PAYER_KEY = createMainChainKey(new Uint8Array(32).fill(9));
const PAYER = CUSTOMER;
const BUYER = `0x${'b2'.repeat(20)}` as Address;
const TOKENS = PAID_TOKENS;
const POLL_MILLISECONDS = PAYMENT_POLL_MILLISECONDS;
const word = wordOf;
const padded = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

let stores: Store[] = [];
afterEach(async () => {
  for (const store of stores) await store.close();
  stores = [];
});

async function openWorld(options?: PaymentWorldOptions) {
  const world = await openPaymentWorld(options);
  if (options?.store === undefined) stores.push(world.store);
  return world;
}

/** Opens a store that lists no events of machine B to be searched, until it is shown. */
async function openHidingStore() {
  const store = await createMemoryStore();
  stores.push(store);
  let isHidden = true;
  const listUnscanned: Store['listUnscanned'] = async (...parameters) =>
    (await store.listUnscanned(...parameters)).filter(({ id }) => !isHidden || id !== B);
  return { store: { ...store, listUnscanned }, show: () => void (isHidden = false) };
}

const mint = (id: MachineId): FakeLog => transferred(id);

describe('payments', () => {
  it('are pending until the source is final past their window', async () => {
    const { chain, source, scan, work, pay, verdicts } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine();
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    source.finalizeAt(chain.head.timestamp);
    await scan();
    await work();
    expect((await verdicts()).map(({ code }) => code)).toEqual(['pending']);
  });

  it('become paid, with a move and an account in force', async () => {
    const world = await openWorld();
    const { chain, scan, work, pay, verdicts, summary, pass } = world;
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine();
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    const { timestamp } = chain.head;
    pass();
    await scan();
    await work();
    expect(await verdicts()).toEqual([
      {
        ...{ seq: 1, source: 'eip155:8453', code: 'paid', paidCents: 10_000, token: 'USDC', payer: PAYER },
        ...{ worthCents: 10_000, returnedCents: 0 },
      },
    ]);
    const day = dayOf(timestamp);
    expect(await summary()).toMatchObject({
      claims: [{ account: ACCOUNT.address, owner: OWNER, seq: 0 }],
      moves: [{ blockDay: day, day, cents: 10_000, weight: 10_000, endedAt: undefined }],
      counts: [{ code: 'paid', blockDay: day, count: 1 }],
    });
  });

  it('are decided in the first step in which the source is final past their window, without a retry before', async () => {
    const { chain, source, scan, work, pay, codes } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    const windowEnd = chain.head.timestamp + 900;
    source.finalizeAt(windowEnd - 20);
    await scan();
    expect(await work()).toEqual({ waitMilliseconds: 21_000 });
    source.finalizeAt(windowEnd);
    expect(await work()).toEqual({ waitMilliseconds: 5_000 });
    expect([await codes(), source.requests.includes('transaction')]).toEqual([['1 pending'], false]);
    source.finalizeAt(windowEnd + 1);
    expect(await work()).toEqual({ waitMilliseconds: POLL_MILLISECONDS });
    expect(await codes()).toEqual(['1 paid']);
  });

  it('are decided once all transfers of the account are read, in however many windows', async () => {
    const { chain, source, scan, work, pay, codes } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mineMany(3_000);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    chain.mineMany(3_000);
    source.finalizeAt(chain.head.timestamp);
    await scan();
    await work();
    expect(source.requests.filter((name) => name === 'transfers').length).toBeGreaterThan(1);
    expect(await codes()).toEqual(['1 paid']);
  });

  it('read no transfers again for a new head while no verdict waits for them', async () => {
    const { chain, source, scan, work, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pass();
    await scan();
    await work();
    const before = source.requests.filter((name) => name === 'transfers').length;
    source.headBlock += 4_999;
    await work();
    expect(source.requests.filter((name) => name === 'transfers')).toHaveLength(before);
    source.headBlock += 2;
    await work();
    expect(source.requests.filter((name) => name === 'transfers')).toHaveLength(before + 1);
  });

  it('are circular when the account paid the payer after more transfers than one read returns', async () => {
    const { chain, source, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    const { timestamp } = chain.head;
    source.maxTransfers = 3;
    for (let after = 1; after <= 10; after++) {
      const [to, time] = [after === 10 ? PAYER : BUYER, timestamp + after];
      const transfer = { from: ACCOUNT.address, to, token: 'USDC', units: 50_000_000n };
      source.putTransfer({ ...transfer, block: time, time, logIndex: 0 });
    }
    chain.mineMany(20);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    await work();
    expect(source.windows).toHaveLength(4);
    expect(await codes()).toEqual(['1 circular']);
  });

  it('are circular when the account paid the payer while the source returned an older head than before', async () => {
    const { chain, source, scan, step, work, pay, codes, pass } = await openWorld();
    const earlier = createMainChainKey(new Uint8Array(32).fill(8));
    chain.mine([mint(A), mint(B), submitted(B, proofOf(B, earlier))]);
    const { timestamp } = chain.head;
    chain.mineMany(1_000);
    chain.mine([submitted(A, proofOf(A))]);
    const time = chain.head.timestamp + 1;
    const returned = { from: ACCOUNT.address, to: PAYER, token: 'USDC', units: 90_000_000n };
    source.putTransfer({ ...returned, block: time, time, logIndex: 0 });
    chain.mine();
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    // The transfers of the earlier account are read first, up to a head that is remembered.
    await step(NEVER);
    const newest = source.headBlock;
    source.headBlock = timestamp + 5_000;
    await step(NEVER);
    source.headBlock = newest;
    await work();
    expect(await codes()).toEqual(['1 circular']);
  });

  it('are circular when the account paid the payer, and its transfers were first read while the clock was far ahead', async () => {
    const { chain, time, source, scan, step, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    const { timestamp } = chain.head;
    const returned = { from: ACCOUNT.address, to: PAYER, token: 'USDC', units: 90_000_000n };
    source.putTransfer({ ...returned, block: timestamp + 1, time: timestamp + 1, logIndex: 0 });
    chain.mineMany(5);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    time.jump(1_000 * 86_400_000);
    await step(NEVER);
    time.jump(-1_000 * 86_400_000);
    await work();
    expect(await codes()).toEqual(['1 circular']);
  });

  it('are announced to the worker after a search that found something', async () => {
    const { chain, scan, searches } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    await scan();
    expect(searches.count).toBe(1);
    await scan();
    expect(searches.count).toBe(1);
  });

  it('are judged again after one, two and four minutes', async () => {
    const { chain, time, source, scan, work, pay, codes, pass, report } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    source.failing = 'transaction';
    for (const minutes of [0, 1, 2]) {
      time.jump(minutes * 60_000);
      await work();
    }
    source.failing = undefined;
    time.jump(4 * 60_000 - 1);
    await work();
    expect(await codes()).toEqual(['1 pending']);
    time.jump(1);
    await work();
    expect(await codes()).toEqual(['1 paid']);
    expect(report()).toMatchObject([{ isUp: true, postponedVerdicts: 3 }]);
  });

  it('read a transaction once, however many events cite it', async () => {
    const { chain, source, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([
      submitted(A, citing(1, { value: 4_000n })),
      submitted(A, citing(1, { value: 5_500n })),
      submitted(A, citing(1)),
    ]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid', '2 paid', '3 already_counted']);
    expect(source.requests.filter((name) => name === 'transaction')).toHaveLength(1);
  });

  it('of a source that is down wait, and are the same afterwards', async () => {
    const { chain, time, source, scan, work, pay, codes, pass, report } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1)), submitted(A, citing(2))]);
    pass();
    source.isDown = true;
    await scan();
    await work();
    expect(await codes()).toEqual(['1 pending', '2 pending']);
    const name = 'eip155:8453';
    expect(report()).toEqual([
      {
        ...{ name, isUp: false, headAgeSeconds: undefined, waitingMachines: 1 },
        ...{ postponedVerdicts: 0, lastFailure: 'transport' },
      },
    ]);
    source.isDown = false;
    time.jump(60_000);
    await work();
    expect(await codes()).toEqual(['1 paid', '2 not_found']);
    expect(report()).toMatchObject([{ name, isUp: true, waitingMachines: 0, lastFailure: 'transport' }]);
    expect(report()[0]!.headAgeSeconds).toBe(Math.floor(time.nowMilliseconds() / 1000) - source.headBlock);
  });

  it('of a source that cannot be read are logged once for each cause, and again after it was read', async () => {
    const { chain, source, scan, step, pay, pass, log } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    const stepTwice = async () => {
      await step(NEVER);
      await step(NEVER);
    };
    const transport = [{ level: 'warn', fields: { source: source.name, problem: 'transport' } }];
    source.isDown = true;
    await stepTwice();
    expect(log.lines).toMatchObject(transport);
    source.isDown = false;
    source.failing = 'transfers';
    await stepTwice();
    expect(log.lines).toMatchObject(transport);
    source.failing = undefined;
    await stepTwice();
    source.isDown = true;
    await stepTwice();
    expect(log.lines).toMatchObject([...transport, ...transport]);
  });

  it('are circular when the account paid the payer before', async () => {
    const { chain, source, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    const { timestamp } = chain.head;
    chain.mine();
    source.putTransfer({
      ...{ from: ACCOUNT.address, to: PAYER, token: 'USDC', units: 50_000_000n },
      ...{ block: timestamp + 1, time: timestamp + 1, logIndex: 0 },
    });
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 circular']);
  });

  it('wait for the balances of an earlier transaction that is out of its window: what it sent may make them circular', async () => {
    const source = new FakePaymentSource({ kind: 'solana' });
    const { chain, time, scan, work, codes, pass } = await openWorld({ source });
    // An hour.
    chain.blockSeconds = 3_600;
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    const { timestamp } = chain.head;
    const balances = (owner: string, units: bigint) => [{ mint: source.tokens.get('USDC')!, owner, units }];
    const place = (reference: number, at: number, pre: SolanaTransaction['pre'], post: SolanaTransaction['post']) =>
      source.put(signatureOf(reference), {
        ...{ kind: 'solana', success: true, block: at, time: at, signers: [PAYER], pre, post },
      });
    chain.mineMany(8 * 24);
    place(1, timestamp + 1, null, null);
    place(2, chain.head.timestamp, balances(PAYER, 100_000_000n), balances(ACCOUNT.address, 100_000_000n));
    chain.mine([submitted(A, citingSolana(1)), submitted(A, citingSolana(2))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 pending', '2 pending']);
    place(1, timestamp + 1, balances(ACCOUNT.address, 90_000_000n), balances(PAYER, 90_000_000n));
    time.jump(120_000);
    await work();
    await work();
    expect(await codes()).toEqual(['1 wrong_time', '2 circular']);
  });

  it('count what the account returned in a transaction once, where another account of it is claimed before it is cited again', async () => {
    const [usdc, usdt] = [1, 2].map((byte) => formatBase58(new Uint8Array(32).fill(byte))) as [string, string];
    const tokens = new Map([['USDC', usdc] as const, ['USDT', usdt] as const]);
    const { chain, source, rates, scan, work, verdicts, pass } = await openWorld({
      source: new FakePaymentSource({ kind: 'solana', tokens }),
    });
    rates.use(createRateTable(false, new Map([...tokens.keys()].map((token) => [token, TOKENS.get('USDC')!]))));
    const balance = (mint: string, owner: string, cents: number) => ({ mint, owner, units: BigInt(cents) * 10_000n });
    const put = (reference: number, pre: SolanaTransaction['pre'], post: SolanaTransaction['post']) => {
      const { timestamp: time } = chain.head;
      source.put(signatureOf(reference), {
        ...{ kind: 'solana', success: true, block: time, time, signers: [PAYER], pre, post },
      });
    };
    const [first, second] = [ACCOUNT.address, PAYER_KEY.address];
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine();
    put(
      1,
      [balance(usdc, first, 1_000), balance(usdc, second, 1_000), balance(usdt, first, 1_000)],
      [balance(usdc, PAYER, 2_000), balance(usdt, PAYER, 1_000)],
    );
    chain.mine([submitted(A, citingSolana(1))]);
    pass();
    await scan();
    await work();
    chain.mine([submitted(A, proofOf(A, PAYER_KEY)), submitted(A, citingSolana(1))]);
    put(2, [balance(usdc, PAYER, 4_500)], [balance(usdc, first, 4_500)]);
    chain.mine([submitted(A, citingSolana(2))]);
    pass();
    await scan();
    await work();
    expect((await verdicts()).at(-1)).toMatchObject({ seq: 4, code: 'paid', worthCents: 4_500, returnedCents: 2_000 });
  });

  it('do not wait for the balances of an earlier transaction whose flows count in no verdict any more', async () => {
    const source = new FakePaymentSource({ kind: 'solana' });
    const { chain, scan, work, codes, pass } = await openWorld({ source });
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    const { timestamp } = chain.head;
    source.put(signatureOf(1), {
      ...{ kind: 'solana', success: true, block: 1, time: timestamp - 202 * 86_400, signers: [PAYER] },
      ...{ pre: null, post: null },
    });
    chain.mine([submitted(A, citingSolana(1))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 wrong_time']);
  });

  it('are self_paid when the machine claims the account of the payer after the event and before the payment', async () => {
    const { chain, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine([submitted(A, citing(1))]);
    chain.mine([submitted(A, proofOf(A, PAYER_KEY))]);
    pay(1, 10_000, ACCOUNT.address, PAYER_KEY.address);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 self_paid']);
  });

  it('of an account that another machine claimed later are wrong_payee', async () => {
    const { chain, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A))]);
    chain.mine([submitted(B, proofOf(B))]);
    pay(1);
    chain.mine([submitted(A, citing(1)), submitted(B, citing(1))]);
    pass();
    await scan();
    await work();
    expect([await codes(A), await codes(B)]).toEqual([['1 wrong_payee'], ['1 paid']]);
  });

  it('are judged again when an earlier claim of another machine is found later, and are the same as if it had been known', async () => {
    const { store, show } = await openHidingStore();
    const { chain, scan, work, pay, codes, pass } = await openWorld({ store });
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A))]);
    chain.mine([submitted(B, proofOf(B))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
    show();
    await scan();
    expect(await codes()).toEqual(['1 pending']);
    await work();
    expect(await codes()).toEqual(['1 wrong_payee']);
  });

  it.each<readonly [name: string, withheld: readonly FakeLog[], after: readonly FakeLog[], before: readonly FakeLog[]]>(
    [
      ['a mint', [mint(B)], [submitted(B, proofOf(B))], []],
      ['a sale', [transferred(B, OWNER, BUYER)], [submitted(B, proofOf(B, ACCOUNT, BUYER))], [mint(B)]],
      ['a burn', [transferred(B, OWNER, 'zero')], [], [mint(B), submitted(B, proofOf(B))]],
    ],
  )('wait while the index lacks %s of another machine that claims the account', async (_, logs, after, before) => {
    const { chain, scan, work, pay, codes, pass, index, repair } = await openWorld({ completeness: 'trusted' });
    chain.mine([mint(A), submitted(A, proofOf(A)), ...before]);
    const withheld = chain.mine(logs).number;
    chain.mine(after);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    chain.faults.logs = (found) => found.filter(({ blockNumber }) => blockNumber !== withheld);
    expect((await index.advance(NEVER)).kind).toBe('caught-up');
    chain.faults = {};
    await scan();
    await work();
    expect(await codes()).toEqual(['1 pending']);
    await repair.idle();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 wrong_payee']);
  });

  it('of a machine that is searched later than others wait until all its claims are known', async () => {
    const { store, show } = await openHidingStore();
    const writes: object[] = [];
    const writePaymentScan: Store['writePaymentScan'] = (write) => {
      const { claimsSeq, citedSeq } = write.scan;
      if (write.id === B)
        writes.push({ claimsSeq, citedSeq, claims: write.claims.length, citations: write.citations.length });
      return store.writePaymentScan(write);
    };
    const { chain, scan, work, pay, codes } = await openWorld({ store: { ...store, writePaymentScan } });
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(B, proofOf(B)), submitted(B, citing(1))]);
    const second = createMainChainKey(new Uint8Array(32).fill(8));
    chain.mine([...Array.from({ length: 1_200 }, () => submitted(B)), submitted(B, proofOf(B, second))]);
    await scan();
    await work();
    show();
    await scan();
    expect(writes).toEqual([
      { claimsSeq: 1_203, citedSeq: 0, claims: 2, citations: 0 },
      { claimsSeq: 1_203, citedSeq: 1_000, claims: 2, citations: 1 },
      { claimsSeq: 1_203, citedSeq: 1_203, claims: 2, citations: 0 },
    ]);
    expect(await codes(B)).toEqual(['1 pending']);
  });

  it.each(['indexed', 'searched'])(
    'are paid where their event and a later sale are %s while an earlier search of the machine waits',
    async (change) => {
      const { chain, store, index, scan, work, pay, codes, pass } = await openWorld();
      chain.mine([mint(A), submitted(A, proofOf(A))]);
      chain.mine();
      await index.advance(NEVER);
      const readOwnership = chain.readOwnership.bind(chain);
      chain.readOwnership = async (...parameters) => {
        chain.readOwnership = readOwnership;
        const ownership = await readOwnership(...parameters);
        pay(1);
        chain.mine([submitted(A, citing(1))]);
        chain.mine([transferred(A, OWNER, BUYER)]);
        pass();
        await (change === 'indexed' ? index.advance(NEVER) : scan());
        return ownership;
      };
      await scan();
      await scan();
      await work();
      expect(await codes()).toEqual(['1 paid']);
      expect((await store.listClaims({ home: 'main', id: A })).map(({ end }) => end?.seq)).toEqual([2]);
    },
  );

  it('wait, and hold back no other machine, while no claim is in force at their event', async () => {
    const store = await createMemoryStore();
    stores.push(store);
    let hidden: MachineId | undefined;
    const listClaims: Store['listClaims'] = async (of) => (of.id === hidden ? [] : store.listClaims(of));
    const { chain, time, scan, work, pay, codes, pass } = await openWorld({ store: { ...store, listClaims } });
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A)), submitted(B, proofOf(B, PAYER_KEY))]);
    pay(1);
    pay(2, 10_000, PAYER_KEY.address);
    chain.mine([submitted(A, citing(1)), submitted(B, citing(2))]);
    pass();
    await scan();
    hidden = A;
    await work();
    expect([await codes(A), await codes(B)]).toEqual([['1 pending'], ['1 paid']]);
    hidden = undefined;
    time.jump(60_000);
    await work();
    expect(await codes(A)).toEqual(['1 paid']);
  });

  it('are judged while another machine has more logs than are read, and is not searched', async () => {
    const store = await createMemoryStore();
    stores.push(store);
    const advanceMainChain: Store['advanceMainChain'] = (expected, next, logs, ...more) =>
      store.advanceMainChain(expected, next, [...controlledTooOften(B), ...logs], ...more);
    const { chain, scan, work, pay, codes, pass } = await openWorld({ store: { ...store, advanceMainChain } });
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A)), submitted(B, proofOf(B))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
    expect(await store.listClaims({ home: 'main', id: B })).toEqual([]);
  });

  it('are declared again after a change of hands, which ends the claims', async () => {
    const { chain, scan, work, pay, codes, summary, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    await work();
    chain.mine([transferred(A, OWNER, BUYER)]);
    const { timestamp } = chain.head;
    chain.mine([submitted(A, proofOf(A))]);
    pay(2);
    chain.mine([submitted(A, citing(2))]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
    const { claims, moves } = await summary();
    expect(claims.map(({ end }) => end)).toEqual([{ at: timestamp, seq: 2 }]);
    expect(moves.map(({ endedAt }) => endedAt)).toEqual([timestamp]);
  });

  it('end the claims of a machine that is sold without a further event', async () => {
    const { chain, scan, summary } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    await scan();
    chain.mine([transferred(A, OWNER, BUYER)]);
    await scan();
    expect((await summary()).claims.map(({ end }) => end?.seq)).toEqual([1]);
  });

  it('follow 200 citations of a machine and day', async () => {
    const { chain, scan, summary } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine(Array.from({ length: 150 }, (_, place) => submitted(A, citing(1 + place))));
    await scan();
    chain.mine(Array.from({ length: 60 }, (_, place) => submitted(A, citing(200 + place))));
    await scan();
    const { counts } = await summary();
    expect(counts.map(({ count }) => count)).toEqual([200]);
  });

  it('follow the same citations of a day when the history has another version', async () => {
    const { chain, store, scan, summary } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine(Array.from({ length: 101 }, (_, place) => submitted(A, citing(1 + place))));
    await scan();
    await replaceRegistryLogs(store, 'controllers', A, chain.head.number, []);
    expect((await summary()).scan).toBeUndefined();
    await scan();
    const { scan: searched, counts } = await summary();
    expect(searched).toMatchObject({ citedSeq: 102 });
    expect(counts.map(({ count }) => count)).toEqual([101]);
  });

  it('wait for a pending amount, while the claims after it are known', async () => {
    const { chain, rates, scan, summary } = await openWorld();
    chain.mine([mint(A)]);
    const day = dayOf(chain.head.timestamp);
    const table = extendRateTable(createRateTable(true, TOKENS), [], day - 2);
    rates.use(table);
    chain.mine([submitted(A, proofOf(A)), submitted(A, { currency: 'EUR' }), submitted(A, citing(1))]);
    const second = createMainChainKey(new Uint8Array(32).fill(8));
    chain.mine([submitted(A, proofOf(A, second))]);
    await scan();
    expect((await summary()).scan).toMatchObject({ claimsSeq: 4, citedSeq: 1 });
    expect((await summary()).claims).toHaveLength(2);
    rates.use(extendRateTable(table, [{ currency: 'EUR', day: day - 1, rate: 10n ** 12n }], day));
    await scan();
    const { scan: scanned, counts } = await summary();
    expect(scanned).toMatchObject({ claimsSeq: 4, citedSeq: 4 });
    expect(counts.map(({ code, count }) => [code, count])).toEqual([['pending', 1]]);
  });

  it('are paid again when the history has another version while a later amount is pending', async () => {
    const { chain, store, rates, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A)]);
    rates.use(extendRateTable(createRateTable(true, TOKENS), [], dayOf(chain.head.timestamp) - 2));
    chain.mine([submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1)), submitted(A, { currency: 'EUR' })]);
    pass();
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
    await replaceRegistryLogs(store, 'controllers', A, chain.head.number, []);
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
  });

  it('continue after a restart', async () => {
    const first = await openWorld();
    const { chain, store, scan, pay, codes, pass } = first;
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await scan();
    const second = await openWorld({ store, source: first.source });
    await second.work();
    expect(await codes()).toEqual(['1 paid']);
  });

  it('are followed as long as a history of a year looks back, and not longer', async () => {
    for (const [late, expected] of [
      [0, ['1 pending']],
      [1, []],
    ] as const) {
      const { chain, scan, codes } = await openWorld();
      const { timestamp } = chain.mine([mint(A), submitted(A, proofOf(A)), submitted(A, citing(1))]);
      chain.mine([], [], timestamp + 560 * 86_400 + late);
      await scan();
      expect(await codes()).toEqual(expected);
    }
  });

  it('start again under another configuration', async () => {
    const { store, chain, scan, summary } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A)), submitted(A, citing(1))]);
    await scan();
    await store.usePaymentConfiguration('other');
    expect(await summary()).toEqual({ scan: undefined, claims: [], moves: [], counts: [] });
    expect(await store.listUnscanned('main', 9)).toMatchObject([{ id: A, scan: undefined }]);
  });

  it('ignore a controller change', async () => {
    const { chain, scan, summary } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine([controlled(A, undefined, BUYER), submitted(A, citing(1))]);
    await scan();
    expect((await summary()).claims.map(({ end }) => end)).toEqual([undefined]);
  });

  it('keep verdicts for 560 days, and transfers for 760, before the time through which events are searched', async () => {
    const store = await createMemoryStore();
    stores.push(store);
    const limits: number[] = [];
    const prunePayments: Store['prunePayments'] = async (...before) => void limits.push(...before);
    const { time, work } = await openWorld({ store: { ...store, prunePayments } });
    await work();
    const searchedThrough = Math.floor(time.nowMilliseconds() / 1000) - 86_400;
    await store.writeScannedThrough('main', searchedThrough);
    await time.advance(86_400_000);
    await work();
    const days = [560, 760];
    expect(limits).toEqual([-1, searchedThrough].flatMap((searched) => days.map((day) => searched - day * 86_400)));
  });

  it.each([
    ['search', [600, 0, 0]],
    ['step', [0, 600, 0]],
    ['failed read', [0, 0, 365]],
  ] as const)('are the same after a %s while the clock is far ahead', async (_, [search, step, failure]) => {
    const { chain, time, source, scan, work, pay, codes, pass } = await openWorld();
    const ahead = async (days: number, run: () => Promise<unknown>) => {
      time.jump(days * 86_400_000);
      await run();
      time.jump(-days * 86_400_000);
    };
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    pay(1);
    chain.mine([submitted(A, citing(1))]);
    pass();
    await ahead(search, scan);
    source.failing = 'transaction';
    await ahead(failure, work);
    source.failing = undefined;
    time.jump(60_000);
    await work();
    await ahead(step, work);
    await scan();
    await work();
    expect(await codes()).toEqual(['1 paid']);
  });
});

describe('the bounds of payments', () => {
  const second = createMainChainKey(new Uint8Array(32).fill(8));
  const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;

  it('follow 200 of thousands of citations, one at a time, and hold back no other machine', async () => {
    const { chain, source, scan, step, work, pay, codes, summary, pass } = await openWorld();
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A)), submitted(B, proofOf(B, second))]);
    chain.mine(Array.from({ length: 3_000 }, (_, place) => submitted(A, citing(1_000 + place))));
    pay(1, 10_000, second.address);
    chain.mine([submitted(B, citing(1))]);
    pass();
    await scan();
    while ((await codes(B))[0] !== '1 paid') expect(await step(NEVER)).toBe('more');
    expect((await codes(A)).filter((code) => !code.endsWith('pending'))).toEqual(['1 not_found']);
    await work();
    const { scan: searched, counts } = await summary();
    expect(searched).toMatchObject({ claimsSeq: 3_001, citedSeq: 3_001 });
    expect(counts.map(({ code, count }) => [code, count])).toEqual([['not_found', 200]]);
    expect(source.requests.filter((name) => name === 'transaction')).toHaveLength(201);
  });

  it('verify at most 20 proofs without letting other work run', async () => {
    const turns: number[] = [];
    let proofs = 0;
    const recoverSigner: SignatureChecks['recoverSigner'] = (...parameters) => {
      if (proofs === 0) setImmediate(() => (turns.push(proofs), (proofs = 0)));
      proofs += 1;
      return PORTABLE_CHECKS.recoverSigner(...parameters);
    };
    const { chain, scan, summary } = await openWorld({ checks: { ...PORTABLE_CHECKS, recoverSigner } });
    const forged = { ...second, address: ACCOUNT.address };
    chain.mine([mint(A), ...Array.from({ length: 99 }, () => submitted(A, proofOf(A, forged)))]);
    chain.mine([submitted(A, proofOf(A))]);
    await scan();
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns.reduce((sum, count) => sum + count, 0), Math.max(...turns)]).toEqual([100, 20]);
    expect(await summary()).toMatchObject({ claims: [{ account: ACCOUNT.address, seq: 99 }] });
  });

  it('judge a payment of 5,000 payers, and one with more logs as wrong_payee', async () => {
    const { chain, source, scan, work, verdicts, pass } = await openWorld();
    chain.mine([mint(A), submitted(A, proofOf(A))]);
    chain.mine();
    const block = chain.head.timestamp;
    const payment = { kind: 'evm', success: true, block, time: block, from: addressOf(1) } as const;
    const logs = Array.from({ length: 5_000 }, (_, place) => ({
      address: source.tokens.get('USDC')!,
      topics: [TRANSFER_TOPIC, padded(addressOf(place + 1)), padded(ACCOUNT.address)],
      data: word(20_000),
    }));
    source.put(word(1), { ...payment, logs });
    source.put(word(2), { ...payment, logs: 'too_many' });
    chain.mine([submitted(A, citing(1)), submitted(A, citing(2))]);
    pass();
    await scan();
    await work();
    expect(await verdicts()).toMatchObject([
      { code: 'paid', paidCents: 10_000, worthCents: 10_000, payer: addressOf(1) },
      { code: 'wrong_payee', paidCents: 0, payer: null },
    ]);
  });

  it('let a citation that cannot be read wait alone, up to an hour for each attempt', async () => {
    const { chain, time, source, scan, work, pay, codes, pass } = await openWorld();
    chain.mine([mint(A), mint(B), submitted(A, proofOf(A)), submitted(B, proofOf(B, second))]);
    pay(1);
    pay(2);
    pay(3, 10_000, second.address);
    chain.mine([submitted(A, citing(1)), submitted(A, citing(2)), submitted(B, citing(3))]);
    pass();
    await scan();
    source.unreadable.add(word(1));
    await work();
    expect([await codes(A), await codes(B)]).toEqual([['1 pending', '2 pending'], ['1 paid']]);
    const count = () => source.requests.filter((name) => name === 'transaction').length;
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = count();
      time.jump(minutes * 60_000 - 1);
      await work();
      expect([minutes, count() - before]).toEqual([minutes, 0]);
      time.jump(1);
      await work();
      expect([minutes, count() - before]).toEqual([minutes, 1]);
    }
    source.unreadable.clear();
    time.jump(60 * 60_000);
    await work();
    expect(await codes(A)).toEqual(['1 paid', '2 paid']);
  });

  /** Lets addresses become own at these times, and reads their transfers up to a time. */
  async function follow(sinces: readonly number[], throughTime: number) {
    const { chain, store, source, scan, work, summary } = await openWorld({ nowSeconds: throughTime });
    chain.mine([mint(A), submitted(A)]);
    await scan();
    const { scan: searched } = await summary();
    const followed = sinces.map((since, place) => ({ source: source.name, address: addressOf(place + 1), since }));
    const nothing = { claims: [], citations: [], hands: [] };
    await store.writePaymentScan({ home: 'main', id: A, previous: searched, scan: searched!, ...nothing, followed });
    source.finalizeAt(throughTime);
    await work();
    const own = followed.map(({ address, since }) => ({ address, since }));
    return { windows: source.windows, readThrough: await store.readFlowsThrough(source.name, own) };
  }

  it('read transfers of at most 500 addresses and 5,000 blocks at once', async () => {
    const since = 1_700_005_000;
    const sinces = Array.from({ length: 1_200 }, () => since);
    const { windows } = await follow(sinces, since + 12_000);
    expect(windows.map(({ addresses, blocks }) => `${addresses} ${blocks}`).sort()).toEqual([
      ...['200 5000', '200 5000', '500 5000', '500 5000', '500 5000', '500 5000'],
    ]);
  });

  it('read the transfers of addresses that became own at different times together from the next window on', async () => {
    const start = 1_700_001_234;
    const sinces = Array.from({ length: 20 }, (_, i) => start + 7_000 * i + ((389 * i) % 601));
    const head = start + 20 * 7_000;
    const { windows, readThrough } = await follow(sinces, head);
    const count = Math.ceil((head - start) / 5_000);
    // The first window of each address, and then one for all of them.
    expect(windows.length).toBeLessThanOrEqual(20 + count);
    expect(windows.at(-1)!.addresses).toBeGreaterThanOrEqual(19);
    expect(readThrough).toBeGreaterThanOrEqual(head - 5_000);
  });

  it.each([
    // One whole token each: their places of the day are used up.
    ['paid', 1_000_000n, 0],
    // Less than one token: dust uses up no place of a payment.
    ['circular', 1n, 10_000],
  ])(
    'make a return after 1,000 other transfers of a day %s when each moves %d units',
    async (code, units, returned) => {
      const { chain, source, scan, work, verdicts, pay, pass } = await openWorld();
      chain.mine([mint(A), submitted(A, proofOf(A))]);
      const time = chain.head.timestamp + 1;
      const transfer = { from: ACCOUNT.address, token: 'USDC', block: time, time };
      for (let logIndex = 0; logIndex < 1_000; logIndex++)
        source.putTransfer({ ...transfer, to: BUYER, units, logIndex });
      source.putTransfer({ ...transfer, to: PAYER, units: 100_000_000n, logIndex: 1_000 });
      chain.mine();
      pay(1);
      chain.mine([submitted(A, citing(1))]);
      pass();
      await scan();
      await work();
      expect(await verdicts()).toMatchObject([{ code, returnedCents: returned }]);
    },
  );
});
