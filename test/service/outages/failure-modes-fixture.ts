/** A service over PostgreSQL and both local chains, with a fault proxy in front of each of the three, and a caller for every route. */
import { inject } from 'vitest';
import { prepareDecision } from '../../../src/domain/monetization/prepared-decision.ts';
import { attempts } from '../../../testing/fixtures/evidence-vectors.ts';
import type { Address, MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import {
  RESPONSE_TIMEOUT_MILLISECONDS,
  POLL_INTERVAL_SECONDS,
  ROUTES,
  type Dependency,
  type RouteName,
} from '../../failure-modes-table.ts';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import { createHostNames, type HostNames } from '../../../testing/harness/host-names.ts';
import {
  startEmbeddedPostgres,
  type PostgresServer,
  type PostgresTestDatabase,
} from '../../../testing/harness/embedded-postgres.ts';
import { startFaultProxy, type FaultProxy } from '../../../testing/harness/fault-proxy.ts';
import { startRpcProxy, type RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { fetchChecked, findMachine, type CheckedResponse } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';

/** Proxies between the service and one chain: one for bytes, one for JSON-RPC messages. */
export interface Chain {
  readonly wire: FaultProxy;
  readonly rpc: RpcProxy;
}

export interface FailureModesFixture {
  readonly main: Chain;
  readonly alt: Chain;
  readonly database: PostgresTestDatabase;
  readonly databaseWire: FaultProxy;
  /** Names of the three proxies, as the service knows them: `HOSTS`. */
  readonly hostNames: HostNames;
  readonly proxied: ProxiedService;
  /** Returns the status and the error text with numbers as `N`; rejects when the response takes longer than the interface promises. */
  request(route: RouteName): Promise<string>;
  close(): Promise<void>;
}

const { machines, operators, wallets, altChain, onboardingToken } = inject('fixtures');
const main = findMachine(machines, 'rated-aaa');
const alt = findMachine(machines, 'alt-declared');
const fleet = findMachine(operators, 'fleet');
const decider = findMachine(machines, 'fresh');
const wallet = wallets.find(({ state }) => state === 'bound')!;
/** A machine may have five open challenges, so each request takes the next machine. */
const challenged = fleet.machines.filter((id) => machines.every((each) => each.id !== id || each.home === 'main'));

const PATHS: Readonly<Record<Exclude<RouteName, 'decide' | 'challenge' | 'evidence'>, string>> = {
  rating: `/mcr/${main.did}`,
  explanation: `/mcr/${main.did}/explanation`,
  profile: `/machine/${main.did}`,
  card: `/machines/${main.id}`,
  metadata: `/metadata/${main.id}`,
  altRating: `/mcr/${alt.did}`,
  absent: '/machines/123456789',
  fleet: `/operator/${fleet.address}/machines`,
  bound: `/solana/mcr/${wallet.address}`,
  decision: `/machine/${decider.did}/monetization`,
  deployment: '/.well-known/svc-monetization',
  verify: `/v1/verify/machines/${findMachine(machines, 'verified').id}`,
  health: '/health',
  ready: '/ready',
  document: '/openapi.json',
};

/** Host names under which the service reaches its dependencies. */
export const HOSTS: Readonly<Record<Dependency, string>> = {
  main: 'main-node.failure-modes.test',
  alt: 'alt-node.failure-modes.test',
  database: 'database.failure-modes.test',
};

/** Age of the oldest signature in use: within the signature window, with a margin for transport. */
const OLDEST_SECONDS = 240;

/** Starts the services and proxies; the caller closes them. */
export async function startFailureModesFixture(): Promise<FailureModesFixture> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeLater = <T extends { close(): Promise<unknown> }>(part: T): T => {
    closers.push(() => part.close());
    return part;
  };
  const server: PostgresServer = await startEmbeddedPostgres();
  closers.push(() => server.stop());
  const hostNames = closeLater(createHostNames('.failure-modes.test'));
  const database = await server.createDatabase();
  const databaseWire = closeLater(await startFaultProxy({ path: socketOf(database.url) }));
  const putBetween = async (rpcUrl: string): Promise<Chain> => {
    const rpc = closeLater(await startRpcProxy(rpcUrl));
    return { rpc, wire: closeLater(await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(rpc.url).port) })) };
  };
  const chains = {
    main: await putBetween(inject('fixtures').mainChain.rpcUrl),
    alt: await putBetween(altChain!.rpcUrl),
  };
  const proxied = closeLater(
    await startProxiedService({
      DATABASE_URL: `postgres://postgres@${HOSTS.database}:${databaseWire.port}/${database.name}`,
      MAIN_RPC_URLS: through(HOSTS.main, chains.main),
      ALT_RPC_URLS: through(HOSTS.alt, chains.alt),
      POLL_INTERVAL_SECONDS: String(POLL_INTERVAL_SECONDS),
    }),
  );
  return {
    ...chains,
    database,
    databaseWire,
    hostNames,
    proxied,
    request: await createCaller(proxied.service.url),
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

function through(host: string, { rpc, wire }: Chain): string {
  const url = new URL(rpc.url);
  url.hostname = host;
  url.port = String(wire.port);
  return url.href;
}

function socketOf(url: string): string {
  return `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
}

/** Returns a caller of every route. `now` is the time of its signatures. */
export async function createCaller(url: string, now: () => number = Date.now): Promise<FailureModesFixture['request']> {
  const published = (await fetchChecked(`${url}${PATHS.deployment}`)).json<{ chain_id: string; registry: Address }>();
  const deployment = { chainId: published.chain_id, registry: published.registry };
  const key = createMainChainKey(Buffer.from(decider.ownerKey.slice(2), 'hex'));
  let timestamp = 0;
  let challenges = 0;

  function decide(): RequestInit {
    timestamp = Math.max(timestamp + 1, Math.floor(now() / 1000) - OLDEST_SECONDS);
    const decision = { machineId: BigInt(decider.id) as MachineId, optedIn: true, timestamp };
    const { message } = prepareDecision(decision, { chain: 'main' }, deployment, DEFAULT_NAMESPACE);
    return { method: 'PUT', body: JSON.stringify({ opted_in: true, timestamp, signature: key.sign(message) }) };
  }

  function post(body: string): RequestInit {
    const headers = { authorization: `Bearer ${onboardingToken}`, 'content-type': 'application/json' };
    return { method: 'POST', headers, body };
  }

  function requestOnce(route: RouteName): Promise<CheckedResponse> {
    const init = { signal: abortAfter(RESPONSE_TIMEOUT_MILLISECONDS[ROUTES[route].deadline]) };
    switch (route) {
      case 'decide':
        return fetchChecked(url + PATHS.decision, { ...init, ...decide() });
      case 'challenge': {
        const id = challenged[challenges++ % challenged.length]!;
        return fetchChecked(`${url}/v1/verify/chip/challenge`, { ...init, ...post(JSON.stringify({ machineId: id })) });
      }
      case 'evidence':
        return fetchChecked(`${url}/v1/verify/chip/evidence`, { ...init, ...post(attempts.first.bodyText) });
      default:
        return fetchChecked(url + PATHS[route], init);
    }
  }

  return async (route) => describeResponse(await requestOnce(route));
}

/** Returns the status and, for an error, its detail. */
export function describeResponse({ status, text }: CheckedResponse): string {
  if (status < 400) return String(status);
  const body = JSON.parse(text) as { readonly detail?: string | { readonly code: string } };
  const { detail = '' } = body;
  return `${status} ${typeof detail === 'string' ? detail : detail.code}`.trim().replace(/(?<= )\d+/g, 'N');
}
