/**
 * Legacy machines: their facts on the main chain, and the claims of operators (chain-evm 2.9). Ids are small sequential numbers
 * unrelated to those of the second generation; a DID contains an address.
 */
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { compareIds, parseMachineId } from '../identifiers/identifiers.ts';
import type { ReadResult } from '../read-result.ts';
import type { BlockRef, EventPage } from './machine-facts.ts';
import { JsonNumber, parseStrictJson } from '../json/strict-json.ts';

/** Result of one multicall about one machine. Two reads of one machine differ by identity. */
export interface LegacyMachine {
  readonly id: MachineId;
  readonly block: BlockRef;
  /** Address of its DID. Absent: none recorded. */
  readonly address: ReadResult<Address>;
  readonly exists: ReadResult<boolean>;
  readonly staked: ReadResult<boolean>;
  readonly eventCount: ReadResult<bigint>;
  /** Page of records from the requested position on. */
  readonly events: ReadResult<EventPage>;
}

/** Claims of more machines are ignored as implausible. */
export const MAX_CLAIMED_MACHINES = 2_000;

/**
 * Parses the attribute in which an operator claims machines: a JSON array of ids, each a number or a text in canonical decimal.
 * Returns each id once, ascending; none for empty bytes; undefined for anything else.
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
  return [...ids].sort(compareIds);
}

/**
 * Returns whether the registry confirms a claim: anyone can claim any machine. `unknown`: the registry cannot be read, so the machine
 * counts as unreadable.
 */
export function judgeClaim(
  { exists, operator }: { readonly exists: ReadResult<boolean>; readonly operator: ReadResult<Address> },
  claimant: Address,
): 'held' | 'unknown' | 'foreign' {
  if (exists.state === 'present' && !exists.value) return 'foreign';
  if (operator.state === 'unreadable') return 'unknown';
  return operator.state === 'present' && operator.value === claimant ? 'held' : 'foreign';
}
