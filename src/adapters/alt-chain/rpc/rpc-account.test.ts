/** Tests parsing of accounts in JSON and of base64. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBase64 } from './base64.ts';
import { parseRpcAccount } from './rpc-account.ts';
import { programOf } from '../../../../testing/fixtures/alt-chain-vectors.ts';

const sound = { owner: programOf('stranger'), executable: false, lamports: 1, data: ['AQI=', 'base64'], space: 2 };

describe('an account', () => {
  it('is parsed', () => {
    expect(parseRpcAccount(sound)).toStrictEqual({
      state: 'present',
      value: { owner: sound.owner, executable: false, data: Uint8Array.of(1, 2) },
    });
  });

  it('is absent only as null', () => {
    expect(parseRpcAccount(null)).toStrictEqual({ state: 'absent' });
  });

  it.each<[name: string, value: unknown]>([
    ['undefined', undefined],
    ['a text', 'null'],
    ['an owner that is no key', { ...sound, owner: '1' }],
    ['no owner', { ...sound, owner: undefined }],
    ['a number for a bool', { ...sound, executable: 0 }],
    ['data without its encoding', { ...sound, data: 'AQI=' }],
    ['data of another encoding', { ...sound, data: ['AQI=', 'base58'] }],
    ['parsed data', { ...sound, data: { parsed: {} } }],
    ['data cut short', { ...sound, data: ['AQI', 'base64'] }],
  ])('is malformed with %s', (_name, value) => {
    expect(parseRpcAccount(value)).toStrictEqual({ state: 'unreadable', cause: 'malformed' });
  });

  it('is absent or unreadable for any other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseRpcAccount(value).state).toBe(value === null ? 'absent' : 'unreadable');
      }),
    );
  });
});

describe('base64', () => {
  it('round-trips any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parseBase64(Buffer.from(bytes).toString('base64'))).toStrictEqual(bytes);
      }),
    );
  });

  it.each(['AQ', 'AQ=', 'AR==', 'AQ==AQ==', ' AQ==', 'AQ==\n', 'A-_=', '====', 'é'])('rejects %j', (text) => {
    expect(parseBase64(text)).toBeUndefined();
  });
});
