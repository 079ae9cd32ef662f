/** Why does the service not start? The configuration and the world disagree, and a service that started would answer wrongly. */

/** One problem a line, each beginning with its variable. */
export class StartRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartRefused';
    this.problems = problems;
  }
}
