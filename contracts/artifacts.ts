/**
 * Which ABI and bytecode do the contracts of the local main chain have? Reads the committed `artifacts.json`, so nothing
 * that only deploys needs the compiler. `contracts.test.ts` proves that the file is current.
 */
import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';

/** Every contract that has an artifact. */
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
  'LegacyEventRegistry',
  'MachineRegistry',
  'MachineStateAndSync',
  'MachineSubscription',
  'Multicall3',
  'Proxy',
] as const;

export type ContractName = (typeof CONTRACT_NAMES)[number];

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface Artifacts {
  /** SHA-256 of everything that decides the output: sources, compiler, settings, library versions. */
  readonly sourceHash: string;
  readonly contracts: Readonly<Record<ContractName, Artifact>>;
}

export const ARTIFACTS_URL = new URL('artifacts.json', import.meta.url);

let loaded: Artifacts | undefined;

/** The committed artifacts; read from disk once. */
export function loadArtifacts(): Artifacts {
  loaded ??= JSON.parse(readFileSync(ARTIFACTS_URL, 'utf8')) as Artifacts;
  return loaded;
}

/** The ABI of one contract, the same for its proxy. */
export function abiOf(name: ContractName): Abi {
  return loadArtifacts().contracts[name].abi;
}
