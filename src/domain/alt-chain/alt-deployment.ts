/**
 * Does the alt chain's node serve the deployment this service is configured for? (chain-svm 3.7 and 5.)
 * Program ids repeat across clusters; the ordinal that the two singletons carry does not.
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { ReadResult } from '../read-result.ts';

/** The machine registry's singleton. */
export interface AltRegistry {
  readonly localOrdinal: number;
  /** Machines now alive. */
  readonly machineCount: bigint;
}

/** The singleton of state and sync. */
export interface AltConfig {
  readonly registryProgram: AltKey;
  readonly localOrdinal: number;
  readonly generalPausedGlobal: boolean;
  readonly technicalPausedGlobal: boolean;
}

/** Facts of the deployment at the slot of a read. */
export interface AltDeployment {
  readonly machineCount: bigint;
  readonly generalPausedGlobal: boolean;
  readonly technicalPausedGlobal: boolean;
}

/** The event registry's singleton: its administrators can stop all submissions. */
export interface AltEventRegistry {
  readonly paused: boolean;
}

/** The upgrade lock. An absent account means that nothing is locked. */
export interface AltTechnicalPause {
  readonly paused: boolean;
  /** Unix seconds. */
  readonly setAt: bigint;
}

export interface ExpectedAltDeployment {
  readonly ordinal: number;
  readonly registryProgram: AltKey;
}

/** Present only when both singletons are there and name what is configured; a missing one is another deployment. */
export function judgeAltDeployment(
  registry: ReadResult<AltRegistry>,
  config: ReadResult<AltConfig>,
  expected: ExpectedAltDeployment,
): ReadResult<AltDeployment> {
  if (registry.state === 'unreadable') return registry;
  if (config.state === 'unreadable') return config;
  const isExpected =
    registry.state === 'present' &&
    config.state === 'present' &&
    registry.value.localOrdinal === expected.ordinal &&
    config.value.localOrdinal === expected.ordinal &&
    config.value.registryProgram === expected.registryProgram;
  if (!isExpected) return { state: 'unreadable', cause: 'wrong-chain' };
  const { machineCount } = registry.value;
  const { generalPausedGlobal, technicalPausedGlobal } = config.value;
  return { state: 'present', value: { machineCount, generalPausedGlobal, technicalPausedGlobal } };
}
