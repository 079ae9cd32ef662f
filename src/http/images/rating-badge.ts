/** Rating badge, `GET /machines/{machine_id}/badge.svg`: a small image for a README. */
import type { RatingLetter } from '../../domain/rating/scale.ts';
import { BADGE } from './palette.ts';
import { escapeSvgText } from './svg-text.ts';

export interface BadgeFacts {
  /** The name with the whole id. */
  readonly name: string;
  readonly letter: RatingLetter;
  readonly score: number;
}

const LABEL = 'machine rating';
/** Width of an average character, plain and bold; the text is stretched to it in any font. */
const CHARACTER_WIDTH = 6.5;
const BOLD_WIDTH = 7.5;
const MARGIN = 8;

export function formatBadge({ name, letter, score }: BadgeFacts): string {
  const value = letter === 'NR' ? 'not rated' : letter === 'Provisioned' ? 'provisioned' : `${letter} ${score}`;
  return formatBadgeOf(name, value, BADGE.letters[letter]);
}

/** Returns a badge with a text instead of a rating. */
export function formatStateBadge(name: string, state: string): string {
  return formatBadgeOf(name, state, BADGE.label);
}

function formatBadgeOf(name: string, value: string, color: string): string {
  const [label, shown] = [widthOf(LABEL, CHARACTER_WIDTH), widthOf(value, BOLD_WIDTH)];
  const width = label.box + shown.box;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-labelledby="t">`,
    `<title id="t">${escapeSvgText(`${name}: ${value}`)}</title>`,
    `<clipPath id="c"><rect width="${width}" height="20" rx="3"/></clipPath><g clip-path="url(#c)">`,
    `<rect width="${label.box}" height="20" fill="${BADGE.label}"/>`,
    `<rect x="${label.box}" width="${shown.box}" height="20" fill="${color}"/></g>`,
    `<g fill="${BADGE.text}" font-family="system-ui,sans-serif" font-size="11" lengthAdjust="spacingAndGlyphs">`,
    `<text x="${MARGIN}" y="14" textLength="${label.text}">${LABEL}</text>`,
    `<text x="${label.box + MARGIN}" y="14" font-weight="700" textLength="${shown.text}">${escapeSvgText(value)}</text></g>`,
    '</svg>',
    '',
  ].join('\n');
}

function widthOf(text: string, characterWidth: number): { readonly text: number; readonly box: number } {
  const width = Math.round(text.length * characterWidth);
  return { text: width, box: width + 2 * MARGIN };
}
