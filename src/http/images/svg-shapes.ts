/** SVG shapes of the rating images: ring, curve and lines of text. Each image colors their classes in its own style. */
import { escapeSvgText } from './svg-text.ts';

export interface Ring {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly width: number;
}

export interface Chart {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly strokeWidth: number;
}

export interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly className: string;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** The largest number of days in a curve. */
export const CHART_DAYS = 90;

/** Returns a ring that is filled in proportion to the score, which is out of 100. */
export function ringShape({ x, y, radius, width }: Ring, score: number): string[] {
  const circle = `cx="${x}" cy="${y}" r="${radius}" fill="none" stroke-width="${width}"`;
  const track = `<circle class="r" ${circle}/>`;
  if (score === 0) return [track];
  const length = 2 * Math.PI * radius;
  const filled = `${toFixed((length * score) / 100)} ${toFixed(length)}`;
  return [track, `<circle class="g" ${circle} stroke-dasharray="${filled}" transform="rotate(-90 ${x} ${y})"/>`];
}

/** Returns the curve of up to `CHART_DAYS` scores, the last one at the right end, with gaps where there is none. */
export function chartShape(
  { left, right, top, bottom, strokeWidth }: Chart,
  scores: readonly (number | undefined)[],
): string[] {
  const lines: string[][] = [];
  let line: string[] = [];
  scores.forEach((score, index) => {
    if (score === undefined) {
      line = [];
      return;
    }
    if (line.length === 0) lines.push(line);
    const x = right - ((scores.length - 1 - index) * (right - left)) / (CHART_DAYS - 1);
    const y = bottom - ((bottom - top) * score) / 100;
    line.push(`${toFixed(x)},${toFixed(y)}`);
  });
  return [
    `<path class="r" d="M${left} ${bottom}H${right}"/>`,
    // A line needs two days.
    ...lines
      .filter((points) => points.length > 1)
      .map((points) => `<polyline class="c" fill="none" stroke-width="${strokeWidth}" points="${points.join(' ')}"/>`),
  ];
}

export function textShape({ x, y, className, anchor }: TextPlace, content: string): string {
  return `<text class="${className}" x="${x}" y="${y}" text-anchor="${anchor}">${escapeSvgText(content)}</text>`;
}

function toFixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
