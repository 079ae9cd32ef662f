/** In-place reading of large JSON-RPC responses. */
import { describe, expect, test } from 'vitest';
import { IrregularJson, type JsonCursor } from './json-cursor.ts';
import { readEntries, type ResultReader } from './large-responses.ts';

/** Reads a string and rejects any other value. */
function takeText(json: JsonCursor): string {
  const text = json.takeText();
  if (text === undefined) throw new IrregularJson();
  return text;
}

/** Returns the results in the order of the ids; undefined when one is missing, an error or not read. */
function readResults(body: Buffer, ids: readonly number[], reader: ResultReader): unknown[] | undefined {
  const entries = readEntries(body, new Map(ids.map((id) => [id, reader])));
  const found = ids.map((id) => entries?.get(id));
  return found.every((entry) => entry?.kind === 'read') ? found.map(({ value }) => value) : undefined;
}

const read = (body: string, ...ids: number[]) => readResults(Buffer.from(body), ids, takeText);
const answer = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });

describe('a large response', () => {
  test('is read in the order of the ids', () => {
    expect(read(`[${answer(8, 'b')},${answer(7, 'a')}]`, 7, 8)).toEqual(['a', 'b']);
    expect(read(answer(7, 'a'), 7)).toEqual(['a']);
  });

  test('may contain white space and members in another order', () => {
    const turned =
      ' [ { "result" : "b" , "id" : 8 , "jsonrpc" : "2.0" } ,\n\t{"id":7,"jsonrpc":"2.0","result":"a"}\r\n] ';
    expect(read(turned, 7, 8)).toEqual(['a', 'b']);
  });

  test.each([
    ['null beside its result', '"error":null,"result":"a"'],
    ['null after its result', '"result":"a","error": null '],
    ['further members', '"region":{"a":["}"]},"result":"a","cached":true'],
  ])('may have %s', (_, members) => {
    expect(read(`{"jsonrpc":"2.0","id":7,${members}}`, 7)).toEqual(['a']);
  });

  test('may have an error beside a result of null', () => {
    const entries = readEntries(
      Buffer.from('{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1}}'),
      new Map([[7, undefined]]),
    );
    expect(entries?.get(7)).toEqual({ kind: 'error', text: Buffer.from('{"code":1}') });
  });

  test('may have ids as text', () => {
    expect(read(`[${answer('8', 'b')},${answer('7', 'a')}]`, 7, 8)).toEqual(['a', 'b']);
  });

  test.each([
    ['an error', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no"}}]`],
    ['an error for all', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'],
    ['a missing response', `[${answer(7, 'a')}]`],
    ['an extra response', `[${answer(7, 'a')},${answer(8, 'b')},${answer(9, 'c')}]`],
    ['a duplicate response', `[${answer(7, 'a')},${answer(7, 'a')}]`],
    ['an unrequested id', `[${answer(7, 'a')},${answer(9, 'b')}]`],
    ['an id in other text', `[${answer(7, 'a')},${answer('08', 'b')}]`],
    ['an id that is not an integer', `[${answer(7, 'a')},${answer(8.5, 'b')}]`],
    ['no id', `[${answer(7, 'a')},${answer(undefined, 'b')}]`],
    ['no result', `[${answer(7, 'a')},${answer(8, undefined)}]`],
    ['two results', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"result":"b","result":"c"}]`],
    ['an error beside a result', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"result":"b","error":{"code":1}}]`],
    ['two errors', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"result":"b","error":null,"error":null}]`],
    ['an escape in a name', `[${answer(7, 'a')},{"jsonrpc":"2.0","id":8,"result":"b","r\\u0065sult":"c"}]`],
    ['another version', `[${answer(7, 'a')},${answer(8, 'b').replace('2.0', '1.0')}]`],
    ['another kind of result', `[${answer(7, 'a')},${answer(8, null)}]`],
    ['an escape', `[${answer(7, 'a')},${answer(8, '"')}]`],
    ['trailing text', `[${answer(7, 'a')},${answer(8, 'b')}]x`],
    ['a missing comma', `[${answer(7, 'a')}${answer(8, 'b')}]`],
    ['a trailing comma', `[${answer(7, 'a')},${answer(8, 'b')},]`],
    ['an HTML page', '<html>busy</html>'],
    ['an empty body', ''],
  ])('is left to the general parser when it has %s', (_, body) => {
    expect(read(`[${answer(7, 'a')},${answer(8, 'b')}]`, 7, 8)).toEqual(['a', 'b']);
    expect(read(body, 7, 8)).toBeUndefined();
  });

  test('is left to the general parser when it is truncated anywhere', () => {
    const whole = `[${answer(7, 'a')},${answer(8, 'b')}]`;
    const parts = Array.from({ length: whole.length }, (_, length) => whole.slice(0, length));
    expect(parts.filter((part) => read(part, 7, 8) !== undefined)).toEqual([]);
  });
});

describe('a value that is not needed', () => {
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
  ])('is skipped whole: %s', (value) => {
    expect(skipIn(value)).toEqual(['skipped']);
  });

  test.each(['', ']', '}', '[', '{"a"', '"a', '[1'])('is rejected when incomplete: "%s"', (value) => {
    expect(skipIn(value)).toBeUndefined();
  });
});
