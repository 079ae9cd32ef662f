/**
 * Variables from the process environment, the env file below it, and files that hold a secret. Problems are recorded
 * under the variable's name and never with its value, and reading continues, so that one start reports all of them.
 */
import { explainUnreadableFile } from '../domain/unreadable-file.ts';
import { parseEnvFile } from './env-file.ts';
import type { ValueParser } from './parsers.ts';
import { suggestVariable, SECRETS, VARIABLES, type Variable } from './variables.ts';

/** Returns the text of a file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentOptions {
  readonly envFile?: string | undefined;
  readonly readFile: ReadFile;
}

export class Environment {
  readonly problems: string[] = [];
  /** Findings that do not prevent a start. */
  readonly warnings: string[] = [];
  readonly readFile: ReadFile;
  readonly #values: ReadonlyMap<string, string>;

  constructor(env: ProcessEnvironment, { envFile, readFile }: EnvironmentOptions) {
    this.readFile = readFile;
    this.#values = this.#resolveSecrets(this.#merge(env, envFile));
  }

  /**
   * Returns whether the variable is set. An empty text counts as not set, because templates leave one for a missing
   * value.
   */
  has(name: Variable): boolean {
    return this.#values.has(name);
  }

  /** Returns undefined when the variable is not set or, with a problem recorded, when it is invalid. */
  read<T>(name: Variable, parser: ValueParser<T>): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = parser.parse(text);
    if (value === undefined) this.addProblem(name, `must be ${parser.rule}`);
    return value;
  }

  /** Like `read`, but records a problem with the given reason when the variable is not set. */
  require<T>(name: Variable, parser: ValueParser<T>, reason: string): T | undefined {
    if (!this.has(name)) this.addProblem(name, `required ${reason}`);
    return this.read(name, parser);
  }

  /**
   * Reads a group of variables by the group's own keys. Returns undefined when none is set or, with problems recorded,
   * when one is missing or invalid.
   */
  readGroup<K extends string, T>(
    variables: Readonly<Record<K, Variable>>,
    parser: ValueParser<T>,
  ): Record<K, T> | undefined {
    const names = Object.values<Variable>(variables);
    const first = names.find((name) => this.has(name));
    if (first === undefined) return undefined;
    const entries = Object.entries<Variable>(variables).map(([key, name]) => {
      return [key, this.require(name, parser, `with ${first}: set all variables of the group or none`)] as const;
    });
    if (entries.some(([, value]) => value === undefined)) return undefined;
    return Object.fromEntries(entries) as Record<K, T>;
  }

  addProblem(name: Variable, problem: string): void {
    this.problems.push(`${name}: ${problem}`);
  }

  addWarning(name: Variable, warning: string): void {
    this.warnings.push(`${name}: ${warning}`);
  }

  /** Returns the text of the file that a variable names; undefined, with a problem recorded, when it cannot be read. */
  readFileOf(name: string, path: string): string | undefined {
    try {
      return this.readFile(path);
    } catch (error) {
      this.problems.push(`${name}: the file ${explainUnreadableFile(error)}`);
      return undefined;
    }
  }

  #merge(env: ProcessEnvironment, envFile: string | undefined): Map<string, string> {
    const processValues = new Map(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const merged = new Map(envFile === undefined ? [] : this.#readEnvFile(envFile));
    // A secret and its file variable are one setting: either of them in the process environment overrides both in the
    // env file.
    for (const name of SECRETS) {
      if (processValues.has(name) || processValues.has(`${name}_FILE`))
        [name, `${name}_FILE`].forEach((each) => merged.delete(each));
    }
    for (const [name, value] of processValues) merged.set(name, value);
    for (const name of merged.keys()) {
      const suggestion = suggestVariable(name);
      if (suggestion !== undefined)
        this.warnings.push(`${name}: not a variable of this service; did you mean ${suggestion}?`);
    }
    return new Map(
      [...merged].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value !== ''),
    );
  }

  #readEnvFile(path: string): ReadonlyMap<string, string> {
    const text = this.readFileOf('--env-file', path);
    if (text === undefined) return new Map();
    const { variables, problems } = parseEnvFile(text);
    this.problems.push(...problems.map((problem) => `--env-file: ${problem}`));
    return variables;
  }

  #resolveSecrets(merged: ReadonlyMap<string, string>): Map<string, string> {
    const values = new Map(VARIABLES.flatMap((name) => (merged.has(name) ? [[name, merged.get(name)!]] : [])));
    for (const name of SECRETS) {
      const path = merged.get(`${name}_FILE`);
      if (path === undefined) continue;
      if (values.has(name)) {
        this.addProblem(name, `set together with ${name}_FILE; remove one of them`);
        continue;
      }
      const text = this.readFileOf(`${name}_FILE`, path)?.trim();
      if (text === '') this.problems.push(`${name}_FILE: the file is empty`);
      else if (text !== undefined) values.set(name, text);
    }
    return values;
  }
}
