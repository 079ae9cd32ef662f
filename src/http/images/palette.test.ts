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

test('are those of the pages', () => {
  rule('images.page-colors');
  const css = readFileSync(new URL('../../../explorer/page.css', import.meta.url), 'utf8');
  const colors = [...css.matchAll(/\.letter-(\w+) \{\s+--tone: light-dark\((#\w+), (#\w+)\);/g)];
  const ofPages = colors.map(([, letter, light, dark]) => [letter, light, dark]);
  const letters = Object.keys(LIGHT.letters) as (keyof typeof LIGHT.letters)[];
  expect(ofPages.filter(([letter]) => letter !== 'none')).toEqual(
    letters.map((letter) => [letter.toLowerCase(), LIGHT.letters[letter], DARK.letters[letter]]),
  );
});
