/** Range of blocks of the main chain that are known to hold no other events than the indexed ones. */
import { formatCount } from '../parts/formats.ts';
import type { Readiness } from '../parts/wire.ts';

type Proof = NonNullable<NonNullable<Readiness['operator_index']>['proof']>;

/** Names the newest proven range. Touching ranges of several kinds are one; a report may leave out older ranges. */
export function describeProvenRange({ segments, segment_count: count }: Proof): string {
  const proven = segments
    .filter(({ kind }) => kind !== 'unprovable')
    .toSorted((one, other) => other.to_block - one.to_block);
  const [newest, ...older] = proven;
  if (newest === undefined) return 'No range is known to be complete yet.';
  let from = newest.from_block;
  for (const segment of older) if (segment.to_block >= from - 1) from = Math.min(from, segment.from_block);
  const isWhole = count === segments.length && proven.every(({ from_block }) => from_block >= from);
  const range = `Blocks ${formatCount(from)} to ${formatCount(newest.to_block)} are known to hold no other events`;
  return isWhole ? `${range}.` : `${range}; older ranges are known in parts.`;
}
