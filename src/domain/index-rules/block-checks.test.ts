import { describe, expect, it } from 'vitest';
import {
  checkBlockComplete,
  checkHeaders,
  checkContainsLogs,
  checkLogOrder,
  checkLogsInBloom,
  checkLogsOfBlock,
  checkSameLogs,
  findContractsMissingLogs,
  watchContracts,
  type CheckedHeader,
  type CheckedLog,
} from './block-checks.ts';
import { buildBloom } from './bloom.ts';
import { ResponseRejected, type ResponseProblem } from './rejected-response.ts';

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

function problemOf(check: () => void): ResponseProblem | 'none' {
  try {
    check();
    return 'none';
  } catch (error) {
    if (error instanceof ResponseRejected) return error.problem;
    throw error;
  }
}

describe('checkHeaders', () => {
  const check = (numbers: number[], headers: CheckedHeader[], before?: { number: number; hash: string }) =>
    problemOf(() => checkHeaders(numbers, headers, before));

  it('requires exactly the requested headers, in order', () => {
    expect(check([1, 2, 9], [header(1), header(2), header(9)])).toBe('none');
    expect(check([1, 2], [header(1)])).toBe('missing-header');
    expect(check([1, 2], [header(2), header(1)])).toBe('missing-header');
    expect(check([1], [header(1), header(2)])).toBe('missing-header');
  });

  it('checks parent links between consecutive blocks only', () => {
    expect(check([1, 2], [header(1), header(2, { parentHash: '0xother' })])).toBe('broken-link');
    expect(check([1, 3], [header(1), header(3, { parentHash: '0xother' })])).toBe('none');
  });

  it('checks the link to the preceding block when it is adjacent', () => {
    expect(check([5], [header(5)], { number: 4, hash: '0xhash4' })).toBe('none');
    expect(check([5], [header(5)], { number: 4, hash: '0xother' })).toBe('broken-link');
    expect(check([5], [header(5)], { number: 2, hash: '0xother' })).toBe('none');
  });
});

describe('checkLogOrder', () => {
  const order = (...logs: CheckedLog[]) =>
    problemOf(() => checkLogOrder(contracts, { fromBlock: 10, toBlock: 20 }, logs));

  it('requires strictly ascending logs within the requested range', () => {
    expect(order()).toBe('none');
    expect(order(log(10, 3), log(10, 5), log(11, 0), log(20, 9, { address: ALSO_OURS }))).toBe('none');
    expect(order(log(9, 0))).toBe('out-of-range');
    expect(order(log(21, 0))).toBe('out-of-range');
    expect(order(log(11, 0), log(10, 5))).toBe('out-of-order');
    expect(order(log(10, 5), log(10, 3))).toBe('out-of-order');
  });

  it('rejects a duplicate log', () => {
    expect(order(log(10, 3), log(10, 3))).toBe('out-of-order');
  });

  it('rejects a log of a contract that was not requested', () => {
    expect(order(log(10, 3, { address: FOREIGN }))).toBe('foreign-address');
  });
});

describe('checkLogsOfBlock', () => {
  it('rejects a log with a different block hash or block time', () => {
    const check = (over: Partial<CheckedLog>) => problemOf(() => checkLogsOfBlock(header(10), [log(10, 1, over)]));
    expect(check({})).toBe('none');
    expect(check({ blockTimestamp: undefined })).toBe('none');
    expect(check({ blockHash: '0xhash11' })).toBe('hash-mismatch');
    expect(check({ blockTimestamp: 1 })).toBe('time-mismatch');
  });
});

describe('checks against the block bloom', () => {
  const blockHeader = header(10, { logsBloom: buildBloom([OURS, TOPIC]) });

  it('rejects a log whose contract the bloom excludes', () => {
    expect(problemOf(() => checkLogsInBloom(contracts, blockHeader, [log(10, 0)]))).toBe('none');
    const foreign = header(10, { logsBloom: buildBloom([FOREIGN]) });
    expect(problemOf(() => checkLogsInBloom(contracts, foreign, [log(10, 0)]))).toBe('not-in-bloom');
  });

  it('compares no log with a zero bloom, which proves nothing', () => {
    expect(problemOf(() => checkLogsInBloom(contracts, header(10), [log(10, 0)]))).toBe('none');
  });

  it('finds contracts that match the bloom but have no logs', () => {
    expect(findContractsMissingLogs(contracts, blockHeader, [])).toEqual([OURS]);
    expect(findContractsMissingLogs(contracts, blockHeader, [log(10, 0)])).toEqual([]);
    expect(findContractsMissingLogs(contracts, blockHeader, [log(10, 0, { address: ALSO_OURS })])).toEqual([OURS]);
    expect(findContractsMissingLogs(contracts, header(10), [])).toEqual([]);
  });

  it('accepts a block as complete only when all returned logs explain its bloom', () => {
    const check = (logs: CheckedLog[], allItems: string[]) =>
      problemOf(() => checkBlockComplete(contracts, blockHeader, logs, buildBloom(allItems)));
    expect(check([log(10, 0)], [OURS, TOPIC])).toBe('none');
    // A false positive: other logs set all of the bits.
    expect(check([], [OURS, TOPIC, FOREIGN])).toBe('none');
    expect(check([], [])).toBe('withheld-logs');
    expect(check([log(10, 0)], [OURS])).toBe('withheld-logs');
    expect(check([log(11, 0)], [OURS, TOPIC])).toBe('out-of-range');
    expect(check([log(10, 1), log(10, 0)], [OURS, TOPIC])).toBe('out-of-order');
    expect(check([log(10, 0, { blockHash: '0x' })], [OURS, TOPIC])).toBe('hash-mismatch');
    expect(check([log(10, 0, { address: ALSO_OURS })], [OURS, TOPIC])).toBe('not-in-bloom');
  });
});

describe('comparison of two responses', () => {
  it('accepts equal lists of logs only', () => {
    const check = (one: CheckedLog[], other: CheckedLog[]) => problemOf(() => checkSameLogs(one, other));
    expect(check([log(10, 0), log(10, 1)], [log(10, 0), log(10, 1)])).toBe('none');
    expect(check([log(10, 0)], [log(10, 0), log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { transactionHash: '0xother' })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { address: ALSO_OURS })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 1, { transactionHash: '0xtx10-0' })])).toBe('withheld-logs');
    expect(check([log(10, 0), log(10, 1)], [log(10, 0), log(10, 2)])).toBe('withheld-logs');
  });

  it('accepts a list that contains every log of the other', () => {
    const check = (whole: CheckedLog[], part: CheckedLog[]) => problemOf(() => checkContainsLogs(whole, part));
    expect(check([log(10, 0), log(10, 1)], [log(10, 1)])).toBe('none');
    expect(check([log(10, 0)], [])).toBe('none');
    expect(check([log(10, 0)], [log(10, 0), log(10, 1)])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { transactionHash: '0xother' })])).toBe('withheld-logs');
    expect(check([log(10, 0)], [log(10, 0, { address: ALSO_OURS })])).toBe('withheld-logs');
  });

  it('accepts such a list without comparing each log with all others', () => {
    let reads = 0;
    const counted = (logIndex: number): CheckedLog =>
      Object.defineProperty(log(10, logIndex), 'logIndex', {
        get: () => {
          reads += 1;
          return logIndex;
        },
      });
    const whole = Array.from({ length: 1_000 }, (_, i) => counted(i));
    checkContainsLogs(whole, whole);
    expect(reads).toBeLessThanOrEqual(4 * whole.length);
  });
});

it('names the problem in ResponseRejected', () => {
  const error = new ResponseRejected('broken-link');
  expect([error.name, error.message, error.problem]).toEqual(['ResponseRejected', 'broken-link', 'broken-link']);
});
