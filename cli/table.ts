/** How do rows look on a terminal? Columns as wide as their widest cell; colour only where somebody looks. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** Lines of a table, the names of its columns first. Texts must be printable. */
export function formatTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const lines = [names.map((text): Cell => ({ text, style: 'dim' })), ...rows];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.text.length ?? 0)));
  return lines.map((line) => {
    const last = line.length - 1;
    return line.map((cell, column) => paint(cell, column === last ? 0 : widths[column]!)).join('  ');
  });
}

/** Padded before it is painted: what paints has no width. */
function paint({ text, style }: Cell, width: number): string {
  const padding = ' '.repeat(Math.max(0, width - text.length));
  return (style === undefined || text === '' ? text : emphasize(style, text)) + padding;
}

/** Plain where standard output is no terminal, or colours are not wanted. */
export function emphasize(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
