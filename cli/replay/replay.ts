/**
 * Replay of a served rating (`svc replay DID`): takes the block, the clock and, for a machine of the alt chain, the slot from
 * `GET /mcr/{did}/explanation`, reads everything else from the chains with independent readers, recomputes the rating with the
 * independent model, and compares every member. With payment sources it makes every verdict again; what it takes from the service is named.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { compare, type Difference } from './comparison.ts';
import { readRaw } from './raw-inputs.ts';
import { recompute, throughOf } from './recomputed-rating.ts';
import { ReplayFailure } from './replay-failure.ts';
import type { JsonObject } from './replay-json.ts';
import type { ReplayOptions } from './replay-options.ts';
import { replayPayments, requireSameSources, VerdictsMade, type PaymentInput } from './replayed-payments.ts';
import { parseInputs, readExplanation } from './served-explanation.ts';

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

const ATTEMPTS = 8;
const RETRY_MILLISECONDS = 2_000;

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

async function replayServed(
  options: ReplayOptions,
  { send, wait, machineId }: Pick<PaymentInput, 'send' | 'wait' | 'machineId'>,
  served: JsonObject,
): Promise<ReplayResult> {
  const inputs = parseInputs(served);
  requireSameSources(served, options.sourcesHash ?? null);
  const machine = await readRaw(options, { fetch: send, wait }, machineId, inputs);
  const rates = { ...options.rates, through: throughOf(options.rates, inputs) };
  const payments = await replayPayments(options, { send, wait, machineId, inputs, machine, rates, served });
  const { verdicts, evidence, hands, taken, own } = payments;
  const events = machine.events.map((event) => ({ ...event, paidCents: verdicts.get(event.seq)?.paidCents ?? 0n }));
  const recomputed = recompute(options.did, machineId, inputs, { ...machine, events, ...hands }, rates, evidence);
  const comparison = compare(served, recomputed);
  const differences = [...comparison.differences, ...(own?.differences ?? [])];
  return {
    did: options.did,
    equal: differences.length === 0,
    compared: comparison.compared + (own?.compared ?? 0),
    differences,
    // The binding of the operator of an alt-chain machine is not read.
    unchecked: [...(inputs.slot === undefined ? [] : ['anchor.operator_verified']), ...taken, ...comparison.unchecked],
    ahead: (own?.ahead ?? []).map(Number),
    served,
    recomputed,
  };
}

function parseMachineId(did: string): bigint {
  const match = /^did:[a-z0-9]+:([1-9][0-9]{0,77})$/.exec(did);
  const id = match === null ? 0n : BigInt(match[1]!);
  if (id < 1n || id >= 2n ** 256n) throw new ReplayFailure('refused', `not a machine DID: ${did}`);
  return id;
}
