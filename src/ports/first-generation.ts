/**
 * What can be asked of the main chain about machines of the first generation? (chain-evm 2.9.)
 * Implemented by `adapters/evm`, present where its contracts are configured. Every method throws `ChainUnreadable` and nothing else. All that
 * one call returns is of one block, the newest known; it is kept until the next block.
 */
import type { FirstGenerationMachine } from '../domain/first-generation.ts';
import type { Address, MachineId } from '../domain/identifiers.ts';
import type { BlockRef, EventPage } from '../domain/machine-facts.ts';

/** Position of the first record wanted of a machine; asked only when the chain is really read. */
export type EventsFrom = (id: MachineId) => Promise<number>;

export interface FirstGenerationPage {
  readonly block: BlockRef;
  /** How many machines the operator has. */
  readonly total: number;
  /** Ascending as numbers; undefined: the registry does not tell whose the claimed machine is. */
  readonly machines: readonly (FirstGenerationMachine | undefined)[];
}

export interface FirstGeneration {
  /** Without a DID store no operator's machines are known. */
  readonly canList: boolean;
  /** The machine whose DID is of this address; undefined: there is none. */
  readMachineOf(address: Address, eventsFrom: EventsFrom): Promise<FirstGenerationMachine | undefined>;
  /** Some of the machines of the operator: those it names itself, as far as the registry agrees. */
  readPageOf(operator: Address, offset: number, limit: number, eventsFrom: EventsFrom): Promise<FirstGenerationPage>;
  /** Records at positions `from` to `to - 1` at exactly `block`; as many requests as it takes, each a page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
}
