/**
 * Which machines does an operator have, and what is each worth? (`GET /operator/{did}/machines` of the interface.)
 * The index chooses and says how old it is; each machine is then read from the chain.
 */
import { Fault, type UnreadableCause } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers.ts';
import { judgeIndexFreshness, type IndexFreshness } from '../domain/index-freshness.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { ShownMachine } from './alt-machine-rating.ts';
import { getRating } from './machines.ts';

export interface FleetPage {
  readonly machines: readonly ShownMachine[];
  readonly total: number;
  /** Machines of this page that could not be read. */
  readonly unreadableCount: number;
  readonly index: Extract<IndexFreshness, { kind: 'fresh' }>;
}

/** What is wrong with one machine; every other cause is wrong with the chain, and no page can be made at all. */
const CAUSES_OF_ONE_MACHINE: ReadonlySet<UnreadableCause> = new Set(['undecodable', 'contradiction', 'events']);

/**
 * Throws `OperatorIndexSyncing`, `OperatorIndexStale`, `ServiceNotInitialised`, `StoreUnavailable`, and `ChainUnreadable` when the
 * chain as a whole cannot be read.
 */
export async function listFleet(ctx: Ctx, operator: Address, offset: number, limit: number): Promise<FleetPage> {
  const { main } = ctx;
  if (main === undefined) throw new Fault('ServiceNotInitialised', {});
  const head = await main.index.readMainChainIndex();
  const { indexedBlock, total, ids } = await ctx.store.listHoldings(operator, offset, limit);
  const now = ctx.clock.nowMilliseconds();
  const index = judgeIndexFreshness({ ...head, indexedBlock }, now, ctx.pollIntervalSeconds);
  if (index.kind === 'stale') throw new Fault('OperatorIndexStale', { ageSeconds: index.headObservedAgeSeconds });
  if (index.kind === 'syncing') {
    throw new Fault('OperatorIndexSyncing', { indexedBlock: index.indexedBlock, headBlock: index.headBlock });
  }
  // In one tick, so that all of them share one multicall.
  const entries = await Promise.all(ids.map((id) => readEntry(ctx, id)));
  return {
    machines: entries.filter((entry) => typeof entry === 'object'),
    total,
    unreadableCount: entries.filter((entry) => entry === 'unreadable').length,
    index,
  };
}

/** `gone`: not here any more, though the index has not seen it leave. */
async function readEntry(ctx: Ctx, id: MachineId): Promise<ShownMachine | 'gone' | 'unreadable'> {
  try {
    return await getRating(ctx, id);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return judgeFault(error);
  }
}

function judgeFault(fault: Fault): 'gone' | 'unreadable' {
  switch (fault.kind) {
    case 'MachineAbsent':
    case 'MachineHomedElsewhere':
      return 'gone';
    case 'MachineRelocating':
    case 'EventIndexSyncing':
      return 'unreadable';
    case 'ChainUnreadable':
      if (CAUSES_OF_ONE_MACHINE.has((fault as Fault<'ChainUnreadable'>).context.cause)) return 'unreadable';
  }
  throw fault;
}
