/**
 * Settings of the main chain: its contracts and nodes. Either all six contracts are configured, or none and the service
 * is not initialized.
 */
import type { Address } from '../domain/identifiers/identifiers.ts';
import { nodeHost } from './node-host.ts';
import type { Environment } from './environment.ts';
import { ADDRESS_VALUE, HTTP_URL, listOfValues, wholeNumber } from './parsers.ts';
import type { Variable } from './variables.ts';

/** Contracts of legacy machines. */
export interface LegacyAddresses {
  readonly identityRegistry: Address;
  readonly staking: Address;
  readonly didStore: Address | undefined;
  readonly eventRegistry: Address;
}

export interface MainChainSettings {
  /** At least one; the first healthy one is used. */
  readonly rpcUrls: readonly string[];
  /** Host of each node as a quorum counts it. */
  readonly rpcHosts: readonly string[];
  readonly chainId: number;
  /** Number of hosts that must agree on the facts of a machine. */
  readonly quorum: number;
  /** First block of the deployment's logs. */
  readonly startBlock: number;
  readonly addresses: {
    readonly infoDesk: Address;
    readonly machineRegistry: Address;
    readonly machineStateAndSync: Address;
    readonly machineSubscription: Address;
    readonly eventRegistry: Address;
    readonly crossChainMirror: Address;
    readonly adminFlags: Address | undefined;
    readonly attestationRegistry: Address | undefined;
    /** Undefined: the canonical deployment. */
    readonly multicall3: Address | undefined;
    readonly legacy: LegacyAddresses | undefined;
  };
}

/** More nodes than anyone has providers for. */
const MAX_QUORUM = 9;

const CONTRACTS = {
  infoDesk: 'INFO_DESK_ADDRESS',
  machineRegistry: 'MACHINE_REGISTRY_ADDRESS',
  machineStateAndSync: 'MACHINE_STATE_AND_SYNC_ADDRESS',
  machineSubscription: 'MACHINE_SUBSCRIPTION_ADDRESS',
  eventRegistry: 'EVENT_REGISTRY_ADDRESS',
  crossChainMirror: 'CROSS_CHAIN_MIRROR_ADDRESS',
} as const;

/** Required legacy contracts; the DID store is optional. */
const LEGACY_CONTRACTS = {
  identityRegistry: 'LEGACY_IDENTITY_REGISTRY_ADDRESS',
  staking: 'LEGACY_STAKING_ADDRESS',
  eventRegistry: 'LEGACY_EVENT_REGISTRY_ADDRESS',
} as const;

/** Variables without effect unless the contracts are configured. */
const COMPANIONS: readonly Variable[] = [
  'MAIN_RPC_URLS',
  'MAIN_RPC_QUORUM',
  'MAIN_CHAIN_ID',
  'ADMIN_FLAGS_ADDRESS',
  'ATTESTATION_REGISTRY_ADDRESS',
  'LEGACY_IDENTITY_REGISTRY_ADDRESS',
];

/** Returns undefined when no contract is configured, or with problems recorded. */
export function readMainChainSettings(environment: Environment): MainChainSettings | undefined {
  const contracts = environment.readGroup(CONTRACTS, ADDRESS_VALUE);
  const legacy = readLegacy(environment);
  const adminFlags = environment.read('ADMIN_FLAGS_ADDRESS', ADDRESS_VALUE);
  const attestationRegistry = environment.read('ATTESTATION_REGISTRY_ADDRESS', ADDRESS_VALUE);
  const multicall3 = environment.read('MULTICALL3_ADDRESS', ADDRESS_VALUE);
  const startBlock = environment.read('MAIN_START_BLOCK', wholeNumber(0, Number.MAX_SAFE_INTEGER)) ?? 0;

  const isConfigured = Object.values(CONTRACTS).some((name) => environment.has(name));
  const rpcParser = listOfValues(HTTP_URL);
  const idParser = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const reason = 'with contract addresses';
  const rpcUrls = isConfigured
    ? environment.require('MAIN_RPC_URLS', rpcParser, reason)
    : environment.read('MAIN_RPC_URLS', rpcParser);
  const chainId = isConfigured
    ? environment.require('MAIN_CHAIN_ID', idParser, reason)
    : environment.read('MAIN_CHAIN_ID', idParser);

  const quorum = environment.read('MAIN_RPC_QUORUM', wholeNumber(1, MAX_QUORUM)) ?? 1;
  const rpcHosts = rpcUrls?.map(nodeHost) ?? [];
  const hosts = new Set(rpcHosts).size;
  if (rpcUrls !== undefined && quorum > hosts) {
    environment.addProblem('MAIN_RPC_QUORUM', `${quorum} hosts must agree, but MAIN_RPC_URLS names ${hosts}`);
  }

  if (!isConfigured) {
    for (const name of COMPANIONS.filter((each) => environment.has(each))) {
      environment.addWarning(name, `has no effect without ${CONTRACTS.infoDesk} and the other contracts`);
    }
  }
  if (contracts === undefined || rpcUrls === undefined || chainId === undefined) return undefined;
  const addresses = { ...contracts, adminFlags, attestationRegistry, multicall3, legacy };
  return { rpcUrls, rpcHosts, chainId, quorum, startBlock, addresses };
}

function readLegacy(environment: Environment): LegacyAddresses | undefined {
  const contracts = environment.readGroup(LEGACY_CONTRACTS, ADDRESS_VALUE);
  const didStore = environment.read('LEGACY_DID_STORE_ADDRESS', ADDRESS_VALUE);
  const isConfigured = Object.values(LEGACY_CONTRACTS).some((name) => environment.has(name));
  if (environment.has('LEGACY_DID_STORE_ADDRESS') && !isConfigured) {
    environment.addProblem('LEGACY_DID_STORE_ADDRESS', 'set without the other legacy contracts');
  }
  return contracts && { ...contracts, didStore };
}
