/** Reads the opt-in decision of a machine, and the deployment that a decision is signed for (interface, Monetization; http-facts 9.1 and 9.2). */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import type { MonetizationStateResponse, PublishedDeploymentResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

/** Reads the opt-in decision in force. */
export function getMonetization(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<MonetizationStateResponse>> {
  const { namespace } = connection;
  return withMachine(machine, namespace, (id) =>
    request(
      connection,
      `/machine/${encodeURIComponent(formatMachineDid(id, namespace))}/monetization`,
      ({ machine_id, status }) => machine_id === String(id) && typeof status === 'string',
      options,
    ),
  );
}

/** Reads the published deployment. */
export function getDeployment(
  connection: Connection,
  options?: RequestOptions,
): Promise<Result<PublishedDeploymentResponse>> {
  const { well_known_path: path } = connection.namespace;
  return request(connection, path, ({ version }) => typeof version === 'string', options);
}
