/**
 * Property 11 of design/scoring.md over the whole path of evidence: logs and records of a fake chain, their index, the search of claims and
 * citations, the judgement of payments, and the rating. The same history is run with the acts of strangers and without them.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MILLISECONDS } from '../../../testing/arbitraries/property-runs.ts';
import {
  chipAttested,
  chipRevoked,
  controlled,
  OWNER,
  submitted,
  transferred,
  type FakeLog,
} from '../../../testing/fakes/fake-logs.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import {
  citing,
  CUSTOMER,
  openPaymentWorld,
  PAID_ACCOUNT,
  PAID_MACHINE,
  PAID_TOKENS,
  proofOf,
} from '../../../testing/fixtures/payment-world.ts';
import { PLAIN_FACTS } from '../../../testing/fixtures/rating-events.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { createRateTable } from '../../domain/rating/rate-table.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { rateMachine } from '../../domain/rating/rating.ts';
import { readMainEvents } from './scanned-events.ts';

const STRANGERS_MACHINE = machine(12);
const STRANGER = createMainChainKey(new Uint8Array(32).fill(21));
const BUYER = `0x${'b2'.repeat(20)}` as Address;
/** Two blocks a day. */
const BLOCK_SECONDS = 43_200;
const CHIP_ISSUED = 1_700_000_000n;

type OwnAct = 'pay' | 'pay again' | 'report' | 'attest' | 'revoke' | 'claim' | 'sell' | 'refund' | 'idle';
type StrangersAct =
  | { readonly kind: 'claim' | 'copy' | 'forge' | 'cite' | 'chip' | 'control' | 'give'; readonly isFirst: boolean }
  | { readonly kind: 'push'; readonly to: string; readonly cents: number };

const ownActs = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<OwnAct>('pay') },
    fc.constantFrom<OwnAct>('pay again', 'report', 'attest', 'revoke', 'claim', 'sell', 'refund', 'idle'),
  ),
  { minLength: 5, maxLength: 30 },
);
const strangersActs = fc.array(
  fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constantFrom('claim', 'copy', 'forge', 'cite', 'chip', 'control', 'give'),
        isFirst: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('push' as const),
        to: fc.constantFrom(PAID_ACCOUNT.address, CUSTOMER, OWNER, BUYER),
        cents: fc.integer({ min: 1, max: 10 ** 7 }),
      }),
    ),
    { maxLength: 3 },
  ),
  { minLength: 30, maxLength: 30 },
) as fc.Arbitrary<readonly (readonly StrangersAct[])[]>;

/** Runs a history, one block for each act of the machine, and returns its verdicts, claims and rating. */
async function run(acts: readonly OwnAct[], strangers: readonly (readonly StrangersAct[])[]) {
  const world = await openPaymentWorld({ nowSeconds: 1_700_000_000 + 60 * BLOCK_SECONDS });
  const { chain, source, store } = world;
  chain.blockSeconds = BLOCK_SECONDS;
  let owner: string = OWNER;
  let strangersOwner: string = STRANGER.address;
  let paid = 0;
  let places = 0;
  const putTransfer = (from: string, to: string, cents: number) => {
    const { timestamp: block } = chain.head;
    const units = BigInt(cents) * 10_000n;
    source.putTransfer({ from, to, token: 'USDC', units, block, logIndex: (places += 1), time: block });
  };
  const act = (kind: OwnAct): readonly FakeLog[] => {
    switch (kind) {
      case 'pay':
        world.pay((paid += 1));
        return [submitted(PAID_MACHINE, citing(paid))];
      case 'pay again':
        return [submitted(PAID_MACHINE, citing(paid))];
      case 'report':
        return [submitted(PAID_MACHINE, { trustLevel: 2 })];
      case 'attest':
        return [chipAttested(PAID_MACHINE, CHIP_ISSUED)];
      case 'revoke':
        return [chipRevoked(PAID_MACHINE, CHIP_ISSUED + 1n)];
      case 'claim':
        return [submitted(PAID_MACHINE, proofOf(PAID_MACHINE, PAID_ACCOUNT, owner))];
      case 'sell': {
        const before = owner;
        owner = owner === OWNER ? BUYER : OWNER;
        return [transferred(PAID_MACHINE, before as Address, owner as Address)];
      }
      case 'refund':
        putTransfer(PAID_ACCOUNT.address, CUSTOMER, 3_000);
        return [];
      case 'idle':
        return [];
    }
  };
  const actAsStranger = (each: StrangersAct): readonly FakeLog[] => {
    const id = STRANGERS_MACHINE;
    switch (each.kind) {
      case 'claim':
        return [submitted(id, proofOf(id, STRANGER, strangersOwner))];
      case 'copy':
        return [submitted(id, proofOf(PAID_MACHINE, PAID_ACCOUNT, owner))];
      case 'forge': {
        const forged = { address: PAID_ACCOUNT.address, sign: STRANGER.sign } as typeof PAID_ACCOUNT;
        return [submitted(id, proofOf(id, forged, strangersOwner))];
      }
      case 'cite':
        return [submitted(id, citing(paid))];
      case 'chip':
        return [chipAttested(id, CHIP_ISSUED), chipRevoked(id, CHIP_ISSUED + 2n)];
      case 'control':
        return [controlled(id, undefined, OWNER)];
      case 'give': {
        const before = strangersOwner;
        strangersOwner = owner;
        return [transferred(id, before as Address, owner as Address)];
      }
      case 'push':
        putTransfer(STRANGER.address, each.to, each.cents);
        return [];
    }
  };

  chain.mine([
    transferred(PAID_MACHINE, undefined, OWNER),
    transferred(STRANGERS_MACHINE, undefined, STRANGER.address),
    submitted(PAID_MACHINE, proofOf(PAID_MACHINE)),
  ]);
  for (const [day, kind] of acts.entries()) {
    const own = act(kind);
    const others = strangers[day] ?? [];
    const first = others.filter((each) => each.kind !== 'push' && each.isFirst).flatMap(actAsStranger);
    const last = others.filter((each) => each.kind === 'push' || !each.isFirst).flatMap(actAsStranger);
    chain.mine([...first, ...own, ...last]);
  }
  chain.mine();
  source.finalizeAt(chain.head.timestamp);
  await world.scan();
  await world.work();

  const { epoch } = await store.readEventLogCount('current', PAID_MACHINE);
  const provenance = (await store.readProvenance(PAID_MACHINE))!;
  const { claims, moves } = await world.summary();
  const verdicts = await world.verdicts();
  const count = acts.filter((kind) => ['pay', 'pay again', 'report', 'claim'].includes(kind)).length + 1;
  const scanned = { home: 'main' as const, id: PAID_MACHINE, version: epoch, eventCount: count, scan: undefined };
  const events = await readMainEvents(chain, store, chain.head)(scanned, 0, count);
  const rating = rateMachine({
    ...PLAIN_FACTS,
    rates: createRateTable(false, PAID_TOKENS),
    state: emptyRatingState(),
    tail: events!.map(({ event }) => event),
    paidMoves: moves.filter(({ endedAt }) => endedAt === undefined),
    changedHandsAfter: provenance.changedHandsAfter,
    now: chain.head.timestamp,
  });
  await store.close();
  const made = claims.map(({ account, owner: by, since, seq, end }) => ({ account, owner: by, since, seq, end }));
  return { verdicts, claims: made, rating };
}

it(
  `property 11: no claim, transfer, attestation or event of a stranger changes a verdict, a claim or the rating (seed ${PROPERTY_RUNS.seed})`,
  { timeout: PROPERTY_TIMEOUT_MILLISECONDS },
  async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(ownActs, strangersActs, async (acts, strangers) => {
        const alone = await run(acts, []);
        expect(await run(acts, strangers)).toStrictEqual(alone);
        for (const { code } of alone.verdicts) seen.add(code);
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
    );
    expect(seen).toContain('paid');
  },
);
