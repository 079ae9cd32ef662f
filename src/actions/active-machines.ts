/**
 * Lists recently active machines with their ratings (decisions 4). The event indexes select them, and their progress is reported; each
 * machine is then read from its chain.
 */
import { mergeActive, type ActiveMachine } from '../domain/machine/active-machine.ts';
import { Fault } from '../domain/faults.ts';
import type { Ctx } from '../ports/ctx.ts';
import { rateAltMachine } from './alt-machine-rating.ts';
import { classifyFault } from './fleet.ts';
import { findMachine, requireMain } from './find-machine.ts';
import { rateSnapshot, type RatedSnapshot } from './machine-rating.ts';
import { getIndexReports, type IndexReports } from './health.ts';

export interface ActiveMachineSummary extends ActiveMachine {
  readonly shown: RatedSnapshot;
}

export interface ActiveMachineList {
  /** Newest event first. */
  readonly machines: readonly ActiveMachineSummary[];
  /** Number of machines that belong in the list but could not be read. */
  readonly unreadableCount: number;
  readonly indexes: IndexReports;
}

/** Returns at most `limit` machines. Throws `ServiceNotInitialised`, `StoreUnavailable`, and `ChainUnreadable` when the main chain cannot be read. */
export async function listActiveMachines(ctx: Ctx, limit: number): Promise<ActiveMachineList> {
  const main = requireMain(ctx);
  const { store, alt } = ctx;
  const [indexes, mainList, altList] = await Promise.all([
    // Throws where the stored index belongs to another chain: nothing of it is served.
    getIndexReports(ctx, main),
    store.listActiveMachines(limit),
    alt === undefined ? [] : store.listActiveAltMachines(limit),
  ]);
  // In one tick, so that all reads share one multicall.
  const entries = await Promise.all(mergeActive([mainList, altList], limit).map((machine) => readEntry(ctx, machine)));
  return {
    machines: entries.filter((entry) => typeof entry === 'object'),
    unreadableCount: entries.filter((entry) => entry === 'unreadable').length,
    indexes,
  };
}

/** Reads one entry. `gone`: the machine is no longer here. */
async function readEntry(ctx: Ctx, active: ActiveMachine): Promise<ActiveMachineSummary | 'gone' | 'unreadable'> {
  try {
    const { main, snapshot, alt } = await findMachine(ctx, active.id, { firstEvents: false });
    const shown = await (alt === undefined ? rateSnapshot(ctx, main, snapshot) : rateAltMachine(ctx, alt, snapshot));
    return { ...active, shown };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return classifyFault(error);
  }
}
