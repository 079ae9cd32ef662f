/** Score breakdown: for each factor its points, a bar, and its measure as text. */
import { formatPoints } from '../parts/formats.ts';
import type { Factor } from '../parts/wire.ts';
import { describeMeasure, FACTOR_NAMES } from '../parts/texts.ts';

export function FactorBars({ factors }: { readonly factors: readonly Factor[] }) {
  return (
    <ul class="factors">
      {factors.map((factor) => {
        const { name, points_hundredths: points, max_hundredths: max } = factor;
        return (
          <li key={name}>
            <span class="factor-name">{FACTOR_NAMES[name]}</span>
            <span class="factor-points">
              {formatPoints(points)} <span class="of">of {formatPoints(max)}</span>
            </span>
            <Bar share={max === 0 ? 0 : points / max} />
            <span class="factor-measure">{describeMeasure(factor)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Hidden from screen readers: the text beside it states the same value. */
export function Bar({ share }: { readonly share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="4" rx="1" />
      <rect class="fill" width={100 * Math.min(1, Math.max(0, share))} height="4" rx="1" />
    </svg>
  );
}
