/**
 * What did Node do with `--env-file` before this program began? It looks for the option in the whole command line, behind the script too, and puts
 * the file's variables into the environment. There they would win over the file for ever: a token that was taken out of it would stay good after a reload.
 */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const OPTION = '--env-file';

/** Takes out of `env` what Node put there from the files that `args` name. What else stands in it stays, also under a name of the file. */
export function forgetNodeEnvFiles(args: readonly string[], env: NodeJS.ProcessEnv): void {
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

/** None where there is no file: the command that wants it says so. */
function readVariables(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
