/** Color palettes of the images. Letters and text have a contrast of at least 4.5 on their background. */
import type { RatingLetter } from '../../domain/rating/scale.ts';

export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  /** Color of the unfilled part of the ring and of lines; decoration. */
  readonly track: string;
  readonly letters: Readonly<Record<Tone, string>>;
}

export type Tone = 'high' | 'middle' | 'low' | 'none' | 'unrated';

const TONES: Readonly<Record<RatingLetter, Tone>> = {
  AAA: 'high',
  AA: 'high',
  A: 'middle',
  BBB: 'middle',
  BB: 'low',
  B: 'low',
  NR: 'none',
  Provisioned: 'unrated',
};

export function toneOf(letter: RatingLetter): Tone {
  return TONES[letter];
}

export const LIGHT: Palette = {
  background: '#ffffff',
  text: '#1a1d21',
  muted: '#59626d',
  track: '#dfe3e8',
  letters: { high: '#0b6e4f', middle: '#1f5fa8', low: '#8a5300', none: '#9b1c31', unrated: '#59626d' },
};

export const DARK: Palette = {
  background: '#14171a',
  text: '#eef1f4',
  muted: '#a3adb8',
  track: '#343b43',
  letters: { high: '#4fd1a1', middle: '#7db5f5', low: '#f0b355', none: '#ff8fa0', unrated: '#a3adb8' },
};

/** A badge has its own background, so it is the same on light and dark pages. */
export const BADGE = { label: '#3d444d', text: '#ffffff', letters: LIGHT.letters };
