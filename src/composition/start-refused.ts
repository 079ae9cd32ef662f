/**
 * Error that refuses a start because the configuration contradicts the chain, the database or a file; a service started
 * anyway would return wrong data.
 */

/** One problem per line, each starting with its variable. */
export class StartRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartRefused';
    this.problems = problems;
  }
}
