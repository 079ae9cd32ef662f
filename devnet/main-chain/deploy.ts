/**
 * Deployment of the main-chain contracts on an empty node: each behind its own ERC-1967 proxy, connected through InfoDesk
 * (chain-evm 1, 8). On a fresh node the addresses are always the same.
 */
import { encodeDeployData, encodeFunctionData, getContractAddress, keccak256, numberToHex, toBytes } from 'viem';
import type { Address, Hex } from 'viem';
import { abiOf, loadArtifacts } from '../../contracts/artifacts.ts';
import type { ContractName } from '../../contracts/artifacts.ts';
import { accountOf, ADMIN_NAME } from '../accounts.ts';
import { DEVNET_CHAIN_ID } from './anvil.ts';
import type { Call, ChainWriter } from './chain-writer.ts';

/** Keyed by the name of the variable in camelCase without `_ADDRESS` (configuration.md 3). */
export interface MainChainAddresses {
  readonly infoDesk: Address;
  readonly machineRegistry: Address;
  readonly machineStateAndSync: Address;
  readonly machineSubscription: Address;
  readonly eventRegistry: Address;
  readonly crossChainMirror: Address;
  readonly adminFlags: Address;
  readonly attestationRegistry: Address;
  readonly multicall3: Address;
  readonly legacyIdentityRegistry: Address;
  readonly legacyStaking: Address;
  readonly legacyDidStore: Address;
  readonly legacyEventRegistry: Address;
}

/** The artifact behind each address. */
export const CONTRACT_BEHIND: Readonly<Record<keyof MainChainAddresses, ContractName>> = {
  infoDesk: 'InfoDesk',
  machineRegistry: 'MachineRegistry',
  machineStateAndSync: 'MachineStateAndSync',
  machineSubscription: 'MachineSubscription',
  eventRegistry: 'EventRegistry',
  crossChainMirror: 'CrossChainMirror',
  adminFlags: 'AdminFlags',
  attestationRegistry: 'AttestationRegistry',
  multicall3: 'Multicall3',
  legacyIdentityRegistry: 'IdentityRegistry',
  legacyStaking: 'IdentityStaking',
  legacyDidStore: 'DidStore',
  legacyEventRegistry: 'LegacyEventRegistry',
};

export interface Deployment {
  readonly chainId: number;
  readonly addresses: MainChainAddresses;
  /** First block in which any of the contracts has code. */
  readonly startBlock: number;
  /** Protocol owner and attester. */
  readonly admin: Address;
}

export interface DeployOptions {
  /** Unix seconds of the block; absent = the node's clock. */
  readonly timestamp?: number;
  readonly periodSeconds?: number;
  readonly graceSeconds?: number;
  readonly runoffSeconds?: number;
}

export const MAIN_ORDINAL = 1;
export const OTHER_ORDINAL = 3;
export const ALT_ORDINAL = 5;

const DAY_SECONDS = 86_400;
const DEFAULT_PERIOD_SECONDS = 365 * DAY_SECONDS;
const DEFAULT_STEP_SECONDS = 30 * DAY_SECONDS;
const CHAIN_KINDS = { evm: 1, alt: 3 };

/** Roles of InfoDesk and the contracts that hold them. */
const PEER_ROLES = {
  MACHINE_REGISTRY: 'machineRegistry',
  MACHINE_STATE_AND_SYNC: 'machineStateAndSync',
  MACHINE_SUBSCRIPTION: 'machineSubscription',
  CROSS_CHAIN_MIRROR: 'crossChainMirror',
} as const;

/** Deploys and connects all contracts in one block. Periods default to 365, 30 and 30 days. */
export async function deployContracts(writer: ChainWriter, options: DeployOptions = {}): Promise<Deployment> {
  const admin = accountOf(ADMIN_NAME).address;
  const calls: Call[] = [];
  const firstNonce = await writer.nextNonce(admin);

  function create(name: ContractName, args: readonly unknown[] = []): Address {
    const nonce = BigInt(firstNonce + calls.length);
    const { abi, bytecode } = loadArtifacts().contracts[name];
    calls.push({ label: `deploy ${name}`, from: admin, data: encodeDeployData({ abi, bytecode, args }) });
    return getContractAddress({ from: admin, nonce });
  }

  function createProxy(name: ContractName, args: readonly unknown[], functionName = 'initialize'): Address {
    const implementation = create(name);
    return create('Proxy', [implementation, encodeFunctionData({ abi: abiOf(name), functionName, args })]);
  }

  const infoDesk = createProxy('InfoDesk', [admin]);
  const peered = [admin, infoDesk];
  const legacyIdentityRegistry = createProxy('IdentityRegistry', [admin]);
  const addresses: MainChainAddresses = {
    infoDesk,
    machineRegistry: createProxy('MachineRegistry', peered),
    machineStateAndSync: createProxy('MachineStateAndSync', peered),
    machineSubscription: createProxy('MachineSubscription', peered),
    eventRegistry: createProxy('EventRegistry', peered),
    crossChainMirror: createProxy('CrossChainMirror', peered),
    adminFlags: createProxy('AdminFlags', [admin]),
    attestationRegistry: createProxy('AttestationRegistry', peered),
    multicall3: create('Multicall3'),
    legacyIdentityRegistry,
    legacyStaking: createProxy('IdentityStaking', [admin]),
    legacyDidStore: createProxy('DidStore', [admin]),
    legacyEventRegistry: createProxy(
      'LegacyEventRegistry',
      [admin, infoDesk, legacyIdentityRegistry],
      'initializeLegacy',
    ),
  };
  calls.push(...listWiring(addresses, admin, options));
  const receipts = await writer.mine(calls, options.timestamp);
  return { chainId: DEVNET_CHAIN_ID, addresses, startBlock: Number(receipts[0]!.blockNumber), admin };
}

/** Deploys a contract that can be a machine's controller and submit several events in one transaction. */
export async function deployBatchCaller(writer: ChainWriter): Promise<Address> {
  const { abi, bytecode } = loadArtifacts().contracts.BatchCaller;
  const from = accountOf(ADMIN_NAME).address;
  const [receipt] = await writer.mine([
    { label: 'deploy BatchCaller', from, data: encodeDeployData({ abi, bytecode }) },
  ]);
  return receipt!.contractAddress!;
}

function listWiring(addresses: MainChainAddresses, admin: Address, options: DeployOptions): Call[] {
  function call(contract: keyof MainChainAddresses, functionName: string, args: readonly unknown[]): Call {
    const data = encodeFunctionData({ abi: abiOf(CONTRACT_BEHIND[contract]), functionName, args });
    return { label: functionName, from: admin, to: addresses[contract], data };
  }
  const peers = Object.entries(PEER_ROLES).map(([role, holder]) =>
    call('infoDesk', 'setPeer', [keccak256(toBytes(role)), addresses[holder]]),
  );
  return [
    ...peers,
    call('infoDesk', 'setLocalChainId', [MAIN_ORDINAL]),
    call('infoDesk', 'setSubscriptionPeriodLength', [BigInt(options.periodSeconds ?? DEFAULT_PERIOD_SECONDS)]),
    call('infoDesk', 'setGraceDuration', [BigInt(options.graceSeconds ?? DEFAULT_STEP_SECONDS)]),
    call('infoDesk', 'setRunoffDuration', [BigInt(options.runoffSeconds ?? DEFAULT_STEP_SECONDS)]),
    call('infoDesk', 'setMachineRelocationEnabled', [true]),
    call('infoDesk', 'registerMachineDataContract', [addresses.eventRegistry]),
    call('infoDesk', 'registerChain', [MAIN_ORDINAL, CHAIN_KINDS.evm, nativeId(DEVNET_CHAIN_ID), 1]),
    call('infoDesk', 'registerChain', [OTHER_ORDINAL, CHAIN_KINDS.evm, nativeId(DEVNET_CHAIN_ID + 1), 1]),
    call('infoDesk', 'registerChain', [ALT_ORDINAL, CHAIN_KINDS.alt, nativeId(0), 1]),
    call('attestationRegistry', 'setAttester', [admin, true]),
  ];
}

function nativeId(chainId: number): Hex {
  return numberToHex(chainId, { size: 32 });
}
