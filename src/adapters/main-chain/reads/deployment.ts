/**
 * What holds for all machines of the deployment, and do its contracts belong together? (chain-evm 1, 5.2.)
 * One plan of calls serves the facts, the start-up checks and readiness, so that the three cannot disagree.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import { ZERO_ADDRESS, type Address } from '../../../domain/identifiers/identifiers.ts';
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Hex } from 'viem';
import { keccak256, stringToHex } from 'viem/utils';
import type { Deadline } from '../../rpc/deadline.ts';
import type { DeploymentProblem } from '../../rpc/deployment-problem.ts';
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

/** The five contracts that name their InfoDesk; all but EventRegistry have a role in its address book. */
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

/** What is known about one of the five contracts. */
export interface PeerAnswers {
  /** Undefined: not answered; absent from the address book: zero. EventRegistry: never asked. */
  readonly registeredAddress: Address | undefined;
  readonly infoDesk: Address | undefined;
}

/** Everything one multicall says about the deployment; undefined where a call gave no answer of its form. */
export interface DeploymentAnswers {
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
  /** True as well when no AdminFlags contract is configured. */
  readonly adminFlagsAnswer: boolean;
  readonly peers: Readonly<Record<PeerName, PeerAnswers>>;
}

/** Asks everything at one block. Throws `ChainUnreadable` when the block cannot be read, never for a single call. */
export async function readDeploymentAnswers(
  multicall: Multicall,
  addresses: MainChainAddresses,
  block: Header,
  deadline: Deadline,
): Promise<DeploymentAnswers> {
  const { infoDesk, machineStateAndSync, machineSubscription, eventRegistry, adminFlags } = addresses;
  const calls: ContractCall[] = [];
  /** Adds a call; what it gives back finds the decoded answer. */
  const ask = <Args, T>(
    target: Address,
    called: { encode(args: Args): Hex; decode(data: Hex): T | undefined },
    args: Args,
  ) => {
    const position = calls.push({ target, data: called.encode(args) }) - 1;
    return (results: readonly CallResult[]) => valueOf(results[position], called);
  };
  const questions = {
    localOrdinal: ask(infoDesk, localChainId, []),
    graceSeconds: ask(infoDesk, graceDuration, []),
    runoffSeconds: ask(infoDesk, runoffDuration, []),
    relocationEnabled: ask(infoDesk, isMachineRelocationEnabled, []),
    generalPausedGlobal: ask(machineStateAndSync, isGeneralPausedGlobal, []),
    technicalPausedGlobal: ask(machineStateAndSync, isTechnicalPausedGlobal, []),
    tierCount: ask(machineSubscription, tierCount, []),
    maxQueryLimit: ask(eventRegistry, maxQueryLimit, []),
    isEconomicAuthority: ask(machineSubscription, isEconomicAuthority, []),
    isEventRegistryRegistered: ask(infoDesk, isMachineDataContract, [eventRegistry]),
    totalEventCount: ask(eventRegistry, totalEventCount, []),
  };
  const flags = adminFlags === undefined ? undefined : ask(adminFlags, flagsOf, [0n]);
  const peers = PEER_NAMES.map((name) => {
    const role = PEERS[name];
    return {
      name,
      registered: role === undefined ? undefined : ask(infoDesk, peer, [roleKey(role)]),
      infoDesk: ask(addresses[name], infoDeskOf, []),
    };
  });
  const results = await multicall.readAt(block, calls, deadline);
  return {
    localOrdinal: questions.localOrdinal(results),
    graceSeconds: questions.graceSeconds(results),
    runoffSeconds: questions.runoffSeconds(results),
    relocationEnabled: questions.relocationEnabled(results),
    generalPausedGlobal: questions.generalPausedGlobal(results),
    technicalPausedGlobal: questions.technicalPausedGlobal(results),
    tierCount: questions.tierCount(results),
    maxQueryLimit: questions.maxQueryLimit(results),
    isEconomicAuthority: questions.isEconomicAuthority(results),
    isEventRegistryRegistered: questions.isEventRegistryRegistered(results),
    totalEventCount: questions.totalEventCount(results),
    adminFlagsAnswer: flags === undefined || flags(results) !== undefined,
    peers: Object.fromEntries(
      peers.map(({ name, registered, infoDesk }) => [
        name,
        {
          registeredAddress: registered?.(results) as Address | undefined,
          infoDesk: infoDesk(results) as Address | undefined,
        },
      ]),
    ) as unknown as DeploymentAnswers['peers'],
  };
}

/** The facts the rules need. Throws `ChainUnreadable` when one of them was not answered. */
export function toDeploymentFacts(answers: DeploymentAnswers, maxEventPage: number): DeploymentFacts {
  const limit = needAnswer(answers.maxQueryLimit);
  if (limit < 1n) throw chainUnreadable('main', 'undecodable');
  return {
    localOrdinal: needAnswer(answers.localOrdinal),
    graceSeconds: needAnswer(answers.graceSeconds),
    runoffSeconds: needAnswer(answers.runoffSeconds),
    relocationEnabled: needAnswer(answers.relocationEnabled),
    generalPausedGlobal: needAnswer(answers.generalPausedGlobal),
    technicalPausedGlobal: needAnswer(answers.technicalPausedGlobal),
    tierCount: needAnswer(answers.tierCount),
    maxQueryLimit: limit < BigInt(maxEventPage) ? Number(limit) : maxEventPage,
  };
}

function needAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw chainUnreadable('main', 'undecodable');
  return answer;
}

type PeerProblemKind = Exclude<
  DeploymentProblem['kind'],
  'unreachable' | 'unreadable' | 'wrong-chain' | 'wrong-ordinal'
>;

/** Returns the kind of problem of one of the five contracts; undefined when it belongs to the deployment. */
export function judgePeer(
  name: PeerName,
  answers: DeploymentAnswers,
  addresses: MainChainAddresses,
): PeerProblemKind | undefined {
  const { registeredAddress, infoDesk } = answers.peers[name];
  if (infoDesk === undefined) return 'no-info-desk';
  if (infoDesk !== addresses.infoDesk) return 'foreign-info-desk';
  if (name === 'eventRegistry') {
    if (answers.isEventRegistryRegistered === true) return undefined;
    return 'unregistered-contract';
  }
  if (registeredAddress === undefined) return 'unknown-peer';
  if (registeredAddress === ZERO_ADDRESS) return 'missing-peer';
  if (registeredAddress !== addresses[name]) return 'peer-mismatch';
  if (name === 'machineSubscription' && answers.isEconomicAuthority !== true) return 'no-economic-authority';
  return undefined;
}
