/** Tests of the variables that require each other. */
import { describe, expect, it } from 'vitest';
import { address, ALT, CONTRACTS, key, LEGACY, MAIN, read, VERIFY } from '../../testing/fixtures/sample-environment.ts';

describe('variable groups', () => {
  it.each(Object.keys(CONTRACTS))('require all six contracts: %s is missing', (missing) => {
    const { config, problems } = read({ ...MAIN, [missing]: '' });
    expect(config.mainChain).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${missing}: required with \\w+_ADDRESS`))]);
  });

  it('require nodes and a chain id with contracts', () => {
    expect(read(CONTRACTS).problems).toEqual([
      'MAIN_RPC_URLS: required with contract addresses',
      'MAIN_CHAIN_ID: required with contract addresses',
    ]);
  });

  it.each(Object.keys(LEGACY))('require all legacy contracts: %s is missing', (missing) => {
    const { config, problems } = read({ ...MAIN, ...LEGACY, [missing]: '' });
    expect(config.mainChain?.addresses.legacy).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${missing}: required with LEGACY_`))]);
  });

  it.each([
    ['LEGACY_DID_STORE_ADDRESS', address('1')],
    ['ALT_INFO_DESK_PROGRAM', key('2')],
  ])('reject %s alone', (name, text) => {
    expect(read({ ...MAIN, [name]: text }).problems).toEqual([expect.stringMatching(`^${name}: set without`)]);
  });

  it.each(Object.keys(ALT))('require all programs of the alt chain: %s is missing', (missing) => {
    const { config, problems } = read({ ...MAIN, ...ALT, [missing]: '' });
    expect(config.altChain).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${missing}: required with`))]);
  });

  it('allow a binding without programs', () => {
    const { ALT_RPC_URLS, ALT_GENESIS_HASH } = ALT as Record<'ALT_RPC_URLS' | 'ALT_GENESIS_HASH', string>;
    const env = { ...MAIN, ALT_RPC_URLS, ALT_GENESIS_HASH, ALT_BINDING_PROGRAM: key('7'), ALT_BINDING_SEED: 'Wallet' };
    const { config, problems } = read(env);
    expect(problems).toEqual([]);
    expect(config.altChain?.programs).toBeUndefined();
    expect(config.altChain?.binding?.seed).toBe('Wallet');
  });

  it.each(Object.keys(VERIFY))('require tokens and both certificates with their hashes: %s is missing', (missing) => {
    const env = { ...VERIFY, [missing]: '' };
    expect(read(env).config.verify).toBeUndefined();
    expect(read(env).problems).toEqual([expect.stringMatching(new RegExp(`^${missing}: required with`))]);
    expect(read(env, { lenient: true })).toMatchObject({
      config: { verify: undefined },
      problems: [],
      warnings: [expect.stringMatching(`^${missing}: not set although `)],
    });
  });

  it('reject the same address for both listeners', () => {
    expect(read({ PORT: '9464' }).problems).toEqual(['ADMIN_PORT: must not be the public PORT']);
    expect(read({ PORT: '0', ADMIN_PORT: '0' }).problems).toEqual([]);
  });
});
