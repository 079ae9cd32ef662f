/** Reads a served explanation, and what the replay takes from it: block, clock, days of the rates, slot. */
import { asObject, parseJsonObject, printable, showSide, type Json, type JsonObject } from './replay-json.ts';
import { ReplayFailure } from './replay-failure.ts';
import { requestJson } from './service-request.ts';

export async function readExplanation(send: typeof fetch, baseUrl: string, did: string): Promise<JsonObject> {
  const url = `${baseUrl.replace(/\/+$/, '')}/mcr/${encodeURIComponent(did)}/explanation`;
  let status: number;
  let text: string;
  try {
    const response = await requestJson(send, url);
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
export interface ServedInputs {
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

export function parseInputs(served: JsonObject): ServedInputs {
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
