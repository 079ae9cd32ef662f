/** Color palettes of the images; the letters have the colors of the pages, and a better one has more contrast. Letters and text have a contrast of at least 4.5 on their background. */
import type { RatingLetter } from '../../domain/rating/scale.ts';

export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  /** Color of the unfilled part of the ring and of lines; decoration. */
  readonly track: string;
  readonly letters: Readonly<Record<RatingLetter, string>>;
}

export const LIGHT: Palette = {
  background: '#ffffff',
  text: '#1a1d21',
  muted: '#59626d',
  track: '#dfe3e8',
  letters: {
    AAA: '#022a17',
    AA: '#06381f',
    A: '#124726',
    BBB: '#115074',
    BB: '#755200',
    B: '#a44c0d',
    NR: '#d63229',
    Provisioned: '#667085',
  },
};

export const DARK: Palette = {
  background: '#14171a',
  text: '#eef1f4',
  muted: '#a3adb8',
  track: '#343b43',
  letters: {
    AAA: '#d0f7e4',
    AA: '#a5ecc8',
    A: '#94dbaf',
    BBB: '#7ec4ed',
    BB: '#dca118',
    B: '#e3823d',
    NR: '#f1574f',
    Provisioned: '#8f9ab0',
  },
};

/** A badge has its own background, so it is the same on light and dark pages. */
export const BADGE = { label: '#3d444d', text: '#ffffff', letters: LIGHT.letters };
