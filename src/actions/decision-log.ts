/**
 * Decision log of a machine (design/provable 2): its pages, and how long its rows are retained. The log is served from the database alone, so
 * that it can be read when no chain responds and when the machine no longer exists.
 */
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { signLogHead, type SignedLogHead } from '../domain/monetization/decision-log-head.ts';
import { PUBLICATION_SECONDS } from '../domain/monetization/decision-log.ts';
import type { BlockRef } from '../domain/machine/machine-facts.ts';
import type { TrustedSeconds } from '../domain/clock/clock-judgement.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { DecisionRetention, LoggedDecision } from '../ports/store.ts';
import { findMachine, requireMain } from './find-machine.ts';
import { findStatementSigner } from './statement.ts';
import { readTrustedSeconds } from './trusted-clock.ts';

/** Rows of this age may be pruned. */
const RETAINED_SECONDS = 30 * 86_400;
/** Rows of a machine that are retained whatever their age. */
const RETAINED_ROWS = 500;

export interface DecisionLogQuery {
  /** Unix second of the newest row of the page. */
  readonly cursor: number;
  readonly limit: number;
}

export interface ShownDecision {
  readonly decision: LoggedDecision;
  readonly isSignaturePublished: boolean;
}

export interface DecisionLog {
  readonly id: MachineId;
  /** Newest first. */
  readonly decisions: readonly ShownDecision[];
  readonly head: string | undefined;
  /** Cursor of the next page; undefined: this page ends with the oldest row. */
  readonly nextCursor: number | undefined;
  /** Signed head of the rows before the oldest one; undefined on every page but the last. */
  readonly checkpoint: SignedLogHead | undefined;
  /** Block at which a machine without decisions was found. */
  readonly block: BlockRef | undefined;
}

/**
 * Returns one page of the log. A machine without decisions must exist. Throws `ServiceNotInitialised`, `StoreUnavailable`, and what every read
 * throws for a machine without decisions.
 */
export async function getDecisionLog(
  ctx: Ctx,
  id: MachineId,
  { cursor, limit }: DecisionLogQuery,
): Promise<DecisionLog> {
  requireMain(ctx);
  const page = await ctx.store.listDecisions(id, { through: cursor, limit: limit + 1 });
  const isEmpty = page.decisions.length === 0 && page.head === undefined;
  const block = isEmpty ? (await findMachine(ctx, id, { firstEvents: false })).snapshot.block : undefined;
  const now = readTrustedSeconds(ctx);
  const nextCursor = page.decisions[limit]?.timestamp;
  return {
    id,
    decisions: page.decisions.slice(0, limit).map((decision) => ({
      decision,
      isSignaturePublished: now !== undefined && now >= decision.timestamp + PUBLICATION_SECONDS,
    })),
    head: page.head,
    nextCursor,
    checkpoint: nextCursor === undefined ? page.checkpoint : undefined,
    block,
  };
}

/** Returns what may be pruned now; undefined while no statement key may sign a checkpoint. */
export async function findRetention(
  ctx: Ctx,
  id: MachineId,
  now: TrustedSeconds,
): Promise<DecisionRetention | undefined> {
  const signer = await findStatementSigner(ctx);
  return (
    signer && {
      from: now - RETAINED_SECONDS,
      newest: RETAINED_ROWS,
      sign: (pruned) => signLogHead({ machineId: String(id), ...pruned, signedAt: now }, signer.domain, signer.key),
    }
  );
}
