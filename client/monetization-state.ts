/** Is a machine opted in, and which deployment would a decision be signed for? (interface, Monetization; http-facts 9.1 and 9.2.) */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export interface MonetizationState {
  readonly machine_id: string;
  /** `PENDING`: no decision yet. */
  readonly status: 'PENDING' | 'OPTED_IN' | 'OPTED_OUT';
  /** Address or base58 key. */
  readonly signer: string | null;
  /** Unix seconds, those of the message that was signed. */
  readonly updated_at: number | null;
}

/** What binds a signature to one deployment. */
export interface DeploymentDocument {
  readonly version: string;
  /** Decimal. */
  readonly chain_id: string;
  /** Address, in lower case. */
  readonly registry: string;
}

export function getMonetization(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<MonetizationState>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    ask(
      connection,
      `/machine/${encodeURIComponent(formatMachineDid(id, namespace))}/monetization`,
      ({ machine_id, status }) => machine_id === String(id) && typeof status === 'string',
      options,
    ),
  );
}

export function getDeployment(connection: Connection, options?: AskOptions): Promise<Answer<DeploymentDocument>> {
  const { well_known_path: path } = connection.namespace;
  return ask(connection, path, ({ version }) => typeof version === 'string', options);
}
