import { describe, expect, it } from 'vitest';
import { formatBase58 } from '../identifiers/base58.ts';
import {
  ed25519SignatureBytes,
  parseEd25519Signature,
  parseRecoverableSignature,
  recoverableSignatureBytes,
} from './signature-parsing.ts';

const LONGEST = formatBase58(new Uint8Array(64).fill(255));

describe('an EIP-191 signature', () => {
  it.each([
    ['lower case', `0x${'ab'.repeat(65)}`],
    ['upper case', `0x${'AB'.repeat(65)}`],
    ['a form without any key in it', `0x${'00'.repeat(65)}`],
  ])('%s', (_name, text) => {
    expect(parseRecoverableSignature(text)).toBe(text);
  });

  it.each([
    ['empty', ''],
    ['without 0x', 'ab'.repeat(65)],
    ['130 digits, 0x among them', `0x${'ab'.repeat(64)}`],
    ['129 digits', `0x${'ab'.repeat(64)}a`],
    ['131 digits', `0x${'ab'.repeat(65)}a`],
    ['132 digits', `0x${'ab'.repeat(66)}`],
    ['0X', `0X${'ab'.repeat(65)}`],
    ['a letter that is no digit', `0x${'ab'.repeat(64)}ag`],
    ['a digit of another script', `0x${'ab'.repeat(64)}a٣`],
    ['a full-width digit', `0x${'ab'.repeat(64)}a１`],
    ['a space before it', ` 0x${'ab'.repeat(65)}`],
    ['a space for a digit', `0x${'ab'.repeat(64)}a `],
    ['a line break after it', `0x${'ab'.repeat(65)}\n`],
  ])('refused: %s', (_name, text) => {
    expect(parseRecoverableSignature(text)).toBeUndefined();
  });

  it('is 65 bytes', () => {
    const signature = parseRecoverableSignature(`0x${'01'.repeat(32)}${'02'.repeat(32)}1B`)!;
    expect(recoverableSignatureBytes(signature)).toStrictEqual(
      Uint8Array.of(...new Uint8Array(32).fill(1), ...new Uint8Array(32).fill(2), 27),
    );
  });
});

describe('an Ed25519 signature', () => {
  it.each([
    ['the longest, 88 characters', LONGEST, 88],
    ['the shortest, 64 characters', '1'.repeat(64), 64],
  ])('%s', (_name, text, length) => {
    expect(text).toHaveLength(length);
    expect(parseEd25519Signature(text)).toBe(text);
  });

  it.each([
    ['empty', ''],
    ['63 bytes', formatBase58(new Uint8Array(63).fill(255))],
    ['65 bytes in 65 characters', '1'.repeat(65)],
    ['65 bytes in 88 characters', formatBase58(Uint8Array.of(1, ...new Uint8Array(64)))],
    ['89 characters', formatBase58(new Uint8Array(65).fill(255))],
    ['88 characters, more than 64 bytes hold', 'z'.repeat(88)],
    ['another spelling with a leading zero byte', `1${LONGEST}`],
    ['a space before it', ` ${LONGEST.slice(1)}`],
    ['a space after it', `${LONGEST} `],
    ['a line break after it', `${LONGEST}\n`],
    ['a letter outside the alphabet', `0${LONGEST.slice(1)}`],
    ['a character of two units', `𝟏${LONGEST.slice(2)}`],
    ['an EIP-191 signature', `0x${'ab'.repeat(65)}`],
  ])('refused: %s', (_name, text) => {
    expect(parseEd25519Signature(text)).toBeUndefined();
  });

  it('is 64 bytes', () => {
    expect(ed25519SignatureBytes(parseEd25519Signature(LONGEST)!)).toStrictEqual(new Uint8Array(64).fill(255));
  });
});
