/**
 * Observes the values of a machine that changes are made of (docs/decisions/changes.md): facts of a final block, the opt-in decision in
 * force, and what follows from them at the current second.
 */
import { ABSENT_VALUES, type ObservedValues } from '../domain/changes/machine-change.ts';
import { nextBondBoundary } from '../domain/machine/bond.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { RatedFigures } from '../domain/machine/machine-directory.ts';
import { judgeVerifyStatus, type AttestationRecord } from '../domain/evidence/verify-status.ts';
import type { BlockId, DeploymentFacts, MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { findOperator, readAttestations } from '../domain/machine/operator-kyb.ts';
import { judgeFlag, nextFlagChange } from '../domain/rating/negative-flag.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { Ctx } from '../ports/ctx.ts';
import { rateAltMachine, readAltKyb } from './alt-machine-rating.ts';
import { isServing } from '../domain/index-rules/index-freshness.ts';
import { findMachine, judgeFacts, requireMain, type FoundAltMachine } from './find-machine.ts';
import { isBehind, rateSnapshot, type RatedSnapshot } from './machine-rating.ts';
import { watchFacts } from './refused-ratings.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';

export interface MachineObservation {
  readonly values: ObservedValues;
  readonly home: 'main' | 'alt' | 'absent';
  /** First second at which a value other than the rating may change by time alone; undefined without one. */
  readonly changesAt: number | undefined;
  /** Figures of the rating for the directory; left out where it could not be determined. */
  readonly figures?: RatedFigures | undefined;
}

const ABSENT: MachineObservation = { values: ABSENT_VALUES, home: 'absent', changesAt: undefined };
/** Delay of the next observation when a period has ended by the clock but not at the final block. */
const FINALITY_RETRY_SECONDS = 30;

/**
 * Observes the machine at the block. Throws what a rating throws while a fact cannot be read or the machine relocates; a machine that is
 * homed elsewhere is absent.
 */
export async function observeMachine(ctx: Ctx, id: MachineId, block: BlockId): Promise<MachineObservation> {
  try {
    const { chain } = requireMain(ctx);
    const facts = await chain.readMachineAt(id, block);
    const home = await watchFacts(ctx, facts, () => judgeFacts(ctx, facts));
    if (home === 'main') return await observeMain(ctx, facts.snapshot, facts.deployment);
    if (ctx.alt === undefined) return ABSENT;
    const { alt } = await findMachine(ctx, id, { firstEvents: false });
    // Its token is on the main chain already, but not at the final block.
    if (alt === undefined) throw new Fault('MachineRelocating', {});
    return await observeAlt(ctx, alt, facts.snapshot, facts.deployment);
  } catch (error) {
    const isAbsent =
      error instanceof Fault && (error.kind === 'MachineAbsent' || error.kind === 'MachineHomedElsewhere');
    if (isAbsent) return ABSENT;
    throw error;
  }
}

/** Returns the final block up to which the index is stored; undefined while the index is behind or out of date. */
export async function readFinalBlock(ctx: Ctx): Promise<BlockId | undefined> {
  const status = await requireMain(ctx).index.readMainChainIndex();
  const checkpoint = await ctx.store.readMainChainCheckpoint();
  const isReady = isServing(status, ctx.clock.nowMilliseconds(), ctx.pollIntervalSeconds);
  if (!isReady || checkpoint === undefined) return undefined;
  return { number: checkpoint.blockNumber, hash: checkpoint.blockHash };
}

async function observeMain(
  ctx: Ctx,
  snapshot: MachineSnapshot,
  deployment: DeploymentFacts,
): Promise<MachineObservation> {
  const rated = await rateSnapshot(ctx, requireMain(ctx), snapshot);
  const attested = readAttestations(snapshot, findOperator(snapshot));
  return {
    ...(await observeShared(ctx, rated, deployment, { kyb: attested?.kyb, chip: attested?.chip })),
    home: 'main',
  };
}

async function observeAlt(
  ctx: Ctx,
  alt: FoundAltMachine,
  snapshot: MachineSnapshot,
  deployment: DeploymentFacts,
): Promise<MachineObservation> {
  const rated = await rateAltMachine(ctx, alt, snapshot);
  const kyb = await readAltKyb(ctx, alt, snapshot);
  const shared = await observeShared(ctx, rated, deployment, { kyb, chip: undefined });
  const { owner, operator } = alt.machine;
  const values = { ...shared.values, owner, operator: operator ?? null };
  return isBehind(rated)
    ? { ...shared, home: 'alt', values: { ...values, rating: undefined }, figures: undefined }
    : { ...shared, home: 'alt', values };
}

interface Attested {
  readonly kyb: AttestationRecord | undefined;
  readonly chip: AttestationRecord | undefined;
}

async function observeShared(
  ctx: Ctx,
  { snapshot, rating }: RatedSnapshot,
  deployment: DeploymentFacts,
  { kyb, chip }: Attested,
): Promise<Pick<MachineObservation, 'values' | 'changesAt' | 'figures'>> {
  const decision = await ctx.store.readDecision(snapshot.id);
  const now = requireTrustedSeconds(ctx, snapshot.block);
  const flaggedAt = unwrapOptional(snapshot.flags)?.flaggedAt ?? 0n;
  const bondEndsAt = nextBondBoundary(snapshot, deployment);
  const changes = [nextFlagChange(flaggedAt, now), kyb?.expiresAt, chip?.expiresAt]
    .filter((change) => change !== undefined && change > now)
    .map(Number);
  if (bondEndsAt !== undefined) changes.push(Math.max(Number(bondEndsAt), now + FINALITY_RETRY_SECONDS));
  return {
    values: {
      owner: unwrapOptional(snapshot.owner) ?? null,
      operator: unwrapOptional(snapshot.operator) ?? null,
      bond: unwrap(snapshot.subscriptionStatus),
      flag: judgeFlag(flaggedAt, now),
      kyb: judgeVerifyStatus(kyb, now),
      chip: judgeVerifyStatus(chip, now),
      'opt-in': decision === undefined ? 'PENDING' : decision.optedIn ? 'OPTED_IN' : 'OPTED_OUT',
      rating: rating.letter,
    },
    changesAt: changes.length === 0 ? undefined : Math.min(...changes),
    figures: {
      score: rating.score,
      revenueCents: rating.totalRevenueCents,
      eventCount: rating.eventCount,
      lastEventAt: rating.lastUpdated ?? undefined,
    },
  };
}
