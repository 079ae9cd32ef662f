/**
 * What can be asked of the main chain about machines? (chain-evm 3, 5, 7.)
 * Implemented by `adapters/evm`. Every method throws `ChainUnreadable` and nothing else; a machine that does not exist is a
 * snapshot whose `owner` is absent, never a fault.
 */
import type { Address, MachineId } from '../domain/identifiers.ts';
import type { BlockRef, DeploymentFacts, EventPage, MachineSnapshot } from '../domain/machine-facts.ts';
import type { FirstGeneration } from './first-generation.ts';

/** Answers of the five readiness calls and of the deployment checks; false = not callable or contradicting. */
export interface MainChainReadiness {
  readonly rpcConnected: boolean;
  readonly machineRegistry: boolean;
  readonly machineStateAndSync: boolean;
  readonly machineSubscription: boolean;
  readonly eventRegistry: boolean;
  /** True as well when no AdminFlags contract is configured. */
  readonly adminFlags: boolean;
}

/** What a caller needs beyond the facts that every snapshot holds. */
export interface MachineWants {
  /**
   * Position of the first record wanted in `events`; asked only when the chain is really read. The page holds at most
   * the contract's query limit.
   */
  readonly eventsFrom: () => Promise<number>;
  /** The machine's oldest records too, in `firstEvents`. */
  readonly firstEvents: boolean;
}

export interface KeptMachine {
  readonly snapshot: MachineSnapshot;
  readonly deployment: DeploymentFacts;
}

export interface MainChain {
  readonly chainId: number;
  readonly machineRegistry: Address;
  /** Undefined: none of its contracts is configured. */
  readonly firstGeneration: FirstGeneration | undefined;
  /**
   * The facts of one machine at the newest block known.
   * Requests of one tick share one multicall, identical requests in flight share one promise, and a snapshot is returned again
   * (the same object) as long as no log has touched it and no boundary of time has passed.
   */
  readMachine(id: MachineId, wants: MachineWants): Promise<MachineSnapshot>;
  /** What `readMachine` and `readDeployment` would give without asking a node; undefined when they would ask one. */
  findKept(id: MachineId, firstEvents: boolean): KeptMachine | undefined;
  /**
   * The facts of one machine and of the deployment at one block, which is asked for after the call: nothing that is kept serves,
   * not even where no log has touched it. For what a write is judged by. Holds no events to speak of.
   */
  readMachineNow(id: MachineId): Promise<KeptMachine>;
  /** Records at positions `from` to `to - 1` at exactly `block`; as many requests as it takes, each a page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
  /** Kept; read again when a log says that it changed. */
  readDeployment(): Promise<DeploymentFacts>;
  /** Asked anew at most once a second; never throws. */
  readReadiness(): Promise<MainChainReadiness>;
}
