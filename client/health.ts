/** Is the service itself well, and fresh? (interface, Probe routes; http-facts 12; decisions 4.) One that is not is an answer, not an error. */
import type { HealthResponse, ReadinessResponse, StatusResponse } from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';

export interface StatusOptions extends AskOptions {
  /** How far the index of the main chain may be behind its head; the service's own bound when left out. */
  readonly maxLagBlocks?: number;
}

export function getHealth(connection: Connection, options?: AskOptions): Promise<Answer<HealthResponse>> {
  return ask(connection, '/health', ({ status }) => status === 'ok', options);
}

export function getReadiness(connection: Connection, options?: AskOptions): Promise<Answer<ReadinessResponse>> {
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'ready' || status === 'not_ready';
  return ask(connection, '/ready', isReport, { ...options, statuses: [200, 503] });
}

export function getStatus(
  connection: Connection,
  { maxLagBlocks, ...options }: StatusOptions = {},
): Promise<Answer<StatusResponse>> {
  const query = maxLagBlocks === undefined ? '' : `?max_lag_blocks=${maxLagBlocks}`;
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'fresh' || status === 'not_fresh';
  return ask(connection, `/status${query}`, isReport, { ...options, statuses: [200, 503] });
}
