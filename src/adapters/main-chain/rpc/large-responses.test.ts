import { describe, expect, test } from 'vitest';
import { IrregularJson, type JsonCursor } from './json-cursor.ts';
import { readResults } from './large-responses.ts';

/** Takes text, and nothing else. */
function takeText(json: JsonCursor): string {
  const text = json.takeText();
  if (text === undefined) throw new IrregularJson();
  return text;
}

const read = (body: string, ...ids: number[]) => readResults(Buffer.from(body), ids, takeText);
const answer = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });

describe('long answers', () => {
  test('are read in the order of the ids', () => {
    expect(read(`[${answer(8, 'b')},${answer(7, 'a')}]`, 7, 8)).toEqual(['a', 'b']);
    expect(read(answer(7, 'a'), 7)).toEqual(['a']);
  });

  test('may have spaces, and members in another order', () => {
    const turned =
      ' [ { "result" : "b" , "id" : 8 , "jsonrpc" : "2.0" } ,\n\t{"id":7,"jsonrpc":"2.0","result":"a"}\r\n] ';
    expect(read(turned, 7, 8)).toEqual(['a', 'b']);
  });

  test.each([
    ['an error', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no"}}]`],
    ['an error for all', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'],
    ['an answer too few', `[${answer(7, 'a')}]`],
    ['an answer too many', `[${answer(7, 'a')},${answer(8, 'b')},${answer(9, 'c')}]`],
    ['an answer twice', `[${answer(7, 'a')},${answer(7, 'a')}]`],
    ['an id that was not asked for', `[${answer(7, 'a')},${answer(9, 'b')}]`],
    ['an id in quotes', `[${answer(7, 'a')},${answer('8', 'b')}]`],
    ['an id that is no integer', `[${answer(7, 'a')},${answer(8.5, 'b')}]`],
    ['no id', `[${answer(7, 'a')},${answer(undefined, 'b')}]`],
    ['no result', `[${answer(7, 'a')},${answer(8, undefined)}]`],
    ['two results', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"result":"b","result":"c"}]`],
    ['another version', `[${answer(7, 'a')},${answer(8, 'b').replace('2.0', '1.0')}]`],
    ['another kind of result', `[${answer(7, 'a')},${answer(8, null)}]`],
    ['an escape', `[${answer(7, 'a')},${answer(8, '"')}]`],
    ['something behind it', `[${answer(7, 'a')},${answer(8, 'b')}]x`],
    ['no comma', `[${answer(7, 'a')}${answer(8, 'b')}]`],
    ['a comma too many', `[${answer(7, 'a')},${answer(8, 'b')},]`],
    ['a page', '<html>busy</html>'],
    ['nothing', ''],
  ])('with %s are left to the parser', (_, body) => {
    expect(read(`[${answer(7, 'a')},${answer(8, 'b')}]`, 7, 8)).toEqual(['a', 'b']);
    expect(read(body, 7, 8)).toBeUndefined();
  });

  test('that end anywhere are left to the parser', () => {
    const whole = `[${answer(7, 'a')},${answer(8, 'b')}]`;
    const parts = Array.from({ length: whole.length }, (_, length) => whole.slice(0, length));
    expect(parts.filter((part) => read(part, 7, 8) !== undefined)).toEqual([]);
  });
});

describe('a value that nobody asks for', () => {
  const skip = (json: JsonCursor) => {
    json.skip();
    return 'skipped';
  };
  const skipIn = (value: string) => readResults(Buffer.from(`{"jsonrpc":"2.0","result":${value},"id":7}`), [7], skip);

  test.each([
    '1',
    '-1.5e3',
    'true',
    'null',
    '"a"',
    '"\\"]}"',
    '"\\\\"',
    '[]',
    '{}',
    '[1,[2,{"a":"]"}],null]',
    '{"a":{"b":[1]}}',
  ])('%s is skipped whole', (value) => {
    expect(skipIn(value)).toEqual(['skipped']);
  });

  test.each(['', ']', '}', '[', '{"a"', '"a', '[1'])('%s is none', (value) => {
    expect(skipIn(value)).toBeUndefined();
  });
});
