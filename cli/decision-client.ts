/**
 * Signs an opt-in decision and sends it to the service. The client prepares and validates it; this module signs it, sends it again while
 * the machine is unavailable, and converts errors to `CommandFailed` (interface, Monetization; http-facts 2 and 9).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, MonetizationStateResponse, ServiceError } from '../client/client.ts';
import {
  prepareDecision,
  sendDecision,
  type DecisionSignature,
  type DecisionInput,
  type PreparedDecision,
} from '../client/monetization.ts';
import { formatAddress, formatMachineDid, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import { CommandFailed } from './exit-codes.ts';
import { formatDetail, printable, toFailure } from './http-reads.ts';
import type { SigningKey } from './signing-key.ts';

/** Deadline of the whole operation, as for every client. */
const OPERATION_MILLISECONDS = 30_000;
const MAX_RETRIES = 2;
const RETRY_MILLISECONDS = 1_000;

export type DecisionTarget = DecisionInput & { readonly machine: MachineId };

/** Prepares the decision with the current time. Throws `CommandFailed`. */
export async function prepareOrFail(connection: Connection, target: DecisionTarget): Promise<PreparedDecision> {
  const result = await prepareDecision(connection, { signal: AbortSignal.timeout(OPERATION_MILLISECONDS), ...target });
  if (result.ok) return result.value;
  const { error } = result;
  if (error.kind === 'invalid-argument') throw new CommandFailed('refused', `${error.text}; try again in a minute`);
  if (error.kind === 'unexpected-response' && error.status === 200) {
    throw new CommandFailed('verificationFailed', printable(`${error.text}: nothing was signed`));
  }
  throw toRefusal(connection, target, error);
}

/** Signs and sends the decision; returns the stored state. Calls `onSigning` before each signature. Throws `CommandFailed`. */
export async function signAndSendDecision(
  connection: Connection,
  target: DecisionTarget,
  key: SigningKey,
  onSigning: (prepared: PreparedDecision) => void,
): Promise<MonetizationStateResponse> {
  const signal = AbortSignal.timeout(OPERATION_MILLISECONDS);
  for (let attempt = 0; ; attempt++) {
    const prepared = await prepareOrFail(connection, { ...target, signal });
    requireHomeOf(key, prepared);
    onSigning(prepared);
    const result = await sendDecision(connection, prepared, sign(prepared, key), { signal });
    if (result.ok) return result.value;
    const { error } = result;
    if (error.kind === 'unexpected-response' && error.status === 200) {
      throw new CommandFailed('verificationFailed', printable(error.text));
    }
    // Only an unavailable machine is transient.
    const isTransient = error.kind === 'machine-unavailable' && error.status === 503;
    if (attempt === MAX_RETRIES || !isTransient) throw toRefusal(connection, target, error);
    await delay(RETRY_MILLISECONDS);
  }
}

function toRefusal(connection: Connection, { machine }: DecisionTarget, error: ServiceError): CommandFailed {
  const path = `/machine/${encodeURIComponent(formatMachineDid(machine, connection.namespace))}/monetization`;
  return toFailure(connection, path, error, formatDetail(error));
}

function requireHomeOf({ chain }: SigningKey, { scheme }: PreparedDecision): void {
  const home = scheme === 'ed25519' ? 'alt' : 'main';
  if (chain === home) return;
  const wanted = home === 'alt' ? 'the Ed25519 seed of its owner (64 hex digits)' : 'a key of the main chain';
  throw new CommandFailed('usage', `the machine is homed on the ${home} chain; sign with ${wanted}`);
}

function sign({ message }: PreparedDecision, { chain, key }: SigningKey): DecisionSignature {
  if (chain === 'main') return { signature: key.sign(message), address: formatAddress(key.address) };
  return { signature: key.sign(message), signerKey: key.key };
}
