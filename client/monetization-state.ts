/** Is a machine opted in, and which deployment would a decision be signed for? (interface, Monetization; http-facts 9.1 and 9.2.) */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import type { MonetizationStateResponse, PublishedDeploymentResponse } from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export function getMonetization(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<MonetizationStateResponse>> {
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

export function getDeployment(
  connection: Connection,
  options?: AskOptions,
): Promise<Answer<PublishedDeploymentResponse>> {
  const { well_known_path: path } = connection.namespace;
  return ask(connection, path, ({ version }) => typeof version === 'string', options);
}
