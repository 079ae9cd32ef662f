/** Rating in a ring that is filled in proportion to the score, with a text alternative. */
import type { Letter } from './wire.ts';
import { RATING_MEANINGS } from './texts.ts';

const RADIUS = 52;
const CIRCUMFERENCE = 2 * Math.PI * RADIUS;

export function RatingRing({ letter, score }: { readonly letter: Letter; readonly score: number }) {
  const isLong = letter === 'Provisioned';
  const points = isLong || letter === 'NR' ? '' : `, ${score} of 100 points`;
  const label = `${letter}: ${RATING_MEANINGS[letter]}${points}`;
  return (
    <svg class={`ring letter-${letter.toLowerCase()}`} viewBox="0 0 128 128" role="img" aria-label={label}>
      <circle class="rail" cx="64" cy="64" r={RADIUS} />
      <circle
        class="arc"
        cx="64"
        cy="64"
        r={RADIUS}
        stroke-dasharray={`${(CIRCUMFERENCE * score) / 100} ${CIRCUMFERENCE}`}
        transform="rotate(-90 64 64)"
      />
      <text class="letter" x="64" y={isLong ? 60 : 68} font-size={isLong ? 13 : letter.length > 2 ? 29 : 34}>
        {letter}
      </text>
      <text class="score" x="64" y={isLong ? 80 : 90}>
        {isLong ? 'not rated yet' : letter === 'NR' ? 'not rated' : `${score} of 100`}
      </text>
    </svg>
  );
}
