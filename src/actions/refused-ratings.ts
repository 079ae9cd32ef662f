/**
 * Machines of the main chain that this process cannot rate although its index is up to date: their logs do not agree with the contracts,
 * are not proven where they must be, or wait for the fold. `/status` is not fresh while there are any.
 */
import { setBounded } from '../domain/bounded-map.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import { isServing } from '../domain/index-rules/index-freshness.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';

interface Refusal {
  readonly sinceMilliseconds: number;
  readonly lastMilliseconds: number;
}

/** A shorter refusal is a node of a pool that is ahead of another one, or a repair. */
const MIN_REFUSED_MILLISECONDS = 10_000;
/** The worker of changes reads a refused machine again every minute, whether or not it is requested. */
const MAX_AGE_MILLISECONDS = 120_000;
const MAX_REMEMBERED = 10_000;

const createRefusals = () => new Map<MachineId, Refusal>();

/** Returns what the read of the machine's history returns or throws, and remembers a refusal until the next read succeeds. */
export async function watchRefusals<T>(ctx: Ctx, main: MainChainPorts, id: MachineId, reading: Promise<T>): Promise<T> {
  const refusals = ctx.actionState.of(createRefusals);
  try {
    const history = await reading;
    refusals.delete(id);
    return history;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'EventIndexSyncing' && (await isUpToDate(ctx, main))) {
      remember(refusals, id, ctx.clock.nowMilliseconds());
    }
    throw error;
  }
}

/** Returns the number of machines that have been refused for more than a moment, and still were within the last two minutes. */
export function countRefusedMachines(ctx: Ctx): number {
  const refusals = ctx.actionState.of(createRefusals);
  const now = ctx.clock.nowMilliseconds();
  for (const [id, { lastMilliseconds }] of refusals) if (isOld(lastMilliseconds, now)) refusals.delete(id);
  const isLong = ({ sinceMilliseconds, lastMilliseconds }: Refusal) =>
    lastMilliseconds - sinceMilliseconds >= MIN_REFUSED_MILLISECONDS;
  return refusals.values().filter(isLong).toArray().length;
}

/** While the index is behind, every machine may be refused, and `/status` says so. */
async function isUpToDate({ clock, pollIntervalSeconds }: Ctx, { index }: MainChainPorts): Promise<boolean> {
  try {
    return isServing(await index.readMainChainIndex(), clock.nowMilliseconds(), pollIntervalSeconds);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

function remember(refusals: Map<MachineId, Refusal>, id: MachineId, now: number): void {
  const known = refusals.get(id);
  const isKnown = known !== undefined && !isOld(known.lastMilliseconds, now);
  const sinceMilliseconds = isKnown ? known.sinceMilliseconds : now;
  setBounded(refusals, id, { sinceMilliseconds, lastMilliseconds: now }, MAX_REMEMBERED);
}

const isOld = (milliseconds: number, now: number) => Math.abs(now - milliseconds) > MAX_AGE_MILLISECONDS;
