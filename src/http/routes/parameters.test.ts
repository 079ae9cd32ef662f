import { expect, test } from 'vitest';
import { Fault } from '../../domain/faults.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import { toParameterIssue } from '../parameter-issues.ts';
import {
  jsonInvalid,
  requireIntegers,
  requireMachineDid,
  requireMachineId,
  requireWords,
  toPosition,
} from './parameters.ts';

const MAX = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
const RULES = [
  { name: 'offset', fallback: 0, minimum: 0 },
  { name: 'limit', fallback: 20, minimum: 1, maximum: 20 },
];

function issuesOf(act: () => unknown): unknown {
  try {
    return { value: act() };
  } catch (error) {
    if (error instanceof Fault && error.kind === 'ParametersInvalid')
      return error.context.parameters.map(toParameterIssue);
    throw error;
  }
}

const notAnInteger = (loc: string[], input: string) => [
  { type: 'int_parsing', loc, msg: 'Input should be a valid integer', input },
];

test('throws issues in the forms of the specification', () => {
  expect(issuesOf(() => requireMachineId('did:svc:1', 'token_id'))).toEqual([
    { type: 'int_parsing', loc: ['path', 'token_id'], msg: 'Input should be a valid integer', input: 'did:svc:1' },
  ]);
  expect(issuesOf(() => requireIntegers('limit=21', RULES))).toEqual([
    {
      type: 'less_than_equal',
      loc: ['query', 'limit'],
      msg: 'Input should be less than or equal to 20',
      input: '21',
      ctx: { le: 20 },
    },
  ]);
  const notJson = () => {
    throw jsonInvalid(1, 'Expecting value');
  };
  expect(issuesOf(notJson)).toEqual([
    { type: 'json_invalid', loc: ['body', 1], msg: 'JSON decode error', input: {}, ctx: { error: 'Expecting value' } },
  ]);
});

test.each(['', '007', '+5', '-5', '5.0', ' 5', '5 ', '1_0', '1e3', '0x2a', '٥', '00', '-0', 'did:svc:1', '%35'])(
  'rejects the id %o as not an integer',
  (text) => {
    expect(issuesOf(() => requireMachineId(text, 'machine_id'))).toEqual(notAnInteger(['path', 'machine_id'], text));
  },
);

test('reports the violated bound of an id, as a string where JSON numbers cannot hold it', () => {
  expect(issuesOf(() => requireMachineId('0', 'token_id'))).toEqual([
    {
      type: 'greater_than_equal',
      loc: ['path', 'token_id'],
      msg: 'Input should be greater than or equal to 1',
      input: '0',
      ctx: { ge: 1 },
    },
  ]);
  expect(issuesOf(() => requireMachineId(`${MAX}0`.repeat(60), 'token_id'))).toEqual([
    {
      type: 'less_than_equal',
      loc: ['path', 'token_id'],
      msg: `Input should be less than or equal to ${MAX}`,
      input: `${MAX}0`.repeat(2).slice(0, 100),
      ctx: { le: MAX },
    },
  ]);
});

test('preserves every digit of large ids', () => {
  expect(requireMachineId('9007199254740993', 'token_id')).toBe(9007199254740993n);
  expect(requireMachineId(MAX, 'token_id')).toBe(2n ** 256n - 1n);
  expect(requireMachineDid(`did:svc:${MAX}`, DEFAULT_NAMESPACE)).toBe(2n ** 256n - 1n);
});

test.each(['5', 'did:svc:', 'did:svc:0', 'did:svc:05', 'DID:svc:5', 'did:svc:5 ', 'did:svc:0x5', 'did:web:5', ''])(
  'rejects %o as a machine DID',
  (text) => {
    expect(() => requireMachineDid(text, DEFAULT_NAMESPACE)).toThrow(new Fault('MachineDidMalformed', {}));
  },
);

test('parses integers of a query in the order of the rules, with defaults', () => {
  expect(requireIntegers('', RULES)).toEqual([0n, 20n]);
  expect(requireIntegers('limit=5&x=1&offset=40', RULES)).toEqual([40n, 5n]);
});

test('parses a comma list of words, each once, and refuses other words and a repeated parameter', () => {
  const parse = (query: string) => requireWords(query, 'kinds', ['rating', 'bond']);
  expect(parse('kinds=bond,rating,bond&other=x')).toEqual(['bond', 'rating']);
  expect([parse(''), parse('kinds=')]).toEqual([undefined, undefined]);
  for (const query of ['kinds=Rating', 'kinds=rating,', 'kinds=rating&kinds=bond', 'kinds=rating%20']) {
    expect(() => parse(query)).toThrow('ParametersInvalid');
  }
});

test('accepts up to 256 bits without a maximum, as a position past every end', () => {
  for (const text of ['9007199254740993', MAX]) {
    const [offset] = requireIntegers(`offset=${text}`, RULES) as [bigint];
    expect([String(offset), toPosition(offset)]).toEqual([text, 9007199254740991]);
  }
  expect(toPosition(40n)).toBe(40);
  const past = String(BigInt(MAX) + 1n);
  expect(issuesOf(() => requireIntegers(`offset=${past}`, RULES))).toMatchObject([
    { type: 'less_than_equal', loc: ['query', 'offset'], input: past, ctx: { le: MAX } },
  ]);
  expect(issuesOf(() => requireIntegers(`offset=${'9'.repeat(8_000)}`, RULES))).toMatchObject([
    { type: 'less_than_equal', input: '9'.repeat(100) },
  ]);
});

test.each(['', '+5', '%2B5', '5.0', '05', '1e1', 'true', '0x5', ' 5', '%FF', '-', '٥', '5%00'])(
  'rejects limit=%s as not an integer',
  (text) => {
    const input = new URLSearchParams(`limit=${text}`).get('limit')!;
    expect(issuesOf(() => requireIntegers(`limit=${text}`, RULES))).toEqual(notAnInteger(['query', 'limit'], input));
  },
);

test('reports all issues at once', () => {
  expect(issuesOf(() => requireIntegers('offset=-1&limit=0', RULES))).toMatchObject([
    { type: 'greater_than_equal', loc: ['query', 'offset'], input: '-1', ctx: { ge: 0 } },
    { type: 'greater_than_equal', loc: ['query', 'limit'], input: '0', ctx: { ge: 1 } },
  ]);
});

test('rejects a repeated parameter', () => {
  expect(issuesOf(() => requireIntegers('limit=1&limit=2', RULES))).toEqual(notAnInteger(['query', 'limit'], '1,2'));
});
