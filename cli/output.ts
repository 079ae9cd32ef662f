/** Text formats of standard output that the commands share. */

/** Formats a value as indented JSON with a final line feed. */
export function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Joins lines, each with a line feed. */
export function formatLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats Unix seconds in ISO 8601. A time that a service or a chain reports may be beyond every calendar; it is printed as a number. */
export function formatTime(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? String(unixSeconds) : date.toISOString();
}
