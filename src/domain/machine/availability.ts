/**
 * Availability of a machine (chain-evm 3.5, chain-svm 5, "Machine availability names" of the interface). A relocating machine is a
 * fault wherever it is read, not an availability.
 */
import { NO_PAUSE_FLAGS, type AltMachineSnapshot } from '../alt-chain/alt-machine-facts.ts';
import { unwrap, type ReadResult } from '../read-result.ts';
import type { DeploymentFacts, MachineSnapshot } from './machine-facts.ts';

/** `unreadable`: the machine can be read, but not the flags that stop it. */
export type Availability = Stop | 'available' | 'unreadable';

/** `deactivated`: stopped by the protocol's owner, for this machine alone. */
export type Stop = 'deactivated' | 'paused';

export type Stops = Pick<MachineSnapshot, 'available' | 'generalPaused' | 'technicalPaused' | 'operatorPaused'>;

/** Flags that stop all machines of a chain. */
export type GlobalStops = Pick<DeploymentFacts, 'generalPausedGlobal' | 'technicalPausedGlobal'>;

/** Returns what stops a machine of the main chain. Throws `ChainUnreadable` where a fact is unreadable. */
export function findStop(
  snapshot: Stops,
  { generalPausedGlobal, technicalPausedGlobal }: GlobalStops,
): Stop | undefined {
  if (unwrap(snapshot.generalPaused)) return 'deactivated';
  const isPaused = unwrap(snapshot.operatorPaused) || unwrap(snapshot.technicalPaused);
  return isPaused || generalPausedGlobal || technicalPausedGlobal ? 'paused' : undefined;
}

/** Returns whether the chain reports the machine as available. Only a cross-check: it is false in Grace, which is bonded; unreadable contradicts nothing. */
export function isReportedAvailable({ available }: Stops): boolean {
  return available.state === 'present' && available.value;
}

/** Judges a machine of the main chain; `unreadable` where the chain reports it as available although its flags stop it. */
export function judgeAvailability(snapshot: Stops, globals: GlobalStops): Availability {
  if ([snapshot.generalPaused, snapshot.operatorPaused, snapshot.technicalPaused].some(isUnknown)) return 'unreadable';
  const stop = findStop(snapshot, globals);
  if (stop === undefined) return 'available';
  return isReportedAvailable(snapshot) ? 'unreadable' : stop;
}

/** Judges a machine of the alt chain, which deactivates none. */
export function judgeAltAvailability(
  { pauseFlags }: Pick<AltMachineSnapshot, 'pauseFlags'>,
  { generalPausedGlobal }: Pick<GlobalStops, 'generalPausedGlobal'>,
): Availability {
  if (pauseFlags.state === 'unreadable') return 'unreadable';
  const flags = pauseFlags.state === 'present' ? pauseFlags.value : NO_PAUSE_FLAGS;
  return generalPausedGlobal || Object.values(flags).some(Boolean) ? 'paused' : 'available';
}

function isUnknown({ state }: ReadResult<boolean>): boolean {
  return state !== 'present';
}
