/** Definition of a command (name, options, example, action) and parsing of its command line. */
import { parseArgs } from 'node:util';
import { loadServiceUrl } from '../src/config.ts';
import { wholeNumber } from '../src/config/parsers.ts';
import { didPrefix } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed, EXIT_CODES_TEXT, type ExitCode } from './exit-codes.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, used after a single dash. */
  readonly short?: string;
  /** Placeholder of the value in help: `PATH`. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<T extends Option['type']> = T extends 'boolean' ? boolean : string;
type Values<O extends Options> = { readonly [K in keyof O]?: ValueOf<O[K]['type']> };

export interface Command<O extends Options = Options> {
  /** One word, or a group and a verb: `chip submit`. */
  readonly name: string;
  readonly about: string;
  /** Names of the arguments, all required. */
  readonly operands: readonly string[];
  readonly options: O;
  /** A complete command line. */
  readonly example: string;
  /** Runs the command and returns its exit code. Throws `CommandFailed` to exit with a message. */
  run(options: Values<O>, operands: readonly string[]): Promise<ExitCode>;
}

/** Checks the types of a command's own options and widens it for the command table. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}

export const JSON_OPTION = { type: 'boolean', about: 'print JSON' } as const;
export const BASE_URL_OPTION = {
  type: 'string',
  value: 'URL',
  about: 'URL of the service (default: SVC_BASE_URL, or http://127.0.0.1:8000)',
} as const;
export const ENV_FILE_OPTION = {
  type: 'string',
  value: 'PATH',
  about: 'file of KEY=VALUE lines; environment variables take precedence',
} as const;
/** Options of a command that calls the service. */
export const SERVICE_OPTIONS = {
  'base-url': BASE_URL_OPTION,
  'env-file': ENV_FILE_OPTION,
  json: JSON_OPTION,
} as const;

/** For examples. */
export const EXAMPLE_DID = `${didPrefix(DEFAULT_NAMESPACE)}42`;

const HELP: Options = { help: { type: 'boolean', short: 'h', about: 'print this help' } };

/** Parses the arguments of a command and runs it. */
export async function runCommand(command: Command, args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseCommandLine(command, args);
  if (values['help'] === true) {
    process.stdout.write(formatHelp(command));
    return 0;
  }
  const { operands, name } = command;
  if (positionals.length !== operands.length) {
    const problem =
      positionals.length < operands.length
        ? `missing argument ${operands[positionals.length]!}, as in: ${command.example}`
        : `too many arguments; ${name} takes ${operands.length === 0 ? 'none' : operands.join(' ')}`;
    throw new CommandFailed('usage', `${problem}; run svc ${name} --help for usage`);
  }
  return command.run(withServiceUrl(command, values), positionals);
}

/** Adds the URL of `SVC_BASE_URL` for a command that calls the service and has no other. */
function withServiceUrl({ options }: Command, values: Values<Options>): Values<Options> {
  const url = loadServiceUrl();
  const isNamed = url === undefined || url === '' || values['base-url'] !== undefined;
  return isNamed || options['base-url'] === undefined ? values : { ...values, 'base-url': url };
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
    throw new CommandFailed(
      'usage',
      `${(error as Error).message.split('. ')[0]!}; run svc ${command.name} --help for usage`,
    );
  }
}

/** Returns the text of `svc COMMAND --help`. */
export function formatHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...HELP }).map(([name, { value, about, short }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`,
    about,
  ]);
  return [
    `Usage: svc ${[command.name, ...command.operands].join(' ')} [options]`,
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

/** Formats rows as lines and pads the first column to its widest cell. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', ...rest]) => [first.padEnd(width), ...rest].join('  ').trimEnd());
}

/** Parses the value of a numeric option; returns undefined when it is not given. Throws `CommandFailed`. */
export function parseNumberOption(name: string, text: string | undefined, from: number, to: number) {
  if (text === undefined) return undefined;
  const kind = wholeNumber(from, to);
  const value = kind.parse(text);
  if (value === undefined) throw new CommandFailed('usage', `${name} must be ${kind.rule}`);
  return value;
}
