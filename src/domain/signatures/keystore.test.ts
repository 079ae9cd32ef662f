import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createCipheriv, pbkdf2Sync, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PASSPHRASE, PBKDF2, SCRYPT, SECRET } from '../../../testing/fixtures/keystore-samples.ts';
import { decryptKeystore } from './keystore.ts';

describe('what is none', () => {
  const change = (crypto: object, version: unknown = 3) =>
    JSON.stringify({ crypto: { ...SCRYPT.crypto, ...crypto }, version });
  const costs = (kdfparams: object) => change({ kdfparams: { ...SCRYPT.crypto.kdfparams, ...kdfparams } });

  it.each([
    ['no JSON', 'x', 'no keystore'],
    ['a list', '[]', 'no keystore'],
    ['version 1', change({}, 1), 'no keystore'],
    ['a short mac', change({ mac: '00' }), 'no keystore'],
    ['a ciphertext of odd length', change({ ciphertext: '0' }), 'no keystore'],
    ['another cipher', change({ cipher: 'aes-256-cbc' }), 'unknown cipher'],
    ['a short iv', change({ cipherparams: { iv: '00' } }), 'unknown cipher'],
    ['another derivation', change({ kdf: 'argon2' }), 'unknown key derivation'],
    ['no parameters', change({ kdfparams: null }), 'unknown key derivation'],
    ['a cost that is no power of two', costs({ n: 1000 }), 'unknown key derivation'],
    ['a cost that is no number', costs({ n: '262144' }), 'unknown key derivation'],
    ['more memory than there is', costs({ n: 2 ** 30, r: 8 }), 'too costly'],
    ['work without end', costs({ p: 2 ** 20 }), 'too costly'],
    [
      'rounds without end',
      change({ kdf: 'pbkdf2', kdfparams: { ...PBKDF2.crypto.kdfparams, c: 2 ** 30 } }),
      'too costly',
    ],
  ])('%s', (_name, text, problem) => {
    expect(decryptKeystore(text, PASSPHRASE)).toEqual({ problem });
  });
});

describe('a keystore of little cost', () => {
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
    ['scrypt of the least of everything', scryptOf(2, 1, 1)],
    ['scrypt of some', scryptOf(16, 8, 2)],
    ['scrypt of as many at once as may be', scryptOf(4, 1, 16)],
    ['pbkdf2 of one round', pbkdf2Of(1)],
    ['pbkdf2 of some', pbkdf2Of(1_000)],
  ])('%s is opened, and only with its passphrase', (_name, kdf) => {
    expect(read(encrypt(kdf))).toEqual({ secret: KEY });
    expect(read(encrypt(kdf), 'y')).toEqual({ problem: 'wrong passphrase' });
  });

  it('may be spelled as wallets spell it', () => {
    const { version, crypto } = SMALL;
    const capitals = { ...crypto, ciphertext: crypto.ciphertext.toUpperCase(), mac: `0X${crypto.mac.toUpperCase()}` };
    expect(read({ version, Crypto: crypto })).toEqual({ secret: KEY });
    expect(read({ version, crypto: capitals })).toEqual({ secret: KEY });
    expect(read({ version, crypto: { ...crypto, cipherparams: { iv: `0x${crypto.cipherparams.iv}` } } })).toEqual({
      secret: KEY,
    });
  });

  it('is opened by each spelling of its passphrase', () => {
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
    ['no keystore', 'a version in words', { ...SMALL, version: '3' }],
    ['no keystore', 'no version', { crypto }],
    ['no keystore', 'nothing encrypted', { version: 3 }],
    ['no keystore', 'a list of things encrypted', { version: 3, crypto: [crypto] }],
    ['no keystore', 'no ciphertext', parts({ ciphertext: undefined })],
    ['no keystore', 'an empty ciphertext', parts({ ciphertext: '' })],
    ['no keystore', 'a ciphertext of other letters', parts({ ciphertext: `${crypto.ciphertext}zz` })],
    ['no keystore', 'a ciphertext with something before it', parts({ ciphertext: `z${crypto.ciphertext}` })],
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
    ['unknown key derivation', 'n of a fraction', params({ n: 2.5 })],
    ['unknown key derivation', 'r of 0', params({ r: 0 })],
    ['unknown key derivation', 'p of 0', params({ p: 0 })],
    ['unknown key derivation', 'a negative r', params({ r: -1 })],
    ['too costly', 'more at once than may be', params({ p: 17 })],
    ['too costly', 'more memory than may be', params({ n: 2 ** 23 })],
    ['too costly', 'more memory in larger blocks', params({ n: 2 ** 20, r: 8 })],
    ['unknown key derivation', 'another hash', rounds({ prf: 'hmac-sha512' })],
    ['unknown key derivation', 'no rounds', rounds({ c: 0 })],
    [
      'unknown key derivation',
      'another derivation that counts rounds',
      { version: 3, crypto: { ...crypto, kdf: 'argon2', kdfparams: pbkdf2Of(1).kdfparams } },
    ],
    ['too costly', 'a round too many', rounds({ c: 10_000_001 })],
    ['wrong passphrase', 'another ciphertext', parts({ ciphertext: `${crypto.ciphertext}00` })],
  ])('%s: %s', (problem, _name, file) => {
    expect(read(file)).toEqual({ problem });
  });
});

it.each([
  ['pbkdf2', PBKDF2],
  ['scrypt', SCRYPT],
])('the example of %s', (_name, file) => {
  const { secret } = decryptKeystore(JSON.stringify(file), PASSPHRASE);
  expect(bytesToHex(secret!)).toBe(SECRET);
  expect(decryptKeystore(JSON.stringify(file), 'testpassworD')).toEqual({ problem: 'wrong passphrase' });
});
