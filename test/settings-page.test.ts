/** docs/settings.md has one row for every variable that the service and its commands read, with the default and values of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../src/config/describe-config.ts';
import { CERTIFICATE_VARIABLES } from '../src/config/tracing-settings.ts';
import { SECRETS, VARIABLES, type Variable } from '../src/config/variables.ts';
import { read } from '../testing/fixtures/sample-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'settings.md'), 'utf8');
/** The only file that reads the process environment. */
const CONFIG = readFileSync(join(ROOT, 'src', 'config.ts'), 'utf8');

interface Row {
  readonly name: string;
  readonly preset: string;
  readonly values: string;
  readonly secret: string;
}

const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line): Row => {
    const [name = '', , preset = '', values = '', secret = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { name: name.replaceAll('`', ''), preset, values, secret };
  });
const rowOf = (name: string): Row | undefined => rows.find((row) => row.name === name);

const commandVariables = [...new Set(CONFIG.match(/\bSVC_[A-Z_]+\b/g))];
const defaults = describeConfig(read({}).config);

/** Returns the rule that an invalid text of a variable breaks; undefined where every text is valid. */
function findRule(name: Variable): string | undefined {
  const prefix = `${name}: must be `;
  return read({ [name]: '\u00a7 \u00a7' })
    .problems.find((problem) => problem.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Returns the cell that describes a rule of numbers or words; undefined for another rule. */
function toValues(rule: string): string | undefined {
  const [, from, to] = /^a whole number from (\d+) to (\d+)$/.exec(rule) ?? [];
  if (from !== undefined) {
    const least = Number(from).toLocaleString('en-US');
    return Number(to) === Number.MAX_SAFE_INTEGER
      ? `from ${least} on`
      : `${least} to ${Number(to).toLocaleString('en-US')}`;
  }
  const words = /^one of (.+)$/.exec(rule)?.[1] ?? (rule === '"true" or "false"' ? 'true, false' : undefined);
  return words
    ?.split(', ')
    .map((word) => `\`${word}\``)
    .join(', ');
}

it('has exactly one row for every variable', () => {
  const variables = [...VARIABLES, ...CERTIFICATE_VARIABLES, ...commandVariables];
  expect(commandVariables.length).toBeGreaterThan(3);
  expect(rows.map(({ name }) => name).toSorted()).toEqual(variables.toSorted());
});

it('marks exactly the secrets that a file can hold', () => {
  const secrets = rows.filter(({ secret }) => secret === 'yes').map(({ name }) => name);
  expect(secrets.toSorted()).toEqual(SECRETS.toSorted());
});

describe.each(VARIABLES)('the row of %s', (name) => {
  it('has the default of the code', () => {
    const value = defaults[name];
    const preset = rowOf(name)?.preset.replaceAll('`', '') ?? '';
    if (value === null) expect(preset).toMatch(/^(?:none|required)\b/);
    else expect([preset, ...preset.split(/[ ,]/)]).toContain(value);
  });

  it('has the values of the code', () => {
    const values = toValues(findRule(name) ?? '');
    if (values !== undefined) expect(rowOf(name)?.values.split(', not ')[0]).toBe(values);
  });
});
