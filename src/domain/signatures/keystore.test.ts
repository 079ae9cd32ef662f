import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { decryptKeystore } from './keystore.ts';

/** Both examples of the format's description (Web3 Secret Storage), for one key and the passphrase `testpassword`. */
const SECRET = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  version: 3,
};
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  version: 3,
};

it.each([
  ['pbkdf2', PBKDF2],
  ['scrypt', SCRYPT],
])('the example of %s', (_name, file) => {
  const { secret } = decryptKeystore(JSON.stringify(file), 'testpassword');
  expect(bytesToHex(secret!)).toBe(SECRET);
  expect(decryptKeystore(JSON.stringify(file), 'testpassworD')).toEqual({ problem: 'wrong passphrase' });
});

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
    expect(decryptKeystore(text, 'testpassword')).toEqual({ problem });
  });
});
