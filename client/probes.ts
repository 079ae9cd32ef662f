/** Is the service itself well? (interface, Probe routes; http-facts 12.) A service that is not ready is an answer, not an error. */
import { ask, type Answer, type AskOptions, type Connection } from './exchange.ts';

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly rpc_connected: boolean;
  readonly contracts: Readonly<Record<string, boolean>>;
  /** Null: the service does not run Verify. */
  readonly verify: boolean | null;
  /** The indexer of the alt chain. */
  readonly solana_indexer: {
    readonly ready: boolean;
    readonly slot: number | null;
    readonly age_seconds: number | null;
  } | null;
  readonly operator_index: {
    readonly ready: boolean;
    readonly indexed_block: number | null;
    readonly head_block: number | null;
    readonly lag_blocks: number | null;
    readonly head_observed_age_seconds: number | null;
  } | null;
}

export function getHealth(connection: Connection, options?: AskOptions): Promise<Answer<{ readonly status: 'ok' }>> {
  return ask(connection, '/health', ({ status }) => status === 'ok', options);
}

export function getReadiness(connection: Connection, options?: AskOptions): Promise<Answer<Readiness>> {
  const isReport = ({ status }: { readonly status?: unknown }) => status === 'ready' || status === 'not_ready';
  return ask(connection, '/ready', isReport, { ...options, statuses: [200, 503] });
}
