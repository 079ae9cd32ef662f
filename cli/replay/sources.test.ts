/** Hash of the payment sources: equal to that of the service, independent of notation, and without a word of the file in errors. */
import { describe, expect, it } from 'vitest';
import { parseSources } from '../../src/adapters/payment-sources/sources-file.ts';
import { hashSources, MalformedSources } from './sources.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const EURC = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const rpc = ['https://node.example/secret-key'];

const servedHash = (text: string) =>
  `0x${parseSources(new TextEncoder().encode(text), ['USDC', 'EURC']).configured!.hash!}`;

describe('hashSources', () => {
  it('returns the hash of the service, in whichever order members are written', () => {
    const alt = { id: '1151111081099710', rpc, tokens: { USDC: MINT } };
    const text = JSON.stringify({ [SOLANA]: alt, 'eip155:8453': { rpc, tokens: { USDC, EURC } } });
    const other = JSON.stringify({ 'eip155:8453': { tokens: { EURC, USDC }, id: '8453', rpc }, [SOLANA]: alt });
    expect([hashSources(text), hashSources(other)]).toEqual([servedHash(text), servedHash(text)]);
  });

  it('ignores URLs, and depends on a token', () => {
    const hash = (url: string, address: string) =>
      hashSources(JSON.stringify({ 'eip155:1': { rpc: [url], tokens: { USDC: address } } }));
    expect(hash('https://a.example', USDC)).toBe(hash('https://b.example', USDC));
    expect(hash('https://a.example', USDC)).not.toBe(hash('https://a.example', EURC));
  });

  it('returns null without sources', () => {
    expect(hashSources('{}')).toBeNull();
  });

  it.each([
    ['secret'],
    ['[]'],
    ['{"secret:1":{"tokens":{}}}'],
    ['{"eip155:1":{"tokens":{"secret":1}}}'],
    ['{"a":null}'],
  ])('rejects %s without repeating it', (text) => {
    expect(() => hashSources(text)).toThrow(MalformedSources);
    expect(() => hashSources(text)).not.toThrow(/secret/);
  });
});
