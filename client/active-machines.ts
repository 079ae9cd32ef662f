/** Reads the machines with the newest events (decisions 4): a first look at a deployment, without knowing any id. */
import type { ActiveMachinesResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';

/** Reads at most 20 machines, newest event first. */
export function listActiveMachines(
  connection: Connection,
  options?: RequestOptions,
): Promise<Result<ActiveMachinesResponse>> {
  return request(connection, '/active-machines', ({ machines }) => Array.isArray(machines), options);
}
