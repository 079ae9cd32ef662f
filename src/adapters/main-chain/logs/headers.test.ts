/** Tests which receipts roots of headers count as a commitment, and whose word a pinned block is. */
import { expect, it } from 'vitest';
import { startDeadline } from '../../rpc/deadline.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../../domain/index-rules/receipts-root.ts';
import { createHeaders, parseHeader } from './headers.ts';

const ROOT = `0x${'5'.repeat(64)}`;
const HEADER = { number: '0x7', timestamp: '0x6', hash: ROOT, parentHash: ROOT, logsBloom: null };

it.each<[name: string, members: object, root: string | undefined]>([
  ['of receipts', { receiptsRoot: ROOT, transactions: [ROOT] }, ROOT],
  [
    'of no receipts in a block without transactions',
    { receiptsRoot: EMPTY_RECEIPTS_ROOT, transactions: [] },
    EMPTY_RECEIPTS_ROOT,
  ],
])('a receipts root %s is a commitment', (_, members, root) => {
  expect(parseHeader({ ...HEADER, ...members })).toMatchObject({ receiptsRoot: root });
});

it.each<[name: string, members: object]>([
  ['of no receipts in a block with transactions', { receiptsRoot: EMPTY_RECEIPTS_ROOT, transactions: [ROOT] }],
  ['of no receipts beside no list of transactions', { receiptsRoot: EMPTY_RECEIPTS_ROOT }],
  ['of zero', { receiptsRoot: `0x${'0'.repeat(64)}`, transactions: [] }],
  ['that is missing', { transactions: [] }],
])('a receipts root %s is none', (_, members) => {
  expect(parseHeader({ ...HEADER, ...members })).toMatchObject({ number: 7, receiptsRoot: undefined });
});

it('takes a pinned block from the vote of several nodes, also after one node returned it to the index', async () => {
  const ofLiar = { ...HEADER, timestamp: '0x9' };
  const nodes = { request: () => Promise.resolve([{ ok: true as const, result: ofLiar }]) };
  const voted = parseHeader(HEADER)!;
  const unused = () => Promise.reject(new Error('not read'));
  const agreement = { confirmHead: unused, readFinalized: unused, readAt: () => Promise.resolve(voted) };
  const headers = createHeaders(nodes, agreement);
  const deadline = startDeadline(10_000, 5_000);
  expect(await headers.readMany([7], deadline)).toMatchObject([{ timestamp: 9 }]);
  expect(await headers.readExactly(voted, deadline)).toBe(voted);
});
