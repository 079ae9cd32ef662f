/** Which block is the newest, and what has changed since the one before? Given by the head follower to whatever keeps facts. */
import type { Address, MachineId } from '../domain/identifiers.ts';
import type { Header } from './main-chain-log.ts';

/** What one step of the head changed. */
export interface HeadStep {
  readonly head: Header;
  /** Clock milliseconds at which the head was asked for. */
  readonly observedAtMilliseconds: number;
  /** For so long from then on no newer block is due, and the follower does not ask for one. */
  readonly waitMilliseconds: number;
  /** `all`: a reorg, a jump or a log that could not be attributed; every kept fact falls. */
  readonly touched: 'all' | { readonly machines: ReadonlySet<MachineId>; readonly kybOperators: ReadonlySet<Address> };
  /** The deployment facts must be read again. */
  readonly deployment: boolean;
  /** The start-up checks must run again. */
  readonly checks: boolean;
}

/** Takes every step of the head, in order. */
export interface HeadListener {
  advanceHead(step: HeadStep): void;
}
