/**
 * What is a machine worth trusting, who is it, what does it offer? The read routes for one machine
 * (`/mcr`, `/machine`, `/metadata`, `/machines` of the interface).
 * Every action throws `ServiceNotInitialised`, `MachineAbsent`, `MachineRelocating`, `MachineHomedElsewhere`, `ChainUnreadable`.
 */
import { judgeBond, type BondStatus } from '../domain/bond.ts';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { Address, MachineId } from '../domain/identifiers.ts';
import { judgeHome, need, needOrAbsent } from '../domain/machine-home.ts';
import type { BlockRef, EventRecord, MachineSnapshot, ServiceEndpoint } from '../domain/machine-facts.ts';
import { viewAmount, type AmountView } from '../domain/rating/amount.ts';
import { REVENUE_TYPE } from '../domain/rating/constants.ts';
import { isMalformed } from '../domain/rating/event.ts';
import { toServiceDirectory, type ServiceDirectory } from '../domain/service-directory.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { KeptMachine } from '../ports/main-chain.ts';
import type { PartnerAnswer } from '../ports/partner-data.ts';
import { andThen, type Eventually } from './eventually.ts';
import { rateSnapshot, readEventCount, readTimedEvents, type RatedSnapshot } from './machine-rating.ts';

/** How many of the oldest events a profile shows. */
const PROFILE_EVENTS = 100;

/** One event as a profile shows it; `amount` of revenue only. */
export interface ShownEvent {
  readonly record: EventRecord;
  readonly amount: AmountView | undefined;
}

export interface MachineProfile {
  readonly rated: RatedSnapshot;
  readonly operator: Address | undefined;
  readonly directory: ServiceDirectory;
  readonly serviceEndpoints: readonly ServiceEndpoint[];
  /** Only for the visibility `onchain`. */
  readonly events: readonly ShownEvent[] | undefined;
  /** Only for the visibility `public`. */
  readonly partner: PartnerAnswer | { readonly kind: 'not_fetched' | 'no_data_api' } | undefined;
}

export interface MachineCard {
  readonly id: MachineId;
  readonly block: BlockRef;
  readonly operator: Address | undefined;
  readonly directory: ServiceDirectory;
  readonly bondStatus: BondStatus;
  readonly eventCount: number;
  readonly chainId: number;
  readonly machineRegistry: Address;
}

/** Also throws `EventIndexSyncing`, `StoreUnavailable`. Does not wait when everything is known. */
export function getRating(ctx: Ctx, id: MachineId): Eventually<RatedSnapshot> {
  return andThen(readMachine(ctx, id, { firstEvents: false }), ({ main, snapshot }) =>
    rateSnapshot(ctx, main, snapshot),
  );
}

const profiles = new WeakMap<RatedSnapshot, MachineProfile>();

/** Also throws `EventIndexSyncing`, `StoreUnavailable`. The same object as long as its rating is. */
export async function getProfile(ctx: Ctx, id: MachineId): Promise<MachineProfile> {
  const { main, snapshot } = await readMachine(ctx, id, { firstEvents: true });
  const rated = await rateSnapshot(ctx, main, snapshot);
  const known = profiles.get(rated);
  if (known !== undefined) return known;
  const serviceEndpoints = need(snapshot.document).serviceEndpoints;
  const directory = toServiceDirectory(serviceEndpoints);
  const profile: MachineProfile = {
    rated,
    operator: needOrAbsent(snapshot.operator),
    directory,
    serviceEndpoints,
    events: directory.visibility === 'onchain' ? await readShownEvents(ctx, main, snapshot) : undefined,
    partner: directory.visibility === 'public' ? await readPartner(ctx, directory) : undefined,
  };
  profiles.set(rated, profile);
  return profile;
}

const cards = new WeakMap<MachineSnapshot, MachineCard>();

/** Needs no rating. The same object as long as its snapshot is. */
export async function getCard(ctx: Ctx, id: MachineId): Promise<MachineCard> {
  const { main, snapshot } = await readMachine(ctx, id, { firstEvents: false });
  const known = cards.get(snapshot);
  if (known !== undefined) return known;
  const card: MachineCard = {
    id,
    block: snapshot.block,
    operator: needOrAbsent(snapshot.operator),
    directory: toServiceDirectory(need(snapshot.document).serviceEndpoints),
    bondStatus: judgeBond(need(snapshot.subscriptionStatus)),
    eventCount: readEventCount(snapshot),
    chainId: main.chain.chainId,
    machineRegistry: main.chain.machineRegistry,
  };
  cards.set(snapshot, card);
  return card;
}

/**
 * Throws what keeps a machine from being one of the main chain. Where an alt chain is configured, what only it can tell is unreadable
 * until it is read: never absent.
 */
export function requireMainHome({ altOrdinal }: Ctx, { snapshot, deployment }: KeptMachine): void {
  const home = judgeHome(snapshot, { local: deployment.localOrdinal, alt: altOrdinal });
  if (home === 'main') return;
  throw altOrdinal === undefined ? new Fault('MachineAbsent', {}) : chainUnreadable('alt', 'no-head');
}

interface LocatedMachine {
  readonly main: MainChainPorts;
  readonly snapshot: MachineSnapshot;
}

/** A machine of the main chain, as it is kept; every other is a fault. */
export function readMachine(
  ctx: Ctx,
  id: MachineId,
  { firstEvents }: { readonly firstEvents: boolean },
): Eventually<LocatedMachine> {
  const { main } = ctx;
  if (main === undefined) throw new Fault('ServiceNotInitialised', {});
  const locate = ({ snapshot, deployment }: KeptMachine): LocatedMachine => {
    requireMainHome(ctx, { snapshot, deployment });
    return { main, snapshot };
  };
  const kept = main.chain.findKept(id, firstEvents);
  return kept === undefined ? readAnew(ctx, main, id, firstEvents).then(locate) : locate(kept);
}

async function readAnew(ctx: Ctx, main: MainChainPorts, id: MachineId, firstEvents: boolean): Promise<KeptMachine> {
  const { fingerprint } = ctx.fxRates.current();
  const eventsFrom = async () => (await ctx.store.readFold('second', id, fingerprint))?.nextSeq ?? 0;
  const [deployment, snapshot] = await Promise.all([
    main.chain.readDeployment(),
    main.chain.readMachine(id, { eventsFrom, firstEvents }),
  ]);
  return { deployment, snapshot };
}

async function readPartner(ctx: Ctx, { dataApi }: ServiceDirectory): Promise<MachineProfile['partner']> {
  if (dataApi === undefined) return { kind: 'no_data_api' };
  return (await ctx.partnerData?.readPartnerData(dataApi)) ?? { kind: 'not_fetched' };
}

async function readShownEvents(ctx: Ctx, main: MainChainPorts, snapshot: MachineSnapshot): Promise<ShownEvent[]> {
  const count = Math.min(readEventCount(snapshot), PROFILE_EVENTS);
  const { records, events } = await readTimedEvents(main, snapshot, 0, count);
  const { table } = ctx.fxRates.current();
  return events.flatMap((event, seq) => {
    if (isMalformed(event)) return [];
    return [{ record: records[seq]!, amount: event.type === REVENUE_TYPE ? viewAmount(event, table) : undefined }];
  });
}
