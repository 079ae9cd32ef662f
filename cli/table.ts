/** Tables on a terminal: columns padded to their widest cell, color only when standard output is a terminal. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** Formats a table as lines, the header first. Texts must be printable. */
export function formatTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const lines = [names.map((text): Cell => ({ text, style: 'dim' })), ...rows];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.text.length ?? 0)));
  return lines.map((line) => {
    const last = line.length - 1;
    return line.map((cell, column) => paint(cell, column === last ? 0 : widths[column]!)).join('  ');
  });
}

/** Pads by the plain text, because escape sequences have no width. */
function paint({ text, style }: Cell, width: number): string {
  const padding = ' '.repeat(Math.max(0, width - text.length));
  return (style === undefined || text === '' ? text : emphasize(style, text)) + padding;
}

/** Returns the text unchanged when standard output is not a terminal or colors are disabled. */
export function emphasize(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
