/** Color palettes of the images; the letters have the colors of the pages. Letters and text have a contrast of at least 4.5 on their background. */
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
    AAA: '#06492a',
    AA: '#0d6b3c',
    A: '#2a7d47',
    BBB: '#14618c',
    BB: '#8a6400',
    B: '#b05a13',
    NR: '#7b1d18',
    Provisioned: '#6b7488',
  },
};

export const DARK: Palette = {
  background: '#14171a',
  text: '#eef1f4',
  muted: '#a3adb8',
  track: '#343b43',
  letters: {
    AAA: '#b6f2d0',
    AA: '#86e0ae',
    A: '#5cc58b',
    BBB: '#7cc4ee',
    BB: '#eabf55',
    B: '#e8985a',
    NR: '#ff9c94',
    Provisioned: '#8f9ab0',
  },
};

/** A badge has its own background, so it is the same on light and dark pages. */
export const BADGE = { label: '#3d444d', text: '#ffffff', letters: LIGHT.letters };
