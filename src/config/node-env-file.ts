/**
 * Reverts Node's own handling of `--env-file`. Node looks for the option in the whole command line, even after the
 * script, and loads the file's variables into the environment. There they would override the file forever: a token
 * removed from it would remain valid after a reload.
 */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const OPTION = '--env-file';

/** Removes from `env` what Node loaded from the files that `args` name. Variables with another value stay. */
export function removeEnvFileVariables(args: readonly string[], env: NodeJS.ProcessEnv): void {
  for (const path of listPaths(args)) {
    for (const [name, value] of Object.entries(readVariables(path)))
      if (env[name] === value) Reflect.deleteProperty(env, name);
  }
}

function listPaths(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (arg === OPTION) return args[index + 1] ?? [];
    return arg.startsWith(`${OPTION}=`) ? arg.slice(OPTION.length + 1) : [];
  });
}

/** Returns none for a missing file; the command that needs it reports that. */
function readVariables(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
