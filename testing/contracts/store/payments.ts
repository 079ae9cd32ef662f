/** Contract of `PaymentStore`: searches, citations, verdicts and transfers of payment sources. */
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import type { OwnAddress, Payment } from '../../../src/domain/rating/paid/flows.ts';
import { NO_VERDICT_DETAILS } from '../../../src/domain/rating/paid/payment-verdict.ts';
import type {
  FlowWindow,
  HandsChange,
  NewCitation,
  OpenCitation,
  PaymentScanWrite,
  PlacedClaim,
} from '../../../src/ports/payment-store.ts';
import { emptyMachineState } from '../../../src/indexing/alt/event-numbering.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, checkpointAt, controlledTooOften, id, NO_OWNERSHIP, submitted, transferred } from './samples.ts';
import { replaceEventLogs } from '../../fixtures/replace-logs.ts';

const CONFIGURATION = 'sources and rates';
const EVM = 'eip155:8453';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const ACCOUNT = `0x${'0b'.repeat(20)}`;
const OWNER = `0x${'0a'.repeat(20)}` as Address;
const PAYER = `0x${'0c'.repeat(20)}`;
const DAY = 86_400;
const TIME = 20_000 * DAY;
const A = { home: 'main', id: id(7) } as const;
const B = { home: 'main', id: id(8) } as const;

const claim = (seq: number, more: Partial<PlacedClaim> = {}): PlacedClaim => ({
  ...{ account: ACCOUNT, owner: OWNER, since: TIME + seq, seq, end: undefined, place: { block: 10, index: seq } },
  ...more,
});
const citation = (seq: number, more: Partial<NewCitation> = {}): NewCitation => ({
  ...{
    seq,
    source: EVM,
    reference: `0x${seq}`,
    cents: 5_000,
    day: 20_000,
    timestamp: TIME,
    blockTimestamp: TIME + seq,
  },
  isAttested: false,
  ...more,
});
const scanned = (more: Partial<PaymentScanWrite> = {}): PaymentScanWrite => ({
  ...A,
  ...{ previous: undefined, scan: { version: 0, claimsSeq: 9, citedSeq: 9, throughBlock: 20 } },
  ...{ claims: [], citations: [], hands: [], followed: [] },
  ...more,
});
const flow = (block: number, logIndex: number, more: object = {}) => ({
  ...{ from: ACCOUNT, to: PAYER, token: 'USDC', units: 10n ** 30n, block, logIndex, time: TIME + block, isWhole: true },
  ...more,
});
/** Window of addresses whose transfers were never read. */
const unread = (addresses: readonly OwnAddress[]): FlowWindow => ({ addresses, throughBlock: undefined });
const payment = (more: Partial<Payment> = {}): Payment => ({
  payer: PAYER,
  block: 1_000_000,
  time: TIME + DAY,
  ...more,
});
const paid = (cents: number) => ({
  verdict: {
    ...({ ...NO_VERDICT_DETAILS, code: 'paid', paidCents: cents, token: 'USDC', payer: PAYER } as const),
    ...{ worthCents: 5_000, returnedCents: 0 },
  },
  time: TIME - 60,
  flows: [],
});

export function testPayments(under: StoreUnderTest): void {
  describe('payments', () => {
    /** Indexes events of both machines, and uses the configuration. */
    async function open(): Promise<void> {
      const logs = [submitted(A.id), submitted(A.id), transferred(A.id, OWNER, { blockNumber: 1 }), submitted(B.id)];
      await under.store.advanceMainChain(undefined, checkpointAt(1), logs, NO_OWNERSHIP);
      await under.store.usePaymentConfiguration(CONFIGURATION);
    }
    const summarize = (change?: HandsChange, eventCount = 9) =>
      under.store.readPaymentSummary(CONFIGURATION, A, change, eventCount);
    /** Stores a scan that continues the stored one. */
    async function scan(more: Partial<PaymentScanWrite> = {}): Promise<boolean> {
      const write = scanned(more);
      const { scan: previous } = await under.store.readPaymentSummary(CONFIGURATION, write, undefined, 0);
      return under.store.writePaymentScan({ ...write, previous });
    }
    const dueAt = (nowMilliseconds: number, main = TIME + 99, alt = main) => ({
      nowMilliseconds,
      throughTimes: { main, alt },
    });
    const openOn = (source: string, now = 0) => under.store.listOpenCitations(source, dueAt(now), 9);
    const seqs = (found: readonly OpenCitation[]) => found.map(({ id: machineId, seq }) => [machineId, seq]);

    it('list machines until their events and transfers are searched', async () => {
      await open();
      expect(await under.store.listUnscanned('main', 9)).toEqual([
        { ...A, version: 0, eventCount: 2, scan: undefined },
        { ...B, version: 0, eventCount: 1, scan: undefined },
      ]);
      expect(await under.store.listUnscanned('main', 9, A.id)).toHaveLength(1);
      const scan2 = { version: 0, claimsSeq: 2, citedSeq: 1, throughBlock: 0 };
      await scan({ scan: scan2 });
      expect((await under.store.listUnscanned('main', 1))[0]).toMatchObject({ id: A.id, scan: scan2 });
      await scan({ scan: { ...scan2, citedSeq: 2 } });
      expect(await under.store.listUnscanned('main', 9)).toMatchObject([{ id: B.id }]);
      await scan({ scan: { ...scan2, citedSeq: 2 }, claims: [claim(0)] });
      expect(await under.store.listUnscanned('main', 1)).toMatchObject([{ id: A.id }]);
      expect(await under.store.listUnscanned('alt', 9)).toEqual([]);
    });

    it('leave out a machine with more logs than are read', async () => {
      await open();
      await append(under.store, ...controlledTooOften(A.id));
      expect(await under.store.listUnscanned('main', 9)).toMatchObject([{ id: B.id }]);
    });

    it('reject a search of another version of the history', async () => {
      await open();
      expect(await scan({ scan: { version: 1, claimsSeq: 2, citedSeq: 2, throughBlock: 1 } })).toBe(false);
      expect(await under.store.listClaims(A)).toEqual([]);
    });

    it.each([
      ['claims of more events', { claimsSeq: 2 }],
      ['citations of more events', { citedSeq: 2 }],
      ['transfers of more blocks', { throughBlock: 2 }],
    ])('reject a search that another one with %s has overtaken', async (_, more) => {
      await open();
      const first = { version: 0, claimsSeq: 1, citedSeq: 1, throughBlock: 1 };
      const [later, ended] = [{ ...first, ...more }, claim(0, { end: { at: TIME + 5, seq: 2 } })];
      const { store } = under;
      expect(await store.writePaymentScan(scanned({ scan: first, claims: [claim(0)] }))).toBe(true);
      expect(await store.writePaymentScan(scanned({ previous: first, scan: later, claims: [ended] }))).toBe(true);
      for (const previous of [undefined, first]) {
        expect(await store.writePaymentScan(scanned({ previous, claims: [claim(0)] }))).toBe(false);
      }
      expect([await store.listClaims(A), (await summarize()).scan]).toEqual([[ended], later]);
      expect(await store.writePaymentScan(scanned({ previous: later, claims: [ended, claim(3)] }))).toBe(true);
    });

    it('return claims with their ends, and those of other machines by account', async () => {
      await open();
      await scan({ claims: [claim(0)] });
      const ended = claim(0, { end: { at: TIME + 5, seq: 1 } });
      await scan({ claims: [ended, claim(3)] });
      expect(await under.store.listClaims(A)).toEqual([ended, claim(3)]);
      expect(await under.store.listClaimsOf([ACCOUNT], A, TIME + 9)).toEqual([]);
      expect(await under.store.listClaimsOf([ACCOUNT, PAYER], B, TIME + 2)).toEqual([{ ...ended, ...A }]);
    });

    it('open one citation per machine and source, in order', async () => {
      await open();
      await scan({ citations: [citation(3), citation(4), citation(5, { source: SOLANA })] });
      await scan({ ...B, citations: [citation(0)] });
      expect(seqs(await openOn(EVM))).toEqual([
        [A.id, 3],
        [B.id, 0],
      ]);
      expect(seqs(await openOn(SOLANA))).toEqual([[A.id, 5]]);
      const [first] = await openOn(EVM);
      expect(first).toEqual({ ...A, ...citation(3), attempts: 0, claimRevision: 0 });
      await under.store.decideCitation(first!, paid(5_000));
      expect(seqs(await openOn(EVM))).toEqual([
        [A.id, 4],
        [B.id, 0],
      ]);
      expect(seqs(await under.store.listOpenCitations(EVM, dueAt(0), 9, A))).toEqual([[B.id, 0]]);
      expect(await under.store.countCitations(A, 5, TIME + 3)).toBe(2);
      expect(await under.store.countCitations(A, 5, TIME + 4)).toBe(1);
    });

    it('postpone a citation until it is due', async () => {
      await open();
      await scan({ citations: [citation(3)] });
      const [first] = await openOn(EVM);
      await under.store.postponeCitation(first!, 1_000);
      expect(await openOn(EVM, 999)).toEqual([]);
      expect((await openOn(EVM, 1_000))[0]!.attempts).toBe(1);
    });

    it('list and count a citation that a clock ahead postponed for more than an hour', async () => {
      await open();
      await scan({ citations: [citation(3)] });
      await under.store.postponeCitation((await openOn(EVM))[0]!, 3_600_001);
      const oldest = async (now: number) => (await under.store.countOpenCitations(EVM, now)).oldest;
      expect([(await openOn(EVM, 0)).length, await oldest(0)]).toEqual([1, TIME + 3]);
      expect([(await openOn(EVM, 1)).length, await oldest(1)]).toEqual([0, undefined]);
    });

    it('list citations of events up to a block time of their home chain', async () => {
      await open();
      await scan({ citations: [citation(3)] });
      await scan({ ...B, citations: [citation(5)] });
      expect(seqs(await under.store.listOpenCitations(EVM, dueAt(0, TIME + 4), 9))).toEqual([[A.id, 3]]);
      expect(await under.store.listOpenCitations(EVM, dueAt(0, TIME + 2, TIME + 9), 9)).toEqual([]);
    });

    it('count the machines with an open citation, and find the oldest that waits for no retry', async () => {
      await open();
      const count = (now: number, source = EVM) => under.store.countOpenCitations(source, now);
      expect(await count(0)).toEqual({ machines: 0, oldest: undefined });
      await scan({ citations: [citation(3), citation(4)] });
      await scan({ ...B, citations: [citation(5)] });
      expect(await count(0)).toEqual({ machines: 2, oldest: TIME + 3 });
      await under.store.postponeCitation((await openOn(EVM))[0]!, 1_000);
      expect(await count(999)).toEqual({ machines: 2, oldest: TIME + 5 });
      expect(await count(1_000)).toEqual({ machines: 2, oldest: TIME + 3 });
      expect(await count(0, SOLANA)).toEqual({ machines: 0, oldest: undefined });
    });

    it('mark the machine of a verdict for observation', async () => {
      await open();
      await scan({ citations: [citation(3)] });
      const listDue = async () => (await under.store.listDueMachines(0, 9)).map(({ id }) => id);
      expect(await listDue()).toEqual([]);
      await under.store.decideCitation((await openOn(EVM))[0]!, paid(5_000));
      expect(await listDue()).toEqual([A.id]);
    });

    describe('of a verdict', () => {
      const C = { home: 'alt', id: id(9) } as const;
      const codesOf = async (of: typeof A | typeof B) =>
        (await under.store.listVerdicts(CONFIGURATION, of, 0, 9)).map(({ seq, code }) => `${seq} ${code}`);
      const early = (more: Partial<PlacedClaim> = {}) => claim(0, { since: TIME - 900, ...more });
      const endedAt = (at: number) => early({ end: { at, seq: 1 } });
      const [made, kept] = [
        ['2 not_found', '3 paid', '4 pending', '5 pending'],
        ['2 not_found', '3 paid', '4 paid', '5 pending'],
      ];

      /** Decides citations of A, of which the third is paid at TIME - 60, and leaves a fourth one open. */
      async function decide(own: readonly PlacedClaim[]): Promise<void> {
        await scan({ claims: own, citations: [2, 3, 4, 5].map((seq) => citation(seq)) });
        const missing = { ...paid(0), verdict: { ...NO_VERDICT_DETAILS, code: 'not_found' }, time: undefined } as const;
        for (const decided of [missing, { ...paid(5_000), time: TIME - 99 }, paid(5_000)]) {
          await under.store.decideCitation((await openOn(EVM))[0]!, decided);
        }
        expect(await codesOf(A)).toEqual(kept);
      }

      it.each([
        ['claims its account', early({ since: TIME - 60 }), made],
        ['claims its account after it', early({ since: TIME - 59 }), kept],
        ['claims its payer under its owner', early({ account: PAYER, since: TIME - 60 }), made],
        ['claims its payer under another owner', early({ account: PAYER, owner: PAYER, since: TIME - 60 }), kept],
        ['claims its payer after it', early({ account: PAYER, since: TIME - 59 }), kept],
        ['claims another account', early({ account: OWNER, since: TIME - 60 }), kept],
      ])('make it and the later ones again where another machine %s: %#', async (_, changed, expected) => {
        await open();
        await decide([early()]);
        await under.store.writeScannedThrough('main', TIME);
        await scan({ ...B, claims: [changed] });
        expect(await codesOf(A)).toEqual(expected);
        expect(seqs(await openOn(EVM))).toEqual([[A.id, expected === made ? 4 : 5]]);
        if (expected !== made) return;
        expect((await under.store.listVerdicts(CONFIGURATION, A, 4, 5))[0]).toMatchObject({
          paidCents: 0,
          payer: null,
        });
        expect((await under.store.listDueMachines(0, 9)).map(({ id: machineId }) => machineId)).toEqual([A.id]);
      });

      it.each([
        [endedAt(TIME - 60), made],
        [endedAt(TIME - 59), kept],
        [early(), kept],
      ])('make it again where another machine ends a claim of its account: %#', async (changed, expected) => {
        await open();
        await scan({ ...B, claims: [early()] });
        await decide([early()]);
        await under.store.writeScannedThrough('main', TIME);
        await scan({ ...B, claims: [changed] });
        expect(await codesOf(A)).toEqual(expected);
      });

      it('make none again where no time up to its payment was searched, as in normal operation', async () => {
        await open();
        await decide([early()]);
        await under.store.writeScannedThrough('main', TIME - 61);
        await scan({ ...B, claims: [early({ since: TIME - 60 })] });
        expect(await codesOf(A)).toEqual(kept);
      });

      it('make none of the main chain again for a claim of the alt chain', async () => {
        const walk = { done: undefined, observed: undefined, open: undefined };
        const state = emptyMachineState(C.id);
        await under.store.writeAltIndex(0, { walk, machines: [{ state, isRewritten: false, operations: [] }] });
        await open();
        await decide([early()]);
        await under.store.writeScannedThrough('main', TIME);
        expect(await scan({ ...C, claims: [early({ since: TIME - 60 })] })).toBe(true);
        expect(await under.store.listClaimsOf([ACCOUNT], A, TIME)).toHaveLength(1);
        expect(await codesOf(A)).toEqual(kept);
      });

      it('keep it while the history of another machine is searched again and its claims are the same', async () => {
        await open();
        const claims = [early({ since: TIME - 60 })];
        await scan({ ...B, claims });
        await decide([early()]);
        await under.store.writeScannedThrough('main', TIME);
        const { store } = under;
        await replaceEventLogs(store, checkpointAt(1), 'current', B.id, [submitted(B.id), submitted(B.id)]);
        await scan({ ...B, scan: { version: 1, throughBlock: 1, claimsSeq: 2, citedSeq: 0 }, claims });
        expect([await codesOf(A), await store.listClaims(B)]).toEqual([kept, claims]);
        await replaceEventLogs(store, checkpointAt(1), 'current', B.id, [submitted(B.id)]);
        await scan({ ...B, scan: { version: 2, throughBlock: 1, claimsSeq: 1, citedSeq: 1 } });
        expect([await codesOf(A), await store.listClaims(B)]).toEqual([made, []]);
      });

      it('ignore one that was reached before its history was searched again', async () => {
        await open();
        await scan({ claims: [early()], citations: [citation(3)] });
        const [listed] = await openOn(EVM);
        await replaceEventLogs(under.store, checkpointAt(1), 'current', A.id, [submitted(A.id), submitted(A.id)]);
        const again = { scan: { version: 1, throughBlock: 1, claimsSeq: 9, citedSeq: 9 } };
        expect(await scan({ ...again, claims: [early()], citations: [citation(3)] })).toBe(true);
        await under.store.decideCitation(listed!, paid(5_000));
        expect(await codesOf(A)).toEqual(['3 pending']);
      });

      it('ignore one that was reached while claims changed', async () => {
        await open();
        await scan({ claims: [claim(0)], citations: [citation(3)] });
        await under.store.writeScannedThrough('main', TIME);
        const [listed] = await openOn(EVM);
        await scan({ ...B, claims: [claim(0)] });
        await under.store.decideCitation(listed!, paid(5_000));
        expect(await codesOf(A)).toEqual(['3 pending']);
        await under.store.decideCitation((await openOn(EVM))[0]!, paid(5_000));
        expect(await codesOf(A)).toEqual(['3 paid']);
      });
    });

    it('never change a verdict', async () => {
      await open();
      await scan({ citations: [citation(3)] });
      const [first] = await openOn(EVM);
      await under.store.decideCitation(first!, paid(5_000));
      await under.store.decideCitation(first!, paid(1_000));
      await scan({ citations: [citation(3, { cents: 1 })] });
      const verdicts = await under.store.listVerdicts(CONFIGURATION, A, 0, 9);
      expect(verdicts).toEqual([{ ...paid(5_000).verdict, seq: 3, source: EVM }]);
      expect(await under.store.listVerdicts('other', A, 0, 9)).toEqual([]);
      expect(await under.store.listVerdicts(CONFIGURATION, A, 4, 9)).toEqual([]);
    });

    it('sum the moves and codes of a machine by day', async () => {
      await open();
      const citations = [citation(1), citation(2, { cents: 300_000 }), citation(3, { isAttested: true }), citation(4)];
      await scan({ claims: [claim(0)], citations, hands: [] });
      for (const cents of [5_000, 300_000, 5_000]) {
        const [next] = await openOn(EVM);
        await under.store.decideCitation(next!, paid(cents));
      }
      const summary = await summarize();
      expect(summary).toMatchObject({ scan: { claimsSeq: 9 }, claims: [{ account: ACCOUNT }] });
      const move = { blockDay: 20_000, day: 20_000, cents: 305_000, weight: 105_000 };
      expect(summary.moves).toEqual([{ ...move, endedAt: undefined }]);
      expect(summary.counts.toSorted((a, b) => a.count - b.count)).toEqual([
        { code: 'pending', blockDay: 20_000, count: 1 },
        { code: 'paid', blockDay: 20_000, count: 3 },
      ]);
      const ofTwo = await summarize(undefined, 2);
      expect(ofTwo.moves.map(({ cents }) => cents)).toEqual([5_000]);
      expect(ofTwo.counts).toEqual([{ code: 'paid', blockDay: 20_000, count: 1 }]);
      const early = await summarize({ seq: 2, at: TIME + 9 });
      expect(early.moves.map(({ cents, endedAt }) => [cents, endedAt]).sort()).toEqual([
        [300_000, undefined],
        [5_000, TIME + 9],
      ]);
      await scan({
        claims: [claim(0)],
        hands: [
          { seq: 2, at: TIME + 50 },
          { seq: 9, at: TIME + 90 },
        ],
      });
      const after = await summarize({ seq: 9, at: TIME + 99 });
      expect(after.moves.map(({ cents, endedAt }) => [cents, endedAt]).sort()).toEqual([
        [300_000, TIME + 90],
        [5_000, TIME + 50],
      ]);
      const unscanned = await under.store.readPaymentSummary('other', A, undefined, 9);
      expect(unscanned).toEqual({ scan: undefined, claims: [], moves: [], counts: [] });
    });

    it('return earlier payments of the payer within 180 days, and those of the transaction', async () => {
      await open();
      await scan({ citations: [citation(1), citation(2, { reference: '0x1' }), citation(3), citation(4)] });
      const results = [paid(5_000), { ...paid(0), verdict: { ...paid(0).verdict, payer: OWNER } }, paid(7)];
      for (const result of results) await under.store.decideCitation((await openOn(EVM))[0]!, result);
      const last = (await openOn(EVM))[0]!;
      const listed = async (reference: string, payer: string, time = TIME) =>
        (await under.store.listEarlierPayments({ ...last, reference }, { payer, time })).map(
          ({ paidCents }) => paidCents,
        );
      expect(await listed('0x9', PAYER)).toEqual([5_000, 7]);
      expect(await listed('0x1', OWNER)).toEqual([5_000, 0]);
      expect(await listed('0x9', ACCOUNT)).toEqual([]);
      const limit = TIME - 60 + 180 * DAY;
      expect([await listed('0x9', PAYER, limit), await listed('0x9', PAYER, limit + 1)]).toEqual([[5_000, 7], []]);
      expect([await listed('0x1', ACCOUNT, TIME + 901), await listed('0x1', ACCOUNT, TIME + 902)]).toEqual([
        [5_000, 0],
        [0],
      ]);
    });

    it('return all transfers of a sender on the days on which it paid the payer', async () => {
      await open();
      const own = [{ address: ACCOUNT, since: TIME }];
      await scan({ citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) });
      const other = { to: OWNER, units: 7n, isWhole: false };
      const rows = [flow(5, 0, other), flow(5, 1), flow(2 * DAY, 0, other)];
      await under.store.writeFlows(EVM, unread(own), 9, rows, 1_000);
      const [open1] = await openOn(EVM);
      expect(await under.store.listFlowsTo(open1!, [ACCOUNT], payment())).toEqual([
        { from: ACCOUNT, to: OWNER, token: 'USDC', units: 7n, block: 5, time: TIME + 5 },
        { from: ACCOUNT, to: PAYER, token: 'USDC', units: 10n ** 30n, block: 5, time: TIME + 5 },
      ]);
      expect(await under.store.listFlowsTo(open1!, [OWNER], payment())).toEqual([]);
    });

    it('return no transfers of days that no verdict on the payment looks back to, and none from its block on', async () => {
      await open();
      const own = [{ address: ACCOUNT, since: 0 }];
      await scan({ citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) });
      const first = TIME - 180 * DAY;
      const times = [first - 1, first, first + 60, TIME + 7, TIME + 8, TIME + 9];
      const rows = times.map((time, block) => flow(block, 0, { time }));
      await under.store.writeFlows(EVM, unread(own), 9, rows, 1_000);
      const [open1] = await openOn(EVM);
      // The whole day counts, because transfers are limited by day.
      const found = await under.store.listFlowsTo(open1!, [ACCOUNT], payment({ block: 4, time: TIME + 8 }));
      expect(found.map(({ block }) => block)).toEqual([1, 2, 3]);
    });

    it('store a limited number of transfers per sender, size and day, from the time it became own', async () => {
      await open();
      const own = [
        { address: ACCOUNT, since: TIME },
        { address: ACCOUNT, since: TIME + 50 },
      ];
      await scan({ citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) });
      const rows = [1, 2, 3, 4, 51, 52, 53].map((block) => flow(block, 0));
      await under.store.writeFlows(EVM, unread(own), 60, [...rows, flow(54, 0, { isWhole: false })], 2);
      await under.store.writeFlows(EVM, { addresses: own, throughBlock: 60 }, 60, rows, 2);
      const [open1] = await openOn(EVM);
      const stored = await under.store.listFlowsTo(open1!, [ACCOUNT], payment());
      expect(stored.map(({ block }) => block)).toEqual([1, 2, 51, 52, 54]);
    });

    it('limit the transfers of a day over several windows, each size by itself', async () => {
      await open();
      const own = [{ address: ACCOUNT, since: TIME }];
      await scan({ citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) });
      const [whole, dust] = [
        [1, 4, 5, 7, 8],
        [2, 3, 6],
      ];
      const rows = [
        ...whole.map((block) => flow(block, 0)),
        ...dust.map((block) => flow(block, 0, { isWhole: false })),
      ];
      for (const [from, through] of [
        [0, 2],
        [3, 5],
        [6, DAY + 9],
      ] as const) {
        const read = [...rows, ...[0, 1, 2, 3].map((place) => flow(DAY + place, 0))]
          .filter(({ block }) => block >= from && block <= through)
          .sort((a, b) => a.block - b.block);
        await under.store.writeFlows(
          EVM,
          { addresses: own, throughBlock: from === 0 ? undefined : from - 1 },
          through,
          read,
          2,
        );
      }
      const [open1] = await openOn(EVM);
      const stored = await under.store.listFlowsTo(open1!, [ACCOUNT], payment());
      expect(stored.map(({ block }) => block)).toEqual([1, 2, 3, 4, DAY, DAY + 1]);
    });

    it('are not stored by a read of a window that was begun again or written meanwhile', async () => {
      await open();
      const own = [{ address: ACCOUNT, since: TIME }];
      const write = { citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) };
      await scan(write);
      await under.store.writeFlows(EVM, unread(own), 40, [], 9);
      const window = await under.store.findFlowWindow(EVM, 100, 9);
      const other = await under.openAnother();
      await other.usePaymentConfiguration('other');
      await other.usePaymentConfiguration(CONFIGURATION);
      await scan(write);
      await under.store.writeFlows(EVM, window!, 60, [flow(50, 0)], 9);
      const through = () => under.store.readFlowsThrough(EVM, own);
      const [open1] = await openOn(EVM);
      const list = () => under.store.listFlowsTo(open1!, [ACCOUNT], payment());
      expect([await through(), await list()]).toEqual([-1, []]);
      await under.store.writeFlows(EVM, unread(own), 70, [flow(50, 0)], 9);
      await under.store.writeFlows(EVM, unread(own), 40, [flow(30, 0)], 9);
      expect([await through(), (await list()).map(({ block }) => block)]).toEqual([70, [50]]);
    });

    it('list the addresses that are furthest behind together', async () => {
      await open();
      const address = (digit: string) => `0x${digit.repeat(40)}`;
      const own = [0, 10, 4_000].map((after, at) => ({ address: address(String(at)), since: TIME + after }));
      await scan({ followed: own.map((each) => ({ ...each, source: EVM })) });
      expect(await under.store.readFlowsThrough(EVM, own)).toBe(-1);
      expect(await under.store.findFlowWindow(EVM, 100, 9)).toEqual({
        addresses: own.slice(0, 2),
        throughBlock: undefined,
      });
      await under.store.writeFlows(EVM, unread(own.slice(0, 2)), 40, [], 9);
      await under.store.writeFlows(EVM, unread(own.slice(2)), 40, [], 9);
      expect(await under.store.findFlowWindow(EVM, 100, 9)).toMatchObject({
        throughBlock: 40,
        addresses: { length: 3 },
      });
      expect(await under.store.findFlowWindow(EVM, 40, 9)).toBeUndefined();
      expect(await under.store.readFlowsThrough(EVM, own)).toBe(40);
      expect(await under.store.readFlowsThrough(SOLANA, own)).toBe(-1);
    });

    it('store the flows of a cited transaction once, and return those of earlier events', async () => {
      await open();
      await scan({ citations: [1, 2, 3].map((seq) => citation(seq, { source: SOLANA, reference: 'sig' })) });
      const flows = [{ from: 'own', to: 'payer', token: 'USDC', units: 5n, block: 3, time: TIME }];
      const ofBothAccounts = [{ ...flows[0]!, from: 'claimed later' }, flows[0]!];
      for (const each of [flows, ofBothAccounts]) {
        await under.store.decideCitation((await openOn(SOLANA))[0]!, { ...paid(0), flows: each });
      }
      const [last] = await openOn(SOLANA);
      const listed = (more: Partial<OpenCitation>, of: Partial<Payment> = {}) =>
        under.store.listFlowsTo({ ...last!, ...more }, ['own'], payment({ payer: 'payer', ...of }));
      expect(await listed({})).toEqual(flows);
      expect(await listed({ seq: 1 })).toEqual([]);
      expect(await listed({}, { block: 3 })).toEqual([]);
      expect(await listed({}, { time: TIME + 181 * DAY - 1 })).toEqual(flows);
      expect(await listed({}, { time: TIME + 181 * DAY })).toEqual([]);
    });

    it('make verdicts undecided on payments since an own claim that is stored later, without their flows', async () => {
      await open();
      const citations = [3, 4].map((seq) => citation(seq, { source: SOLANA }));
      await scan({ claims: [claim(0)], citations });
      await under.store.writeScannedThrough('main', TIME + 9);
      const flow = { from: 'own', to: 'payer', token: 'USDC', units: 5n, block: 3, time: TIME };
      const decide = async (time: number) =>
        under.store.decideCitation((await openOn(SOLANA))[0]!, { ...paid(0), time, flows: [{ ...flow, time }] });
      await decide(TIME + 1);
      await decide(TIME + 2);
      const claimed = async (since: number) => {
        await scan({ claims: [claim(0), claim(1, { account: PAYER, since })] });
        const rows = await under.store.listVerdicts(CONFIGURATION, A, 0, 9);
        const flows = await under.store.listFlowsTo(
          { ...citation(9, { source: SOLANA }), ...A, attempts: 0, claimRevision: 0 },
          ['own'],
          payment({ payer: 'payer' }),
        );
        return [rows.map(({ code }) => code), flows.map(({ time }) => time - TIME)];
      };
      expect(await claimed(TIME + 3)).toEqual([
        ['paid', 'paid'],
        [1, 2],
      ]);
      expect(await claimed(TIME + 2)).toEqual([['paid', 'pending'], [1]]);
    });

    it('delete old citations, and transfers that no undecided citation needs', async () => {
      await open();
      const own = [{ address: ACCOUNT, since: 0 }];
      await scan({ citations: [citation(3)], followed: own.map((each) => ({ ...each, source: EVM })) });
      await under.store.writeFlows(EVM, unread(own), 9, [flow(1, 0, { time: TIME - 199 * DAY }), flow(2, 0)], 9);
      const [open1] = await openOn(EVM);
      const ofPayment = payment({ time: TIME - 20 * DAY });
      const count = async () => (await under.store.listFlowsTo(open1!, [ACCOUNT], ofPayment)).length;
      await under.store.prunePayments(TIME + DAY, TIME);
      expect([await count(), (await openOn(EVM)).length]).toEqual([2, 1]);
      await under.store.decideCitation(open1!, paid(0));
      await under.store.prunePayments(TIME, TIME);
      expect([await count(), (await under.store.listVerdicts(CONFIGURATION, A, 0, 9)).length]).toEqual([1, 1]);
      await under.store.prunePayments(TIME + DAY, TIME);
      expect(await under.store.listVerdicts(CONFIGURATION, A, 0, 9)).toEqual([]);
    });

    it('delete everything of another configuration', async () => {
      await open();
      await scan({ claims: [claim(0)], citations: [citation(3)] });
      await under.store.writeScannedThrough('main', TIME);
      expect(await under.store.readScannedThrough('main')).toBe(TIME);
      await under.store.usePaymentConfiguration(CONFIGURATION);
      expect(await under.store.listClaims(A)).toHaveLength(1);
      await under.store.usePaymentConfiguration('other');
      expect(await under.store.listClaims(A)).toEqual([]);
      expect(await openOn(EVM)).toEqual([]);
      expect(await under.store.readScannedThrough('main')).toBe(-1);
    });

    it('are not written by a process whose configuration another one has replaced', async () => {
      const own = { address: ACCOUNT, since: 0 };
      const write = { citations: [citation(3)], followed: [{ source: EVM, ...own }] };
      await open();
      await scan(write);
      const [old] = await openOn(EVM);
      const other = await under.openAnother();
      await other.usePaymentConfiguration('other');
      expect(await scan()).toBe(false);
      await under.store.writeScannedThrough('main', TIME);
      expect(await other.writePaymentScan(scanned(write))).toBe(true);
      await under.store.writeFlows(EVM, unread([own]), 9, [], 1_000);
      await under.store.decideCitation(old!, paid(5_000));
      await under.store.postponeCitation(old!, Number.MAX_SAFE_INTEGER);
      expect(await other.readScannedThrough('main')).toBe(-1);
      expect(await other.readFlowsThrough(EVM, [own])).toBe(-1);
      expect(await openOn(EVM)).toHaveLength(1);
      await under.store.usePaymentConfiguration(CONFIGURATION);
      expect(await scan(write)).toBe(true);
    });
  });
}
