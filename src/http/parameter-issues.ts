/** Items of the 422 list: how an invalid parameter is reported to the caller (http-facts 3). */
import type { InvalidParameter } from '../domain/faults.ts';

export interface ParameterIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, string | number>>;
}

const MAX_ECHO_CHARACTERS = 100;

/** Returns the wire form of an invalid parameter. The caller's text is cut to 100 characters. */
export function toParameterIssue({ at: loc, problem }: InvalidParameter): ParameterIssue {
  if (problem.kind === 'not-json') {
    return { type: 'json_invalid', loc, msg: 'JSON decode error', input: {}, ctx: { error: problem.reason } };
  }
  const input = problem.text.slice(0, MAX_ECHO_CHARACTERS);
  switch (problem.kind) {
    case 'not-an-integer':
      return { type: 'int_parsing', loc, msg: 'Input should be a valid integer', input };
    case 'below-minimum': {
      const { minimum: ge } = problem;
      const msg = `Input should be greater than or equal to ${ge}`;
      return { type: 'greater_than_equal', loc, msg, input, ctx: { ge } };
    }
    case 'above-maximum': {
      const { maximum: le } = problem;
      const msg = `Input should be less than or equal to ${le}`;
      return { type: 'less_than_equal', loc, msg, input, ctx: { le } };
    }
    case 'not-a-word': {
      const expected = problem.words.join(', ');
      return { type: 'enum', loc, msg: `Input should be a comma list of ${expected}`, input, ctx: { expected } };
    }
    case 'malformed': {
      const { expected } = problem;
      return { type: 'value_error', loc, msg: `Input should be ${expected}`, input, ctx: { expected } };
    }
  }
}
