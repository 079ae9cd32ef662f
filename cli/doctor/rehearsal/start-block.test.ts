/** Search for the first block with code, and the judgement of `MAIN_START_BLOCK`. */
import { describe, expect, it } from 'vitest';
import type { RawNode } from './raw-node.ts';
import { findFirstCode, judgeStartBlock } from './start-block.ts';

const LAST = 1_000_000;

/** Creates a node on which each address has code from its block on, without the state of blocks before `retained`. */
function nodeWith(codeFrom: Readonly<Record<string, number>>, retained = 0) {
  let calls = 0;
  const node = {
    call(_method: string, address: string, block: string) {
      calls += 1;
      const number = Number(block);
      if (number < retained) return Promise.resolve({ ok: false, code: -32_000, text: 'missing trie node' });
      return Promise.resolve({ ok: true, result: number >= codeFrom[address]! ? '0x60' : '0x' });
    },
  } as unknown as RawNode;
  return { node, calls: () => calls };
}

describe('the first block with code', () => {
  it.each([[0], [1], [123_456], [LAST]])('is found at block %i', async (first) => {
    const { node, calls } = nodeWith({ a: Math.min(LAST, first + 10), b: first, c: LAST });
    expect(await findFirstCode(node, ['a', 'b', 'c'], LAST)).toEqual({ kind: 'found', block: first });
    expect(calls()).toBeLessThan(3 * 22);
  });

  it('is not found where no contract has code', async () => {
    const { node } = nodeWith({ a: LAST + 1, b: LAST + 1 });
    expect(await findFirstCode(node, ['a', 'b'], LAST)).toEqual({ kind: 'no-code' });
  });

  it('is not searched on a node without the state of the last block', async () => {
    const { node } = nodeWith({ a: 5, b: 5 }, LAST + 1);
    expect(await findFirstCode(node, ['a', 'b'], LAST)).toEqual({ kind: 'no-state' });
  });

  it('is unknown where the node has pruned it', async () => {
    const { node } = nodeWith({ a: 5, b: 700_000 }, 600_000);
    expect(await findFirstCode(node, ['b', 'a'], LAST)).toEqual({ kind: 'pruned', from: 600_000 });
  });

  it('is found among the retained blocks', async () => {
    const { node } = nodeWith({ a: 700_000 }, 600_000);
    expect(await findFirstCode(node, ['a'], LAST)).toEqual({ kind: 'found', block: 700_000 });
  });
});

describe('MAIN_START_BLOCK', () => {
  it('fails when it is later than the first code, and the remedy names the right block', () => {
    expect(judgeStartBlock(501, 500, 'the first', 1_000)).toMatchObject({
      state: 'fail',
      remedy: 'set MAIN_START_BLOCK=500; otherwise logs are missing',
    });
  });

  it('passes when it is the first block or a little earlier', () => {
    expect(judgeStartBlock(500, 500, 'the first', 1_000).state).toBe('ok');
    expect(judgeStartBlock(0, 9_999, 'the first', 1_000).state).toBe('ok');
  });

  it('warns with the calls that a later block saves', () => {
    expect(judgeStartBlock(0, 2_000_000, 'the first', 2_000)).toMatchObject({
      state: 'warn',
      remedy: 'set MAIN_START_BLOCK=2000000, which saves 1,000 calls',
    });
  });
});
