/**
 * Reads the facts of the deployment and checks that its contracts belong together (chain-evm 1, 5.2). The facts, the
 * start-up checks and readiness share one plan of calls, so that they cannot disagree.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import { ZERO_ADDRESS, type Address } from '../../../domain/identifiers/identifiers.ts';
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Hex } from 'viem';
import { keccak256, stringToHex } from 'viem/utils';
import type { Deadline } from '../../rpc/deadline.ts';
import type { PlainProblemKind } from '../../rpc/deployment-problem.ts';
import * as abis from './abis.ts';
import { contractFunction } from './contract-function.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import { valueOf, type CallResult, type ContractCall, type Multicall } from './multicall.ts';

const peer = contractFunction(abis.infoDeskAbi, 'peer');
const localChainId = contractFunction(abis.infoDeskAbi, 'localChainId');
const graceDuration = contractFunction(abis.infoDeskAbi, 'graceDuration');
const runoffDuration = contractFunction(abis.infoDeskAbi, 'runoffDuration');
const isMachineRelocationEnabled = contractFunction(abis.infoDeskAbi, 'isMachineRelocationEnabled');
const isMachineDataContract = contractFunction(abis.infoDeskAbi, 'isMachineDataContract');
const isGeneralPausedGlobal = contractFunction(abis.machineStateAndSyncAbi, 'isGeneralPausedGlobal');
const isTechnicalPausedGlobal = contractFunction(abis.machineStateAndSyncAbi, 'isTechnicalPausedGlobal');
const isEconomicAuthority = contractFunction(abis.machineSubscriptionAbi, 'isEconomicAuthority');
const tierCount = contractFunction(abis.machineSubscriptionAbi, 'TIER_COUNT');
const maxQueryLimit = contractFunction(abis.eventRegistryAbi, 'MAX_QUERY_LIMIT');
const totalEventCount = contractFunction(abis.eventRegistryAbi, 'totalEventCount');
const infoDeskOf = contractFunction(abis.machineRegistryAbi, 'infoDesk');
const flagsOf = contractFunction(abis.adminFlagsAbi, 'flagsOf');

/** Contracts that name their InfoDesk, with their role in its address book; EventRegistry has none. */
export const PEERS = {
  machineRegistry: 'MACHINE_REGISTRY',
  machineStateAndSync: 'MACHINE_STATE_AND_SYNC',
  machineSubscription: 'MACHINE_SUBSCRIPTION',
  crossChainMirror: 'CROSS_CHAIN_MIRROR',
  eventRegistry: undefined,
} as const;

export type PeerName = keyof typeof PEERS;

export const PEER_NAMES = Object.keys(PEERS) as PeerName[];

export function roleKey(role: string): Hex {
  return keccak256(stringToHex(role));
}

/** Results for one of the five contracts. */
export interface PeerResults {
  /** Zero when absent from the address book; undefined when the call failed, and always for EventRegistry. */
  readonly registeredAddress: Address | undefined;
  readonly infoDesk: Address | undefined;
}

/** Results of one multicall about the deployment; undefined where a call failed or could not be decoded. */
export interface DeploymentResults {
  readonly localOrdinal: number | undefined;
  readonly graceSeconds: bigint | undefined;
  readonly runoffSeconds: bigint | undefined;
  readonly relocationEnabled: boolean | undefined;
  readonly generalPausedGlobal: boolean | undefined;
  readonly technicalPausedGlobal: boolean | undefined;
  readonly tierCount: number | undefined;
  readonly maxQueryLimit: bigint | undefined;
  readonly isEconomicAuthority: boolean | undefined;
  readonly isEventRegistryRegistered: boolean | undefined;
  readonly totalEventCount: bigint | undefined;
  /** Whether `flagsOf` returned flags; true when no AdminFlags contract is configured. */
  readonly isFlagsCallDecoded: boolean;
  readonly peers: Readonly<Record<PeerName, PeerResults>>;
}

/** Reads all results at one block. Throws `ChainUnreadable` when the block cannot be read, never for a single call. */
export async function readDeploymentResults(
  multicall: Multicall,
  addresses: MainChainAddresses,
  block: Header,
  deadline: Deadline,
): Promise<DeploymentResults> {
  const { infoDesk, machineStateAndSync, machineSubscription, eventRegistry, adminFlags } = addresses;
  const calls: ContractCall[] = [];
  /** Adds a call and returns the function that decodes its result. */
  const plan = <Args, T>(
    target: Address,
    called: { encode(args: Args): Hex; decode(data: Hex): T | undefined },
    args: Args,
  ) => {
    const position = calls.push({ target, data: called.encode(args) }) - 1;
    return (results: readonly CallResult[]) => valueOf(results[position], called);
  };
  const planned = {
    localOrdinal: plan(infoDesk, localChainId, []),
    graceSeconds: plan(infoDesk, graceDuration, []),
    runoffSeconds: plan(infoDesk, runoffDuration, []),
    relocationEnabled: plan(infoDesk, isMachineRelocationEnabled, []),
    generalPausedGlobal: plan(machineStateAndSync, isGeneralPausedGlobal, []),
    technicalPausedGlobal: plan(machineStateAndSync, isTechnicalPausedGlobal, []),
    tierCount: plan(machineSubscription, tierCount, []),
    maxQueryLimit: plan(eventRegistry, maxQueryLimit, []),
    isEconomicAuthority: plan(machineSubscription, isEconomicAuthority, []),
    isEventRegistryRegistered: plan(infoDesk, isMachineDataContract, [eventRegistry]),
    totalEventCount: plan(eventRegistry, totalEventCount, []),
  };
  const flags = adminFlags === undefined ? undefined : plan(adminFlags, flagsOf, [0n]);
  const peers = PEER_NAMES.map((name) => {
    const role = PEERS[name];
    return {
      name,
      registered: role === undefined ? undefined : plan(infoDesk, peer, [roleKey(role)]),
      infoDesk: plan(addresses[name], infoDeskOf, []),
    };
  });
  const results = await multicall.readAt(block, calls, deadline);
  return {
    localOrdinal: planned.localOrdinal(results),
    graceSeconds: planned.graceSeconds(results),
    runoffSeconds: planned.runoffSeconds(results),
    relocationEnabled: planned.relocationEnabled(results),
    generalPausedGlobal: planned.generalPausedGlobal(results),
    technicalPausedGlobal: planned.technicalPausedGlobal(results),
    tierCount: planned.tierCount(results),
    maxQueryLimit: planned.maxQueryLimit(results),
    isEconomicAuthority: planned.isEconomicAuthority(results),
    isEventRegistryRegistered: planned.isEventRegistryRegistered(results),
    totalEventCount: planned.totalEventCount(results),
    isFlagsCallDecoded: flags === undefined || flags(results) !== undefined,
    peers: Object.fromEntries(
      peers.map(({ name, registered, infoDesk }) => [
        name,
        {
          registeredAddress: registered?.(results) as Address | undefined,
          infoDesk: infoDesk(results) as Address | undefined,
        },
      ]),
    ) as unknown as DeploymentResults['peers'],
  };
}

/** Reads the facts that the rules need. Throws `ChainUnreadable` when one of them cannot be read. */
export async function readDeploymentFacts(
  multicall: Multicall,
  { addresses, maxEventPage }: { readonly addresses: MainChainAddresses; readonly maxEventPage: number },
  block: Header,
  deadline: Deadline,
): Promise<DeploymentFacts> {
  return toDeploymentFacts(await readDeploymentResults(multicall, addresses, block, deadline), maxEventPage);
}

/** Returns the facts that the rules need. Throws `ChainUnreadable` when one of them is missing. */
export function toDeploymentFacts(results: DeploymentResults, maxEventPage: number): DeploymentFacts {
  const limit = requireFact(results.maxQueryLimit);
  if (limit < 1n) throw chainUnreadable('main', 'undecodable');
  return {
    localOrdinal: requireFact(results.localOrdinal),
    graceSeconds: requireFact(results.graceSeconds),
    runoffSeconds: requireFact(results.runoffSeconds),
    relocationEnabled: requireFact(results.relocationEnabled),
    generalPausedGlobal: requireFact(results.generalPausedGlobal),
    technicalPausedGlobal: requireFact(results.technicalPausedGlobal),
    tierCount: requireFact(results.tierCount),
    maxQueryLimit: limit < BigInt(maxEventPage) ? Number(limit) : maxEventPage,
  };
}

function requireFact<T>(fact: T | undefined): T {
  if (fact === undefined) throw chainUnreadable('main', 'undecodable');
  return fact;
}

/** Returns the kind of problem of one of the five contracts; undefined when it belongs to the deployment. */
export function checkPeer(
  name: PeerName,
  results: DeploymentResults,
  addresses: MainChainAddresses,
): PlainProblemKind | undefined {
  const { registeredAddress, infoDesk } = results.peers[name];
  if (infoDesk === undefined) return 'no-info-desk';
  if (infoDesk !== addresses.infoDesk) return 'foreign-info-desk';
  if (name === 'eventRegistry') {
    if (results.isEventRegistryRegistered === true) return undefined;
    return 'unregistered-contract';
  }
  if (registeredAddress === undefined) return 'unknown-peer';
  if (registeredAddress === ZERO_ADDRESS) return 'missing-peer';
  if (registeredAddress !== addresses[name]) return 'peer-mismatch';
  if (name === 'machineSubscription' && results.isEconomicAuthority !== true) return 'no-economic-authority';
  return undefined;
}
