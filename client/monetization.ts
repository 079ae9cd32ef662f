/**
 * Opt-in decisions of a wallet (interface, Monetization; http-facts 9). `prepareDecision` compares what the service publishes with what the caller
 * expects and returns the exact text to sign. `sendDecision` sends the signature and compares the decision then in force. No key is used here.
 */
import { parseAltKey } from '../src/domain/identifiers/alt-identifiers.ts';
import { formatMachineDid, parseAddress } from '../src/domain/identifiers/identifiers.ts';
import { toDecisionBody } from '../src/domain/monetization/decision-request.ts';
import { chooseTimestamp } from '../src/domain/monetization/decision-window.ts';
import type { Decision, DecisionHome, PublishedDeployment } from '../src/domain/monetization/decision.ts';
import {
  prepareDecision as prepareMessage,
  type PreparedDecision,
} from '../src/domain/monetization/prepared-decision.ts';
import { parseEd25519Signature, parseRecoverableSignature } from '../src/domain/signatures/signature-parsing.ts';
import type { MonetizationStateResponse, PublishedDeploymentResponse } from '../src/http/wire/response-types.ts';
import {
  request,
  unexpectedResponse,
  invalidArgument,
  type Result,
  type RequestOptions,
  type Connection,
} from './http.ts';
import { parseMachineKey, type MachineKey } from './machine-key.ts';
import { getCard } from './machines.ts';
import { getDeployment, getMonetization } from './monetization-state.ts';

export { formatDecisionMessage } from '../src/domain/monetization/decision-message.ts';
export type { PreparedDecision } from '../src/domain/monetization/prepared-decision.ts';

/** The deployment that the caller expects. A service that publishes another one gets no signature. */
export interface ExpectedDeployment {
  readonly chainId?: string | undefined;
  readonly registry?: string | undefined;
}

export interface DecisionInput extends RequestOptions {
  readonly machine: MachineKey;
  readonly optedIn: boolean;
  readonly expected?: ExpectedDeployment;
  /** Chain that holds the token or the account: a relocating machine can be opted out on it, although no read names its home. */
  readonly holder?: DecisionHome;
  /** Unix time in seconds; left out: the clock. */
  readonly nowSeconds?: number;
}

/**
 * The wallet's signature of `PreparedDecision.text`: by `personal_sign`, with the address where it is known, or base58 of Ed25519 with the
 * owner's key.
 */
export type DecisionSignature =
  | { readonly signature: string; readonly address?: string }
  | { readonly signature: string; readonly signerKey: string };

const CHAIN_ID = /^[1-9][0-9]{0,77}$/;

/** Reads the deployment, the home of the machine and the decision in force, and returns the decision to sign. */
export async function prepareDecision(connection: Connection, input: DecisionInput): Promise<Result<PreparedDecision>> {
  const { machine, optedIn, expected = {}, holder, nowSeconds = Math.floor(Date.now() / 1000), ...options } = input;
  const machineId = parseMachineKey(machine, connection.namespace);
  if (machineId === undefined) return invalidArgument('not a machine id or DID');
  const [published, card, state] = await Promise.all([
    getDeployment(connection, options),
    getCard(connection, machineId, options),
    getMonetization(connection, machineId, options),
  ]);
  const isRelocating = !state.ok && state.error.kind === 'machine-unavailable';
  const exit = isRelocating && !optedIn ? holder : undefined;
  // The error of the decision comes first because it names every reason.
  if (!state.ok && exit === undefined) return state;
  if (!published.ok) return published;
  if (!card.ok && exit === undefined) return card;
  const deployment = toDeployment(published.value, connection);
  if (deployment === undefined) return unexpectedResponse(200, 'the service publishes another version of signing');
  const mismatch = findMismatch(deployment, expected);
  if (mismatch !== undefined) return unexpectedResponse(200, `the service publishes ${mismatch}`);
  const home = card.ok ? toHome(card.value.home_chain) : exit;
  if (home === undefined) return unexpectedResponse(200, 'the service reports a home that is not a chain');
  const timestamp = chooseTimestamp(nowSeconds, (state.ok && state.value.updated_at) || undefined);
  if (timestamp === undefined) return invalidArgument('the decision in force was signed ahead of this clock');
  const value = prepareMessage({ machineId, optedIn, timestamp }, home, deployment, connection.namespace);
  return { ok: true, value };
}

/** Sends a signed decision and returns the state then in force, which is the one that was signed. */
export async function sendDecision(
  connection: Connection,
  { decision, scheme }: PreparedDecision,
  signed: DecisionSignature,
  options: RequestOptions = {},
): Promise<Result<MonetizationStateResponse>> {
  const proof = toProof(signed);
  if (proof === undefined || proof.kind !== scheme) return invalidArgument(`not a signature of ${scheme}`);
  const path = `/machine/${encodeURIComponent(formatMachineDid(decision.machineId, connection.namespace))}/monetization`;
  const result = await request<MonetizationStateResponse>(connection, path, () => true, {
    ...options,
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toDecisionBody(decision, proof)),
  });
  const difference = result.ok ? findDifference(result.value, decision, signed) : undefined;
  return difference === undefined ? result : unexpectedResponse(200, `the service says that ${difference}`);
}

/** Describes the first member of the state that differs from what was signed. */
function findDifference(
  state: MonetizationStateResponse,
  { machineId, optedIn, timestamp }: Decision,
  signed: DecisionSignature,
): string | undefined {
  const expected = {
    machine_id: String(machineId),
    status: optedIn ? 'OPTED_IN' : 'OPTED_OUT',
    signer: 'signerKey' in signed ? signed.signerKey : signed.address,
    updated_at: timestamp,
  };
  const names = ['machine_id', 'status', 'signer', 'updated_at'] as const;
  const name = names.find((each) => !areAlike(state[each], expected[each]));
  return name && `${name} is ${JSON.stringify(state[name])}, not ${expected[name] ?? 'an address'}`;
}

/** Compares base58 exactly and addresses in any letter case. Undefined accepts any string. */
function areAlike(given: string | number | null, expected: string | number | undefined): boolean {
  if (expected === undefined) return typeof given === 'string';
  if (typeof given !== 'string' || !String(expected).startsWith('0x')) return given === expected;
  return given.toLowerCase() === String(expected).toLowerCase();
}

function toProof(signed: DecisionSignature) {
  if (!('signerKey' in signed)) {
    const signature = parseRecoverableSignature(signed.signature);
    return signature && ({ kind: 'eip191', signature } as const);
  }
  const [signature, signerKey] = [parseEd25519Signature(signed.signature), parseAltKey(signed.signerKey)];
  return signature && signerKey && ({ kind: 'ed25519', signerKey, signature } as const);
}

function toDeployment(
  { version, chain_id: chainId, registry: text }: PublishedDeploymentResponse,
  { namespace }: Connection,
): PublishedDeployment | undefined {
  const registry = typeof text === 'string' && text === text.toLowerCase() ? parseAddress(text) : undefined;
  const isOurs = version === namespace.monetization_version && typeof chainId === 'string' && CHAIN_ID.test(chainId);
  return isOurs && registry !== undefined ? { chainId, registry } : undefined;
}

function findMismatch(
  published: PublishedDeployment,
  { chainId = published.chainId, registry = published.registry }: ExpectedDeployment,
): string | undefined {
  if (published.chainId !== chainId) return `the chain id ${published.chainId}, not ${chainId}`;
  const known = registry.toLowerCase();
  return published.registry === known ? undefined : `the registry ${published.registry}, not ${known}`;
}

/** Returns the home that a card names. Cards of main-chain machines name none. */
function toHome(ordinal: unknown): DecisionHome | undefined {
  if (ordinal === undefined) return { chain: 'main' };
  return Number.isInteger(ordinal) ? { chain: 'alt', ordinal: ordinal as number } : undefined;
}
