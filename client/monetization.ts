/**
 * How does a wallet decide about a machine? `prepareDecision` compares what the service publishes with what the caller knows and makes the exact text to sign;
 * the wallet signs it; `sendDecision` sends it and compares what is then in force (interface, Monetization; http-facts 9). No key is seen here.
 */
import { parseAltKey } from '../src/domain/alt-identifiers.ts';
import { formatMachineDid, parseAddress, type MachineId } from '../src/domain/identifiers.ts';
import { toDecisionBody } from '../src/domain/monetization/decision-request.ts';
import { chooseTimestamp } from '../src/domain/monetization/decision-window.ts';
import type { DecisionHome, PublishedDeployment } from '../src/domain/monetization/decision.ts';
import {
  prepareDecision as prepareMessage,
  type PreparedDecision,
} from '../src/domain/monetization/prepared-decision.ts';
import { parseEd25519Signature, parseRecoverableSignature } from '../src/domain/signatures/signature-texts.ts';
import { ask, foreign, invalidArgument, type Answer, type AskOptions, type Connection } from './exchange.ts';
import { parseMachineKey, type MachineKey } from './machine-key.ts';
import { getCard } from './machines.ts';
import {
  getDeployment,
  getMonetization,
  type DeploymentDocument,
  type MonetizationState,
} from './monetization-state.ts';

export { formatDecisionMessage } from '../src/domain/monetization/decision-message.ts';
export type { PreparedDecision } from '../src/domain/monetization/prepared-decision.ts';

export interface DecisionWish extends AskOptions {
  readonly machine: MachineKey;
  readonly optedIn: boolean;
  /** What the caller knows of the deployment by itself; a service that publishes anything else gets no signature. */
  readonly expected?: { readonly chainId?: string; readonly registry?: string };
  /** Unix seconds; the clock's when left out. */
  readonly nowSeconds?: number;
}

/**
 * What the wallet made of `PreparedDecision.text`: `personal_sign`, with its address where it is known, or base58 of Ed25519 beside the owner's key.
 */
export type DecisionSignature =
  | { readonly signature: string; readonly address?: string }
  | { readonly signature: string; readonly signerKey: string };

const CHAIN_ID = /^[1-9][0-9]{0,77}$/;

/** Asks what the service is, where the machine lives and what is in force. */
export async function prepareDecision(connection: Connection, wish: DecisionWish): Promise<Answer<PreparedDecision>> {
  const { machine, optedIn, expected = {}, nowSeconds = Math.floor(Date.now() / 1000), ...options } = wish;
  const machineId = parseMachineKey(machine, connection.namespace);
  if (machineId === undefined) return invalidArgument('not a machine id or DID');
  const [published, card, state] = await Promise.all([
    getDeployment(connection, options),
    getCard(connection, machineId, options),
    getMonetization(connection, machineId, options),
  ]);
  // That of the decision comes first: it is the one that names every reason.
  if (!state.ok) return state;
  if (!published.ok) return published;
  if (!card.ok) return card;
  const deployment = toDeployment(published.value, connection);
  if (deployment === undefined || differs(deployment, expected)) {
    return foreign(200, 'the service publishes another deployment than is expected');
  }
  const home = toHome(card.value.home_chain);
  if (home === undefined) return foreign(200, 'the service tells a home that is no chain');
  const timestamp = chooseTimestamp(nowSeconds, state.value.updated_at ?? undefined);
  if (timestamp === undefined) return invalidArgument('the decision in force was signed ahead of this clock');
  const value = prepareMessage({ machineId, optedIn, timestamp }, home, deployment, connection.namespace);
  return { ok: true, value };
}

/** The state that is then in force, which is the one that was signed. */
export async function sendDecision(
  connection: Connection,
  { decision, scheme }: PreparedDecision,
  signed: DecisionSignature,
  options: AskOptions = {},
): Promise<Answer<MonetizationState>> {
  const proof = toProof(signed);
  if (proof === undefined || proof.kind !== scheme) return invalidArgument(`not a signature of ${scheme}`);
  return ask(
    connection,
    `/machine/${encodeURIComponent(formatMachineDid(decision.machineId, connection.namespace))}/monetization`,
    (body) => isInForce(body, decision) && isOf(signed, body['signer']),
    {
      ...options,
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toDecisionBody(decision, proof)),
    },
  );
}

/** Base58 is spelled in one way, addresses in any letter case. */
function isOf(signed: DecisionSignature, signer: unknown): boolean {
  if (typeof signer !== 'string') return false;
  if ('signerKey' in signed) return signer === signed.signerKey;
  return signed.address === undefined || signer.toLowerCase() === signed.address.toLowerCase();
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
  { version, chain_id: chainId, registry: text }: DeploymentDocument,
  { namespace }: Connection,
): PublishedDeployment | undefined {
  const registry = typeof text === 'string' && text === text.toLowerCase() ? parseAddress(text) : undefined;
  const isOurs = version === namespace.monetization_version && typeof chainId === 'string' && CHAIN_ID.test(chainId);
  return isOurs && registry !== undefined ? { chainId, registry } : undefined;
}

function differs(published: PublishedDeployment, { chainId, registry }: NonNullable<DecisionWish['expected']>) {
  return (
    (chainId ?? published.chainId) !== published.chainId ||
    (registry ?? published.registry).toLowerCase() !== published.registry
  );
}

/** A machine of the main chain tells none. */
function toHome(ordinal: unknown): DecisionHome | undefined {
  if (ordinal === undefined) return { chain: 'main' };
  return Number.isInteger(ordinal) ? { chain: 'alt', ordinal: ordinal as number } : undefined;
}

function isInForce(
  { machine_id, status, updated_at }: Readonly<Record<string, unknown>>,
  { machineId, optedIn, timestamp }: { machineId: MachineId; optedIn: boolean; timestamp: number },
): boolean {
  return (
    machine_id === String(machineId) && status === (optedIn ? 'OPTED_IN' : 'OPTED_OUT') && updated_at === timestamp
  );
}
