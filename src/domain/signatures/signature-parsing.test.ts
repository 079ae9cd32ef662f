import { describe, expect, it } from 'vitest';
import { formatBase58 } from '../identifiers/base58.ts';
import {
  ed25519SignatureBytes,
  parseEd25519Signature,
  parseRecoverableSignature,
  recoverableSignatureBytes,
} from './signature-parsing.ts';

const LONGEST = formatBase58(new Uint8Array(64).fill(255));

describe('parseRecoverableSignature', () => {
  it.each([
    ['lower case', `0x${'ab'.repeat(65)}`],
    ['upper case', `0x${'AB'.repeat(65)}`],
    ['zeros, from which no key can be recovered', `0x${'00'.repeat(65)}`],
  ])('accepts %s', (_name, text) => {
    expect(parseRecoverableSignature(text)).toBe(text);
  });

  it.each([
    ['an empty text', ''],
    ['130 digits without 0x', 'ab'.repeat(65)],
    ['128 digits', `0x${'ab'.repeat(64)}`],
    ['129 digits', `0x${'ab'.repeat(64)}a`],
    ['131 digits', `0x${'ab'.repeat(65)}a`],
    ['132 digits', `0x${'ab'.repeat(66)}`],
    ['the prefix 0X', `0X${'ab'.repeat(65)}`],
    ['a letter that is not a hex digit', `0x${'ab'.repeat(64)}ag`],
    ['a digit of another script', `0x${'ab'.repeat(64)}a٣`],
    ['a full-width digit', `0x${'ab'.repeat(64)}a１`],
    ['a space before it', ` 0x${'ab'.repeat(65)}`],
    ['a space for a digit', `0x${'ab'.repeat(64)}a `],
    ['a line break after it', `0x${'ab'.repeat(65)}\n`],
  ])('rejects %s', (_name, text) => {
    expect(parseRecoverableSignature(text)).toBeUndefined();
  });

  it('returns a text that decodes to 65 bytes', () => {
    const signature = parseRecoverableSignature(`0x${'01'.repeat(32)}${'02'.repeat(32)}1B`)!;
    expect(recoverableSignatureBytes(signature)).toStrictEqual(
      Uint8Array.of(...new Uint8Array(32).fill(1), ...new Uint8Array(32).fill(2), 27),
    );
  });
});

describe('parseEd25519Signature', () => {
  it.each([
    ['the longest, 88 characters', LONGEST, 88],
    ['the shortest, 64 characters', '1'.repeat(64), 64],
  ])('accepts %s', (_name, text, length) => {
    expect(text).toHaveLength(length);
    expect(parseEd25519Signature(text)).toBe(text);
  });

  it.each([
    ['an empty text', ''],
    ['63 bytes', formatBase58(new Uint8Array(63).fill(255))],
    ['65 bytes in 65 characters', '1'.repeat(65)],
    ['65 bytes in 88 characters', formatBase58(Uint8Array.of(1, ...new Uint8Array(64)))],
    ['89 characters', formatBase58(new Uint8Array(65).fill(255))],
    ['88 characters that exceed 64 bytes', 'z'.repeat(88)],
    ['an extra leading zero byte', `1${LONGEST}`],
    ['a space before it', ` ${LONGEST.slice(1)}`],
    ['a space after it', `${LONGEST} `],
    ['a line break after it', `${LONGEST}\n`],
    ['a letter outside the alphabet', `0${LONGEST.slice(1)}`],
    ['a surrogate pair', `𝟏${LONGEST.slice(2)}`],
    ['an EIP-191 signature', `0x${'ab'.repeat(65)}`],
  ])('rejects %s', (_name, text) => {
    expect(parseEd25519Signature(text)).toBeUndefined();
  });

  it('returns a text that decodes to 64 bytes', () => {
    expect(ed25519SignatureBytes(parseEd25519Signature(LONGEST)!)).toStrictEqual(new Uint8Array(64).fill(255));
  });
});
