/**
 * How does a program read the service? `createClient({ baseUrl })` has every read; each returns an answer or an error as a value. Runs in browsers
 * and in Node, and needs nothing but `fetch`. Decisions and evidence are prepared by `monetization.ts` and `evidence.ts`.
 */
import { DEFAULT_NAMESPACE, type Namespace } from '../src/domain/identifiers/namespace.ts';
import { listActiveMachines } from './active-machines.ts';
import { getWalletRating, listWalletFleet } from './bound-addresses.ts';
import type { Connection } from './http.ts';
import { listFleet, listWholeFleet } from './fleet.ts';
import { getHistory, listEvents } from './machine-history.ts';
import { getCard, getExplanation, getProfile, getRating, getTokenMetadata } from './machines.ts';
import { getDeployment, getMonetization } from './monetization-state.ts';
import { getHealth, getReadiness, getStatus } from './health.ts';
import { getVerification } from './verify-record.ts';

export { parseMachineKey, type MachineKey } from './machine-key.ts';
export { mayPass, type ErrorCode, type ServiceError } from './service-errors.ts';
export type * from '../src/http/wire/response-types.ts';
export type { Profile } from './machines.ts';
export type { Answer, AnswerBlock, AskOptions, Connection } from './http.ts';

export interface ClientOptions {
  /** `https://…`, with the path that the service stands under, if any. Empty: the origin of the page. */
  readonly baseUrl: string;
  /** The words of the deployment, where they are not the default ones. */
  readonly namespace?: Partial<Namespace>;
  readonly fetch?: typeof fetch;
  /** Of one request; 30,000 when left out. */
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
  listWholeFleet,
  listActiveMachines,
  getWalletRating,
  listWalletFleet,
  getMonetization,
  getDeployment,
  getVerification,
  getHealth,
  getReadiness,
  getStatus,
};

type Reads = typeof READS;
type Bound<F> = F extends (connection: Connection, ...rest: infer R) => infer T ? (...rest: R) => T : never;

export type Client = { readonly [K in keyof Reads]: Bound<Reads[K]> } & { readonly connection: Connection };

export function createClient(options: ClientOptions): Client {
  const connection = connect(options);
  const bound = Object.entries<(connection: Connection, ...rest: never[]) => unknown>(READS).map(([name, read]) => [
    name,
    read.bind(undefined, connection),
  ]);
  return { ...Object.fromEntries(bound), connection };
}

/** For the functions of single files, where not every read is wanted. */
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
