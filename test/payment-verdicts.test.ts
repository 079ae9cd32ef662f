/**
 * Properties 9 to 11 of design/scoring.md over random fleets of both home chains, paid on an EVM and a Solana source. The verdicts that the
 * search, the worker and the store reach are those of `svc replay`, which shares no code with them, whatever was down when.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outages, paymentPlans, strangersActs } from '../testing/arbitraries/payment-plans.ts';
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MILLISECONDS, SEED_TITLE } from '../testing/arbitraries/property-runs.ts';
import {
  followFleet,
  toFleetTable,
  type FollowedFleet,
  type FollowedMachine,
} from '../testing/fixtures/followed-fleet.ts';
import { buildFleet, FLEET_SOURCES, type Fleet } from '../testing/fixtures/paid-fleet.ts';
import { listClaims, replayFleetMachine } from '../testing/fixtures/replayed-fleet.ts';
import type { VerdictReplay } from '../cli/replay/replay-verdicts.ts';
import { convertTokens } from '../src/domain/rating/paid/flows.ts';
import { readMovements } from '../src/domain/rating/paid/token-movements.ts';
import { VERDICTS, type VerdictCode } from '../src/domain/rating/verdict.ts';

/** A fleet has some thirty verdicts. */
const FLEETS = { ...PROPERTY_RUNS, unbiased: true, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) };
const FEW_FLEETS = { ...FLEETS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) };
const TIMEOUT = { timeout: PROPERTY_TIMEOUT_MILLISECONDS };
/** Number of fleets in which each code occurs at least once; on average it occurs more than ten times. */
const FLEETS_PER_CODE = 25;

/** Lists the code of each event that has a verdict at the service, and fails where the second implementation makes another one. */
async function requireSameVerdicts(fleet: Fleet, { machines }: FollowedFleet): Promise<readonly VerdictCode[]> {
  const codes: VerdictCode[] = [];
  for (const machine of fleet.machines) {
    const held = machines.get(machine.id)!;
    const replay = await replayFleetMachine(fleet, machine, held);
    expect(replay.differences).toEqual([]);
    expect(held.claims).toEqual(replay.claims.map(toStoredClaim));
    requirePendingInOrder(held, replay.ahead);
    const stored = new Map(held.verdicts.map(({ seq, code }) => [seq, code]));
    expect([...stored.keys()].filter((seq) => !replay.verdicts.has(BigInt(seq)))).toEqual([]);
    for (const seq of replay.verdicts.keys()) {
      codes.push(stored.get(Number(seq)) ?? (Number(seq) < (held.citedSeq ?? 0) ? 'declared' : 'pending'));
    }
  }
  return codes;
}

/** Requires that a decided citation waits only behind one of the same source that is pending for the second implementation too. */
function requirePendingInOrder({ verdicts }: FollowedMachine, ahead: readonly bigint[]): void {
  const isAhead = new Set(ahead.map(Number));
  for (const { seq, source } of verdicts.filter((each) => isAhead.has(each.seq))) {
    const waitsFor = verdicts.find((each) => each.source === source && each.code === 'pending')!;
    expect([waitsFor.seq < seq, isAhead.has(waitsFor.seq)]).toEqual([true, false]);
  }
}

function toStoredClaim({ account, owner, since, seq, end }: VerdictReplay['claims'][number]) {
  return {
    ...{ account, owner, since: Number(since), seq: Number(seq) },
    end: end && { at: Number(end.at), seq: Number(end.before) },
  };
}

/** Sums the paid cents of each machine by transaction and token, and fails where they exceed the worth of a payment. */
function sumPaid(fleet: Fleet, { machines }: FollowedFleet): ReadonlyMap<string, number> {
  const paid = new Map<string, number>();
  for (const { id } of fleet.machines) {
    const own = new Map<string, number>();
    for (const { seq, source, token, paidCents, worthCents } of machines.get(id)!.verdicts) {
      if (paidCents === 0) continue;
      const key = `${source} ${referenceOf(fleet, id, seq)} ${token}`;
      own.set(key, (own.get(key) ?? 0) + paidCents);
      expect(own.get(key)).toBeLessThanOrEqual(worthCents!);
    }
    for (const [key, cents] of own) paid.set(key, (paid.get(key) ?? 0) + cents);
  }
  return paid;
}

/** Returns the transaction that an event cites, as the ledger names it. */
function referenceOf({ events }: Fleet, id: Fleet['machines'][number]['id'], seq: number): string {
  const { record } = events.get(id)![seq]!;
  if (record.sourceChainId === FLEET_SOURCES.evm.id) return record.sourceTxHash;
  return (JSON.parse(Buffer.from(record.metadata.slice(2), 'hex').toString()) as { sig: string }).sig;
}

describe('verdicts of a fleet', () => {
  it(`equal those of the second implementation, and every code occurs (${SEED_TITLE})`, TIMEOUT, async () => {
    const codes: VerdictCode[] = [];
    await fc.assert(
      fc.asyncProperty(paymentPlans, async (plan) => {
        const fleet = buildFleet(plan);
        codes.push(...(await requireSameVerdicts(fleet, await followFleet(fleet))));
      }),
      FLEETS,
    );
    const counts = Object.fromEntries(VERDICTS.map((code) => [code, codes.filter((each) => each === code).length]));
    const least = Math.floor(FLEETS.numRuns / FLEETS_PER_CODE);
    expect(Object.entries(counts).filter(([, count]) => count < least)).toEqual([]);
  });

  it(`property 9: change only from pending, whatever was down when (${SEED_TITLE})`, TIMEOUT, async () => {
    let decidedEarly = 0;
    await fc.assert(
      fc.asyncProperty(paymentPlans, outages, async (plan, down) => {
        const fleet = buildFleet(plan);
        const [atOnce, disturbed] = [await followFleet(fleet), await followFleet(fleet, down)];
        expect(disturbed.machines).toEqual(atOnce.machines);
        for (const { id, verdict } of disturbed.early) {
          expect(atOnce.machines.get(id)!.verdicts).toContainEqual(verdict);
        }
        decidedEarly += disturbed.early.length;
      }),
      FEW_FLEETS,
    );
    expect(decidedEarly).toBeGreaterThan(FEW_FLEETS.numRuns);
  });

  it(
    `property 10: count no more than the payees of all machines got, and no account for two machines (${SEED_TITLE})`,
    TIMEOUT,
    async () => {
      await fc.assert(
        fc.asyncProperty(paymentPlans, async (plan) => {
          const fleet = buildFleet(plan);
          const rates = toFleetTable(fleet, fleet.ratedThrough);
          const claimed = new Set(
            fleet.machines.flatMap((each) => listClaims(fleet, each).map(({ account }) => account)),
          );
          for (const [key, cents] of sumPaid(fleet, await followFleet(fleet))) {
            const [name, reference, token] = key.split(' ') as [string, string, string];
            const { kind, tokens } = Object.values(FLEET_SOURCES).find((source) => source.name === name)!;
            const transaction = fleet.ledgers[kind].transactions.get(reference)!;
            const movements = readMovements(transaction, tokens);
            if (typeof movements === 'string') throw new Error('a paid transaction has its movements');
            const got = [...movements.get(token)!].filter(([address, net]) => claimed.has(address) && net > 0n);
            const units = got.reduce((sum, [, net]) => sum + net, 0n);
            expect(cents).toBeLessThanOrEqual(convertTokens(token, units, transaction.time, rates) as number);
          }
        }),
        FEW_FLEETS,
      );
    },
  );

  it(`property 11: lower no score by claims, transfers and events of strangers (${SEED_TITLE})`, TIMEOUT, async () => {
    await fc.assert(
      fc.asyncProperty(paymentPlans, strangersActs, async (plan, strangers) => {
        const alone = await followFleet(buildFleet(plan));
        const beside = await followFleet(buildFleet(plan, strangers));
        for (const [id, machine] of alone.machines) expect(beside.machines.get(id)).toEqual(machine);
      }),
      FEW_FLEETS,
    );
  });
});
