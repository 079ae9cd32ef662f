/**
 * Link preview of a rating, `GET /machines/{machine_id}/card.png`: the card in the size of link previews, with the summary as text. It is rendered
 * in advance, so it has the light colors and one known font. A pure function: the same facts give the same text.
 */
import { formatDay } from '../../domain/rating/utc-day.ts';
import { LIGHT } from './palette.ts';
import { isRated, shortName, statusLineOf, type CardFacts } from './rating-facts.ts';
import { CHART_DAYS, chartShape, ringShape, textShape } from './svg-shapes.ts';
import { fitLine, fitLines } from './text-width.ts';

export const PREVIEW_SIZE = { width: 1200, height: 630 } as const;
/** Font family that the images are rendered with. */
const PREVIEW_FONT = 'DejaVu Sans';

const RING = { x: 250, y: 236, radius: 140, width: 28 };
const CHART = { left: 460, right: 1130, top: 400, bottom: 510, strokeWidth: 5 };
const WIDTH = CHART.right - CHART.left;
const SIZES = { title: 42, text: 30, letter: 76, longLetter: 33, ring: 30 };
const SUMMARY = { y: 256, lineHeight: 42, lines: 3 };

export function formatPreview(facts: CardFacts): string {
  const { letter, score, summary } = facts;
  const scores = facts.scores.slice(-CHART_DAYS);
  const line = (y: number, className: string, content: string) =>
    textShape({ x: CHART.left, y, className, anchor: 'start' }, content);
  const inRing = (y: number, className: string, content: string) =>
    textShape({ x: RING.x, y, className, anchor: 'middle' }, content);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PREVIEW_SIZE.width}" height="${PREVIEW_SIZE.height}" viewBox="0 0 ${PREVIEW_SIZE.width} ${PREVIEW_SIZE.height}">`,
    `<style>${toStyle(facts)}</style>`,
    `<rect class="b" width="${PREVIEW_SIZE.width}" height="${PREVIEW_SIZE.height}"/>`,
    `<rect class="a" width="${PREVIEW_SIZE.width}" height="12"/>`,
    ...ringShape(RING, score),
    inRing(RING.y + 20, letter.length > 3 ? 'l s' : 'l', letter),
    ...(isRated(letter) ? [inRing(RING.y + 66, 'm', `${score} of 100`)] : []),
    inRing(556, 'm', 'machine rating'),
    `<clipPath id="c"><rect x="${CHART.left}" y="0" width="${WIDTH}" height="${PREVIEW_SIZE.height}"/></clipPath><g clip-path="url(#c)">`,
    line(130, 't', fitLine(shortName(facts), SIZES.title, WIDTH, 'bold')),
    line(182, 'm', fitLine(statusLineOf(facts), SIZES.text, WIDTH)),
    ...fitLines(summary, SIZES.text, WIDTH, SUMMARY.lines).map((text, index) =>
      line(SUMMARY.y + index * SUMMARY.lineHeight, 'd', text),
    ),
    '</g>',
    ...chartShape(CHART, scores),
    line(556, 'm', `as of ${formatDay(facts.today)}`),
    ...(scores.length < 2
      ? []
      : [textShape({ x: CHART.right, y: 556, className: 'm', anchor: 'end' }, `score of ${scores.length} days`)]),
    '</svg>',
    '',
  ].join('\n');
}

function toStyle({ letter }: CardFacts): string {
  const { background, text, muted, track, letters } = LIGHT;
  const tone = letters[letter];
  return (
    `.b{fill:${background}}.a{fill:${tone}}.t{fill:${text};font-size:${SIZES.title}px;font-weight:700}` +
    `.d{fill:${text};font-size:${SIZES.text}px}.m{fill:${muted};font-size:${SIZES.ring}px}` +
    `.l{fill:${tone};font-weight:700;font-size:${SIZES.letter}px}.s{font-size:${SIZES.longLetter}px}` +
    `.r{stroke:${track}}.g,.c{stroke:${tone}}text{font-family:'${PREVIEW_FONT}'}`
  );
}
