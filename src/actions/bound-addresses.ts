/**
 * Legacy machines and operators by bound wallet of the alt chain (address-keyed routes of the interface, http-facts 8, chain-evm 2.9). The
 * alt chain only resolves the wallet; everything that is rated is read from the main chain. Both actions throw `ServiceNotInitialised`, `WalletNotBound`, `BindingRevoked`, `BindingRegistryUnreadable`, `ChainUnreadable`,
 * `StoreUnavailable`.
 */
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { BondStatus } from '../domain/machine/bond.ts';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { LegacyMachine } from '../domain/machine/legacy-machine.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import { unwrap } from '../domain/read-result.ts';
import type { BlockRef } from '../domain/machine/machine-facts.ts';
import { EventsUnreadable } from '../domain/rating/rating-state.ts';
import { rateMachine, type Rating } from '../domain/rating/rating.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { EventsFrom, LegacyMachines } from '../ports/main-chain.ts';
import { readHistory, toEventCount, type EventHistoryRead } from './event-history.ts';
import { classifyFault, requireFreshIndex, type FreshIndex } from './fleet.ts';
import { requireMain } from './find-machine.ts';
import type { MaybePromise } from './maybe-async.ts';
import { watchRating } from './refused-ratings.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';
import { VersionedCache } from './versioned-cache.ts';

export interface RatedLegacyMachine {
  readonly id: MachineId;
  /** Address of its DID. */
  readonly address: Address;
  readonly block: BlockRef;
  readonly rating: Rating;
}

export interface BoundFleetPage {
  /** Operator that the wallet is bound to. */
  readonly operator: Address;
  readonly block: BlockRef;
  readonly machines: readonly RatedLegacyMachine[];
  readonly total: number;
  /** Number of machines of this page that could not be read. */
  readonly unreadableCount: number;
  readonly index: FreshIndex;
}

interface Sources {
  readonly main: MainChainPorts;
  readonly legacy: LegacyMachines;
}

/** Rates the machine of a wallet. Also throws `MachineAbsent` when the wallet is bound to no machine, and `EventIndexSyncing`. */
export async function getBoundRating(ctx: Ctx, wallet: AltKey): Promise<RatedLegacyMachine> {
  const sources = requireSources(ctx);
  const address = await readBoundAddress(ctx, wallet);
  const machine = await sources.legacy.readMachineOf(address, eventsFrom(ctx));
  if (machine === undefined || !unwrap(machine.exists)) throw new Fault('MachineAbsent', {});
  return rateLegacyMachine(ctx, sources, machine, address);
}

/** Rates a page of the operator's machines. Also throws `OperatorIndexSyncing`, `OperatorIndexStale`. */
export async function listBoundFleet(ctx: Ctx, wallet: AltKey, offset: number, limit: number): Promise<BoundFleetPage> {
  const sources = requireSources(ctx);
  const { main, legacy } = sources;
  if (!legacy.canList) throw new Fault('ServiceNotInitialised', {});
  const operator = await readBoundAddress(ctx, wallet);
  const index = requireFreshIndex(ctx, await main.index.readMainChainIndex());
  const { block, total, machines } = await legacy.readPageOf(operator, offset, limit, eventsFrom(ctx));
  const entries = await Promise.all(machines.map((machine) => readEntry(ctx, sources, machine)));
  return {
    operator,
    block,
    machines: entries.filter((entry) => typeof entry === 'object'),
    total,
    unreadableCount: entries.filter((entry) => entry === 'unreadable').length,
    index,
  };
}

function requireSources(ctx: Ctx): Sources {
  const main = requireMain(ctx);
  const { legacy } = main.chain;
  if (legacy === undefined) throw new Fault('ServiceNotInitialised', {});
  return { main, legacy };
}

async function readBoundAddress({ bindings }: Ctx, wallet: AltKey): Promise<Address> {
  if (bindings === undefined) throw new Fault('ServiceNotInitialised', {});
  const binding = await bindings.readBinding(wallet).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.kind !== 'ChainUnreadable') throw error;
    throw new Fault('BindingRegistryUnreadable', { cause: error.context.cause });
  });
  if (binding.kind === 'not-bound') throw new Fault('WalletNotBound', {});
  if (binding.kind === 'revoked') throw new Fault('BindingRevoked', {});
  return binding.operator;
}

function eventsFrom(ctx: Ctx): EventsFrom {
  const { fingerprint } = ctx.fxRates.current();
  return async (id) => (await ctx.store.readRatingState('legacy', id, fingerprint))?.nextSeq ?? 0;
}

/** Rates one entry. `gone`: the operator's, but no longer registered. */
async function readEntry(
  ctx: Ctx,
  sources: Sources,
  machine: LegacyMachine | undefined,
): Promise<RatedLegacyMachine | 'gone' | 'unreadable'> {
  if (machine === undefined) return 'unreadable';
  try {
    if (!unwrap(machine.exists)) return 'gone';
    return await rateLegacyMachine(ctx, sources, machine, unwrap(machine.address));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return classifyFault(error);
  }
}

const createHistories = () => new VersionedCache<LegacyMachine, EventHistoryRead>();

/**
 * Rates a legacy machine like any other; it has no flags, no override and no earlier chain. Everything is declared, and no operator is
 * verified: it has no chip record, transfer log or KYB record.
 */
async function rateLegacyMachine(
  ctx: Ctx,
  sources: Sources,
  machine: LegacyMachine,
  address: Address,
): Promise<RatedLegacyMachine> {
  return watchRating(ctx, `legacy ${machine.id}`, () => rateNow(ctx, sources, machine, address));
}

async function rateNow(
  ctx: Ctx,
  sources: Sources,
  machine: LegacyMachine,
  address: Address,
): Promise<RatedLegacyMachine> {
  const { fingerprint, table } = ctx.fxRates.current();
  const bondStatus: BondStatus = unwrap(machine.staked) ? 'bonded' : 'unbonded';
  const { state, tail } = await getHistoryOf(ctx, sources, machine, fingerprint);
  try {
    const rating = rateMachine({
      state,
      tail,
      rates: table,
      now: requireTrustedSeconds(ctx, machine.block),
      bondStatus,
      negativeFlagAt: 0n,
      trustOverride: undefined,
      changedHandsAfter: undefined,
      paidMoves: [],
      operatorVerified: false,
      priorEvents: 0n,
      ratingUnavailable: undefined,
    });
    return { id: machine.id, address, block: machine.block, rating };
  } catch (error) {
    if (error instanceof EventsUnreadable) throw chainUnreadable('main', 'events');
    throw error;
  }
}

function getHistoryOf(
  ctx: Ctx,
  { main, legacy }: Sources,
  machine: LegacyMachine,
  fingerprint: string,
): MaybePromise<EventHistoryRead> {
  const { id, block, events } = machine;
  const source = {
    generation: 'legacy',
    id,
    block,
    count: toEventCount(unwrap(machine.eventCount)),
    hasPriorEvents: false,
    needsProvenance: false,
    pages: [events],
    readEvents: (from: number, to: number) => legacy.readEvents(id, block, from, to),
  } as const;
  const histories = ctx.actionState.of(createHistories);
  return histories.get(machine, [fingerprint], () => readHistory(ctx, main, source, fingerprint));
}
