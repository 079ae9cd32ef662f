/**
 * Read actions for one machine: rating, explanation, profile and card (`/mcr`, `/machine`, `/metadata`, `/machines` of the interface).
 * Every action throws `ServiceNotInitialised`, `MachineAbsent`, `MachineRelocating`, `MachineHomedElsewhere`, `ChainUnreadable`.
 */
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { AltMachine } from '../domain/alt-chain/alt-machine-facts.ts';
import { judgeAltAvailability, judgeAvailability, type Availability } from '../domain/machine/availability.ts';
import { judgeBond, type BondStatus } from '../domain/machine/bond.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { BlockRef, EventRecord, MachineSnapshot, ServiceEndpoint } from '../domain/machine/machine-facts.ts';
import { viewAmount, type AmountView } from '../domain/rating/amount.ts';
import { REVENUE_TYPE } from '../domain/rating/constants.ts';
import { isMalformed, type RatingEvent } from '../domain/rating/event.ts';
import { toServiceDirectory, type ServiceDirectory } from '../domain/machine/service-directory.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { PartnerResponse } from '../ports/presentation.ts';
import { rateAltMachine, readEventLog, summarizeAltMachine, type MachineSummary } from './alt-machine-rating.ts';
import { readTimedEvents } from './event-history.ts';
import { chain, type MaybePromise } from './maybe-async.ts';
import { findMachine, type FoundAltMachine, type FoundMachine } from './find-machine.ts';
import { rateSnapshot, readEventCount, toEventSource, type AltHomeInfo, type RatedSnapshot } from './machine-rating.ts';
import { raceTimeout } from './race-timeout.ts';
import { VersionedCache } from './versioned-cache.ts';

/** Number of oldest events that a profile shows. */
const PROFILE_EVENTS = 100;

/** Event of a profile; `amount` only for revenue. */
export interface ProfileEvent {
  readonly record: EventRecord;
  readonly amount: AmountView | undefined;
}

export interface MachineProfile {
  readonly shown: MachineSummary;
  readonly operator: Address | undefined;
  readonly directory: ServiceDirectory;
  readonly serviceEndpoints: readonly ServiceEndpoint[];
  /** Only for the visibility `onchain`; undefined while the index of the alt chain lags. */
  readonly events: readonly ProfileEvent[] | undefined;
  /** Only for the visibility `public`. */
  readonly partner: PartnerResponse | { readonly kind: 'not_fetched' | 'no_data_api' } | undefined;
  /** Account of an alt-chain machine; undefined: a machine of the main chain. */
  readonly altMachine: Pick<AltMachine, 'owner' | 'controller' | 'machineType'> | undefined;
}

/** Registration of a machine on its home chain. */
export type MachineRegistration =
  | { readonly chain: 'main'; readonly chainId: number; readonly registry: Address }
  | { readonly chain: 'alt'; readonly genesisHash: AltKey; readonly program: AltKey };

export interface MachineCard {
  readonly id: MachineId;
  readonly block: BlockRef;
  readonly operator: Address | undefined;
  readonly directory: ServiceDirectory;
  readonly bondStatus: BondStatus;
  readonly eventCount: number;
  readonly registration: MachineRegistration;
  readonly alt: AltHomeInfo | undefined;
}

/** Returns the current rating, synchronously when it is cached. Also throws `EventIndexSyncing`, `StoreUnavailable`. */
export function getRating(ctx: Ctx, id: MachineId): MaybePromise<RatedSnapshot> {
  return chain(findMachine(ctx, id, { firstEvents: false }), ({ main, snapshot, alt }) =>
    alt === undefined ? rateSnapshot(ctx, main, snapshot) : rateAltMachine(ctx, alt, snapshot),
  );
}

/** Returns the current rating, or undefined when it is not known within the timeout. Throws as `getRating`. */
export async function getRatingWithin(
  ctx: Ctx,
  id: MachineId,
  timeoutMilliseconds: number,
): Promise<RatedSnapshot | undefined> {
  return raceTimeout(ctx.timers, timeoutMilliseconds, Promise.resolve(getRating(ctx, id)), undefined);
}

export interface MachineExplanation {
  readonly rated: RatedSnapshot;
  readonly availability: Availability;
}

/** Returns the rating with the machine's availability. Throws as `getRating`. */
export async function getExplanation(ctx: Ctx, id: MachineId): Promise<MachineExplanation> {
  const { main, snapshot, deployment, alt } = await findMachine(ctx, id, { firstEvents: false });
  if (alt === undefined) {
    return { rated: await rateSnapshot(ctx, main, snapshot), availability: judgeAvailability(snapshot, deployment) };
  }
  const availability = judgeAltAvailability(alt.snapshot, alt.deployment);
  return { rated: await rateAltMachine(ctx, alt, snapshot), availability };
}

const createProfiles = () => new VersionedCache<RatedSnapshot, MachineProfile>();

/**
 * Returns the profile, synchronously when it is cached; on the main chain the same object for one rating. Also throws `EventIndexSyncing`,
 * `StoreUnavailable`.
 */
export function getProfile(ctx: Ctx, id: MachineId): MaybePromise<MachineProfile> {
  return chain(findMachine(ctx, id, { firstEvents: true }), (found) => {
    const { main, snapshot, alt } = found;
    if (alt !== undefined) return readAltProfile(ctx, alt, snapshot);
    const rating = rateSnapshot(ctx, main, snapshot);
    // What follows a read that another request started, and the read of a profile, are the work of this one.
    if (rating instanceof Promise) ctx.workScope?.extend();
    return chain(rating, (rated) =>
      ctx.actionState.of(createProfiles).get(rated, [], () => {
        ctx.workScope?.extend();
        return readProfile(ctx, found, rated);
      }),
    );
  });
}

async function readProfile(ctx: Ctx, located: FoundMachine, rated: RatedSnapshot): Promise<MachineProfile> {
  const { snapshot } = located;
  const { serviceEndpoints } = unwrap(snapshot.document);
  const directory = toServiceDirectory(serviceEndpoints);
  return {
    shown: rated,
    operator: unwrapOptional(snapshot.operator),
    directory,
    serviceEndpoints,
    events: directory.visibility === 'onchain' ? await readProfileEvents(ctx, located) : undefined,
    partner: directory.visibility === 'public' ? await readPartner(ctx, directory) : undefined,
    altMachine: undefined,
  };
}

async function readAltProfile(ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot): Promise<MachineProfile> {
  const { serviceEndpoints, operator } = alt.machine;
  const directory = toServiceDirectory(serviceEndpoints);
  return {
    shown: summarizeAltMachine(ctx, alt, snapshot),
    operator,
    directory,
    serviceEndpoints,
    events: directory.visibility === 'onchain' ? await readAltProfileEvents(ctx, alt) : undefined,
    partner: directory.visibility === 'public' ? await readPartner(ctx, directory) : undefined,
    altMachine: alt.machine,
  };
}

const createCards = () => new VersionedCache<MachineSnapshot, MachineCard>();

/** Returns the card, which needs no rating, synchronously when it is cached; on the main chain the same object for one snapshot. */
export function getCard(ctx: Ctx, id: MachineId): MaybePromise<MachineCard> {
  return chain(findMachine(ctx, id, { firstEvents: false }), ({ main, snapshot, alt }) =>
    alt === undefined
      ? ctx.actionState.of(createCards).get(snapshot, [], () => toCard(main, snapshot))
      : toAltCard(ctx, alt, snapshot),
  );
}

function toCard(main: MainChainPorts, snapshot: MachineSnapshot): MachineCard {
  const { id } = snapshot;
  return {
    id,
    block: snapshot.block,
    operator: unwrapOptional(snapshot.operator),
    directory: toServiceDirectory(unwrap(snapshot.document).serviceEndpoints),
    bondStatus: judgeBond(unwrap(snapshot.subscriptionStatus)),
    eventCount: readEventCount(snapshot),
    registration: { chain: 'main', chainId: main.chain.chainId, registry: main.chain.machineRegistry },
    alt: undefined,
  };
}

function toAltCard(ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot): MachineCard {
  const shown = summarizeAltMachine(ctx, alt, snapshot);
  const { genesisHash, machineRegistry } = alt.chain;
  return {
    id: snapshot.id,
    block: snapshot.block,
    operator: alt.machine.operator,
    directory: toServiceDirectory(alt.machine.serviceEndpoints),
    bondStatus: shown.rating.bondStatus,
    eventCount: shown.rating.eventCount,
    registration: { chain: 'alt', genesisHash, program: machineRegistry },
    alt: shown.alt,
  };
}

async function readPartner(ctx: Ctx, { dataApi }: ServiceDirectory): Promise<MachineProfile['partner']> {
  if (dataApi === undefined) return { kind: 'no_data_api' };
  return (await ctx.partnerData?.readPartnerData(dataApi)) ?? { kind: 'not_fetched' };
}

async function readProfileEvents(ctx: Ctx, { main, snapshot }: FoundMachine): Promise<ProfileEvent[]> {
  const count = Math.min(readEventCount(snapshot), PROFILE_EVENTS);
  const { records, events } = await readTimedEvents(main, toEventSource(main, snapshot), 0, count);
  return toProfileEvents(ctx, records, events);
}

/** Returns undefined while the newest event of the log account is not indexed: without it the other events are not proven to be the machine's. */
async function readAltProfileEvents(ctx: Ctx, alt: FoundAltMachine): Promise<ProfileEvent[] | undefined> {
  const { count } = readEventLog(alt);
  if (count === 0) return [];
  const shown = Math.min(count, PROFILE_EVENTS);
  const newest = await alt.index.readEvents(alt.snapshot, count - 1, count);
  if (newest.records.length === 0) return undefined;
  const { records, events } = await alt.index.readEvents(alt.snapshot, 0, shown);
  return records.length < shown ? undefined : toProfileEvents(ctx, records, events);
}

function toProfileEvents(ctx: Ctx, records: readonly EventRecord[], events: readonly RatingEvent[]): ProfileEvent[] {
  const { table } = ctx.fxRates.current();
  return events.flatMap((event, seq) => {
    if (isMalformed(event)) return [];
    return [{ record: records[seq]!, amount: event.type === REVENUE_TYPE ? viewAmount(event, table) : undefined }];
  });
}
