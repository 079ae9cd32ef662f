/**
 * What can be asked of the alt chain about machines? (chain-svm 2 to 5.)
 * Implemented by `adapters/svm`. Every method throws `ChainUnreadable` of the alt chain and nothing else; a machine that does not
 * exist is a snapshot whose `machine` is absent, never a fault.
 */
import type { AltDeployment } from '../domain/alt-deployment.ts';
import type { AltKey } from '../domain/alt-identifiers.ts';
import type { AltMachineSnapshot } from '../domain/alt-machine-facts.ts';
import type { MachineId } from '../domain/identifiers.ts';

/** One machine and the deployment, both of one slot. */
export interface AltMachineRead {
  readonly snapshot: AltMachineSnapshot;
  readonly deployment: AltDeployment;
}

export interface AltChain {
  /** The protocol ordinal, 5 in production. */
  readonly ordinal: number;
  readonly genesisHash: AltKey;
  readonly machineRegistry: AltKey;
  /**
   * The facts of one machine at a finalized slot, never an older one than any seen before. Requests of one tick share one call,
   * identical requests in flight share one promise; an absent machine may be kept for 5 seconds, a present one is not kept.
   */
  readMachine(id: MachineId): Promise<AltMachineRead>;
  /** The same, asked for after the call: no kept absence serves. For what a write is judged by, and for reading again. */
  readMachineNow(id: MachineId): Promise<AltMachineRead>;
}
