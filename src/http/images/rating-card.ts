/**
 * Rating card, `GET /machines/{machine_id}/card.svg`: a ring with letter and score, the name, and the score of the last 90 days. A pure function:
 * the same facts give the same bytes. At most 8 KB, without scripts or external resources.
 */
import { formatDay } from '../../domain/rating/utc-day.ts';
import { DARK, LIGHT, type Palette } from './palette.ts';
import { isRated, shortName, statusLineOf, titleOf, type CardFacts } from './rating-facts.ts';
import { CHART_DAYS, chartShape, ringShape, textShape } from './svg-shapes.ts';
import { escapeSvgText } from './svg-text.ts';

const RING = { x: 80, y: 80, radius: 56, width: 11 };
const CHART = { left: 168, right: 464, top: 88, bottom: 124, strokeWidth: 2 };

export function formatCard(facts: CardFacts): string {
  const { letter, score, summary } = facts;
  const scores = facts.scores.slice(-CHART_DAYS);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="160" viewBox="0 0 480 160" role="img" aria-labelledby="t d">',
    `<title id="t">${escapeSvgText(titleOf(facts))}</title><desc id="d">${escapeSvgText(summary)}</desc>`,
    `<style>${toStyle(LIGHT, facts)}@media (prefers-color-scheme:dark){${toStyle(DARK, facts)}}</style>`,
    '<rect class="b" x=".5" y=".5" width="479" height="159" rx="12"/>',
    ...ringShape(RING, score),
    textShape({ x: RING.x, y: 86, className: letter.length > 3 ? 'l s' : 'l', anchor: 'middle' }, letter),
    ...(isRated(letter) ? [textShape({ x: RING.x, y: 106, className: 'm', anchor: 'middle' }, `${score} of 100`)] : []),
    textShape({ x: CHART.left, y: 42, className: 't', anchor: 'start' }, shortName(facts)),
    textShape({ x: CHART.left, y: 66, className: 'm', anchor: 'start' }, statusLineOf(facts)),
    ...chartShape(CHART, scores),
    ...(scores.length < 2
      ? []
      : [textShape({ x: CHART.right, y: 146, className: 'm', anchor: 'end' }, `score of ${scores.length} days`)]),
    textShape({ x: CHART.left, y: 146, className: 'm', anchor: 'start' }, `as of ${formatDay(facts.today)}`),
    '</svg>',
    '',
  ].join('\n');
}

function toStyle({ background, text, muted, track, letters }: Palette, { letter }: CardFacts): string {
  const tone = letters[letter];
  return (
    `.b{fill:${background};stroke:${track}}.t{fill:${text};font-size:18px;font-weight:600}.m{fill:${muted};font-size:13px}` +
    `.l{fill:${tone};font-weight:700;font-size:28px}.s{font-size:14px}.r{stroke:${track}}.g,.c{stroke:${tone}}text{font-family:system-ui,sans-serif}`
  );
}
