/**
 * Replay of a served rating (`svc replay DID`): takes the block, the clock and, for a machine of the alt chain, the slot from
 * `GET /mcr/{did}/explanation`, reads everything else from the chains with independent readers, recomputes the rating with the
 * independent model, and compares every member. With payment sources it makes every verdict again; what it takes from the service is named.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readFleetClaims } from './fleet-claims.ts';
import { createRpc, RpcRefusal } from './json-rpc.ts';
import { listJudged, rateRawEvents, UnreadableEvents, type RateTable } from './model.ts';
import { digestRateTable } from './rates.ts';
import { readRawAltLog, type AltLocation } from './raw-alt-log.ts';
import { readAltHomeState, readRawMachine, type ChainLocation, type RawMachine } from './raw-chain.ts';
import type { Claim } from './payout-claims.ts';
import { ReplayFailure } from './replay-failure.ts';
import { replayVerdicts, type VerdictReplay } from './replay-verdicts.ts';
import { readServedVerdicts, VERDICT_CODES, type ServedVerdict } from './served-verdicts.ts';
import { MalformedSolana } from './solana-bytes.ts';
import type { ReplaySource } from './verdict-model.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

export interface ReplayOptions {
  /** `did:svc:<decimal id>`. */
  readonly did: string;
  readonly baseUrl: string;
  readonly chain: ChainLocation & {
    /** Tried in order. */
    readonly rpcUrls: readonly string[];
    /** Contract that records the home of a machine. */
    readonly crossChainMirror: string;
  };
  /** Required for machines of the alt chain. */
  readonly altChain?: AltLocation & { readonly rpcUrls: readonly string[] };
  /** Rates of the replay, cut to the service's `through`. */
  readonly rates: RateTable;
  /** Hash of the payment sources of the replay (`hashSources`); null or left out: none. */
  readonly sourcesHash?: string | null;
  /** How to make the verdicts; left out: verdicts and accounts are taken from the service. */
  readonly payments?: PaymentOptions;
  /** Explanation to recompute; left out: requested from the service. */
  readonly served?: JsonObject;
  readonly fetch?: typeof fetch;
  /** Waits after a rate limit. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export interface PaymentOptions {
  readonly sources: readonly ReplaySource[];
  /** First line of the text that payout accounts sign. */
  readonly payoutHeader: string;
  /** Whether to read the claims of all machines. */
  readonly readsFleet: boolean;
  /** Whether to read the transfers from the machine's own addresses. */
  readonly readsFlows: boolean;
}

/** A member that differs; an absent side means that the member is missing there. */
export interface Difference {
  /** For example `factors[0].points_hundredths`. */
  readonly path: string;
  readonly served?: Json;
  readonly recomputed?: Json;
}

export interface ReplayResult {
  readonly did: string;
  readonly equal: boolean;
  /** Number of compared values. */
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** What the replay takes from the served response or does not compute. */
  readonly unchecked: readonly string[];
  /** Positions of events that are pending at the service and decided here: later, not different. */
  readonly ahead: readonly number[];
  /** The explanation as served. */
  readonly served: JsonObject;
  /** The recomputed rating, in the shape of the explanation. */
  readonly recomputed: JsonObject;
}

/** Recomputes and compares. Throws `ReplayFailure` when no comparison is possible; a difference is a result. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const send = options.fetch ?? fetch;
  const wait = options.wait ?? delay;
  const machineId = parseMachineId(options.did);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const served = options.served ?? (await readExplanation(send, options.baseUrl, options.did));
      return await replayServed(options, { send, wait, machineId }, served);
    } catch (error) {
      // A verdict was made between the explanation and the list of events.
      if (!(error instanceof VerdictsMade) || options.served !== undefined || attempt === ATTEMPTS) throw error;
    }
    await wait(RETRY_MILLISECONDS);
  }
}

/** The list of events has verdicts that the explanation does not have yet. */
class VerdictsMade extends ReplayFailure {
  constructor() {
    super('refused', 'the service made verdicts after this explanation; try again');
  }
}

const ATTEMPTS = 8;
const RETRY_MILLISECONDS = 2_000;

async function replayServed(
  options: ReplayOptions,
  { send, wait, machineId }: Pick<OwnVerdictsInput, 'send' | 'wait' | 'machineId'>,
  served: JsonObject,
): Promise<ReplayResult> {
  const inputs = parseInputs(served);
  const sourcesHash = options.sourcesHash ?? null;
  requireSameSources(served, sourcesHash);

  const machine = await readRaw(options, { fetch: send, wait }, machineId, inputs);
  const rates = { ...options.rates, through: throughOf(options.rates, inputs) };
  const judged = listJudged({ events: machine.events, now: BigInt(inputs.now), rates }, PAYMENT_DAYS);
  const listed = sourcesHash === null ? undefined : await readServedVerdicts(send, options.baseUrl, machineId, judged);
  const shown = listJudged({ events: machine.events, now: BigInt(inputs.now), rates }, 180n);
  if (options.payments !== undefined && listed !== undefined) requireSamePending(served, listed, shown);
  const own =
    sourcesHash === null || options.payments === undefined
      ? undefined
      : await replayOwnVerdicts(options, options.payments, {
          send,
          wait,
          machineId,
          inputs,
          machine,
          rates,
          served,
          listed,
        });
  const verdicts: ReadonlyMap<bigint, Pick<ServedVerdict, 'code' | 'paidCents'>> = own?.verdicts ??
  (sourcesHash === null ? new Map(judged.map(({ seq }) => [seq, DECLARED])) : (listed ?? declareAll(served, judged)));
  const events = machine.events.map((event) => ({ ...event, paidCents: verdicts.get(event.seq)?.paidCents ?? 0n }));
  const shownClaims = own === undefined ? undefined : showClaims(own.claims, machine, inputs);
  const evidence = toEvidence(served, sourcesHash, verdicts, shown, shownClaims?.accounts);
  const hands = inputs.slot === undefined ? {} : (shownClaims?.hands ?? takeHands(served, sourcesHash, machine));
  const recomputed = recompute(options.did, machineId, inputs, { ...machine, events, ...hands }, rates, evidence);

  const comparison = compare(served, recomputed);
  // The binding of the operator of an alt-chain machine is not read.
  const taken = [
    ...(inputs.slot === undefined ? [] : ['anchor.operator_verified']),
    ...(own === undefined ? listTaken(inputs, sourcesHash, judged.length) : listTakenVerdicts(own)),
  ];
  const unchecked = [...taken, ...comparison.unchecked];
  const differences = [...comparison.differences, ...(own?.differences ?? [])];
  return {
    did: options.did,
    equal: differences.length === 0,
    compared: comparison.compared + (own?.compared ?? 0),
    ...{ differences, unchecked, ahead: (own?.ahead ?? []).map(Number), served, recomputed },
  };
}

// ---------------------------------------------------------------------------------------------------------------- payments

/** Verdicts of older blocks no longer matter to a rating. */
const PAYMENT_DAYS = 200n;
const DECLARED = { code: 'declared', paidCents: 0n } as const;

/** Lists what is taken from the service where the replay follows no payments. */
function listTaken({ slot }: ServedInputs, sourcesHash: string | null, judged: number): readonly string[] {
  if (sourcesHash === null) return [];
  return [
    ...(slot === undefined ? [] : ['evidence.changed_hands_at']),
    'evidence.accounts',
    ...(judged === 0 ? [] : [`verdicts of ${judged} events`]),
  ];
}

function listTakenVerdicts({ takenFromClaims, takenReturned }: VerdictReplay): readonly string[] {
  return [
    ...(takenReturned === 0 ? [] : [`returned cents of ${takenReturned} events (--flows reads them)`]),
    ...(takenFromClaims.length === 0
      ? []
      : [`verdicts of ${takenFromClaims.length} events on claims of other machines (--fleet reads them)`]),
  ];
}

function requireSamePending(
  served: JsonObject,
  listed: ReadonlyMap<bigint, ServedVerdict>,
  shown: readonly { readonly seq: bigint }[],
): void {
  const pending = shown.filter(({ seq }) => listed.get(seq)?.code === 'pending').length;
  const counted = asObject(asObject(served['evidence'])['verdicts'])['pending'];
  if (typeof counted === 'number' && counted > pending) throw new VerdictsMade();
}

/** Makes the verdicts again. Throws `ReplayFailure`. */
async function replayOwnVerdicts(
  { did, chain, altChain }: ReplayOptions,
  { sources, payoutHeader: header, readsFleet, readsFlows }: PaymentOptions,
  { send, wait, machineId, inputs, machine, rates, served, listed }: OwnVerdictsInput,
): Promise<VerdictReplay> {
  const counts = asObject(asObject(served['evidence'])['verdicts']);
  if (listed === undefined && counts['pending'] !== 0) {
    throw new ReplayFailure('refused', 'the events are private, and some verdicts are pending');
  }
  const transport = { fetch: send, wait };
  const text = { did, header };
  const fleet = readsFleet
    ? await readFleetClaims({ chain, altChain, text, transport, except: machineId, block: inputs.block })
    : undefined;
  const { events, citing, claimEnds, blockTimestamp: homeHead } = machine;
  try {
    return await replayVerdicts({
      ...{ text, events, citing, claimEnds, homeHead, rates, sources, fleet, transport, readsFlows, served: listed },
      home: inputs.slot === undefined ? 'main' : 'alt',
      now: BigInt(inputs.now),
    });
  } catch (error) {
    if (error instanceof MalformedSolana)
      throw new ReplayFailure('contradictory', `malformed response: ${error.message}`);
    if (error instanceof RpcRefusal) throw new ReplayFailure('unreachable', error.message);
    throw error;
  }
}

interface OwnVerdictsInput {
  readonly send: typeof fetch;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly machineId: bigint;
  readonly inputs: ServedInputs;
  readonly machine: RawInputs;
  readonly rates: RateTable;
  readonly served: JsonObject;
  readonly listed: ReadonlyMap<bigint, ServedVerdict> | undefined;
}

/** Returns the accounts in force and, on the alt chain, the changes of hands that the claims show. */
function showClaims(claims: readonly Claim[], { events, altOwner }: RawInputs, { now }: ServedInputs) {
  const inForce = claims.filter(({ end }) => end === undefined);
  const accounts = inForce.map(({ account, owner, since, seq }) => ({
    ...{ account, owner, since: Number(since), seq: Number(seq) },
  }));
  const newest = claims.at(-1);
  if (altOwner !== undefined && newest !== undefined && newest.owner !== altOwner) {
    return { accounts: [], hands: { hands: [BigInt(events.length)], changedHandsAt: BigInt(now) } };
  }
  const changes = claims.filter(({ owner }, at) => at > 0 && claims[at - 1]!.owner !== owner);
  const hands = { hands: changes.map(({ seq }) => seq), changedHandsAt: changes.at(-1)?.since ?? null };
  return { accounts, hands };
}

function requireSameSources(served: JsonObject, own: string | null): void {
  const theirs = asObject(served['evidence'])['sources_hash'];
  if (theirs === undefined || theirs === own) return;
  const name = (hash: Json) => (hash === null ? 'none' : printable(showSide(hash)));
  throw new ReplayFailure(
    'refused',
    `the payment sources differ: the service has ${name(theirs)}, SOURCES_FILE of the replay has ${name(own)}`,
  );
}

/** Returns `declared` for every event where the owner keeps the events private and nothing else is counted. */
function declareAll(served: JsonObject, judged: readonly { readonly seq: bigint }[]): Map<bigint, typeof DECLARED> {
  const counts = asObject(asObject(served['evidence'])['verdicts']);
  if (VERDICT_CODES.some((code) => code !== 'declared' && counts[code] !== 0)) {
    throw new ReplayFailure('refused', 'the events are private, so their verdicts cannot be taken from the service');
  }
  return new Map(judged.map(({ seq }) => [seq, DECLARED]));
}

function toEvidence(
  served: JsonObject,
  sourcesHash: string | null,
  verdicts: ReadonlyMap<bigint, Pick<ServedVerdict, 'code'>>,
  counted: readonly { readonly seq: bigint }[],
  ownAccounts: Json | undefined,
) {
  const codes = counted.map(({ seq }) => verdicts.get(seq)!.code);
  const accounts = ownAccounts ?? asObject(served['evidence'])['accounts'] ?? [];
  return {
    sources_hash: sourcesHash,
    accounts: sourcesHash === null ? [] : accounts,
    verdicts: Object.fromEntries(VERDICT_CODES.map((code) => [code, codes.filter((each) => each === code).length])),
  };
}

/** Returns the newest change of hands of an alt-chain machine as served: it follows from payout proofs, which are not read. */
function takeHands(served: JsonObject, sourcesHash: string | null, { events }: Pick<RawInputs, 'events'>) {
  const at = asObject(served['evidence'])['changed_hands_at'];
  if (sourcesHash === null || typeof at !== 'number' || !Number.isSafeInteger(at)) return {};
  const before = events.filter(({ blockTimestamp }) => blockTimestamp < BigInt(at)).length;
  return { hands: [BigInt(before)], changedHandsAt: BigInt(at) };
}

// ------------------------------------------------------------------------------------------------------ served explanation

function parseMachineId(did: string): bigint {
  const match = /^did:[a-z0-9]+:([1-9][0-9]{0,77})$/.exec(did);
  const id = match === null ? 0n : BigInt(match[1]!);
  if (id < 1n || id >= 2n ** 256n) throw new ReplayFailure('refused', `not a machine DID: ${did}`);
  return id;
}

async function readExplanation(send: typeof fetch, baseUrl: string, did: string): Promise<JsonObject> {
  const url = `${baseUrl.replace(/\/+$/, '')}/mcr/${encodeURIComponent(did)}/explanation`;
  let status: number;
  let text: string;
  try {
    const response = await send(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
    status = response.status;
    text = await response.text();
  } catch {
    throw new ReplayFailure('unreachable', `the service at ${baseUrl} does not respond`);
  }
  const body = parseJsonObject(text);
  if (status !== 200) {
    const detail = body?.['detail'] ?? body?.['error'];
    throw new ReplayFailure('refused', printable(`the service returned ${status}: ${showSide(detail)}`));
  }
  if (body === undefined) throw new ReplayFailure('refused', 'the service did not return a JSON object');
  if (body['rating_unavailable'] === 'indexer_behind') {
    throw new ReplayFailure('refused', 'the service has not indexed all events of this machine yet; try again later');
  }
  return body;
}

/** Inputs taken from the service; the other members of `inputs` are only compared. */
interface ServedInputs {
  readonly block: { readonly number: bigint; readonly hash: string };
  /** Unix seconds. */
  readonly now: number;
  readonly feed: boolean;
  readonly through: Json;
  /** Of the rates; only compared. */
  readonly digest: Json | undefined;
  /** Slot of the alt chain; undefined: the home is the main chain. */
  readonly slot: number | undefined;
  /** Only used for a machine of the alt chain, whose binding and operator are not read. */
  readonly operatorVerified: boolean;
}

function parseInputs(served: JsonObject): ServedInputs {
  const inputs = asObject(served['inputs']);
  const block = asObject(inputs['block']);
  const rates = asObject(inputs['rates']);
  const { number, hash } = block;
  const { now, slot } = inputs;
  const { feed, through = null, digest } = rates;
  const usable =
    typeof number === 'string' &&
    /^(?:0|[1-9][0-9]{0,19})$/.test(number) &&
    typeof hash === 'string' &&
    /^0x[0-9a-fA-F]{64}$/.test(hash) &&
    typeof now === 'number' &&
    Number.isSafeInteger(now) &&
    now >= 0 &&
    typeof feed === 'boolean' &&
    'home_chain' in served === (slot !== undefined) &&
    (slot === undefined || (typeof slot === 'string' && /^(?:0|[1-9][0-9]{0,14})$/.test(slot))) &&
    (!feed || (typeof through === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(through)));
  if (!usable) {
    const missing =
      'home_chain' in served ? 'block, clock, rate table or alt-chain slot' : 'block, clock or rate table';
    throw new ReplayFailure('contradictory', `the explanation lacks a valid ${missing}`);
  }
  return {
    block: { number: BigInt(number), hash: hash.toLowerCase() },
    now,
    feed,
    through,
    digest,
    slot: slot === undefined ? undefined : Number(slot),
    operatorVerified: asObject(served['anchor'])['operator_verified'] === true,
  };
}

// ------------------------------------------------------------------------------------------------- chain state

interface RawInputs extends Omit<RawMachine, 'accepted' | 'kyb'> {
  readonly operatorVerified: boolean;
  /** Protocol chain ordinal; undefined: the home is the main chain. */
  readonly home: bigint | undefined;
  /** Owner of the machine account; undefined on the main chain. */
  readonly altOwner: string | undefined;
}

async function readRaw(
  { chain, altChain }: ReplayOptions,
  transport: { readonly fetch: typeof fetch; readonly wait: (milliseconds: number) => Promise<void> },
  machineId: bigint,
  { block, slot, now, operatorVerified }: ServedInputs,
): Promise<RawInputs> {
  const rpc = createRpc({ ...transport, urls: chain.rpcUrls });
  if (slot === undefined) {
    const { accepted, kyb, ...machine } = await readRawMachine(rpc, chain, machineId, block);
    const isVerified =
      kyb !== undefined && kyb.revokedAt === 0n && (kyb.expiresAt === 0n || BigInt(now) < kyb.expiresAt);
    return { ...machine, operatorVerified: accepted && isVerified, home: undefined, altOwner: undefined };
  }
  if (altChain === undefined) {
    throw new ReplayFailure(
      'refused',
      'the machine is homed on the alt chain, but no node of that chain is configured',
    );
  }
  const { home, ...mainState } = await readAltHomeState(rpc, chain, machineId, block);
  const altRpc = createRpc({ ...transport, urls: altChain.rpcUrls });
  const { ordinal, owner: altOwner, ...log } = await readRawAltLog(altRpc, altChain, machineId, slot, transport.wait);
  // A new machine exists there before the main chain records it.
  const noLogs = { hands: [], changedHandsAt: null, chipIssuedAt: null, claimEnds: [] };
  return { ...mainState, ...log, ...noLogs, altOwner, operatorVerified, home: home === 0n ? ordinal : home };
}

// -------------------------------------------------------------------------------------------------- recomputed rating

function recompute(
  did: string,
  machineId: bigint,
  inputs: ServedInputs,
  machine: RawInputs,
  rates: RateTable,
  { sources_hash: sourcesHash, accounts, verdicts }: ReturnType<typeof toEvidence>,
): JsonObject {
  const unavailable = machine.home !== undefined && machine.events.length === 0 ? 'no_events_yet' : null;
  const rating = rate(machine, unavailable, rates, inputs.now);
  return {
    did,
    machine_id: String(machineId),
    mcr_score: rating.mcr_score,
    mcr: rating.mcr,
    mcr_degraded: rating.mcr_degraded,
    bond_status: rating.bond_status,
    negative_flag: rating.negative_flag,
    event_count: rating.event_count,
    revenue_event_count: rating.revenue_event_count,
    activity_event_count: rating.activity_event_count,
    revenue_trend: rating.revenue_trend,
    total_revenue: rating.total_revenue,
    // Exact: up to 10^11 hundredths, the quotient is the double that its decimal text parses to.
    average_revenue_per_event: rating.average_hundredths === null ? null : rating.average_hundredths / 100,
    last_updated: rating.last_updated,
    ...(machine.home !== undefined && { home_chain: Number(machine.home) }),
    ...(unavailable !== null && { rating_unavailable: unavailable }),
    summary: rating.summary,
    model: rating.model,
    total_hundredths: rating.total_hundredths,
    factors: rating.factors.map((factor) => ({ ...factor })),
    dormancy: rating.dormancy === null ? null : { ...rating.dormancy },
    anchor: rating.anchor === null ? null : { ...rating.anchor },
    reasons: rating.reasons.map((reason) => ({ ...reason })),
    inputs: {
      block: {
        number: String(inputs.block.number),
        hash: inputs.block.hash,
        timestamp: Number(machine.blockTimestamp),
      },
      ...(inputs.slot !== undefined && { slot: String(inputs.slot) }),
      now: inputs.now,
      subscription: machine.subscription,
      negative_flag_at: String(machine.negativeFlagAt),
      trust_override: machine.trustOverride === null ? null : Number(machine.trustOverride),
      prior_events: Number(machine.priorEvents < MAX_SAFE ? machine.priorEvents : MAX_SAFE),
      event_count: machine.events.length,
      rates: { feed: rates.feed, through: rates.feed ? rates.through : inputs.through, ...digestOf(rates, inputs) },
    },
    evidence: {
      sources_hash: sourcesHash,
      changed_hands_at:
        machine.events.length === 0 || machine.changedHandsAt === null ? null : Number(machine.changedHandsAt),
      chip_changed_hands: hasChipChangedHands(machine),
      accounts,
      verdicts,
    },
  };
}

function hasChipChangedHands({ chipIssuedAt, changedHandsAt }: RawInputs): boolean | null {
  if (chipIssuedAt === null) return null;
  return changedHandsAt !== null && changedHandsAt >= chipIssuedAt;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the digest of the rates, where it can be compared. With a feed, the service may hold fewer years of it than the replay; a rate that
 * matters shows in the rating.
 */
function digestOf(rates: RateTable, { digest }: ServedInputs): { readonly digest?: string } {
  if (digest === undefined) return {};
  const own = digestRateTable(rates);
  return rates.feed && own !== digest ? {} : { digest: own };
}

/**
 * Returns the last day of the rates. A table that covers more days than the service's is cut to those; one that covers fewer is a
 * difference.
 */
function throughOf(own: RateTable, { feed, through }: ServedInputs): string {
  return own.feed && feed && typeof through === 'string' && through < own.through ? through : own.through;
}

function rate(machine: RawInputs, ratingUnavailable: string | null, rates: RateTable, now: number) {
  try {
    return rateRawEvents({ ...machine, ratingUnavailable, now: BigInt(now), rates });
  } catch (error) {
    if (error instanceof UnreadableEvents) throw new ReplayFailure('contradictory', error.message);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------- comparison

/** Objects to which the service may add members. */
const OPEN_OBJECTS: ReadonlySet<string> = new Set(['', 'inputs', 'inputs.block', 'inputs.rates']);
/** Members of the explanation that are not part of the rating. */
const NOT_RATED_MEMBERS: ReadonlySet<string> = new Set(['availability']);

function compare(served: JsonObject, recomputed: JsonObject) {
  const differences: Difference[] = [];
  const unchecked: string[] = [];
  let compared = 0;

  const visit = (path: string, a: Json | undefined, b: Json | undefined): void => {
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(b), ...Object.keys(a)])) {
        const inner = path === '' ? name : `${path}.${name}`;
        if (NOT_RATED_MEMBERS.has(inner)) continue;
        if (!(name in b) && OPEN_OBJECTS.has(path)) unchecked.push(inner);
        else visit(inner, a[name], b[name]);
      }
    } else if (isArray(a) && isArray(b)) {
      for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
        visit(`${path}[${index}]`, a[index], b[index]);
      }
    } else {
      compared += 1;
      if (a === b) return;
      differences.push({
        path,
        ...(a === undefined ? {} : { served: a }),
        ...(b === undefined ? {} : { recomputed: b }),
      });
    }
  };
  visit('', { ...served, inputs: withLowerCaseHash(served['inputs']) }, recomputed);
  return { compared, differences, unchecked };
}

/** Normalizes the block hash, whose letter case is insignificant. */
function withLowerCaseHash(inputs: Json | undefined): Json {
  const object = asObject(inputs);
  const block = asObject(object['block']);
  return { ...object, block: { ...block, hash: showSide(block['hash']).toLowerCase() } };
}

// ---------------------------------------------------------------------------------------------------------- text output

/** Formats both ratings side by side, then every difference and the verdict. */
export function formatReplay(result: ReplayResult): string {
  const inputs = asObject(result.recomputed['inputs']);
  const block = asObject(inputs['block']);
  const rows = [...listMembers(result.recomputed).keys()].map((name) => [
    name,
    showSide(listMembers(result.served).get(name)),
    showSide(listMembers(result.recomputed).get(name)),
  ]);
  const differenceRows = result.differences.map(({ path, served, recomputed }) => [
    path,
    showSide(served),
    showSide(recomputed),
  ]);
  const now = new Date(Number(inputs['now']) * 1000);
  const clock = Number.isNaN(now.getTime()) ? showSide(inputs['now']) : now.toISOString();
  const verdict = result.equal
    ? `Equal: ${result.compared} values recomputed from ${showSide(inputs['event_count'])} raw events.`
    : `DIFFERENT: ${result.differences.length} of ${result.compared} values.`;
  return [
    `${result.did} at block ${showSide(block['number'])} (${showSide(block['hash'])}), ` +
      `${'slot' in inputs ? `slot ${showSide(inputs['slot'])}, ` : ''}clock ${clock}`,
    '',
    ...toColumns([['', 'served', 'recomputed'], ...rows]),
    '',
    ...(result.equal ? [] : [...toColumns([['difference', 'served', 'recomputed'], ...differenceRows]), '']),
    ...(result.ahead.length === 0
      ? []
      : [`Ahead of the service: verdicts of ${result.ahead.length} events, which are pending there.`]),
    ...(result.unchecked.length === 0 ? [] : [`Not checked: ${result.unchecked.join(', ')}`]),
    verdict,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** Lists the scalar members and the points of each factor. */
function listMembers(rating: JsonObject): Map<string, Json> {
  const scalars = Object.entries(rating).filter(
    ([name, value]) => name !== 'summary' && !isObject(value) && !isArray(value),
  );
  const factors = isArray(rating['factors']) ? rating['factors'].map((factor) => asObject(factor)) : [];
  return new Map([
    ...scalars,
    ...factors.map((factor) => [`points: ${showSide(factor['name'])}`, factor['points_hundredths'] ?? null] as const),
    ['summary', rating['summary'] ?? null],
  ]);
}

function toColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([name, served, recomputed]) =>
    `${name!.padEnd(widths[0]!)}  ${served!.padEnd(widths[1]!)}  ${recomputed!}`.trimEnd(),
  );
}

const showSide = (value: Json | undefined): string => (value === undefined ? '(absent)' : showJson(value));

/** Replaces control characters, so that foreign text cannot control a terminal. */
const printable = (line: string): string => line.replaceAll(/\p{C}/gu, '\uFFFD');

const showJson = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

// ---------------------------------------------------------------------------------------------------------------- JSON

function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an empty object for any other value, so that its members count as missing. */
const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
