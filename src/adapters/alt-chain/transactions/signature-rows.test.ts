/** Tests that long lists of signatures are read in several ticks or refused before they are read. */
import { expect, it } from 'vitest';
import { countReads } from '../../../../testing/harness/tick-counter.ts';
import { formatBase58 } from '../../../domain/identifiers/base58.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { readBlockSignatures, readSignatureRows } from './signature-rows.ts';

function sign(k: number): string {
  const bytes = new Uint8Array(64).fill(7);
  new DataView(bytes.buffer).setUint32(0, k);
  return formatBase58(bytes);
}

it('reads the signatures of a block in several ticks', async () => {
  const expected = Array.from({ length: 3_000 }, (_, k) => sign(k));
  const { items, counter } = countReads(expected);
  expect(await readBlockSignatures({ signatures: items })).toStrictEqual(expected);
  expect(counter.most).toBeLessThanOrEqual(1_000);
});

it('reads no row of a page that is too long', () => {
  let reads = 0;
  const row = {
    get signature() {
      reads += 1;
      return sign(reads);
    },
    slot: 5,
    blockTime: null,
    err: null,
  };
  expect(readSignatureRows(new Array(1_000).fill(row), undefined)).toHaveLength(1_000);
  reads = 0;
  expect(() => readSignatureRows(new Array(1_001).fill(row), undefined)).toThrow(Undecodable);
  expect(reads).toBe(0);
});
