/** Is the service itself well, and fresh? (interface, Probe routes; http-facts 12; decisions 4.) One that is not is an answer, not an error. */
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';

/** How far the indexes are behind their chains; null: not there, or never read. Ages in seconds. */
export interface IndexReports {
  readonly operator_index: {
    readonly ready: boolean;
    readonly indexed_block: number | null;
    readonly head_block: number | null;
    readonly lag_blocks: number | null;
    readonly head_observed_age_seconds: number | null;
  } | null;
  /** The indexer of the alt chain. */
  readonly solana_indexer: {
    readonly ready: boolean;
    readonly slot: number | null;
    readonly age_seconds: number | null;
  } | null;
}

export interface Readiness extends IndexReports {
  readonly status: 'ready' | 'not_ready';
  readonly rpc_connected: boolean;
  readonly contracts: Readonly<Record<string, boolean>>;
  /** Null: the service does not run Verify. */
  readonly verify: boolean | null;
  /** Absent: each replica counts requests alone, as configured. */
  readonly shared_rate_limits?: boolean;
}

export interface Status extends IndexReports {
  readonly status: 'fresh' | 'not_fresh';
  readonly max_lag_blocks: number;
}

export interface StatusOptions extends AskOptions {
  /** How far the index of the main chain may be behind its head; the service's own bound when left out. */
  readonly maxLagBlocks?: number;
}

export function getHealth(connection: Connection, options?: AskOptions): Promise<Answer<{ readonly status: 'ok' }>> {
  return ask(connection, '/health', ({ status }) => status === 'ok', options);
}

export function getReadiness(connection: Connection, options?: AskOptions): Promise<Answer<Readiness>> {
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'ready' || status === 'not_ready';
  return ask(connection, '/ready', isReport, { ...options, statuses: [200, 503] });
}

export function getStatus(
  connection: Connection,
  { maxLagBlocks, ...options }: StatusOptions = {},
): Promise<Answer<Status>> {
  const query = maxLagBlocks === undefined ? '' : `?max_lag_blocks=${maxLagBlocks}`;
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'fresh' || status === 'not_fresh';
  return ask(connection, `/status${query}`, isReport, { ...options, statuses: [200, 503] });
}
