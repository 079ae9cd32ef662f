/**
 * Finds the first block in which a configured contract has code, by bisection of `eth_getCode`, and compares
 * `MAIN_START_BLOCK` with it.
 */
import { fail, ok, warn, type Finding } from '../check-result.ts';
import { formatCount } from '../../../src/domain/index-rules/index-cause.ts';
import type { RawNode } from './raw-node.ts';

/** Log queries that a later start must save to be suggested. */
const MIN_SAVED_QUERIES = 10;

export type FirstCode =
  | { readonly kind: 'found'; readonly block: number }
  /** No contract has code at the last block. */
  | { readonly kind: 'no-code' }
  /** The node does not have the state of the last block. */
  | { readonly kind: 'no-state' }
  /** The node lacks the state of blocks before `from`, in which a contract has code already. */
  | { readonly kind: 'pruned'; readonly from: number };

/** Returns the first block from 0 to `last` in which one of the contracts has code. */
export async function findFirstCode(node: RawNode, addresses: readonly string[], last: number): Promise<FirstCode> {
  let first = last + 1;
  let prunedFrom = 0;
  let hasState = true;
  for (const address of addresses) {
    const isEarlier = await hasCode(node, address, first - 1);
    if (isEarlier === 'unknown' && first > last) hasState = false;
    if (isEarlier !== true) continue;
    let without = Math.max(-1, prunedFrom - 1);
    let withCode = first - 1;
    while (withCode - without > 1) {
      const middle = without + Math.ceil((withCode - without) / 2);
      const found = await hasCode(node, address, middle);
      if (found === true) withCode = middle;
      else without = middle;
      if (found === 'unknown') prunedFrom = Math.max(prunedFrom, middle + 1);
    }
    first = withCode;
  }
  if (first > last) return { kind: hasState ? 'no-code' : 'no-state' };
  return prunedFrom > 0 && first === prunedFrom
    ? { kind: 'pruned', from: prunedFrom }
    : { kind: 'found', block: first };
}

/** Returns `unknown` where the node does not have the state of the block. */
async function hasCode(node: RawNode, address: string, block: number): Promise<boolean | 'unknown'> {
  if (block < 0) return false;
  const code = await node.call('eth_getCode', address, `0x${block.toString(16)}`);
  if (!code.ok || typeof code.result !== 'string') return 'unknown';
  return code.result !== '0x';
}

/** Judges the configured start by the first block that matters; `rangeBlocks` is the range of one log query. */
export function judgeStartBlock(configured: number, first: number, evidence: string, rangeBlocks: number): Finding {
  const subject = 'MAIN_START_BLOCK';
  if (configured > first) {
    const text = `${configured} is later than block ${first}, ${evidence}`;
    return fail(subject, text, `set MAIN_START_BLOCK=${first}; otherwise logs are missing`);
  }
  const saved = Math.floor((first - configured) / rangeBlocks);
  if (saved < MIN_SAVED_QUERIES) return ok(subject, `${configured}; block ${first} is ${evidence}`);
  const text = `${configured} is earlier than block ${first}, ${evidence}`;
  return warn(subject, text, `set MAIN_START_BLOCK=${first}, which saves ${formatCount(saved, 'call')}`);
}
