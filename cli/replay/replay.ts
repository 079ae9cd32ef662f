/**
 * Is the score that a service serves the one that the raw events give? `svc replay DID`: takes the block, the clock and, for a machine of the
 * alt chain, the slot from `GET /mcr/{did}/explanation`, reads everything else from the chains again with its own readers, computes the answer
 * with its own arithmetic, and compares every member.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createRpc } from './json-rpc.ts';
import { rateRawEvents, UnreadableEvents, type RateTable } from './model.ts';
import { readRawAltLog, type AltLocation } from './raw-alt-log.ts';
import { readAltHomeState, readRawMachine, type ChainLocation, type RawMachine } from './raw-chain.ts';
import { ReplayFailure } from './replay-failure.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

export interface ReplayOptions {
  /** `did:svc:<decimal id>`. */
  readonly did: string;
  readonly baseUrl: string;
  readonly chain: ChainLocation & {
    /** Tried in order. */
    readonly rpcUrls: readonly string[];
    /** Says where a machine of the alt chain lives. */
    readonly crossChainMirror: string;
  };
  /** Left out: machines of the alt chain cannot be replayed. */
  readonly altChain?: AltLocation & { readonly rpcUrls: readonly string[] };
  /** The replay's own rates; the service's `through` says how far they were known when it answered. */
  readonly rates: RateTable;
  readonly fetch?: typeof fetch;
  /** How to pass time after a rate limit. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** An absent side means that the member is missing there. */
export interface Difference {
  /** As in `factors[0].points_hundredths`. */
  readonly path: string;
  readonly served?: Json;
  readonly recomputed?: Json;
}

export interface ReplayResult {
  readonly did: string;
  readonly equal: boolean;
  /** How many single values were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** Members of the served answer that a replay knows nothing of. */
  readonly unchecked: readonly string[];
  /** The explanation as served. */
  readonly served: JsonObject;
  /** In the shape of the explanation. */
  readonly recomputed: JsonObject;
}

/** Throws ReplayFailure when no comparison can be made; a difference is a result, not a failure. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const send = options.fetch ?? fetch;
  const wait = options.wait ?? delay;
  const machineId = parseMachineId(options.did);

  const served = await readExplanation(send, options.baseUrl, options.did);
  const inputs = parseInputs(served);

  const machine = await readRaw(options, { fetch: send, wait }, machineId, inputs);
  const recomputed = recompute(options, machineId, inputs, machine);

  const comparison = compare(served, recomputed);
  return { did: options.did, equal: comparison.differences.length === 0, ...comparison, served, recomputed };
}

// ------------------------------------------------------------------------------------------------------ what is served

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
    throw new ReplayFailure('unreachable', `the service at ${baseUrl} did not answer`);
  }
  const body = parseJsonObject(text);
  if (status !== 200) {
    const said = body?.['detail'] ?? body?.['error'];
    throw new ReplayFailure('refused', printable(`the service answered ${status}: ${showSide(said)}`));
  }
  if (body === undefined) throw new ReplayFailure('refused', 'the service did not answer with a JSON object');
  if (body['rating_unavailable'] === 'indexer_behind') {
    throw new ReplayFailure('refused', 'the service has not indexed all events of this machine yet; ask again later');
  }
  return body;
}

/** What a replay takes over from the service; the rest of `inputs` is only compared. */
interface ServedInputs {
  readonly block: { readonly number: bigint; readonly hash: string };
  /** Unix seconds. */
  readonly now: number;
  readonly feed: boolean;
  readonly through: Json;
  /** Of the alt chain; undefined: the machine lives on the main chain. */
  readonly slot: number | undefined;
}

function parseInputs(served: JsonObject): ServedInputs {
  const inputs = asObject(served['inputs']);
  const block = asObject(inputs['block']);
  const rates = asObject(inputs['rates']);
  const { number, hash } = block;
  const { now, slot } = inputs;
  const { feed, through = null } = rates;
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
      'home_chain' in served ? 'block, clock, rates and the slot of the alt chain' : 'block, clock and rates';
    throw new ReplayFailure('contradictory', `the explanation does not say ${missing}`);
  }
  return {
    block: { number: BigInt(number), hash: hash.toLowerCase() },
    now,
    feed,
    through,
    slot: slot === undefined ? undefined : Number(slot),
  };
}

// ------------------------------------------------------------------------------------------------- what the chains hold

interface RawInputs extends RawMachine {
  /** Protocol chain ordinal; undefined: the machine lives on the main chain. */
  readonly home: bigint | undefined;
}

async function readRaw(
  { chain, altChain }: ReplayOptions,
  way: { readonly fetch: typeof fetch; readonly wait: (milliseconds: number) => Promise<void> },
  machineId: bigint,
  { block, slot }: ServedInputs,
): Promise<RawInputs> {
  const rpc = createRpc({ ...way, urls: chain.rpcUrls });
  if (slot === undefined) return { ...(await readRawMachine(rpc, chain, machineId, block)), home: undefined };
  if (altChain === undefined) {
    throw new ReplayFailure('refused', 'this machine lives on the alt chain, and no node of that chain is configured');
  }
  const { home, ...standing } = await readAltHomeState(rpc, chain, machineId, block);
  const altRpc = createRpc({ ...way, urls: altChain.rpcUrls });
  const { ordinal, ...log } = await readRawAltLog(altRpc, altChain, machineId, slot, way.wait);
  // A young machine lives there before the main chain has heard of it.
  return { ...standing, ...log, home: home === 0n ? ordinal : home };
}

// -------------------------------------------------------------------------------------------------- what is recomputed

function recompute(options: ReplayOptions, machineId: bigint, inputs: ServedInputs, machine: RawInputs): JsonObject {
  const rates = { ...options.rates, through: throughOf(options.rates, inputs) };
  const unavailable = machine.home !== undefined && machine.events.length === 0 ? 'no_events_yet' : null;
  const answer = rate(machine, unavailable, rates, inputs.now);
  return {
    did: options.did,
    machine_id: String(machineId),
    mcr_score: answer.mcr_score,
    mcr: answer.mcr,
    mcr_degraded: answer.mcr_degraded,
    bond_status: answer.bond_status,
    negative_flag: answer.negative_flag,
    event_count: answer.event_count,
    revenue_event_count: answer.revenue_event_count,
    activity_event_count: answer.activity_event_count,
    revenue_trend: answer.revenue_trend,
    total_revenue: answer.total_revenue,
    // At most 10^11 hundredths: the nearest double of the quotient is the one that its decimal text parses to.
    average_revenue_per_event: answer.average_hundredths === null ? null : answer.average_hundredths / 100,
    last_updated: answer.last_updated,
    ...(machine.home !== undefined && { home_chain: Number(machine.home) }),
    ...(unavailable !== null && { rating_unavailable: unavailable }),
    summary: answer.summary,
    model: answer.model,
    total_hundredths: answer.total_hundredths,
    factors: answer.factors.map((factor) => ({ ...factor })),
    dormancy: answer.dormancy === null ? null : { ...answer.dormancy },
    reasons: answer.reasons.map((reason) => ({ ...reason })),
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
      rates: { feed: rates.feed, through: rates.feed ? rates.through : inputs.through },
    },
  };
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A table that goes further than the service's did gives the same rates for the days that both cover, so it is cut to the
 * service's; one that goes less far cannot stand in for it, and shows as a difference.
 */
function throughOf(own: RateTable, served: ServedInputs): string {
  const servedThrough = String(served.through);
  return own.feed && served.feed && servedThrough < own.through ? servedThrough : own.through;
}

function rate(machine: RawMachine, ratingUnavailable: string | null, rates: RateTable, now: number) {
  try {
    return rateRawEvents({ ...machine, ratingUnavailable, now: BigInt(now), rates });
  } catch (error) {
    if (error instanceof UnreadableEvents) throw new ReplayFailure('contradictory', error.message);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------- comparison

/** Objects to which the service may add members of its own. */
const OPEN_OBJECTS: ReadonlySet<string> = new Set(['', 'inputs', 'inputs.block', 'inputs.rates']);
/** What the explanation tells beside the rating: no model has it. */
const BESIDE_THE_RATING: ReadonlySet<string> = new Set(['availability']);

function compare(served: JsonObject, recomputed: JsonObject) {
  const differences: Difference[] = [];
  const unchecked: string[] = [];
  let compared = 0;

  const visit = (path: string, a: Json | undefined, b: Json | undefined): void => {
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(b), ...Object.keys(a)])) {
        const inner = path === '' ? name : `${path}.${name}`;
        if (BESIDE_THE_RATING.has(inner)) continue;
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

/** A block hash has no letter case. */
function withLowerCaseHash(inputs: Json | undefined): Json {
  const object = asObject(inputs);
  const block = asObject(object['block']);
  return { ...object, block: { ...block, hash: String(block['hash']).toLowerCase() } };
}

// ---------------------------------------------------------------------------------------------------------- for people

/** The record side by side, then every difference; ends with a verdict and a line feed. */
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
  const clock = Number.isNaN(now.getTime()) ? String(inputs['now']) : now.toISOString();
  const verdict = result.equal
    ? `Equal: ${result.compared} values recomputed from ${String(inputs['event_count'])} raw events.`
    : `DIFFERENT: ${result.differences.length} of ${result.compared} values.`;
  return [
    `${result.did} at block ${String(block['number'])} (${String(block['hash'])}), ` +
      `${'slot' in inputs ? `slot ${String(inputs['slot'])}, ` : ''}clock ${clock}`,
    '',
    ...toColumns([['', 'served', 'recomputed'], ...rows]),
    '',
    ...(result.equal ? [] : [...toColumns([['difference', 'served', 'recomputed'], ...differenceRows]), '']),
    ...(result.unchecked.length === 0 ? [] : [`Not checked: ${result.unchecked.join(', ')}`]),
    verdict,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** The scalars of the answer, and the points of each factor. */
function listMembers(answer: JsonObject): Map<string, Json> {
  const scalars = Object.entries(answer).filter(
    ([name, value]) => name !== 'summary' && !isObject(value) && !isArray(value),
  );
  const factors = isArray(answer['factors']) ? answer['factors'].map((factor) => asObject(factor)) : [];
  return new Map([
    ...scalars,
    ...factors.map((factor) => [`points: ${String(factor['name'])}`, factor['points_hundredths'] ?? null] as const),
    ['summary', answer['summary'] ?? null],
  ]);
}

function toColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([name, served, recomputed]) =>
    `${name!.padEnd(widths[0]!)}  ${served!.padEnd(widths[1]!)}  ${recomputed!}`.trimEnd(),
  );
}

const showSide = (value: Json | undefined): string => (value === undefined ? '(absent)' : showJson(value));

/** What a service serves must not steer a terminal. */
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

/** An object without members in place of anything else: what is then missing shows as missing. */
const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
