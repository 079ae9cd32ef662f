/** Tests of the env file parser: every form of a line, and what is rejected. */
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from './env-file.ts';

describe('a line of an env file', () => {
  it.each([
    ['PORT=8000', '8000'],
    ['  PORT = 8000  ', '8000'],
    ['export PORT=8000', '8000'],
    ['PORT=', ''],
    ['PORT=a b # comment', 'a b'],
    ['PORT=# comment', ''],
    ['PORT=a#b', 'a#b'],
    ['PORT=a=b', 'a=b'],
    ['PORT="a # b"', 'a # b'],
    ['PORT="a" # comment', 'a'],
    [String.raw`PORT="a\nb\"c\\d"`, 'a\nb"c\\d'],
    [String.raw`PORT='a\n"b"'`, String.raw`a\n"b"`],
    ['PORT=it"s', 'it"s'],
  ])('%s', (line, value) => {
    expect(parseEnvFile(line)).toEqual({ variables: new Map([['PORT', value]]), problems: [] });
  });

  it.each(['', '   ', '# PORT=8000', '  # comment'])('ignores %j', (line) => {
    expect(parseEnvFile(line)).toEqual({ variables: new Map(), problems: [] });
  });

  it.each(['secret', '=secret', '1A=secret', 'A B=secret', 'A="secret', "A='secret", 'A="x"secret', 'A-B=secret'])(
    'rejects %s without repeating it',
    (line) => {
      expect(parseEnvFile(`\n${line}`)).toEqual({ variables: new Map(), problems: ['line 2 is not KEY=VALUE'] });
    },
  );
});

it('parses a whole file with any line endings, and reports a variable that is set twice', () => {
  const { variables, problems } = parseEnvFile('\uFEFFA=1\r\nB=2\n\nA=3\n');
  expect([...variables]).toEqual([
    ['A', '1'],
    ['B', '2'],
  ]);
  expect(problems).toEqual(['line 4 sets A again']);
});
