/** How much of a text fits into a width? By the widths of the one font that previews are drawn with; of what it does not name, the widest. */

/** Percent of the font's size, of the bold characters of DejaVu Sans. */
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
/** The plain ones are narrower by this at least, in all but a few letters. */
const PLAIN_PERCENT = 95;
const ELLIPSIS = '…';

const PERCENT = new Map(
  BOLD_WIDTHS.flatMap(([percent, characters]) => [...characters].map((character) => [character, percent] as const)),
);

export type Weight = 'plain' | 'bold';

/** The text, or as much of its beginning as fits, before an ellipsis. `size` and `width` in one unit. */
export function fitLine(text: string, size: number, width: number, weight: Weight = 'plain'): string {
  if (widthOf(text, size, weight) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character + ELLIPSIS, size, weight) > width) break;
    kept += character;
  }
  return kept.trimEnd() + ELLIPSIS;
}

/** The text in at most `most` lines, broken between words; the last says by an ellipsis that there is more. */
export function fitLines(text: string, size: number, width: number, most: number): string[] {
  const lines: string[] = [];
  const words = text.split(' ');
  while (words.length > 0 && lines.length < most - 1) {
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
