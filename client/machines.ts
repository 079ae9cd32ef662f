/** What does the service say of one machine? Rating, its explanation, profile and card (interface, Read routes; http-facts 4 to 6). */
import { formatMachineDid, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import { ask, type Answer, type AskOptions, type Connection, type JsonObject } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isObject } from './service-errors.ts';

export type Letter = 'AAA' | 'AA' | 'A' | 'BBB' | 'BB' | 'B' | 'NR' | 'Provisioned';
export type BondStatus = 'bonded' | 'unbonded';
export type Visibility = 'private' | 'onchain' | 'public';

/** Of a machine of the alt chain only. */
export interface AltStanding {
  /** Protocol chain ordinal; absent for the main chain. */
  readonly home_chain?: number;
  /** Why there is no rating; absent once there is one. */
  readonly rating_unavailable?: string;
}

export interface McrRecord extends AltStanding {
  readonly did: string;
  /** Decimal; `BigInt` reads it. */
  readonly machine_id: string;
  /** 0 to 100. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  /** An amount could not be converted. */
  readonly mcr_degraded: boolean;
  readonly bond_status: BondStatus;
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly revenue_event_count: number;
  readonly activity_event_count: number;
  readonly revenue_trend: 'up' | 'stable' | 'down' | 'insufficient' | null;
  /** US cents. */
  readonly total_revenue: number;
  /** US cents, two decimals. */
  readonly average_revenue_per_event: number | null;
  /** Unix seconds of the newest event. */
  readonly last_updated: number | null;
  readonly summary: string;
}

export interface RatingFactor {
  readonly name: string;
  /** Hundredths of a point. */
  readonly points_hundredths: number;
  readonly max_hundredths: number;
  readonly measure: Readonly<Record<string, unknown>>;
}

export interface RatingReason {
  readonly code: string;
  /** Hundredths of a point; null: a gate or a remark. */
  readonly lost_hundredths: number | null;
  readonly text: string;
}

export interface Explanation extends McrRecord {
  readonly model: string;
  /** Before rounding, in hundredths of a point; null: not rated. */
  readonly total_hundredths: number | null;
  readonly factors: readonly RatingFactor[];
  readonly dormancy: { readonly idle_days: number | null; readonly lost_hundredths: number } | null;
  readonly reasons: readonly RatingReason[];
  /** Whether somebody has stopped the machine; no part of the rating. */
  readonly availability: 'available' | 'paused' | 'deactivated' | 'unreadable';
  readonly inputs: {
    readonly block: { readonly number: string; readonly hash: string; readonly timestamp: number };
    /** Of the alt chain. */
    readonly slot?: string;
    readonly now: number;
    readonly subscription: string;
    readonly negative_flag_at: string;
    readonly trust_override: number | null;
    readonly prior_events: number;
    readonly event_count: number;
    readonly rates: { readonly feed: boolean; readonly through: string };
  };
}

export interface ShownEvent {
  /** 0: revenue. */
  readonly event_type: number;
  /** In units of `origin_currency` divided by `origin_subunit`. */
  readonly origin_value: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly trust_level: number;
  /** Anyone's. */
  readonly metadata: object;
  readonly origin_currency?: string;
  /** US cents. */
  readonly usd_value?: number | null;
  readonly origin_subunit?: number | null;
  readonly usd_subunit?: number;
  readonly amount_status?: 'ok' | 'unsupported_currency' | 'fx_unavailable';
}

export interface ProfileFacts extends AltStanding {
  readonly machine_id: string;
  readonly did: string;
  /** Address DID. */
  readonly operator: string | null;
  readonly mcr: Letter;
  readonly mcr_score: number;
  readonly bond_status: BondStatus;
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly data_visibility: Visibility;
  readonly documentation_url: string | null;
  readonly service_endpoints: readonly { readonly id: string; readonly type: string; readonly endpoint: string }[];
  readonly data_api?: string;
  readonly event_data?: readonly ShownEvent[];
  readonly partner_data?: object;
  readonly partner_data_error?: string;
  /** Base58, of a machine of the alt chain, as the three after it. */
  readonly owner?: string;
  readonly controller?: string | null;
  readonly machine_type?: string;
  readonly relocating?: boolean;
}

export interface Profile {
  readonly schema_version: string;
  readonly name: string;
  /** The object whose name is a word of the deployment. */
  readonly facts: ProfileFacts;
}

export interface Card extends AltStanding {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly did: string;
  readonly active: boolean;
  readonly services: readonly { readonly name: string; readonly endpoint: string }[];
  readonly data_visibility: Visibility;
  /** Empty: none. */
  readonly documentation_url: string;
  readonly operator: string | null;
  readonly bond_status: BondStatus;
  readonly event_count: number;
  /** `machineRegistry`: chain namespace, chain reference and registry, with colons between. */
  readonly registrations: readonly {
    readonly type: string;
    readonly machineId: string;
    readonly machineRegistry: string;
  }[];
}

export function getRating(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<McrRecord>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}`, isAbout(id), options),
  );
}

/** The rating, and where every point of it comes from. */
export function getExplanation(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<Explanation>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/explanation`, isAbout(id), options),
  );
}

export function getProfile(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<Profile>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    askProfile(connection, `/machine/${formatMachineDid(id, namespace)}`, id, options),
  );
}

/** The profile, where a token URI points. */
export function getTokenMetadata(
  connection: Connection,
  tokenId: MachineKey,
  options?: AskOptions,
): Promise<Answer<Profile>> {
  return withMachine(tokenId, connection.namespace, (id) => askProfile(connection, `/metadata/${id}`, id, options));
}

export function getCard(connection: Connection, machine: MachineKey, options?: AskOptions): Promise<Answer<Card>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) => {
    const did = formatMachineDid(id, namespace);
    return ask(connection, `/machines/${id}`, (body) => body['did'] === did, options);
  });
}

async function askProfile(
  connection: Connection,
  path: string,
  id: MachineId,
  options: AskOptions | undefined,
): Promise<Answer<Profile>> {
  const { profile_object: word } = connection.namespace;
  const isProfile = (body: JsonObject) => isObject(body[word]) && isAbout(id)(body[word]);
  const answer = await ask<JsonObject>(connection, path, isProfile, options);
  if (!answer.ok) return answer;
  const { [word]: facts, ...top } = answer.value;
  return { ...answer, value: { ...top, facts } as Profile };
}

/** An answer about another machine is none. */
export function isAbout(id: MachineId): (body: JsonObject) => boolean {
  return ({ machine_id }) => machine_id === String(id);
}
