import { describe, expect, test } from 'vitest';
import { judgeClaim, MAX_CLAIMED_MACHINES, parseClaimedMachines } from './legacy-machine.ts';
import type { Address } from '../identifiers/identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../read-result.ts';

const parse = (text: string) => parseClaimedMachines(new TextEncoder().encode(text));

describe('the machines that an operator claims', () => {
  test.each([
    ['nothing written', '', []],
    ['an empty list', '[]', []],
    ['out of order', '[2,1,3]', [1n, 2n, 3n]],
    ['as texts', '["10", 9]', [9n, 10n]],
    ['twice', '[7,"7",7]', [7n]],
    ['the largest id', `[${2n ** 256n - 1n}]`, [2n ** 256n - 1n]],
  ])('are parsed: %s', (_name, text, ids) => {
    expect(parse(text)).toEqual(ids);
  });

  test.each([
    ['no JSON', '1,2'],
    ['blanks only', ' '],
    ['no array', '{"0":1}'],
    ['a bare id', '1'],
    ['an array of arrays', '[[1]]'],
    ['0', '[0]'],
    ['a negative number', '[-1]'],
    ['a fraction', '[1.0]'],
    ['an exponent', '[1e3]'],
    ['a leading zero', '["01"]'],
    ['beyond 2^256 - 1', `[${2n ** 256n}]`],
    ['null', '[null]'],
    ['one bad id among good ones', '[1,true,2]'],
    ['text after the list', '[1] 2'],
  ])('are rejected: %s', (_name, text) => {
    expect(parse(text)).toBeUndefined();
  });

  test('are rejected when the bytes are not UTF-8', () => {
    expect(parseClaimedMachines(new Uint8Array([0xff]))).toBeUndefined();
  });

  test('are limited in number', () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => i + 1));
    expect(parse(list(MAX_CLAIMED_MACHINES))).toHaveLength(2_000);
    expect(parse(list(MAX_CLAIMED_MACHINES + 1))).toBeUndefined();
  });
});

test('confirms or rejects a claim by the registry', () => {
  const claimant = `0x${'11'.repeat(20)}` as Address;
  const stranger = `0x${'22'.repeat(20)}` as Address;
  const unknown = unreadable('undecodable');
  const judge = (exists: ReadResult<boolean>, operator: ReadResult<Address>) =>
    judgeClaim({ exists, operator }, claimant);
  expect([
    judge(present(true), present(claimant)),
    judge(present(true), present(stranger)),
    judge(present(true), ABSENT),
    judge(present(true), unknown),
    judge(present(false), present(claimant)),
    judge(present(false), unknown),
    judge(unknown, present(claimant)),
    judge(unknown, present(stranger)),
    judge(unknown, unknown),
  ]).toEqual(['held', 'foreign', 'foreign', 'unknown', 'foreign', 'foreign', 'held', 'foreign', 'unknown']);
});
