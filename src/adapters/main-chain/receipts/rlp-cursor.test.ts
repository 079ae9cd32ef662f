/** RLP decoding of bytes that RlpBuffer encoded. */
import { describe, expect, test } from 'vitest';
import { RlpBuffer } from './rlp-buffer.ts';
import { RlpCursor } from './rlp-cursor.ts';

function open(fill: (to: RlpBuffer) => unknown): RlpCursor {
  const buffer = new RlpBuffer();
  fill(buffer);
  return new RlpCursor(buffer.copyBytes());
}

describe('RlpCursor', () => {
  test.each(['', '00', '7f', '80', '646f67', 'ab'.repeat(55), 'ab'.repeat(56), 'ab'.repeat(256), 'cd'.repeat(100_000)])(
    'decodes the string that was encoded',
    (hex) => {
      const text = Buffer.from(`0x${hex}`);
      const rlp = open((to) => {
        to.writeHex(text, 2, hex.length / 2);
        to.writeByte(9);
      });
      expect([rlp.takeHex(), rlp.isAtEnd, rlp.takeHex(), rlp.isAtEnd]).toEqual([`0x${hex}`, false, '0x09', true]);
    },
  );

  test.each([0, 55, 56, 65_536])('returns the length of a list of %i bytes and moves to its first item', (length) => {
    const rlp = open((to) => {
      to.writeByte(1);
      to.writeListPrefix(length);
      to.writeByte(9);
    });
    expect([rlp.takeHex(), rlp.enter(), rlp.takeHex()]).toEqual(['0x01', length, '0x09']);
  });
});
