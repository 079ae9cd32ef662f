/** Where do the points come from? A bar for each factor, as long as its points are of its most, with the measure in words. */
import { formatPoints } from './formats.ts';
import type { Factor } from './wire.ts';
import { describeMeasure, FACTOR_NAMES } from './words.ts';

export function FactorBars({ factors }: { readonly factors: readonly Factor[] }) {
  return (
    <ul class="factors">
      {factors.map((factor) => {
        const { name, points_hundredths: points, max_hundredths: most } = factor;
        return (
          <li key={name}>
            <span class="factor-name">{FACTOR_NAMES[name]}</span>
            <span class="factor-points">
              {formatPoints(points)} <span class="of">of {formatPoints(most)}</span>
            </span>
            <Bar share={most === 0 ? 0 : points / most} />
            <span class="factor-measure">{describeMeasure(factor)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** For the eye alone: what it shows stands beside it. */
export function Bar({ share }: { readonly share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="4" rx="1" />
      <rect class="fill" width={100 * Math.min(1, Math.max(0, share))} height="4" rx="1" />
    </svg>
  );
}
