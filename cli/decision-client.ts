/**
 * How does a command get a decision to the service? It compares what the service says of itself, prepares the message, sends it signed,
 * and compares what the service says it has stored (interface, Monetization; http-facts 2 and 9).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { formatMachineDid, parseAddress, type MachineId } from '../src/domain/identifiers.ts';
import { toDecisionBody, type DecisionBody } from '../src/domain/monetization/decision-request.ts';
import { chooseTimestamp } from '../src/domain/monetization/decision-window.ts';
import {
  formatSigner,
  type DecisionHome,
  type PublishedDeployment,
  type Signer,
} from '../src/domain/monetization/decision.ts';
import { prepareDecision, type PreparedDecision } from '../src/domain/monetization/prepared-decision.ts';
import type { Namespace } from '../src/domain/namespace.ts';
import { CommandFailed } from './exit-codes.ts';
import { askService, printable, readDocument, refusal, type JsonObject, type ServiceAnswer } from './http-reads.ts';
import type { SigningKey } from './signing-key.ts';

/** Of the whole operation, as for every client. */
const OPERATION_MILLISECONDS = 30_000;
const RETRIES = 2;
const RETRY_MILLISECONDS = 1_000;
const CHAIN_ID = /^[1-9][0-9]{0,77}$/;

/** What the caller knows of the deployment by itself. */
export type ExpectedDeployment = { readonly [K in keyof PublishedDeployment]: PublishedDeployment[K] | undefined };

export interface DecisionClientOptions {
  readonly baseUrl: string;
  readonly namespace: Namespace;
  readonly machineId: MachineId;
  readonly optedIn: boolean;
}

export interface DecisionClient {
  /** The decision as it would be signed now. Throws `CommandFailed`. */
  prepare(): PreparedDecision;
  /** Signs and sends; the state that the service then has. `onSigning` sees each decision before it is signed. Throws `CommandFailed`. */
  send(key: SigningKey, onSigning: (prepared: PreparedDecision) => void): Promise<JsonObject>;
}

/** Asks the service what it is and what is in force. Throws `CommandFailed`, also where it is not what is expected. */
export async function openDecisionClient(
  { baseUrl, namespace, machineId, optedIn }: DecisionClientOptions,
  expected: ExpectedDeployment,
): Promise<DecisionClient> {
  const signal = AbortSignal.timeout(OPERATION_MILLISECONDS);
  const path = `/machine/${encodeURIComponent(formatMachineDid(machineId, namespace))}/monetization`;
  const published = await readDocument(baseUrl, namespace.well_known_path, signal);
  const deployment = judgeDeployment(published, namespace, expected);
  const home = judgeHome(await readDocument(baseUrl, `/machines/${machineId}`, signal));
  const { updated_at: inForceSince } = await readDocument(baseUrl, path, signal);

  function prepare(): PreparedDecision {
    const now = Math.floor(Date.now() / 1000);
    const timestamp = chooseTimestamp(now, typeof inForceSince === 'number' ? inForceSince : undefined);
    if (timestamp === undefined) {
      throw new CommandFailed('refused', 'the decision in force was signed ahead of this clock: try again in a minute');
    }
    return prepareDecision({ machineId, optedIn, timestamp }, home, deployment, namespace);
  }

  return {
    prepare,
    async send(key, onSigning) {
      requireHomeOf(key, home);
      for (let attempt = 0; ; attempt++) {
        const prepared = prepare();
        onSigning(prepared);
        const document = sign(prepared, key);
        const answer = await askService(baseUrl, path, { method: 'PUT', document, signal });
        if (answer.status === 200) return judgeState(answer, prepared, signerOf(key));
        if (attempt === RETRIES || !isPassing(answer)) throw refusal(path, answer);
        await delay(RETRY_MILLISECONDS);
      }
    },
  };
}

/** The home that the card tells; a machine of the main chain tells none. */
function judgeHome({ home_chain: ordinal }: JsonObject): DecisionHome {
  if (ordinal === undefined) return { chain: 'main' };
  if (Number.isInteger(ordinal)) return { chain: 'alt', ordinal: ordinal as number };
  throw new CommandFailed('verificationFailed', 'the service tells a home that is no chain: nothing was signed');
}

function requireHomeOf({ chain }: SigningKey, home: DecisionHome): void {
  if (chain === home.chain) return;
  const wanted = home.chain === 'alt' ? "its owner's Ed25519 seed, 64 hex digits" : 'a key of the main chain';
  throw new CommandFailed('usage', `the machine lives on the ${home.chain} chain, and needs ${wanted}`);
}

function sign({ decision, message }: PreparedDecision, { chain, key }: SigningKey): DecisionBody {
  if (chain === 'main') return toDecisionBody(decision, { kind: 'eip191', signature: key.sign(message) });
  return toDecisionBody(decision, { kind: 'ed25519', signerKey: key.key, signature: key.sign(message) });
}

function signerOf({ chain, key }: SigningKey): Signer {
  return chain === 'main' ? key.address : key.key;
}

function judgeDeployment(
  published: JsonObject,
  { monetization_version }: Namespace,
  expected: ExpectedDeployment,
): PublishedDeployment {
  const { version, chain_id: chainId, registry: text } = published;
  const registry = typeof text === 'string' && text === text.toLowerCase() ? parseAddress(text) : undefined;
  if (version !== monetization_version || typeof chainId !== 'string' || !CHAIN_ID.test(chainId) || !registry) {
    throw new CommandFailed(
      'verificationFailed',
      'the service publishes another version of signing: nothing was signed',
    );
  }
  requireEqual('chain id', chainId, expected.chainId);
  requireEqual('registry', registry, expected.registry);
  return { chainId, registry };
}

function requireEqual(name: string, published: string, expected: string | undefined): void {
  if (expected === undefined || published === expected) return;
  const message = `the service publishes the ${name} ${published}, not ${expected}: nothing was signed`;
  throw new CommandFailed('verificationFailed', message);
}

/** A machine that is not available now may be in a moment; nothing else is tried again. */
function isPassing({ status, body }: ServiceAnswer): boolean {
  const detail = body?.['detail'];
  const code = typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : undefined;
  return status === 503 && code === 'MACHINE_UNAVAILABLE';
}

function judgeState({ body = {} }: ServiceAnswer, { decision }: PreparedDecision, signer: Signer): JsonObject {
  const expected = {
    machine_id: String(decision.machineId),
    status: decision.optedIn ? 'OPTED_IN' : 'OPTED_OUT',
    signer: formatSigner(signer),
    updated_at: decision.timestamp,
  };
  const differing = Object.entries(expected).find(([name, value]) => !areAlike(body[name], value));
  if (differing === undefined) return body;
  const given = printable(JSON.stringify(body[differing[0]]) ?? 'nothing');
  throw new CommandFailed(
    'verificationFailed',
    `the service says that ${differing[0]} is ${given}, not ${differing[1]}`,
  );
}

/** Addresses are spelled in any letter case, base58 in one. */
function areAlike(given: unknown, expected: string | number): boolean {
  if (typeof given !== 'string' || !String(expected).startsWith('0x')) return given === expected;
  return given.toLowerCase() === String(expected).toLowerCase();
}
