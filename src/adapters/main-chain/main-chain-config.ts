/** Configuration of the main-chain adapter, parsed by the composition root. */
import type { Address } from '../../domain/identifiers/identifiers.ts';
import type { MainChainLimits } from './limits.ts';

/** Contracts of legacy machines (chain-evm 2.9). */
export interface LegacyContracts {
  readonly identityRegistry: Address;
  readonly staking: Address;
  readonly didStore?: Address | undefined;
  readonly eventRegistry: Address;
}

/** Addresses in lower case. */
export interface MainChainAddresses {
  readonly infoDesk: Address;
  readonly machineRegistry: Address;
  readonly machineStateAndSync: Address;
  readonly machineSubscription: Address;
  readonly eventRegistry: Address;
  readonly crossChainMirror: Address;
  readonly adminFlags?: Address | undefined;
  readonly attestationRegistry?: Address | undefined;
  /** Defaults to the canonical deployment. */
  readonly multicall3?: Address | undefined;
  readonly legacy?: LegacyContracts | undefined;
}

export interface MainChainConfig {
  /** At least one; the first healthy node is used. */
  readonly rpcUrls: readonly string[];
  /** Host of each node, in the order of the URLs; required with a quorum. */
  readonly rpcHosts?: readonly string[] | undefined;
  /** Number of hosts that must agree on what reads return; defaults to 1. */
  readonly quorum?: number | undefined;
  readonly chainId: number;
  readonly addresses: MainChainAddresses;
  readonly limits?: Partial<MainChainLimits> | undefined;
}
