/** Exit codes of all commands, stable for scripts (configuration.md 2). */

export const EXIT_CODES = { ok: 0, refused: 1, usage: 2, unreachable: 3, verificationFailed: 4 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Printed by every `--help`. */
export const EXIT_CODES_TEXT = '0 ok, 1 refused by the service, 2 usage, 3 not reachable, 4 verification failed';

/** Stops a command with an exit code and a message for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;

  constructor(outcome: Exclude<keyof typeof EXIT_CODES, 'ok'>, message: string) {
    super(message);
    this.exitCode = EXIT_CODES[outcome];
  }
}
