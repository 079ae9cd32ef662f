/** Result of reading one fact of a chain: present, absent, or unreadable. The three never merge. */
import { chainUnreadable, type ChainName, type UnreadableCause } from './faults.ts';

export type ReadResult<T> =
  | { readonly state: 'present'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly cause: UnreadableCause };

export const ABSENT = { state: 'absent' } as const;

export function present<T>(value: T) {
  return { state: 'present', value } as const;
}

export function unreadable(cause: UnreadableCause) {
  return { state: 'unreadable', cause } as const;
}

/** Returns the value of a fact of the main chain that must exist. Throws `ChainUnreadable` for an absent or unreadable one. */
export function unwrap<T>(result: ReadResult<T>): T {
  const value = unwrapOptional(result);
  if (value === undefined) throw chainUnreadable('main', 'contradiction');
  return value;
}

/** Returns the value of a fact that may be absent. Throws `ChainUnreadable` for an unreadable one. */
export function unwrapOptional<T>(result: ReadResult<T>, chain: ChainName = 'main'): T | undefined {
  if (result.state === 'unreadable') throw chainUnreadable(chain, result.cause);
  return result.state === 'present' ? result.value : undefined;
}
