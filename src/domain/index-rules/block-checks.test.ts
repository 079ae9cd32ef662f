import { describe, expect, it } from 'vitest';
import {
  checkBlockComplete,
  checkHeaders,
  checkHoldsLogs,
  checkLogOrder,
  checkLogsInBloom,
  checkLogsOfBlock,
  checkSameLogs,
  findSilentContracts,
  watchContracts,
  type CheckedHeader,
  type CheckedLog,
} from './block-checks.ts';
import { buildBloom } from './bloom.ts';
import { AnswerRejected, type AnswerProblem } from './rejected-answer.ts';

const OURS = `0x${'aa'.repeat(20)}`;
const ALSO_OURS = `0x${'bb'.repeat(20)}`;
const FOREIGN = `0x${'cc'.repeat(20)}`;
const TOPIC = `0x${'11'.repeat(32)}`;
const contracts = watchContracts([OURS, ALSO_OURS]);

function header(number: number, over: Partial<CheckedHeader> = {}): CheckedHeader {
  return {
    number,
    hash: `0xhash${number}`,
    parentHash: `0xhash${number - 1}`,
    timestamp: 1_700_000_000 + number,
    logsBloom: buildBloom([]),
    ...over,
  };
}

function log(blockNumber: number, logIndex: number, over: Partial<CheckedLog> = {}): CheckedLog {
  return {
    address: OURS,
    blockNumber,
    blockHash: `0xhash${blockNumber}`,
    logIndex,
    transactionHash: `0xtx${blockNumber}-${logIndex}`,
    blockTimestamp: 1_700_000_000 + blockNumber,
    ...over,
  };
}

function problemOf(check: () => void): AnswerProblem | 'none' {
  try {
    check();
    return 'none';
  } catch (error) {
    if (error instanceof AnswerRejected) return error.problem;
    throw error;
  }
}

describe('headers', () => {
  const check = (numbers: number[], headers: CheckedHeader[], before?: { number: number; hash: string }) =>
    problemOf(() => checkHeaders(numbers, headers, before));

  it('are those asked for', () => {
    expect(check([1, 2, 9], [header(1), header(2), header(9)])).toBe('none');
    expect(check([1, 2], [header(1)])).toBe('missing-header');
    expect(check([1, 2], [header(2), header(1)])).toBe('missing-header');
    expect(check([1], [header(1), header(2)])).toBe('missing-header');
  });

  it('link to their neighbours, and only to those', () => {
    expect(check([1, 2], [header(1), header(2, { parentHash: '0xother' })])).toBe('broken-link');
    expect(check([1, 3], [header(1), header(3, { parentHash: '0xother' })])).toBe('none');
  });

  it('link to the block before them', () => {
    expect(check([5], [header(5)], { number: 4, hash: '0xhash4' })).toBe('none');
    expect(check([5], [header(5)], { number: 4, hash: '0xother' })).toBe('broken-link');
    expect(check([5], [header(5)], { number: 2, hash: '0xother' })).toBe('none');
  });
});

describe('logs', () => {
  const order = (...logs: CheckedLog[]) =>
    problemOf(() => checkLogOrder(contracts, { fromBlock: 10, toBlock: 20 }, logs));

  it('ascend strictly within the range asked for', () => {
    expect(order()).toBe('none');
    expect(order(log(10, 3), log(10, 5), log(11, 0), log(20, 9, { address: ALSO_OURS }))).toBe('none');
    expect(order(log(9, 0))).toBe('out-of-range');
    expect(order(log(21, 0))).toBe('out-of-range');
    expect(order(log(11, 0), log(10, 5))).toBe('out-of-order');
    expect(order(log(10, 5), log(10, 3))).toBe('out-of-order');
  });

  it('are told once', () => {
    expect(order(log(10, 3), log(10, 3))).toBe('out-of-order');
  });

  it('are of the contracts asked for', () => {
    expect(order(log(10, 3, { address: FOREIGN }))).toBe('foreign-address');
  });

  it('belong to their block', () => {
    const check = (over: Partial<CheckedLog>) => problemOf(() => checkLogsOfBlock(header(10), [log(10, 1, over)]));
    expect(check({})).toBe('none');
    expect(check({ blockTimestamp: undefined })).toBe('none');
    expect(check({ blockHash: '0xhash11' })).toBe('hash-mismatch');
    expect(check({ blockTimestamp: 1 })).toBe('time-mismatch');
  });
});

describe('blooms of blocks', () => {
  const named = header(10, { logsBloom: buildBloom([OURS, TOPIC]) });

  it('do not deny a log', () => {
    expect(problemOf(() => checkLogsInBloom(contracts, named, [log(10, 0)]))).toBe('none');
    expect(problemOf(() => checkLogsInBloom(contracts, header(10), [log(10, 0)]))).toBe('not-in-bloom');
  });

  it('name contracts of which nothing was told', () => {
    expect(findSilentContracts(contracts, named, [])).toEqual([OURS]);
    expect(findSilentContracts(contracts, named, [log(10, 0)])).toEqual([]);
    expect(findSilentContracts(contracts, named, [log(10, 0, { address: ALSO_OURS })])).toEqual([OURS]);
    expect(findSilentContracts(contracts, header(10), [])).toEqual([]);
  });

  it('are complete when everything told explains them', () => {
    const check = (logs: CheckedLog[], everything: string[]) =>
      problemOf(() => checkBlockComplete(contracts, named, logs, buildBloom(everything)));
    expect(check([log(10, 0)], [OURS, TOPIC])).toBe('none');
    // Named by chance: others logged all the bits.
    expect(check([], [OURS, TOPIC, FOREIGN])).toBe('none');
    expect(check([], [])).toBe('withheld-logs');
    expect(check([log(10, 0)], [OURS])).toBe('withheld-logs');
    expect(check([log(11, 0)], [OURS, TOPIC])).toBe('out-of-range');
    expect(check([log(10, 1), log(10, 0)], [OURS, TOPIC])).toBe('out-of-order');
    expect(check([log(10, 0, { blockHash: '0x' })], [OURS, TOPIC])).toBe('hash-mismatch');
    expect(check([log(10, 0, { address: ALSO_OURS })], [OURS, TOPIC])).toBe('not-in-bloom');
  });

  it('are accounted for by two equal answers', () => {
    const check = (one: CheckedLog[], other: CheckedLog[]) => problemOf(() => checkSameLogs(one, other));
    expect(check([log(10, 0), log(10, 1)], [log(10, 0), log(10, 1)])).toBe('none');
    expect(check([log(10, 0)], [log(10, 0), log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { transactionHash: '0xother' })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { address: ALSO_OURS })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 1, { transactionHash: '0xtx10-0' })])).toBe('withheld-logs');
    expect(check([log(10, 0), log(10, 1)], [log(10, 0), log(10, 2)])).toBe('withheld-logs');
  });

  it('hold everything that another answer told, and may hold more', () => {
    const check = (whole: CheckedLog[], told: CheckedLog[]) => problemOf(() => checkHoldsLogs(whole, told));
    expect(check([log(10, 0), log(10, 1)], [log(10, 1)])).toBe('none');
    expect(check([log(10, 0)], [])).toBe('none');
    expect(check([log(10, 0)], [log(10, 0), log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { transactionHash: '0xother' })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { address: ALSO_OURS })])).toBe('withheld-logs');
  });
});

it('an answer that is not believed is told from other errors', () => {
  const error = new AnswerRejected('broken-link');
  expect([error.name, error.message, error.problem]).toEqual(['AnswerRejected', 'broken-link', 'broken-link']);
});
