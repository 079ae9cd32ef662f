/** Evidence of payments in responses: the explanation, the list of events and the rating, over a store with verdicts. */
import { afterEach, describe, expect, it } from 'vitest';

import { eventLog, MACHINE, NOW, openAltService, revenueAt, type AltService } from '../../testing/harness/alt-chain.ts';
import { FakePaymentSource } from '../../testing/fakes/fake-payment-source.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../domain/identifiers/namespace.ts';
import type { Claim } from '../domain/rating/paid/claims.ts';
import { NO_VERDICT_DETAILS } from '../domain/rating/paid/payment-verdict.ts';
import { paymentFingerprint } from '../domain/rating/paid/payment-configuration.ts';
import { dayOf } from '../domain/rating/utc-day.ts';
import { VERDICTS } from '../domain/rating/verdict.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { PaymentSummary, StoredVerdict } from '../ports/payment-store.ts';
import {
  countVerdicts,
  endEvidence,
  NO_PAYMENTS,
  readPaymentEvidence,
  type PaymentEvidence,
} from './payment-evidence.ts';
import { present } from '../domain/read-result.ts';

const DAY = 86_400;
const HASH = 'ab'.repeat(32);
const ACCOUNT = `0x${'0b'.repeat(20)}`;
const PAYER = `0x${'0c'.repeat(20)}`;
const EVENTS = [0, 1, 2].map((seq) => revenueAt(seq, NOW - (3 - seq) * DAY, 5_000));
const CITING = EVENTS.map((each) => ({
  ...each,
  record: { ...each.record, sourceChainId: 8453n, sourceTxHash: `0x${'c1'.repeat(32)}`, trustLevel: 1 },
}));
const claimOf = (owner: string, more: Partial<Claim> = {}): Claim => ({
  ...{ account: ACCOUNT, owner, since: NOW - 5 * DAY, seq: 0, end: undefined },
  ...more,
});
const SCAN = { version: 1, claimsSeq: 3, citedSeq: 3, throughBlock: 9 };
const PAID: StoredVerdict = {
  ...{ ...NO_VERDICT_DETAILS, seq: 1, source: 'eip155:8453', code: 'paid', paidCents: 4_000 },
  ...{ token: 'USDC', payer: PAYER, worthCents: 4_000, returnedCents: 7 },
};
const blockDay = dayOf(NOW - 2 * DAY);
const SUMMARY: PaymentSummary = {
  scan: SCAN,
  claims: [claimOf(MACHINE.owner)],
  moves: [{ blockDay, day: blockDay, cents: 4_000, weight: 4_000, endedAt: undefined }],
  counts: [{ code: 'paid', blockDay, count: 1 }],
};

let service: AltService | undefined;
afterEach(() => service?.close());

async function open(summary: PaymentSummary, verdicts: readonly StoredVerdict[] = [PAID], sources = true) {
  const fingerprints: string[] = [];
  const store = {
    readPaymentSummary: async (fingerprint: string) => {
      fingerprints.push(fingerprint);
      return Promise.resolve(summary);
    },
    listVerdicts: async () => Promise.resolve(verdicts),
  } as unknown as Ctx['store'];
  const paymentSources = { hash: sources ? HASH : null, list: sources ? [new FakePaymentSource()] : [] };
  const machine = {
    ...MACHINE,
    serviceEndpoints: [{ id: 'v', serviceType: 'dataVisibility', serviceEndpoint: 'public' }],
  };
  service = await openAltService({
    machines: [{ account: present(machine), log: eventLog(3), indexed: CITING }],
    ctx: { store, paymentSources },
  });
  const read = async (path: string) => JSON.parse((await service!.request(path)).text);
  return { fingerprints, read, ratesFingerprint: service.ctx.fxRates.current().fingerprint };
}

describe('a response about a machine', () => {
  it('shows accounts and numbers of verdicts, and rates paid cents', async () => {
    const { read, fingerprints, ratesFingerprint } = await open(SUMMARY);
    const { evidence, factors } = await read('/mcr/did:svc:1/explanation');
    expect(evidence).toMatchObject({
      sources_hash: `0x${HASH}`,
      changed_hands_at: null,
      accounts: [{ account: ACCOUNT, owner: MACHINE.owner, since: NOW - 5 * DAY, seq: 0 }],
      verdicts: { paid: 1, declared: 2, pending: 0 },
    });
    const measure = { declared_usd_cents: 11_000, paid_usd_cents: 4_000, attested_usd_cents: 0 };
    expect(factors.find(({ name }: { name: string }) => name === 'trust').measure).toMatchObject(measure);
    expect(fingerprints).toContain(paymentFingerprint(HASH, ratesFingerprint, DEFAULT_NAMESPACE));
  });

  it('does not end moves by a change of hands that only a claim of a later event shows', async () => {
    const [move] = SUMMARY.moves;
    const [other, owner] = ['FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV', MACHINE.owner];
    const sold = claimOf(other, { seq: 3, since: NOW - DAY });
    const paidOf = async (claims: readonly Claim[], endedAt: number) => {
      const { read } = await open({ ...SUMMARY, claims, moves: [{ ...move!, endedAt }] });
      const { factors } = await read('/mcr/did:svc:1/explanation');
      await service!.close();
      return factors.find(({ name }: { name: string }) => name === 'trust').measure.paid_usd_cents;
    };
    expect(await paidOf([claimOf(owner), sold], NOW - DAY)).toBe(4_000);
    const before = claimOf(owner, { seq: 1, since: NOW - 3 * DAY });
    expect(await paidOf([claimOf(other), before, sold], NOW - 3 * DAY)).toBe(0);
  });

  it('does not end accounts and moves by a sale after the block', async () => {
    const end = { at: NOW - DAY, seq: 3 };
    const moves = [{ ...SUMMARY.moves[0]!, endedAt: end.at }];
    await open({ ...SUMMARY, claims: [claimOf(MACHINE.owner, { end })], moves });
    const readAt = async (blockTimestamp: number) => {
      const machine = { home: 'main', id: 1n as MachineId } as const;
      return readPaymentEvidence(service!.ctx, machine, { change: undefined, eventCount: 3, blockTimestamp });
    };
    const [before, after] = [await readAt(end.at - 1), await readAt(end.at)];
    expect([before.accounts.length, before.moves[0]!.endedAt]).toEqual([1, undefined]);
    expect([after.accounts.length, after.moves[0]!.endedAt]).toEqual([0, end.at]);
  });

  it('lists the verdict of every event', async () => {
    const { read } = await open({ ...SUMMARY, scan: { ...SCAN, citedSeq: 2 } });
    const { events } = await read('/machines/1/events');
    const nothing = { source: null, token: null, payer: null, worth_cents: null, returned_cents: null, paid_cents: 0 };
    expect(events[0]).toMatchObject({ ...nothing, class: 'declared', verdict: 'pending' });
    expect(events[1]).toMatchObject({
      ...{ class: 'paid', verdict: 'paid', paid_cents: 4_000, source: 'eip155:8453', token: 'USDC' },
      ...{ payer: PAYER, worth_cents: 4_000, returned_cents: 7 },
    });
    expect(events[2]).toMatchObject({ ...nothing, class: 'declared', verdict: 'declared' });
  });

  it('names no source of a pending verdict', async () => {
    const { read } = await open(SUMMARY, [{ ...PAID, ...NO_VERDICT_DETAILS, code: 'pending' }]);
    const { events } = await read('/machines/1/events');
    expect(events[1]).toMatchObject({ verdict: 'pending', source: null, paid_cents: 0, class: 'declared' });
  });

  it('is computed as if the machine changed hands now while the account has another owner than the newest claim', async () => {
    const { read } = await open({ ...SUMMARY, claims: [claimOf('FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV')] });
    const { evidence, factors } = await read('/mcr/did:svc:1/explanation');
    expect(evidence).toMatchObject({ changed_hands_at: NOW, accounts: [], verdicts: { paid: 1 } });
    const { measure } = factors.find(({ name }: { name: string }) => name === 'trust');
    expect(measure).toMatchObject({ declared_usd_cents: 15_000, paid_usd_cents: 0 });
    const { events } = await read('/machines/1/events');
    expect(events[1]).toMatchObject({ class: 'declared', verdict: 'paid', paid_cents: 4_000 });
  });

  it('ignores claims of events that it does not count', async () => {
    const end = { at: NOW, seq: 3 };
    const { read } = await open({
      ...SUMMARY,
      claims: [claimOf(MACHINE.owner, { end }), claimOf(PAYER, { seq: 3, since: NOW })],
    });
    const { evidence, factors } = await read('/mcr/did:svc:1/explanation');
    expect(evidence).toMatchObject({ changed_hands_at: null, accounts: [{ owner: MACHINE.owner, seq: 0 }] });
    const { measure } = factors.find(({ name }: { name: string }) => name === 'trust');
    expect(measure).toMatchObject({ paid_usd_cents: 4_000 });
  });

  it('shows the change of hands of the newest claim', async () => {
    const older = claimOf(PAYER, { end: { at: NOW - 2 * DAY, seq: 2 } });
    const { read } = await open({
      ...SUMMARY,
      claims: [older, claimOf(MACHINE.owner, { seq: 2, since: NOW - 2 * DAY })],
    });
    const { evidence } = await read('/mcr/did:svc:1/explanation');
    expect(evidence).toMatchObject({ changed_hands_at: NOW - 2 * DAY, accounts: [{ seq: 2 }] });
    const { events } = await read('/machines/1/events');
    expect(events.map((event: { class: string }) => event.class)).toEqual(['declared', 'declared', 'declared']);
  });

  it('is all declared without payment sources', async () => {
    const { read, fingerprints } = await open(SUMMARY, [PAID], false);
    const { evidence } = await read('/mcr/did:svc:1/explanation');
    expect(evidence).toMatchObject({ sources_hash: null, accounts: [], verdicts: { declared: 3, paid: 0 } });
    const { events } = await read('/machines/1/events');
    expect(events[1]).toMatchObject({ class: 'declared', verdict: 'declared', paid_cents: 0 });
    expect(fingerprints).toEqual([]);
  });
});

describe('numbers of verdicts', () => {
  const evidence: PaymentEvidence = { ...NO_PAYMENTS, sourcesHash: HASH, scan: SCAN, counts: SUMMARY.counts };
  const rates = { feed: false, throughDay: 0, tokens: new Map(), series: new Map() };
  const events = CITING.map(({ event }) => ({ ...event, trust: 1 }));
  const count = (given: PaymentEvidence, more: { foldedSeq?: number; tail?: typeof events } = {}) =>
    countVerdicts(given, { verdictCount: 3, lastUpdated: NOW }, { foldedSeq: 0, tail: [], rates, now: NOW, ...more });
  const zeros = Object.fromEntries(VERDICTS.map((code) => [code, 0]));

  it('add up to the events of 180 days that have one', () => {
    expect(count(evidence)).toEqual({ ...zeros, paid: 1, declared: 2 });
    const old = { code: 'failed', blockDay: dayOf(NOW) - 180, count: 1 } as const;
    expect(count({ ...evidence, counts: [old] })).toEqual({ ...zeros, declared: 3 });
    expect(count({ ...evidence, counts: [{ ...old, blockDay: old.blockDay + 1 }] })).toMatchObject({ failed: 1 });
  });

  it('are pending for events that are not searched', () => {
    expect(count({ ...evidence, scan: undefined, counts: [] })).toEqual({ ...zeros, pending: 3 });
    const claimed = { ...evidence, accounts: [claimOf(PAYER)], scan: { ...SCAN, citedSeq: 1 }, counts: [] };
    expect(count(claimed, { tail: events })).toEqual({ ...zeros, pending: 2, declared: 1 });
    expect(count(claimed, { foldedSeq: 3 })).toEqual({ ...zeros, pending: 2, declared: 1 });
    expect(count({ ...claimed, accounts: [] }, { tail: events })).toEqual({ ...zeros, declared: 3 });
  });

  it('keep the verdicts of a machine that is sold, without its moves', () => {
    const sold = endEvidence({ ...evidence, moves: SUMMARY.moves, accounts: [claimOf(PAYER)] }, NOW);
    expect([sold.accounts, sold.moves[0]!.endedAt, count(sold).paid]).toEqual([[], NOW, 1]);
  });
});
