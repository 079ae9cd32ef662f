import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createCipheriv, pbkdf2Sync, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PASSPHRASE, PBKDF2, SCRYPT, SECRET } from '../../../testing/fixtures/keystore-samples.ts';
import { decryptKeystore } from './keystore.ts';

describe('decryptKeystore', () => {
  const change = (crypto: object, version: unknown = 3) =>
    JSON.stringify({ crypto: { ...SCRYPT.crypto, ...crypto }, version });
  const withKdfParams = (kdfparams: object) => change({ kdfparams: { ...SCRYPT.crypto.kdfparams, ...kdfparams } });

  it.each([
    ['text that is not JSON', 'x', 'no keystore'],
    ['an array', '[]', 'no keystore'],
    ['version 1', change({}, 1), 'no keystore'],
    ['a short mac', change({ mac: '00' }), 'no keystore'],
    ['a ciphertext of odd length', change({ ciphertext: '0' }), 'no keystore'],
    ['another cipher', change({ cipher: 'aes-256-cbc' }), 'unknown cipher'],
    ['a short iv', change({ cipherparams: { iv: '00' } }), 'unknown cipher'],
    ['another key derivation', change({ kdf: 'argon2' }), 'unknown key derivation'],
    ['no derivation parameters', change({ kdfparams: null }), 'unknown key derivation'],
    ['a cost that is not a power of two', withKdfParams({ n: 1000 }), 'unknown key derivation'],
    ['a cost that is not a number', withKdfParams({ n: '262144' }), 'unknown key derivation'],
    ['a cost of 1 TiB of memory', withKdfParams({ n: 2 ** 30, r: 8 }), 'too costly'],
    ['excessive parallelism', withKdfParams({ p: 2 ** 20 }), 'too costly'],
    [
      'excessive rounds',
      change({ kdf: 'pbkdf2', kdfparams: { ...PBKDF2.crypto.kdfparams, c: 2 ** 30 } }),
      'too costly',
    ],
  ])('rejects %s', (_name, text, problem) => {
    expect(decryptKeystore(text, PASSPHRASE)).toEqual({ problem });
  });
});

describe('decryptKeystore with a low-cost keystore', () => {
  const KEY = new Uint8Array(32).fill(9);
  const SALT = Buffer.from('05'.repeat(16), 'hex');
  const IV = Buffer.from('06'.repeat(16), 'hex');
  const scryptOf = (n: number, r: number, p: number) => ({
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n, r, p, salt: SALT.toString('hex') },
    derive: (password: string) => scryptSync(password, SALT, 32, { N: n, r, p }),
  });
  const pbkdf2Of = (c: number) => ({
    kdf: 'pbkdf2',
    kdfparams: { dklen: 32, c, prf: 'hmac-sha256', salt: SALT.toString('hex') },
    derive: (password: string) => pbkdf2Sync(password, SALT, c, 32, 'sha256'),
  });

  type Kdf = ReturnType<typeof scryptOf> | ReturnType<typeof pbkdf2Of>;

  function encrypt({ kdf, kdfparams, derive }: Kdf, password = 'x') {
    const derived = derive(password);
    const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), IV);
    const ciphertext = Buffer.concat([cipher.update(KEY), cipher.final()]);
    const mac = Buffer.from(keccak_256(Buffer.concat([derived.subarray(16), ciphertext])));
    const texts = { iv: IV.toString('hex'), ciphertext: ciphertext.toString('hex'), mac: mac.toString('hex') };
    return {
      version: 3,
      crypto: {
        cipher: 'aes-128-ctr',
        cipherparams: { iv: texts.iv },
        ciphertext: texts.ciphertext,
        kdf,
        kdfparams: kdfparams as object,
        mac: texts.mac,
      },
    };
  }

  const read = (file: unknown, password = 'x') => decryptKeystore(JSON.stringify(file), password);
  const SMALL = encrypt(scryptOf(2, 1, 1));

  it.each<[name: string, kdf: Kdf]>([
    ['scrypt with minimal parameters', scryptOf(2, 1, 1)],
    ['scrypt with typical parameters', scryptOf(16, 8, 2)],
    ['scrypt with the maximum parallelism', scryptOf(4, 1, 16)],
    ['pbkdf2 with one round', pbkdf2Of(1)],
    ['pbkdf2 with 1,000 rounds', pbkdf2Of(1_000)],
  ])('decrypts %s, and only with its passphrase', (_name, kdf) => {
    expect(read(encrypt(kdf))).toEqual({ secret: KEY });
    expect(read(encrypt(kdf), 'y')).toEqual({ problem: 'wrong passphrase' });
  });

  it('accepts the spellings that wallets use', () => {
    const { version, crypto } = SMALL;
    const upperCase = { ...crypto, ciphertext: crypto.ciphertext.toUpperCase(), mac: `0X${crypto.mac.toUpperCase()}` };
    expect(read({ version, Crypto: crypto })).toEqual({ secret: KEY });
    expect(read({ version, crypto: upperCase })).toEqual({ secret: KEY });
    expect(read({ version, crypto: { ...crypto, cipherparams: { iv: `0x${crypto.cipherparams.iv}` } } })).toEqual({
      secret: KEY,
    });
  });

  it('accepts every Unicode form of its passphrase', () => {
    expect(read(encrypt(pbkdf2Of(1), 'fi\u00e9'), '\ufb01e\u0301')).toEqual({ secret: KEY });
  });

  const { crypto } = SMALL;
  const params = (changes: object) => ({
    ...SMALL,
    crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, ...changes } },
  });
  const rounds = (changes: object) => ({
    version: 3,
    crypto: { ...crypto, kdf: 'pbkdf2', kdfparams: { ...pbkdf2Of(1).kdfparams, ...changes } },
  });
  const parts = (changes: object) => ({ ...SMALL, crypto: { ...crypto, ...changes } });

  it.each<[problem: string, name: string, file: unknown]>([
    ['no keystore', 'null', null],
    ['no keystore', 'a number', 5],
    ['no keystore', 'a version that is a string', { ...SMALL, version: '3' }],
    ['no keystore', 'no version', { crypto }],
    ['no keystore', 'no crypto member', { version: 3 }],
    ['no keystore', 'a crypto member that is an array', { version: 3, crypto: [crypto] }],
    ['no keystore', 'no ciphertext', parts({ ciphertext: undefined })],
    ['no keystore', 'an empty ciphertext', parts({ ciphertext: '' })],
    ['no keystore', 'a ciphertext with letters that are not hex', parts({ ciphertext: `${crypto.ciphertext}zz` })],
    ['no keystore', 'a ciphertext with a prefix', parts({ ciphertext: `z${crypto.ciphertext}` })],
    ['no keystore', 'no mac', parts({ mac: undefined })],
    ['no keystore', 'a mac of 33 bytes', parts({ mac: `${crypto.mac}00` })],
    ['unknown cipher', 'no cipher', parts({ cipher: undefined })],
    ['unknown cipher', 'no iv', parts({ cipherparams: undefined })],
    ['unknown cipher', 'an iv of 17 bytes', parts({ cipherparams: { iv: `${crypto.cipherparams.iv}00` } })],
    ['unknown key derivation', 'no salt', params({ salt: undefined })],
    ['unknown key derivation', 'a salt that is a number', params({ salt: 5 })],
    ['unknown key derivation', 'a longer key', params({ dklen: 64 })],
    ['unknown key derivation', 'n of 1', params({ n: 1 })],
    ['unknown key derivation', 'n of 3', params({ n: 3 })],
    ['unknown key derivation', 'n of 2^31', params({ n: 2 ** 31 })],
    ['unknown key derivation', 'a fractional n', params({ n: 2.5 })],
    ['unknown key derivation', 'r of 0', params({ r: 0 })],
    ['unknown key derivation', 'p of 0', params({ p: 0 })],
    ['unknown key derivation', 'a negative r', params({ r: -1 })],
    ['too costly', 'too much parallelism', params({ p: 17 })],
    ['too costly', 'too much memory', params({ n: 2 ** 23 })],
    ['too costly', 'too much memory by larger blocks', params({ n: 2 ** 20, r: 8 })],
    ['unknown key derivation', 'another hash function', rounds({ prf: 'hmac-sha512' })],
    ['unknown key derivation', 'no rounds', rounds({ c: 0 })],
    [
      'unknown key derivation',
      'another derivation with rounds',
      { version: 3, crypto: { ...crypto, kdf: 'argon2', kdfparams: pbkdf2Of(1).kdfparams } },
    ],
    ['too costly', 'one round above the limit', rounds({ c: 10_000_001 })],
    ['wrong passphrase', 'another ciphertext', parts({ ciphertext: `${crypto.ciphertext}00` })],
  ])('returns "%s" for %s', (problem, _name, file) => {
    expect(read(file)).toEqual({ problem });
  });
});

it.each([
  ['pbkdf2', PBKDF2],
  ['scrypt', SCRYPT],
])('decrypts the published %s example', (_name, file) => {
  const { secret } = decryptKeystore(JSON.stringify(file), PASSPHRASE);
  expect(bytesToHex(secret!)).toBe(SECRET);
  expect(decryptKeystore(JSON.stringify(file), 'testpassworD')).toEqual({ problem: 'wrong passphrase' });
});
