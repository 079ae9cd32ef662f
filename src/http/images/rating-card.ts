/**
 * How does a rating look as a picture? `GET /machines/{machine_id}/card.svg`: a ring with letter and score, the name, and the score of the
 * last 90 days. A pure function: the same facts give the same bytes. At most 8 KB, no script, nothing from elsewhere.
 */
import type { MachineId } from '../../domain/identifiers.ts';
import type { Letter } from '../../domain/rating/scale.ts';
import { formatDay } from '../../domain/utc-day.ts';
import { DARK, LIGHT, toneOf, type Palette } from './palette.ts';
import { escapeSvgText, shorten } from './svg-text.ts';

export interface CardFacts {
  readonly id: MachineId;
  /** The name with the whole id. */
  readonly name: string;
  readonly letter: Letter;
  readonly score: number;
  readonly summary: string;
  readonly isBonded: boolean;
  readonly eventCount: number;
  /** Scores, one a day, the last of today; empty: none is told. */
  readonly scores: readonly number[];
  /** UTC day number. */
  readonly today: number;
}

const DAYS = 90;
const RING = { x: 80, y: 80, radius: 56, width: 11 };
const CHART = { left: 168, right: 464, top: 88, bottom: 124 };
const ID_ENDS = 6;

export function formatCard(facts: CardFacts): string {
  const { name, letter, score, summary } = facts;
  const title = `${name}: ${toWords(facts)}`;
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="160" viewBox="0 0 480 160" role="img" aria-labelledby="t d">',
    `<title id="t">${escapeSvgText(title)}</title><desc id="d">${escapeSvgText(summary)}</desc>`,
    `<style>${toStyle(LIGHT, facts)}@media (prefers-color-scheme:dark){${toStyle(DARK, facts)}}</style>`,
    '<rect class="b" x=".5" y=".5" width="479" height="159" rx="12"/>',
    ...ringOf(score),
    text({ x: RING.x, y: 86, className: letter.length > 3 ? 'l s' : 'l', anchor: 'middle' }, letter),
    ...(isRated(letter) ? [text({ x: RING.x, y: 106, className: 'm', anchor: 'middle' }, `${score} of 100`)] : []),
    text({ x: CHART.left, y: 42, className: 't', anchor: 'start' }, shortName(facts)),
    text({ x: CHART.left, y: 66, className: 'm', anchor: 'start' }, standingOf(facts)),
    ...chartOf(facts.scores.slice(-DAYS)),
    text({ x: CHART.left, y: 146, className: 'm', anchor: 'start' }, `as of ${formatDay(facts.today)}`),
    '</svg>',
    '',
  ].join('\n');
}

function toWords({ letter, score }: CardFacts): string {
  return isRated(letter) ? `${letter}, ${score} of 100` : letter;
}

function isRated(letter: Letter): boolean {
  return letter !== 'NR' && letter !== 'Provisioned';
}

function toStyle({ background, text, muted, track, letters }: Palette, { letter }: CardFacts): string {
  const tone = letters[toneOf(letter)];
  return (
    `.b{fill:${background};stroke:${track}}.t{fill:${text};font-size:18px;font-weight:600}.m{fill:${muted};font-size:13px}` +
    `.l{fill:${tone};font-weight:700;font-size:28px}.s{font-size:14px}.r{stroke:${track}}.g,.c{stroke:${tone}}text{font-family:system-ui,sans-serif}`
  );
}

function ringOf(score: number): string[] {
  const { x, y, radius, width } = RING;
  const circle = `cx="${x}" cy="${y}" r="${radius}" fill="none" stroke-width="${width}"`;
  const track = `<circle class="r" ${circle}/>`;
  if (score === 0) return [track];
  const length = 2 * Math.PI * radius;
  const reached = `${toFixed((length * score) / 100)} ${toFixed(length)}`;
  return [track, `<circle class="g" ${circle} stroke-dasharray="${reached}" transform="rotate(-90 ${x} ${y})"/>`];
}

function shortName({ name, id }: CardFacts): string {
  return name.replace(String(id), shorten(String(id), ID_ENDS));
}

function standingOf({ isBonded, eventCount }: CardFacts): string {
  return `${isBonded ? 'bonded' : 'not bonded'} · ${eventCount} ${eventCount === 1 ? 'event' : 'events'}`;
}

/** The last of the days stands at the right end; two days at least make a line. */
function chartOf(scores: readonly number[]): string[] {
  const { left, right, top, bottom } = CHART;
  const base = `<path class="r" d="M${left} ${bottom}H${right}"/>`;
  if (scores.length < 2) return [base];
  const points = scores.map((score, place) => {
    const x = right - ((scores.length - 1 - place) * (right - left)) / (DAYS - 1);
    const y = bottom - ((bottom - top) * score) / 100;
    return `${toFixed(x)},${toFixed(y)}`;
  });
  const line = `<polyline class="c" fill="none" stroke-width="2" points="${points.join(' ')}"/>`;
  return [base, line, text({ x: right, y: 146, className: 'm', anchor: 'end' }, `score of ${scores.length} days`)];
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly className: string;
  readonly anchor: 'start' | 'middle' | 'end';
}

function text({ x, y, className, anchor }: Place, content: string): string {
  return `<text class="${className}" x="${x}" y="${y}" text-anchor="${anchor}">${escapeSvgText(content)}</text>`;
}

function toFixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
