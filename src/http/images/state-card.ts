/** Card of a machine without a rating to show, for example because none exists: its name and one sentence, in the size of the rated card. */
import { DARK, LIGHT, type Palette } from './palette.ts';
import { textShape } from './svg-shapes.ts';
import { escapeSvgText, shorten } from './svg-text.ts';

export interface StateCard {
  readonly name: string;
  readonly state: string;
  readonly width: number;
  readonly height: number;
}

const NAME_ENDS = 16;

export function formatStateCard({ name, state, width, height }: StateCard): string {
  const line = (y: number, className: string, content: string) =>
    textShape({ x: width / 2, y, className, anchor: 'middle' }, content);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t">`,
    `<title id="t">${escapeSvgText(`${name}: ${state}`)}</title>`,
    `<style>${toStyle(LIGHT, height)}@media (prefers-color-scheme:dark){${toStyle(DARK, height)}}</style>`,
    `<rect class="b" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="12"/>`,
    line(height * 0.45, 't', shorten(name, NAME_ENDS)),
    line(height * 0.65, 'm', state),
    '</svg>',
    '',
  ].join('\n');
}

function toStyle({ background, text, muted, track }: Palette, height: number): string {
  const size = Math.round(height / 9);
  return (
    `.b{fill:${background};stroke:${track}}.t{fill:${text};font-size:${size}px;font-weight:600}` +
    `.m{fill:${muted};font-size:${Math.round(size * 0.85)}px}text{font-family:'DejaVu Sans',system-ui,sans-serif}`
  );
}
