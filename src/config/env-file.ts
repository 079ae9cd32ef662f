/**
 * Parser of env files: `KEY=VALUE` lines for `svc serve --env-file` (configuration.md 1).
 *
 *     # a comment, also after an unquoted value and a space
 *     PORT=8000
 *     export PUBLIC_URL="https://ratings.example"    quotes allow spaces and #; in double quotes \n, \" and \\ are escapes
 *     CARD='literally \n'
 */

export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Each names a line by its number and repeats none of it, because it may hold a secret. */
  readonly problems: readonly string[];
}

const ASSIGNMENT = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$/;
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
const SINGLE_QUOTED = /^'([^']*)'\s*(?:#.*)?$/;
const COMMENT = /(?:^|\s+)#.*$/;

/**
 * Parses every valid line. A variable that is set twice is a problem, because one of the values would be ignored
 * silently.
 */
export function parseEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>();
  const problems: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, written] = ASSIGNMENT.exec(line) ?? [];
    const value = written === undefined ? undefined : parseValue(written);
    if (name === undefined || value === undefined) problems.push(`line ${index + 1} is not KEY=VALUE`);
    else if (variables.has(name)) problems.push(`line ${index + 1} sets ${name} again`);
    else variables.set(name, value);
  }
  return { variables, problems };
}

function parseValue(written: string): string | undefined {
  if (written.startsWith('"')) {
    return DOUBLE_QUOTED.exec(written)?.[1]?.replace(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }
  if (written.startsWith("'")) return SINGLE_QUOTED.exec(written)?.[1];
  return written.replace(COMMENT, '').trim();
}
