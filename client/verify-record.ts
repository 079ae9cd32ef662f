/** Is a machine verified? One status for each topic; there is no aggregate (interface, Verify routes; http-facts 10.1). */
import type { VerifyRecordResponse } from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

/** A machine of the alt chain always answers `verify-read-unavailable`. */
export function getVerification(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<VerifyRecordResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(
      connection,
      `/v1/verify/machines/${id}`,
      ({ machineId, verification }) => machineId === String(id) && typeof verification === 'object',
      options,
    ),
  );
}
