/** What is a command? Its words, its options, an example, and what it does; and how a command line is taken apart. */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../src/config/parsers.ts';
import { didPrefix } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed, EXIT_CODES_TEXT, type ExitCode } from './exit-codes.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, behind one dash. */
  readonly short?: string;
  /** What stands behind the option, in help: `PATH`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<T extends Option['type']> = T extends 'boolean' ? boolean : string;
type Values<O extends Options> = { readonly [K in keyof O]?: ValueOf<O[K]['type']> };

export interface Command<O extends Options = Options> {
  /** One word, or a family's word and a verb: `chip submit`. */
  readonly name: string;
  readonly about: string;
  /** Names of the arguments, all of which must be given. */
  readonly operands: readonly string[];
  readonly options: O;
  /** A whole command line. */
  readonly example: string;
  /** Throws `CommandFailed` to end with a message. */
  run(options: Values<O>, operands: readonly string[]): Promise<ExitCode>;
}

/** Keeps the types of a command's own options, and gives it to the table of all commands. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}

export const JSON_OPTION = { type: 'boolean', about: 'print JSON' } as const;
export const BASE_URL_OPTION = {
  type: 'string',
  value: 'URL',
  about: 'the service (default http://127.0.0.1:8000)',
} as const;
export const ENV_FILE_OPTION = {
  type: 'string',
  value: 'PATH',
  about: 'a file of KEY=VALUE lines; the environment wins over it',
} as const;

/** For examples. */
export const EXAMPLE_DID = `${didPrefix(DEFAULT_NAMESPACE)}42`;

const HELP: Options = { help: { type: 'boolean', short: 'h', about: 'print this' } };

/** Runs a command with its part of the command line. */
export async function runCommand(command: Command, args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseCommandLine(command, args);
  if (values['help'] === true) {
    process.stdout.write(formatHelp(command));
    return 0;
  }
  const { operands, name } = command;
  if (positionals.length !== operands.length) {
    const wanted = operands.length === 0 ? 'no argument' : operands.join(' ');
    const hint = positionals.length < operands.length ? `, as in: ${command.example}` : '';
    throw new CommandFailed('usage', `${name} takes ${wanted}; see svc ${name} --help${hint}`);
  }
  return command.run(values, positionals);
}

function parseCommandLine(command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...HELP }).map(([name, { type, short }]) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values: values as Values<Options>, positionals };
  } catch (error) {
    throw new CommandFailed('usage', `${(error as Error).message.split('. ')[0]}; see svc ${command.name} --help`);
  }
}

/** What `svc COMMAND --help` prints. */
export function formatHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...HELP }).map(([name, { value, about, short }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`,
    about,
  ]);
  return [
    `svc ${[command.name, ...command.operands].join(' ')} [options]`,
    '',
    command.about,
    '',
    ...alignColumns(options).map((line) => `  ${line}`),
    '',
    `Example: ${command.example}`,
    `Exit codes: ${EXIT_CODES_TEXT}`,
    '',
  ].join('\n');
}

/** Lines whose first column is as wide as its widest cell. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', ...rest]) => [first.padEnd(width), ...rest].join('  ').trimEnd());
}

/** Reads the number behind an option; undefined when it is not given. */
export function parseNumberOption(name: string, text: string | undefined, from: number, to: number) {
  if (text === undefined) return undefined;
  const kind = wholeNumber(from, to);
  const value = kind.parse(text);
  if (value === undefined) throw new CommandFailed('usage', `${name} must be ${kind.rule}`);
  return value;
}
