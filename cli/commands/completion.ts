/** `svc completion`: completion scripts for shells, generated from the command table. */
import { defineCommand, JSON_OPTION, type Command } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { formatJson, formatLines } from '../output.ts';

interface CompletedOption {
  /** With the dashes. */
  readonly name: string;
  readonly about: string;
  readonly takes: 'nothing' | 'value' | 'file';
}

interface CompletedCommand {
  readonly word: string;
  /** The second word of a command that has two. */
  readonly verb: string | undefined;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** Possible arguments, where they are known. */
  readonly operands: readonly string[];
}

const WRITERS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string[]>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};
const SHELLS = Object.keys(WRITERS);
const NAME = 'completion';
const HELP: CompletedOption = { name: '--help', about: 'print help', takes: 'nothing' };

/** Creates the command. `list` is called when it runs, because the list contains it. */
export function createCompletion(list: () => readonly Command[]): Command {
  return defineCommand({
    name: NAME,
    about: `Prints the completion script for one of ${SHELLS.join(', ')}.`,
    operands: ['SHELL'],
    options: { json: { ...JSON_OPTION, about: 'print the commands and their options as JSON' } },
    example: `svc ${NAME} bash > ~/.local/share/bash-completion/completions/svc`,
    run({ json = false }, [shell = '']) {
      const write = Object.hasOwn(WRITERS, shell) ? WRITERS[shell] : undefined;
      if (write === undefined) throw new CommandFailed('usage', `SHELL must be one of ${SHELLS.join(', ')}`);
      const commands = list().map(toCompleted);
      process.stdout.write(json ? formatJson(commands) : formatLines(write(commands)));
      return Promise.resolve(EXIT_CODES.ok);
    },
  });
}

function toCompleted({ name, about, options }: Command): CompletedCommand {
  const [word = '', verb] = name.split(' ');
  const completed = Object.entries(options).map(([option, { type, value = '', about: text }]): CompletedOption => ({
    name: `--${option}`,
    about: text,
    takes: type === 'boolean' ? 'nothing' : /PATH|FILE|DIR/.test(value) ? 'file' : 'value',
  }));
  return { word, verb, about, options: [...completed, HELP], operands: name === NAME ? SHELLS : [] };
}

function firstWords(commands: readonly CompletedCommand[]): string[] {
  return [...new Set(commands.map(({ word }) => word))];
}

function verbsOf(commands: readonly CompletedCommand[]): [word: string, verbs: string[]][] {
  const withVerbs = commands.filter(({ verb }) => verb !== undefined);
  return firstWords(withVerbs).map((word) => [
    word,
    withVerbs.filter((command) => command.word === word).map(({ verb }) => verb!),
  ]);
}

/** Returns a shell pattern of the first two words. */
function patternOf({ word, verb = '*' }: CompletedCommand): string {
  return `${word}\\ ${verb}`;
}

function writeBash(commands: readonly CompletedCommand[]): string[] {
  const files = commands.flatMap(({ options }) => options.filter(({ takes }) => takes === 'file'));
  const offer = (words: readonly string[]) => `mapfile -t COMPREPLY < <(compgen -W '${words.join(' ')}' -- "$word")`;
  return [
    '_svc() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}',
    '  COMPREPLY=()',
    `  case $before in ${[...new Set(files.map(({ name }) => name))].join('|')}) return;; esac`,
    `  if [ "$COMP_CWORD" -eq 1 ]; then ${offer([...firstWords(commands), HELP.name])}; return; fi`,
    '  if [ "$COMP_CWORD" -eq 2 ]; then',
    '    case ${COMP_WORDS[1]} in',
    ...verbsOf(commands).map(([word, verbs]) => `      ${word}) ${offer(verbs)}; return;;`),
    '    esac',
    '  fi',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...commands.map((command) => {
      const words = [...command.operands, ...command.options.map(({ name }) => name)];
      return `    ${patternOf(command)}) ${offer(words)};;`;
    }),
    '  esac',
    '}',
    '# An empty reply completes file names.',
    'complete -o default -F _svc svc',
  ];
}

function writeZsh(commands: readonly CompletedCommand[]): string[] {
  const value = { nothing: '', value: ':value:', file: ':file:_files' };
  return [
    '#compdef svc',
    '_svc() {',
    `  if (( CURRENT == 2 )); then compadd -- ${firstWords(commands).join(' ')} ${HELP.name}; return; fi`,
    '  if (( CURRENT == 3 )); then',
    '    case $words[2] in',
    ...verbsOf(commands).map(([word, verbs]) => `      ${word}) compadd -- ${verbs.join(' ')}; return;;`),
    '    esac',
    '  fi',
    '  case "$words[2] $words[3]" in',
    ...commands.map((command) => {
      const options = command.options.map(({ name, about, takes }) =>
        quote(`${name}[${about.replaceAll(/[[\]\\]/g, '')}]${value[takes]}`),
      );
      const rest = command.operands.length === 0 ? '*:argument:' : `*:argument:(${command.operands.join(' ')})`;
      return `    ${patternOf(command)}) _arguments ${[...options, quote(rest)].join(' ')};;`;
    }),
    '  esac',
    '}',
    'compdef _svc svc',
  ];
}

function writeFish(commands: readonly CompletedCommand[]): string[] {
  const value = { nothing: '', value: ' -x', file: ' -rF' };
  const verbs = new Map(verbsOf(commands));
  const seen = ({ word, verb }: CompletedCommand) =>
    quote(
      [word, verb].flatMap((each) => (each === undefined ? [] : `__fish_seen_subcommand_from ${each}`)).join('; and '),
    );
  return [
    'complete -c svc -f',
    ...firstWords(commands).map((word) => `complete -c svc -n __fish_use_subcommand -a ${word}`),
    ...[...verbs].map(([word, all]) => {
      const condition = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${all.join(' ')}`;
      return `complete -c svc -n ${quote(condition)} -a ${quote(all.join(' '))}`;
    }),
    ...commands.flatMap((command) => [
      ...command.options.map(
        ({ name, about, takes }) =>
          `complete -c svc -n ${seen(command)} -l ${name.slice(2)}${value[takes]} -d ${quote(about)}`,
      ),
      ...command.operands.map((operand) => `complete -c svc -n ${seen(command)} -a ${operand}`),
    ]),
  ];
}

/** Single-quotes a text for zsh and fish; removes quotes and backslashes. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '')}'`;
}
