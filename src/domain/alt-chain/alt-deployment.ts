/**
 * Check that the alt chain's node serves the configured deployment (chain-svm 3.7 and 5).
 * Program ids repeat across clusters; the ordinal in the two singletons does not.
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { present, unreadable, type ReadResult } from '../read-result.ts';

/** Singleton of the machine registry. */
export interface AltRegistry {
  readonly localOrdinal: number;
  /** Number of existing machines. */
  readonly machineCount: bigint;
}

/** Singleton of state and sync. */
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

/** Singleton of the event registry, whose administrators can pause all submissions. */
export interface AltEventRegistry {
  readonly paused: boolean;
}

/** Upgrade lock; an absent account means unlocked. */
export interface AltTechnicalPause {
  readonly paused: boolean;
  /** Unix seconds. */
  readonly setAt: bigint;
}

export interface ExpectedAltDeployment {
  readonly ordinal: number;
  readonly registryProgram: AltKey;
}

/** Returns the facts when both singletons match the configuration; a missing one means another deployment (`wrong-deployment`). */
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
  if (!isExpected) return unreadable('wrong-deployment');
  const { machineCount } = registry.value;
  const { generalPausedGlobal, technicalPausedGlobal } = config.value;
  return present({ machineCount, generalPausedGlobal, technicalPausedGlobal });
}
