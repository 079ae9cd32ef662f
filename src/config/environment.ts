/**
 * What do the variables say, wherever they come from? The process environment, the env file under it, and files that hold a
 * secret. Whatever is wrong is noted, under the variable's name and never with its value, and reading goes on, so that one
 * start shows every problem.
 */
import { parseEnvFile } from './env-file.ts';
import type { ValueParser } from './parsers.ts';
import { findIntended, SECRETS, VARIABLES, type Variable } from './variables.ts';

/** Gives the text of a file; throws when it cannot. */
export type ReadFile = (path: string) => string;

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentOptions {
  readonly envFile?: string | undefined;
  readonly readFile: ReadFile;
}

export class Environment {
  readonly problems: string[] = [];
  /** What is odd but harmless. */
  readonly warnings: string[] = [];
  readonly readFile: ReadFile;
  readonly #values: ReadonlyMap<string, string>;

  constructor(env: ProcessEnvironment, { envFile, readFile }: EnvironmentOptions) {
    this.readFile = readFile;
    this.#values = this.#resolveSecrets(this.#merge(env, envFile));
  }

  /** An empty text counts as not set: that is what templates leave of a value that is not there. */
  has(name: Variable): boolean {
    return this.#values.has(name);
  }

  /** Undefined when the variable is not set or, with a problem noted, when it breaks the rule of its kind. */
  read<T>(name: Variable, kind: ValueParser<T>): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = kind.parse(text);
    if (value === undefined) this.note(name, `must be ${kind.rule}`);
    return value;
  }

  /** Like `read`; not being set is a problem too, for the reason given. */
  require<T>(name: Variable, kind: ValueParser<T>, reason: string): T | undefined {
    if (!this.has(name)) this.note(name, `required ${reason}`);
    return this.read(name, kind);
  }

  /** All variables of a group, by the group's own keys; undefined when none is set or, with problems noted, when one is amiss. */
  readGroup<K extends string, T>(
    variables: Readonly<Record<K, Variable>>,
    kind: ValueParser<T>,
  ): Record<K, T> | undefined {
    const names = Object.values<Variable>(variables);
    const first = names.find((name) => this.has(name));
    if (first === undefined) return undefined;
    const entries = Object.entries<Variable>(variables).map(([key, name]) => {
      return [key, this.require(name, kind, `with ${first}: all of its group or none`)] as const;
    });
    if (entries.some(([, value]) => value === undefined)) return undefined;
    return Object.fromEntries(entries) as Record<K, T>;
  }

  note(name: Variable, problem: string): void {
    this.problems.push(`${name}: ${problem}`);
  }

  warn(name: Variable, warning: string): void {
    this.warnings.push(`${name}: ${warning}`);
  }

  /** The text of the file that a variable names; undefined, with a problem noted, when it cannot be read. */
  readFileOf(name: string, path: string): string | undefined {
    try {
      return this.readFile(path);
    } catch {
      this.problems.push(`${name}: the file cannot be read`);
      return undefined;
    }
  }

  #merge(env: ProcessEnvironment, envFile: string | undefined): Map<string, string> {
    const own = new Map(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const merged = new Map(envFile === undefined ? [] : this.#readEnvFile(envFile));
    // A secret's two sources are one setting: whichever of them the process sets wins over both of the file.
    for (const name of SECRETS) {
      if (own.has(name) || own.has(`${name}_FILE`)) [name, `${name}_FILE`].forEach((each) => merged.delete(each));
    }
    for (const [name, value] of own) merged.set(name, value);
    for (const name of merged.keys()) {
      const intended = findIntended(name);
      if (intended !== undefined) this.warnings.push(`${name}: not a variable of this service; ${intended} was meant?`);
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
        this.note(name, `set together with ${name}_FILE; one of them must go`);
        continue;
      }
      const text = this.readFileOf(`${name}_FILE`, path)?.trim();
      if (text === '') this.problems.push(`${name}_FILE: the file is empty`);
      else if (text !== undefined) values.set(name, text);
    }
    return values;
  }
}
