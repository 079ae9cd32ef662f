/**
 * Lists an operator's machines with their ratings (`GET /operator/{did}/machines` of the interface).
 * The index of the main chain and the snapshot of the alt chain select them and report their age; each machine is then read from its chain.
 */
import { formatAltFleetIdentity, type SlotObservation } from '../domain/alt-chain/alt-fleet.ts';
import { CAUSES_OF_ONE_MACHINE, Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import {
  isObservationFresh,
  judgeIndexFreshness,
  judgeObservationAge,
  type IndexFreshness,
  type IndexProgress,
} from '../domain/index-rules/index-freshness.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { FleetListing, FleetRow } from '../ports/alt-store.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { CachedMachine } from '../ports/main-chain.ts';
import type { ListStore } from '../ports/store.ts';
import { rateAltMachine, summarizeAltMachine, type MachineSummary } from './alt-machine-rating.ts';
import { findMachine, readMainFacts, requireMain, type FindOptions, type FoundAltMachine } from './find-machine.ts';
import { rateSnapshot, type RatedSnapshot } from './machine-rating.ts';

export type FreshIndex = Extract<IndexFreshness, { kind: 'fresh' }>;

export interface FleetPage {
  readonly machines: readonly MachineSummary[];
  readonly total: number;
  /**
   * Number of machines of this page that could not be read, plus those that may belong to any page: unreadable rows of the operator's
   * snapshot, and machines on both chains that the main chain may not hold.
   */
  readonly unreadableCount: number;
  readonly index: FreshIndex;
  /** Undefined: no alt chain is configured. */
  readonly altSnapshotAgeSeconds: number | undefined;
}

/** Page on which every machine is rated, those of the alt chain too. */
export interface RatedFleetPage extends Omit<FleetPage, 'machines'> {
  readonly machines: readonly RatedSnapshot[];
  /** Machines of this page that could not be read. */
  readonly unreadableIds: readonly MachineId[];
}

const FACTS_OF_ENTRY: FindOptions = { firstEvents: false };

/** Limit for the machines of a listing that are on both chains: each is there only while it returns to the main chain. */
const MAX_ON_BOTH = 100;

/** Reads a machine of the alt chain for an entry. */
type ReadAlt<T> = (ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot) => T | Promise<T>;

/**
 * Returns one page. Throws `OperatorIndexSyncing`, `OperatorIndexStale`, `OwnershipIndexRepairing`, `AltSnapshotOutOfDate`,
 * `ServiceNotInitialised`, `StoreUnavailable`, and `ChainUnreadable` when the main chain as a whole cannot be read.
 */
export async function listFleet(ctx: Ctx, operator: Address, offset: number, limit: number): Promise<FleetPage> {
  return readPage<MachineSummary>(ctx, operator, offset, limit, summarizeAltMachine);
}

/** Returns one page with every machine rated. Throws as `listFleet`. */
export async function listRatedFleet(
  ctx: Ctx,
  operator: Address,
  offset: number,
  limit: number,
): Promise<RatedFleetPage> {
  return readPage<RatedSnapshot>(ctx, operator, offset, limit, rateAltMachine);
}

async function readPage<T extends object>(
  ctx: Ctx,
  operator: Address,
  offset: number,
  limit: number,
  readAlt: ReadAlt<T>,
) {
  const main = requireMain(ctx);
  const head = await main.index.readMainChainIndex();
  const { indexedBlock, tokens, observation, unreadableRows, onBoth, total, machines } = await readListing(
    ctx,
    head,
    (store) => listBoth(ctx, store, operator, offset, limit),
  );
  const now = ctx.clock.nowMilliseconds();
  const index = requireFreshIndex(ctx, { ...head, indexedBlock });
  const altSnapshotAgeSeconds = ctx.alt && requireFreshSnapshot(ctx, observation, now);
  // In one tick, so that all reads share one multicall and one call to the alt chain.
  const [, ofBoth, ...entries] = await Promise.all([
    main.counters.checkTokens(operator, tokens!),
    Promise.all(onBoth.slice(0, MAX_ON_BOTH).map((id) => confirmReturned(ctx, main, id))),
    ...machines.map((machine) => readEntry(ctx, { operator, listedAtSlot: observation?.slot }, machine, readAlt)),
  ]);
  const unreadableIds = machines.filter((_, i) => entries[i] === 'unreadable').map(({ id }) => id);
  return {
    machines: entries.filter((entry): entry is Awaited<T | RatedSnapshot> => typeof entry === 'object'),
    total,
    unreadableIds,
    unreadableCount: unreadableRows + ofBoth.filter((each) => each === 'unreadable').length + unreadableIds.length,
    index,
    altSnapshotAgeSeconds,
  };
}

/** Returns the freshness of the index. Throws `OperatorIndexSyncing`, `OperatorIndexStale`. */
export function requireFreshIndex({ clock, pollIntervalSeconds }: Ctx, progress: IndexProgress): FreshIndex {
  const index = judgeIndexFreshness(progress, clock.nowMilliseconds(), pollIntervalSeconds);
  if (index.kind === 'stale') throw new Fault('OperatorIndexStale', { ageSeconds: index.headObservedAgeSeconds });
  if (index.kind === 'syncing') {
    throw new Fault('OperatorIndexSyncing', { indexedBlock: index.indexedBlock, headBlock: index.headBlock });
  }
  return index;
}

/** Reads from the replica if it is fresh, judged by the head in the primary store; else from the primary. */
async function readListing(
  ctx: Ctx,
  head: IndexProgress,
  list: (store: ListStore) => Promise<FleetListing>,
): Promise<FleetListing> {
  const fromReplica = await ctx.readReplica?.tryReplica(list, (listing) => isUpToDate(ctx, head, listing));
  return fromReplica ?? list(ctx.store);
}

function isUpToDate(ctx: Ctx, head: IndexProgress, { indexedBlock, observation }: FleetListing): boolean {
  const now = ctx.clock.nowMilliseconds();
  const index = judgeIndexFreshness({ ...head, indexedBlock }, now, ctx.pollIntervalSeconds);
  const age = judgeObservationAge(observation?.observedAtMilliseconds, now);
  return index.kind === 'fresh' && (ctx.alt === undefined || isObservationFresh(age, ctx.pollIntervalSeconds));
}

async function listBoth(
  { alt }: Ctx,
  store: ListStore,
  operator: Address,
  offset: number,
  limit: number,
): Promise<FleetListing> {
  if (alt !== undefined) return store.listFleet(formatAltFleetIdentity(alt.chain), operator, offset, limit);
  const { ids, ...page } = await store.listOwnership(operator, offset, limit);
  const machines = ids.map((id): FleetRow => ({ id, listedBy: 'main' }));
  return { ...page, observation: undefined, unreadableRows: 0, onBoth: [], machines };
}

/** Returns the age of the fleet snapshot in seconds. Throws `AltSnapshotOutOfDate`. */
export function requireFreshSnapshot(ctx: Ctx, observation: SlotObservation | undefined, now: number): number {
  const ageSeconds = judgeObservationAge(observation?.observedAtMilliseconds, now);
  if (isObservationFresh(ageSeconds, ctx.pollIntervalSeconds)) return ageSeconds;
  throw new Fault('AltSnapshotOutOfDate', {});
}

/** The list whose entries are read. */
interface Listing {
  readonly operator: Address;
  /** Slot of the alt chain's snapshot; undefined without an alt chain. */
  readonly listedAtSlot: number | undefined;
}

/** Reads one entry. `gone`: no longer here, although the listing has not seen it leave. */
async function readEntry<T extends object>(
  ctx: Ctx,
  listing: Listing,
  row: FleetRow,
  readAlt: ReadAlt<T>,
): Promise<T | RatedSnapshot | 'gone' | 'unreadable'> {
  return replaceFault(async () => (await readIfHere(ctx, listing, row, readAlt)) ?? confirmGone(ctx, listing, row));
}

/** Replaces a fault of one machine by what it makes of its entry. */
async function replaceFault<T>(read: () => Promise<T>): Promise<T | 'gone' | 'unreadable'> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return classifyFault(error);
  }
}

/** Returns undefined for a machine that is not here, or not the operator's. */
async function readIfHere<T extends object>(
  ctx: Ctx,
  { operator }: Listing,
  { id, listedBy }: FleetRow,
  readAlt: ReadAlt<T>,
): Promise<T | RatedSnapshot | 'gone' | 'unreadable' | undefined> {
  try {
    const { main, snapshot, deployment, alt } = await findMachine(ctx, id, FACTS_OF_ENTRY);
    if (alt !== undefined) return alt.machine.operator === operator ? await readAlt(ctx, alt, snapshot) : undefined;
    if (listedBy === 'main') return await rateSnapshot(ctx, main, snapshot);
    // A machine that returned to the main chain is in the list of its holder there.
    return await confirmMoved(main, { snapshot, deployment });
  } catch (error) {
    if (!(error instanceof Fault) || classifyFault(error) !== 'gone') throw error;
    return listedBy === 'alt' && error.kind === 'MachineHomedElsewhere' ? 'gone' : undefined;
  }
}

/**
 * Requires that the main chain holds a machine that both chains list, or has followed it leave since. Else a node has hidden its departure
 * from the index, and the page lacks it. `unreadable`: the page may lack it. Throws `OwnershipIndexRepairing`, `ChainUnreadable`.
 */
async function confirmReturned(ctx: Ctx, main: MainChainPorts, id: MachineId): Promise<'here' | 'gone' | 'unreadable'> {
  return replaceFault(async () => {
    const facts = await readMainFacts(ctx, main, id, FACTS_OF_ENTRY);
    if (isHere(facts)) return 'here';
    if (await hasMoved(main, facts)) return 'gone';
    throw new Fault('OwnershipIndexRepairing', {});
  });
}

/** Returns whether followed logs show how a machine moved. Throws `ChainUnreadable`. */
async function hasMoved(main: MainChainPorts, facts: CachedMachine): Promise<boolean> {
  try {
    return (await confirmMoved(main, facts)) === 'gone';
  } catch (error) {
    if (error instanceof Fault && error.kind === 'EventIndexSyncing') return false;
    throw error;
  }
}

/** Confirms that a machine has left the chain that listed it. Throws as `confirmMoved`. */
async function confirmGone(ctx: Ctx, listing: Listing, { id, listedBy }: FleetRow): Promise<'gone' | 'unreadable'> {
  if (listedBy === 'alt') return confirmLeft(ctx, listing, id);
  const main = requireMain(ctx);
  const facts = await readMainFacts(ctx, main, id, FACTS_OF_ENTRY);
  // Cached facts said otherwise a moment ago.
  return isHere(facts) ? 'unreadable' : confirmMoved(main, facts);
}

/** Requires an account that is not older than the snapshot that lists the machine: an older one says nothing about the row. Throws `ChainUnreadable`. */
async function confirmLeft(
  { alt }: Ctx,
  { operator, listedAtSlot }: Listing,
  id: MachineId,
): Promise<'gone' | 'unreadable'> {
  const { slot, machine } = (await alt!.chain.readMachineUncached(id)).snapshot;
  const isLeft = unwrapOptional(machine, 'alt')?.operator !== operator;
  return isLeft && slot >= listedAtSlot! ? 'gone' : 'unreadable';
}

/** Returns whether the main chain holds the machine. Throws `ChainUnreadable` where its owner or home cannot be read. */
function isHere({ snapshot: { owner, homeOrdinal }, deployment }: CachedMachine): boolean {
  return unwrapOptional(owner) !== undefined && unwrap(homeOrdinal) === deployment.localOrdinal;
}

/**
 * Requires that followed logs lead from the index to the facts of a machine that left the main chain or returned to it. Else a node has
 * hidden how it moved, from the index or from the facts, and the page may lack it or another machine. Throws `EventIndexSyncing`.
 */
async function confirmMoved(
  main: MainChainPorts,
  { snapshot, deployment }: CachedMachine,
): Promise<'gone' | 'unreadable'> {
  const { outcome } = await main.counters.checkMachine(snapshot, deployment.localOrdinal);
  // The total of this page counts a machine that had moved before.
  return outcome === 'agrees' ? 'gone' : 'unreadable';
}

/** Returns what a fault of one machine makes of its entry; throws a fault that affects the whole page. */
export function classifyFault(fault: Fault): 'gone' | 'unreadable' {
  switch (fault.kind) {
    case 'MachineAbsent':
    case 'MachineHomedElsewhere':
      return 'gone';
    case 'MachineRelocating':
    case 'EventIndexSyncing':
      return 'unreadable';
    case 'ChainUnreadable': {
      const { chain, cause } = fault.context;
      // Any other cause affects the main chain, and no page can be served.
      if (chain === 'alt' || CAUSES_OF_ONE_MACHINE.has(cause)) return 'unreadable';
      throw fault;
    }
    default:
      throw fault;
  }
}
