/** Rating with its color swatch, for lines of text and tables. The color adds no information. */
import type { Letter } from './wire.ts';

export function RatingMark({ letter }: { readonly letter: Letter }) {
  return (
    <span>
      <span class={`swatch letter-${letter.toLowerCase()}`} aria-hidden="true" /> {letter}
    </span>
  );
}
