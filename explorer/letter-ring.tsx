/** The answer at a glance: the letter in a ring that is as full as the score. Said in words for those who do not see it. */
import type { Letter } from './wire.ts';
import { LETTER_MEANINGS } from './words.ts';

const RADIUS = 52;
const AROUND = 2 * Math.PI * RADIUS;

export function LetterRing({ letter, score }: { readonly letter: Letter; readonly score: number }) {
  const said = `${letter}: ${LETTER_MEANINGS[letter]}, ${score} of 100 points`;
  const isLong = letter === 'Provisioned';
  return (
    <svg class={`ring letter-${letter.toLowerCase()}`} viewBox="0 0 128 128" role="img" aria-label={said}>
      <circle class="rail" cx="64" cy="64" r={RADIUS} />
      <circle
        class="arc"
        cx="64"
        cy="64"
        r={RADIUS}
        stroke-dasharray={`${(AROUND * score) / 100} ${AROUND}`}
        transform="rotate(-90 64 64)"
      />
      <text class="letter" x="64" y={isLong ? 60 : 68} font-size={isLong ? 13 : letter.length > 2 ? 29 : 34}>
        {letter}
      </text>
      <text class="score" x="64" y={isLong ? 80 : 90}>
        {isLong ? 'not rated yet' : `${score} of 100`}
      </text>
    </svg>
  );
}
