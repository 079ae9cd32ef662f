/** Reads health, readiness and freshness of the service (interface, Probe routes; http-facts 12; decisions 4). Not ready is a value, not an error. */
import type { HealthResponse, ReadinessResponse, StatusResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';

export interface StatusOptions extends RequestOptions {
  /** Accepted lag of the index of the main chain; left out: the default of the service. */
  readonly maxLagBlocks?: number;
}

export function getHealth(connection: Connection, options?: RequestOptions): Promise<Result<HealthResponse>> {
  return request(connection, '/health', ({ status }) => status === 'ok', options);
}

export function getReadiness(connection: Connection, options?: RequestOptions): Promise<Result<ReadinessResponse>> {
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'ready' || status === 'not_ready';
  return request(connection, '/ready', isReport, { ...options, statuses: [200, 503] });
}

export function getStatus(
  connection: Connection,
  { maxLagBlocks, ...options }: StatusOptions = {},
): Promise<Result<StatusResponse>> {
  const query = maxLagBlocks === undefined ? '' : `?max_lag_blocks=${maxLagBlocks}`;
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'fresh' || status === 'not_fresh';
  return request(connection, `/status${query}`, isReport, { ...options, statuses: [200, 503] });
}
