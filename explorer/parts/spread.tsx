/** Distribution as a stacked bar, with the name and the count of each part. */
import { formatCount } from './formats.ts';
import { RATINGS } from './texts.ts';
import type { Letter } from './wire.ts';

export interface SpreadPart {
  readonly name: string;
  /** Ending of the style of the rating colors. */
  readonly style: string;
  readonly count: number;
  /** Page that lists the part; left out: none does. */
  readonly href?: string;
}

/** Returns one part for each rating, best first. */
export function toRatingParts(countOf: (letter: Letter) => number, hrefOf?: (letter: Letter) => string): SpreadPart[] {
  return RATINGS.map((letter) => ({
    name: letter,
    style: letter.toLowerCase(),
    count: countOf(letter),
    ...(hrefOf && { href: hrefOf(letter) }),
  }));
}

/** Parts without a machine are left out. */
export function Spread({ parts }: { readonly parts: readonly SpreadPart[] }) {
  const shown = parts.filter(({ count }) => count > 0);
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  let x = 0;
  return (
    <>
      <svg class="spread" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {shown.map(({ name, style, count }) => {
          const width = (100 * count) / total;
          const left = x;
          x += width;
          return <rect key={name} class={`letter-${style}`} x={left} width={Math.max(0.5, width - 0.3)} height="6" />;
        })}
      </svg>
      <ul class="spread-names">
        {shown.map(({ name, style, count, href }) => (
          <li key={name}>
            <span class={`swatch letter-${style}`} aria-hidden="true" />{' '}
            {href === undefined ? name : <a href={href}>{name}</a>} <strong>{formatCount(count)}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}
