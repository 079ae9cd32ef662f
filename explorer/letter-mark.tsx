/** Which letter, in a line of text or a table? With its colour beside it, which says nothing that the letter does not. */
import type { Letter } from './wire.ts';

export function LetterMark({ letter }: { readonly letter: Letter }) {
  return (
    <span>
      <span class={`swatch letter-${letter.toLowerCase()}`} aria-hidden="true" /> {letter}
    </span>
  );
}
