/** Text fitting for link previews, by the character widths of their font. Unlisted characters count as the widest. */

/** Widths of the bold characters of DejaVu Sans, in percent of the font size. */
const BOLD_WIDTHS: readonly (readonly [percent: number, characters: string])[] = [
  [35, "'ijl "],
  [38, '/IJ\\|,.·'],
  [45, ':;-f'],
  [50, '!()[]tr_`'],
  [60, '"*?zcs'],
  [66, 'Lvxyak'],
  [70, 'EFTeo$0123456789'],
  [73, 'hnu{}SYbdgpqCPZ'],
  [83, 'BAKRVXUGD'],
  [88, '#+<=>HN^~OQ&'],
];
const WIDEST = 110;
/** Width of plain characters in percent of bold ones; all but a few letters are narrower. */
const PLAIN_PERCENT = 95;
const ELLIPSIS = '…';

const PERCENT = new Map(
  BOLD_WIDTHS.flatMap(([percent, characters]) => Array.from(characters, (character) => [character, percent] as const)),
);

export type Weight = 'plain' | 'bold';

/** Returns the text, or the part of its beginning that fits before an ellipsis. `size` and `width` are in the same unit. */
export function fitLine(text: string, size: number, width: number, weight: Weight = 'plain'): string {
  if (widthOf(text, size, weight) <= width) return text;
  let fitting = '';
  for (const character of text) {
    if (widthOf(fitting + character + ELLIPSIS, size, weight) > width) break;
    fitting += character;
  }
  return fitting.trimEnd() + ELLIPSIS;
}

/** Returns the text in at most `maxLines` lines, broken between words; an ellipsis ends the last one when text is cut. */
export function fitLines(text: string, size: number, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  const words = text.split(' ');
  while (words.length > 0 && lines.length < maxLines - 1) {
    let line = words.shift()!;
    while (words.length > 0 && widthOf(`${line} ${words[0]!}`, size, 'plain') <= width) line += ` ${words.shift()!}`;
    lines.push(fitLine(line, size, width));
  }
  return words.length === 0 ? lines : [...lines, fitLine(words.join(' '), size, width)];
}

function widthOf(text: string, size: number, weight: Weight): number {
  let percent = 0;
  for (const character of text) percent += PERCENT.get(character) ?? WIDEST;
  return (percent * size * (weight === 'bold' ? 100 : PLAIN_PERCENT)) / 10_000;
}
