/**
 * What does the main chain say about a machine of the first generation, and which machines has an operator? (chain-evm 2.9.) Ids are
 * small sequential numbers that share nothing with those of the second generation; a DID is an address.
 */
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { parseMachineId } from '../identifiers/identifiers.ts';
import type { ReadResult } from '../read-result.ts';
import type { BlockRef, EventPage } from './machine-facts.ts';
import { JsonNumber, parseStrictJson } from '../json/strict-json.ts';

/** Everything that one multicall says about one machine. Two readings of one machine differ by identity. */
export interface LegacyMachine {
  readonly id: MachineId;
  readonly block: BlockRef;
  /** Of its DID; absent: none recorded. */
  readonly address: ReadResult<Address>;
  readonly exists: ReadResult<boolean>;
  readonly staked: ReadResult<boolean>;
  readonly eventCount: ReadResult<bigint>;
  /** The page of records that starts at the position the caller asked for. */
  readonly events: ReadResult<EventPage>;
}

/** Longer lists are believed to be nobody's. */
export const MAX_CLAIMED_MACHINES = 2_000;

/**
 * Reads the attribute in which an operator names its machines: a JSON array of ids, each a number or a text in canonical decimal.
 * Ascending, each once. Undefined: anything else. Nothing written, like `[]`, is no machine.
 */
export function parseClaimedMachines(bytes: Uint8Array): readonly MachineId[] | undefined {
  if (bytes.length === 0) return [];
  const { value } = parseStrictJson(bytes, 1);
  if (!Array.isArray(value) || value.length > MAX_CLAIMED_MACHINES) return undefined;
  const ids = new Set<MachineId>();
  for (const item of value) {
    const id = parseMachineId(item instanceof JsonNumber ? item.text : typeof item === 'string' ? item : '');
    if (id === undefined) return undefined;
    ids.add(id);
  }
  return [...ids].sort((a, b) => (a < b ? -1 : 1));
}

/**
 * Whether the registry agrees that a claimed machine is the operator's: anyone may write a claim about anyone. `unknown`: it cannot be
 * told, so the machine counts as one that cannot be read.
 */
export function judgeClaim(
  { exists, operator }: { readonly exists: ReadResult<boolean>; readonly operator: ReadResult<Address> },
  claimant: Address,
): 'held' | 'unknown' | 'foreign' {
  if (exists.state === 'present' && !exists.value) return 'foreign';
  if (operator.state === 'unreadable') return 'unknown';
  return operator.state === 'present' && operator.value === claimant ? 'held' : 'foreign';
}
