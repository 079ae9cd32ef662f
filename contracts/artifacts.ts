/**
 * ABIs and bytecode of the local main chain's contracts, from the committed `artifacts.json`, so that deployments need no compiler.
 * `artifacts.test.ts` proves that the file is current.
 */
import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';

/** Contracts that have an artifact. */
export const CONTRACT_NAMES = [
  'AdminFlags',
  'AttestationRegistry',
  'BatchCaller',
  'CrossChainMirror',
  'DidStore',
  'EventRegistry',
  'IdentityRegistry',
  'IdentityStaking',
  'InfoDesk',
  'LendingGate',
  'LegacyEventRegistry',
  'MachineRegistry',
  'MachineStateAndSync',
  'MachineSubscription',
  'Multicall3',
  'PaymentPool',
  'PaymentRouter',
  'PaymentToken',
  'Proxy',
] as const;

export type ContractName = (typeof CONTRACT_NAMES)[number];

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface Artifacts {
  /** SHA-256 of all inputs of the compiler: sources, version, settings, library versions. */
  readonly sourceHash: string;
  readonly contracts: Readonly<Record<ContractName, Artifact>>;
}

export const ARTIFACTS_URL = new URL('artifacts.json', import.meta.url);

let loaded: Artifacts | undefined;

/** Returns the committed artifacts; reads them from disk once. */
export function loadArtifacts(): Artifacts {
  loaded ??= JSON.parse(readFileSync(ARTIFACTS_URL, 'utf8')) as Artifacts;
  return loaded;
}

/** Returns the ABI of one contract, which also applies to its proxy. */
export function abiOf(name: ContractName): Abi {
  return loadArtifacts().contracts[name].abi;
}
