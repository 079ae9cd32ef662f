/** Text formats of standard output that the commands share. */

/** Formats a value as indented JSON with a final line feed. */
export function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Joins lines, each with a line feed. */
export function formatLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
