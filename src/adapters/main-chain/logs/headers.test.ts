/** Tests which receipts roots of headers count as a commitment. */
import { expect, it } from 'vitest';
import { EMPTY_RECEIPTS_ROOT } from '../../../domain/index-rules/receipts-root.ts';
import { parseHeader } from './headers.ts';

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
