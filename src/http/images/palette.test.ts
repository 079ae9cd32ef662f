/** Contrast of the image palettes, as WCAG 2 computes it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { BADGE, DARK, LIGHT } from './palette.ts';

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test('measures 21 for black on white', () => {
  expect([contrast('#000000', '#ffffff'), contrast('#777777', '#777777')]).toEqual([21, 1]);
});

describe('image colors', () => {
  test.each([
    ['light', LIGHT.background, [LIGHT.text, LIGHT.muted, ...Object.values(LIGHT.letters)]],
    ['dark', DARK.background, [DARK.text, DARK.muted, ...Object.values(DARK.letters)]],
    ['badge', BADGE.text, [BADGE.label, ...Object.values(BADGE.letters)]],
  ])('%s give every text a contrast of at least 4.5', (_name, background, colours) => {
    rule('card-image.contrast');
    expect(colours.filter((colour) => contrast(colour, background) < 4.5)).toEqual([]);
  });
});

/** CIE lightness, 0 for black and 100 for white. */
function lightness(color: string): number {
  const relative = luminance(color);
  return relative > 216 / 24_389 ? 116 * Math.cbrt(relative) - 16 : (24_389 / 27) * relative;
}

const css = readFileSync(new URL('../../../explorer/page.css', import.meta.url), 'utf8');

/** Returns the light and the dark value of a color token of the pages. */
function tokenOf(name: string): readonly string[] {
  return new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\);`).exec(css)!.slice(1);
}

describe('colors of ratings', () => {
  const SCALE = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'NR'] as const;

  test.each([
    ['light', LIGHT, 1],
    ['dark', DARK, -1],
  ])(
    'differ in lightness by at least 4.9 from one to the next, in the order of the scale, %s',
    (_name, palette, sign) => {
      rule('images.page-colors');
      const values = SCALE.map((letter) => lightness(palette.letters[letter]));
      const steps = values.slice(1).map((value, index) => sign * (value - values[index]!));
      expect(steps.filter((step) => step < 4.9)).toEqual([]);
    },
  );

  test.each([
    ['light', LIGHT, 0],
    ['dark', DARK, 1],
  ])('have a contrast of at least 4.5 on the grounds of the pages, %s', (_name, palette, mode) => {
    rule('images.page-colors');
    const grounds = ['ground', 'sheet'].map((name) => tokenOf(name)[mode]!);
    const weak = Object.values(palette.letters).filter((color) => grounds.some((each) => contrast(color, each) < 4.5));
    expect(weak).toEqual([]);
  });
});

test('are those of the pages', () => {
  rule('images.page-colors');
  const colors = [...css.matchAll(/\.letter-(\w+) \{\s+--tone: light-dark\((#\w+), (#\w+)\);/g)];
  const ofPages = colors.map(([, letter, light, dark]) => [letter, light, dark]);
  const letters = Object.keys(LIGHT.letters) as (keyof typeof LIGHT.letters)[];
  expect(ofPages.filter(([letter]) => letter !== 'none')).toEqual(
    letters.map((letter) => [letter.toLowerCase(), LIGHT.letters[letter], DARK.letters[letter]]),
  );
});
