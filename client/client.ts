/**
 * The client: `createClient({ baseUrl })` has every read, and each returns a value or an error as a result. Runs in browsers and in Node, and
 * needs `fetch` only. `monetization.ts` prepares decisions, `evidence.ts` prepares evidence.
 */
import { DEFAULT_NAMESPACE, type Namespace } from '../src/domain/identifiers/namespace.ts';
import { listActiveMachines } from './active-machines.ts';
import { listChanges } from './changes.ts';
import { getDirectorySummary, listDirectory, listWholeDirectory } from './directory.ts';
import { getWalletRating, listWalletFleet } from './bound-addresses.ts';
import type { Connection } from './http.ts';
import { listFleet, listRatedFleet, listWholeFleet } from './fleet.ts';
import { getHistory, listDecisions, listEvents } from './machine-history.ts';
import { getCard, getExplanation, getProfile, getRating, getTokenMetadata } from './machines.ts';
import { getDeployment, getMonetization } from './monetization-state.ts';
import { getHealth, getReadiness, getStatus } from './health.ts';
import { getVerification } from './verify-record.ts';

export { parseMachineKey, type MachineKey } from './machine-key.ts';
export { isRetryable, type ErrorCode, type ServiceError } from './service-errors.ts';
export type * from '../src/http/wire/response-types.ts';
export type { ChangeKind, ChangePageOptions } from './changes.ts';
export type { Profile } from './machines.ts';
export type { Result, ResponseBlock, RequestOptions, Connection } from './http.ts';

export interface ClientOptions {
  /** `https://…`, with the path prefix of the service, if any. Empty: the origin of the page. */
  readonly baseUrl: string;
  /** The namespace of the deployment, where it differs from the default. */
  readonly namespace?: Partial<Namespace>;
  readonly fetch?: typeof fetch;
  /** The timeout of one request; 30,000 when left out. */
  readonly timeoutMilliseconds?: number;
}

const READS = {
  getRating,
  getExplanation,
  getProfile,
  getTokenMetadata,
  getCard,
  getHistory,
  listEvents,
  listFleet,
  listRatedFleet,
  listWholeFleet,
  listActiveMachines,
  listDirectory,
  listWholeDirectory,
  getDirectorySummary,
  listChanges,
  getWalletRating,
  listWalletFleet,
  getMonetization,
  listDecisions,
  getDeployment,
  getVerification,
  getHealth,
  getReadiness,
  getStatus,
};

type Reads = typeof READS;
type Bound<F> = F extends (connection: Connection, ...rest: infer R) => infer T ? (...rest: R) => T : never;

export type Client = { readonly [K in keyof Reads]: Bound<Reads[K]> } & { readonly connection: Connection };

/** Creates a client with every read bound to one connection. */
export function createClient(options: ClientOptions): Client {
  const connection = connect(options);
  const bound = Object.entries<(connection: Connection, ...rest: never[]) => unknown>(READS).map(
    ([name, read]): [string, unknown] => [name, read.bind(undefined, connection)],
  );
  return { ...Object.fromEntries(bound), connection } as Client;
}

/** Creates a connection for programs that import the functions of single files instead of every read. */
export function connect({
  baseUrl,
  namespace,
  fetch: ownFetch,
  timeoutMilliseconds = 30_000,
}: ClientOptions): Connection {
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    namespace: { ...DEFAULT_NAMESPACE, ...namespace },
    fetch: ownFetch ?? fetch,
    timeoutMilliseconds,
  };
}
