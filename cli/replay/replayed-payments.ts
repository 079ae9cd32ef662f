/**
 * Payments of a replayed rating: verdicts made again, or taken from the service, and the evidence that they give. Names what is taken.
 */
import { readFleetClaims } from './fleet-claims.ts';
import { RpcRefusal } from './json-rpc.ts';
import type { RateTable } from './model/conversion.ts';
import { listJudged } from './model/qualifying.ts';
import type { Claim } from './payout-claims.ts';
import type { RawInputs, ReplayedChains } from './raw-inputs.ts';
import { ReplayFailure } from './replay-failure.ts';
import { asObject, printable, showSide, type Json, type JsonObject } from './replay-json.ts';
import type { PaymentOptions, ReplayOptions } from './replay-options.ts';
import { replayVerdicts, type VerdictReplay } from './replay-verdicts.ts';
import type { ServedInputs } from './served-explanation.ts';
import { readServedVerdicts, VERDICT_CODES, type ServedVerdict } from './served-verdicts.ts';
import { MalformedSolana } from './solana-bytes.ts';

/** The list of events has verdicts that the explanation does not have yet. */
export class VerdictsMade extends ReplayFailure {
  constructor() {
    super('refused', 'the service made verdicts after this explanation; try again');
  }
}

export interface PaymentInput {
  readonly send: typeof fetch;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly machineId: bigint;
  readonly inputs: ServedInputs;
  readonly machine: RawInputs;
  readonly rates: RateTable;
  readonly served: JsonObject;
}

/** Verdicts of older blocks no longer matter to a rating. */
const PAYMENT_DAYS = 200n;
/** Days of the verdicts that the explanation counts. */
const SHOWN_DAYS = 180n;

export interface ReplayedPayments {
  readonly verdicts: ReadonlyMap<bigint, Pick<ServedVerdict, 'code' | 'paidCents'>>;
  readonly evidence: PaymentEvidence;
  /** Changes of hands that the claims show, where the chain does not. */
  readonly hands: Partial<Pick<RawInputs, 'hands' | 'changedHandsAt'>>;
  /** What is taken from the service. */
  readonly taken: readonly string[];
  /** Undefined where the verdicts are taken from the service. */
  readonly own: VerdictReplay | undefined;
}

/** Makes the verdicts on all payments, or takes them from the service. Throws `ReplayFailure`. */
export async function replayPayments(options: ReplayOptions, replayed: PaymentInput): Promise<ReplayedPayments> {
  const { inputs, machine, rates, served, send, machineId } = replayed;
  const sourcesHash = options.sourcesHash ?? null;
  const now = BigInt(inputs.now);
  const judged = listJudged({ events: machine.events, now, rates }, PAYMENT_DAYS);
  const shown = listJudged({ events: machine.events, now, rates }, SHOWN_DAYS);
  const listed = sourcesHash === null ? undefined : await readServedVerdicts(send, options.baseUrl, machineId, judged);
  const payments = sourcesHash === null ? undefined : options.payments;
  if (payments !== undefined && listed !== undefined) requireSamePending(served, listed, shown);
  const own = payments && (await replayOwnVerdicts(options, payments, replayed, listed));
  const verdicts: ReplayedPayments['verdicts'] =
    own?.verdicts ?? (sourcesHash === null ? declareAll(judged) : (listed ?? declarePrivate(served, judged)));
  const claims = own && showClaims(own.claims, machine, inputs);
  const isMain = inputs.slot === undefined;
  return {
    verdicts,
    evidence: toEvidence(served, sourcesHash, verdicts, shown, claims?.accounts),
    hands: isMain ? {} : (claims?.hands ?? takeHands(served, sourcesHash, machine)),
    taken: own === undefined ? listTaken(inputs, sourcesHash, judged.length) : listTakenVerdicts(own),
    own,
  };
}

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
  { did, chain, altChain }: ReplayedChains & { readonly did: string },
  { sources, payoutHeader: header, readsFleet, readsFlows }: PaymentOptions,
  { send, wait, machineId, inputs, machine, rates, served }: PaymentInput,
  listed: ReadonlyMap<bigint, ServedVerdict> | undefined,
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

export function requireSameSources(served: JsonObject, own: string | null): void {
  const theirs = asObject(served['evidence'])['sources_hash'];
  if (theirs === undefined || theirs === own) return;
  const name = (hash: Json) => (hash === null ? 'none' : printable(showSide(hash)));
  throw new ReplayFailure(
    'refused',
    `the payment sources differ: the service has ${name(theirs)}, SOURCES_FILE of the replay has ${name(own)}`,
  );
}

function declareAll(judged: readonly { readonly seq: bigint }[]): Map<bigint, typeof DECLARED> {
  return new Map(judged.map(({ seq }) => [seq, DECLARED]));
}

/** Returns `declared` for every event where the owner keeps the events private and nothing else is counted. */
function declarePrivate(served: JsonObject, judged: readonly { readonly seq: bigint }[]): Map<bigint, typeof DECLARED> {
  const counts = asObject(asObject(served['evidence'])['verdicts']);
  if (VERDICT_CODES.some((code) => code !== 'declared' && counts[code] !== 0)) {
    throw new ReplayFailure('refused', 'the events are private, so their verdicts cannot be taken from the service');
  }
  return declareAll(judged);
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

export type PaymentEvidence = ReturnType<typeof toEvidence>;

/** Returns the newest change of hands of an alt-chain machine as served: it follows from payout proofs, which are not read. */
function takeHands(served: JsonObject, sourcesHash: string | null, { events }: Pick<RawInputs, 'events'>) {
  const at = asObject(served['evidence'])['changed_hands_at'];
  if (sourcesHash === null || typeof at !== 'number' || !Number.isSafeInteger(at)) return {};
  const before = events.filter(({ blockTimestamp }) => blockTimestamp < BigInt(at)).length;
  return { hands: [BigInt(before)], changedHandsAt: BigInt(at) };
}
