import { expect, it } from 'vitest';
import { nameAltChain, nameChain, nameHomeChain, nameMainChain } from './chain-names.ts';

it.each([
  ['eip155:8453', 'Base'],
  ['eip155:1', 'Ethereum'],
  ['eip155:77', undefined],
  ['eip155:', undefined],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'Solana'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'Solana Devnet'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa2', undefined],
  ['solana:', undefined],
  ['cosmos:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', undefined],
  ['', undefined],
])('names the chain %j as %s', (caip2, name) => {
  expect(nameChain(caip2)).toBe(name);
});

it('names home chains by their ordinal, and leaves unknown ones without a name', () => {
  expect([5, 6, 7].map(nameHomeChain)).toEqual(['Solana', 'Solana Devnet', undefined]);
});

it('names the chains of a deployment, also those that have no name here', () => {
  expect([nameMainChain(8453), nameMainChain(77)]).toEqual(['Base', 'Chain 77']);
  expect([nameAltChain('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY'), nameAltChain('x')]).toEqual([
    ...['Solana Testnet', 'Solana'],
  ]);
});
