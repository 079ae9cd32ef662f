/**
 * Machines that this process cannot rate although the index of their chain is up to date: their logs do not agree with the contracts, are
 * not proven where they must be or wait for the fold, or their records cannot be read. `/status` is not fresh while there are any.
 */
import { setBounded } from '../domain/bounded-map.ts';
import { CAUSES_OF_ONE_MACHINE, Fault, type ChainName } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { isObservationFresh, isServing, judgeObservationAge } from '../domain/index-rules/index-freshness.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { CachedMachine } from '../ports/main-chain.ts';
import { chain, type MaybePromise } from './maybe-async.ts';

/** Legacy machines have ids of their own. */
type RatedKey = MachineId | `legacy ${MachineId}`;

interface Refusal {
  /** Chain whose facts are the reason. */
  readonly chain: ChainName;
  readonly sinceMilliseconds: number;
  readonly lastMilliseconds: number;
}

/** A shorter refusal is a node of a pool that is ahead of another one, or a repair. */
const MIN_REFUSED_MILLISECONDS = 10_000;
/** The worker of changes reads a refused machine again every minute, whether or not it is requested. */
const MAX_AGE_MILLISECONDS = 120_000;
const MAX_REMEMBERED = 10_000;

const createRefusals = () => new Map<RatedKey, Refusal>();

/** Returns what `rate` returns or throws for an existing machine, and remembers a refusal until the machine is rated. */
export function watchRating<T>(ctx: Ctx, key: RatedKey, rate: () => MaybePromise<T>): MaybePromise<T> {
  const refusals = ctx.actionState.of(createRefusals);
  return chain(watchRefusal(ctx, key, rate), (rating) => {
    refusals.delete(key);
    return rating;
  });
}

/**
 * Returns what `read` returns or throws. Remembers a refusal where the main chain names a home that is served here: any other id may be
 * made up by a caller.
 */
export function watchFacts<T>(ctx: Ctx, facts: CachedMachine, read: () => MaybePromise<T>): MaybePromise<T> {
  const { id, owner, homeOrdinal } = facts.snapshot;
  const served = [facts.deployment.localOrdinal, ctx.alt?.chain.ordinal];
  const isHome = homeOrdinal.state === 'present' && served.includes(homeOrdinal.value);
  return owner.state === 'present' || isHome ? watchRefusal(ctx, id, read) : read();
}

/** Returns the number of machines, by chain, that have been refused for more than a moment, and still were within the last two minutes. */
export function countRefusedMachines(ctx: Ctx): Readonly<Record<ChainName, number>> {
  const refusals = ctx.actionState.of(createRefusals);
  const now = ctx.monotonicClock.nowMilliseconds();
  const counts = { main: 0, alt: 0 };
  for (const [key, { chain: reason, sinceMilliseconds, lastMilliseconds }] of refusals) {
    if (isOld(lastMilliseconds, now)) refusals.delete(key);
    else if (lastMilliseconds - sinceMilliseconds >= MIN_REFUSED_MILLISECONDS) counts[reason]++;
  }
  return counts;
}

function watchRefusal<T>(ctx: Ctx, key: RatedKey, read: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = read();
    return value instanceof Promise ? value.catch((error: unknown) => rememberAndThrow(ctx, key, error)) : value;
  } catch (error) {
    if (findReason(error) === undefined) throw error;
    return rememberAndThrow(ctx, key, error);
  }
}

async function rememberAndThrow(ctx: Ctx, key: RatedKey, error: unknown): Promise<never> {
  const reason = findReason(error);
  if (reason !== undefined && (await isUpToDate(ctx, reason))) remember(ctx, key, reason);
  throw error;
}

/** Returns the chain whose facts about this one machine are the reason; undefined for a failure that any machine may have. */
function findReason(error: unknown): ChainName | undefined {
  if (!(error instanceof Fault)) return undefined;
  if (error.kind === 'EventIndexSyncing') return 'main';
  if (error.kind !== 'ChainUnreadable') return undefined;
  const { chain: reason, cause } = error.context;
  return CAUSES_OF_ONE_MACHINE.has(cause) ? reason : undefined;
}

/** While the index is behind, every machine may be refused, and `/status` says so. */
async function isUpToDate({ main, alt, clock, pollIntervalSeconds }: Ctx, reason: ChainName): Promise<boolean> {
  try {
    if (reason === 'main') {
      return (
        main !== undefined &&
        isServing(await main.index.readMainChainIndex(), clock.nowMilliseconds(), pollIntervalSeconds)
      );
    }
    const status = await alt?.index.readStatus();
    const ageSeconds = judgeObservationAge(status?.observedAtMilliseconds, clock.nowMilliseconds());
    return status?.isReady === true && isObservationFresh(ageSeconds, pollIntervalSeconds);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

function remember(ctx: Ctx, key: RatedKey, reason: ChainName): void {
  const refusals = ctx.actionState.of(createRefusals);
  const now = ctx.monotonicClock.nowMilliseconds();
  const known = refusals.get(key);
  const isKnown = known !== undefined && !isOld(known.lastMilliseconds, now);
  const sinceMilliseconds = isKnown ? known.sinceMilliseconds : now;
  setBounded(refusals, key, { chain: reason, sinceMilliseconds, lastMilliseconds: now }, MAX_REMEMBERED);
}

const isOld = (milliseconds: number, now: number) => now - milliseconds > MAX_AGE_MILLISECONDS;
