/** Search texts: ids, DIDs and addresses in any letter case, URLs, transactions and shortened ids. */
import { beforeAll, expect, it, vi } from 'vitest';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { rule } from '../../test/conformance/rule.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const HASH = `0x${'cd'.repeat(32)}`;
/** 64 bytes in base58. */
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const WALLET = '9hL2ZK3dd8FsJHETdexhZqzXL2TyvL85DAdUtEv5nMEi';
const DID = `did:${DEFAULT_NAMESPACE.did_method}:`;

let findPath: (text: string, known?: readonly string[]) => string | undefined;
let findTransactionChain: (text: string) => string | undefined;

beforeAll(async () => {
  const chains = {
    main: { name: 'Main', explorer: 'https://scan.example/base/?a=1' },
    alt: { name: 'Alt', explorer: 'https://alt.example/?cluster=devnet' },
  };
  const dataset = { namespace: JSON.stringify(DEFAULT_NAMESPACE), chains: JSON.stringify(chains) };
  vi.stubGlobal('document', { body: { dataset } });
  ({ findPath, findTransactionChain } = await import('./routes.ts'));
  return () => vi.unstubAllGlobals();
});

it.each([
  ['42', '/explorer/machine/42'],
  [' #42 ', '/explorer/machine/42'],
  [`${DID}42`, '/explorer/machine/42'],
  [`${DID.toUpperCase()}42`, '/explorer/machine/42'],
  [ADDRESS, `/explorer/operator/${ADDRESS}`],
  [ADDRESS.replace('0x', '0X'), `/explorer/operator/${ADDRESS}`],
  [`${DID.toUpperCase()}${ADDRESS.toUpperCase()}`, `/explorer/operator/0x${'AB'.repeat(20)}`],
  [WALLET, `/explorer/wallet/${WALLET}`],
  ['https://ratings.example/explorer/machine/42?tab=history', '/explorer/machine/42'],
  ['http://ratings.example/base/explorer/compare?ids=1,2', '/explorer/compare?ids=1,2'],
  [`https://scan.example/address/${ADDRESS}`, `/explorer/operator/${ADDRESS}`],
  [HASH, `https://scan.example/base/tx/${HASH}?a=1`],
  [HASH.toUpperCase(), `https://scan.example/base/tx/${HASH}?a=1`],
  [SIGNATURE, `https://alt.example/tx/${SIGNATURE}?cluster=devnet`],
  [` https://other.example/tx/${SIGNATURE}?cluster=testnet`, `https://alt.example/tx/${SIGNATURE}?cluster=devnet`],
  [`https://scan.example/token/${ADDRESS}?a=42`, '/explorer/machine/42'],
  [`https://scan.example/token/${ADDRESS}?b=1&a=42#inventory`, '/explorer/machine/42'],
  [`token/${ADDRESS}?a=42`, '/explorer/machine/42'],
  [`https://scan.example/token/${HASH.slice(0, 42)}?a=${ADDRESS}`, `/explorer/operator/${ADDRESS}`],
  [`https://scan.example/token/${ADDRESS}`, `/explorer/operator/${ADDRESS}`],
  ['1234…6789', '/explorer/machine/1234556789'],
  ['#1234...6789', '/explorer/machine/1234556789'],
])('finds %s', (text, path) => {
  rule('pages.search');
  expect(findPath(text, ['1234556789', '99'])).toBe(path);
});

it.each([
  '',
  'nothing',
  '0',
  '042',
  '0x12',
  'https://',
  'https://scan.example/',
  'javascript:alert(1)',
  '12…34',
  SIGNATURE + SIGNATURE,
  `token/${ADDRESS}?a=0`,
])('does not find %j', (text) => {
  rule('pages.search');
  expect(findPath(text, ['1234556789'])).toBeUndefined();
});

it('does not guess between two known machines', () => {
  expect(findPath('12…89', ['1211189', '1222289'])).toBeUndefined();
});

it.each([
  [HASH, 'main'],
  [` https://scan.example/tx/${HASH.toUpperCase()}?a=1#logs`, 'main'],
  [SIGNATURE, 'alt'],
  [`https://alt.example/tx/${SIGNATURE}?cluster=devnet`, 'alt'],
  ['42', undefined],
  [ADDRESS, undefined],
  [WALLET, undefined],
  ['', undefined],
])('names the chain of the transaction %j', (text, chain) => {
  rule('pages.search');
  expect(findTransactionChain(text)).toBe(chain);
});
