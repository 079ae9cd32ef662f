/**
 * How does a command get a decision to the service? The client prepares, sends and judges it; here it is signed, sent anew while the machine cannot be
 * read, and every error becomes an ending of the command (interface, Monetization; http-facts 2 and 9).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, ServiceError } from '../client/client.ts';
import type { MonetizationState } from '../client/monetization-state.ts';
import {
  prepareDecision,
  sendDecision,
  type DecisionSignature,
  type DecisionWish,
  type PreparedDecision,
} from '../client/monetization.ts';
import { formatAddress, formatMachineDid, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import { CommandFailed } from './exit-codes.ts';
import { formatDetail, printable, toFailure } from './http-reads.ts';
import type { SigningKey } from './signing-key.ts';

/** Of the whole operation, as for every client. */
const OPERATION_MILLISECONDS = 30_000;
const RETRIES = 2;
const RETRY_MILLISECONDS = 1_000;

export type Wish = DecisionWish & { readonly machine: MachineId };

/** The decision as it would be signed now. Throws `CommandFailed`. */
export async function prepareOrFail(connection: Connection, wish: Wish): Promise<PreparedDecision> {
  const answer = await prepareDecision(connection, { signal: AbortSignal.timeout(OPERATION_MILLISECONDS), ...wish });
  if (answer.ok) return answer.value;
  const { error } = answer;
  if (error.kind === 'invalid-argument') throw new CommandFailed('refused', `${error.text}: try again in a minute`);
  if (error.kind === 'foreign-answer' && error.status === 200) {
    throw new CommandFailed('verificationFailed', printable(`${error.text}: nothing was signed`));
  }
  throw toRefusal(connection, wish, error);
}

/** Signs and sends; the state that is then in force. `onSigning` sees each decision before it is signed. Throws `CommandFailed`. */
export async function decide(
  connection: Connection,
  wish: Wish,
  key: SigningKey,
  onSigning: (prepared: PreparedDecision) => void,
): Promise<MonetizationState> {
  const signal = AbortSignal.timeout(OPERATION_MILLISECONDS);
  for (let attempt = 0; ; attempt++) {
    const prepared = await prepareOrFail(connection, { ...wish, signal });
    requireHomeOf(key, prepared);
    onSigning(prepared);
    const answer = await sendDecision(connection, prepared, sign(prepared, key), { signal });
    if (answer.ok) return answer.value;
    const { error } = answer;
    if (error.kind === 'foreign-answer' && error.status === 200) {
      throw new CommandFailed('verificationFailed', printable(error.text));
    }
    // A machine that is not available now may be in a moment; nothing else is tried again.
    const isPassing = error.kind === 'machine-unavailable' && error.status === 503;
    if (attempt === RETRIES || !isPassing) throw toRefusal(connection, wish, error);
    await delay(RETRY_MILLISECONDS);
  }
}

function toRefusal(connection: Connection, { machine }: Wish, error: ServiceError): CommandFailed {
  const path = `/machine/${encodeURIComponent(formatMachineDid(machine, connection.namespace))}/monetization`;
  return toFailure(connection, path, error, formatDetail(error));
}

function requireHomeOf({ chain }: SigningKey, { scheme }: PreparedDecision): void {
  const home = scheme === 'ed25519' ? 'alt' : 'main';
  if (chain === home) return;
  const wanted = home === 'alt' ? "its owner's Ed25519 seed, 64 hex digits" : 'a key of the main chain';
  throw new CommandFailed('usage', `the machine lives on the ${home} chain, and needs ${wanted}`);
}

function sign({ message }: PreparedDecision, { chain, key }: SigningKey): DecisionSignature {
  if (chain === 'main') return { signature: key.sign(message), address: formatAddress(key.address) };
  return { signature: key.sign(message), signerKey: key.key };
}
