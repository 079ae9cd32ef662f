/** Reads the verification of a machine: one status per topic, without an aggregate (interface, Verify routes; http-facts 10.1). */
import type { VerifyRecordResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

/** Reads the Verify record. Alt-chain machines always fail with `verify-read-unavailable`. */
export function getVerification(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<VerifyRecordResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    request(
      connection,
      `/v1/verify/machines/${id}`,
      ({ machineId, verification }) => machineId === String(id) && typeof verification === 'object',
      options,
    ),
  );
}
