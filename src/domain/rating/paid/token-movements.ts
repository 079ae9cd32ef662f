/** Net movements of listed tokens in a cited transaction (design/scoring.md, Verdict: Transaction). */
import { altKeyBytes, type AltKey } from '../../identifiers/alt-identifiers.ts';
import type { CitedTransaction, EvmTransaction, SolanaTransaction } from './source-transaction.ts';
import { decodeTransfer } from './transfer-log.ts';

/** Received minus sent, by address, of one token. */
export type TokenNets = ReadonlyMap<string, bigint>;

/** Nets by symbol, of every token that moved. */
export type Movements = ReadonlyMap<string, TokenNets>;

/** Returns the movements; 'too_many' beyond the limit of logs, 'incomplete' where balances or their owners were not recorded. */
export function readMovements(
  transaction: CitedTransaction,
  tokens: ReadonlyMap<string, string>,
): Movements | 'too_many' | 'incomplete' {
  const symbols = new Map([...tokens].map(([symbol, address]) => [address, symbol] as const));
  return transaction.kind === 'evm' ? sumTransfers(transaction, symbols) : sumBalances(transaction, symbols);
}

/** Compares two addresses of one source by their bytes. */
export function compareAddresses(a: string, b: string): number {
  // Lower-case hex digits are ordered as their bytes.
  if (a.startsWith('0x')) return a < b ? -1 : 1;
  return Buffer.compare(altKeyBytes(a as AltKey), altKeyBytes(b as AltKey));
}

class NetSums {
  readonly bySymbol = new Map<string, Map<string, bigint>>();

  add(symbol: string, address: string, units: bigint): void {
    const nets = this.bySymbol.get(symbol) ?? new Map<string, bigint>();
    this.bySymbol.set(symbol, nets.set(address, (nets.get(address) ?? 0n) + units));
  }
}

function sumTransfers({ logs }: EvmTransaction, symbols: ReadonlyMap<string, string>): Movements | 'too_many' {
  if (logs === 'too_many') return logs;
  const sums = new NetSums();
  for (const log of logs) {
    const transfer = decodeTransfer(log, symbols);
    if (transfer === undefined) continue;
    sums.add(transfer.token, transfer.from, -transfer.units);
    sums.add(transfer.token, transfer.to, transfer.units);
  }
  return sums.bySymbol;
}

function sumBalances({ pre, post }: SolanaTransaction, symbols: ReadonlyMap<string, string>): Movements | 'incomplete' {
  if (pre === null || post === null) return 'incomplete';
  const sums = new NetSums();
  const signed = [...pre.map((balance) => ({ balance, sign: -1n })), ...post.map((balance) => ({ balance, sign: 1n }))];
  for (const { balance, sign } of signed) {
    const symbol = symbols.get(balance.mint);
    if (symbol === undefined) continue;
    if (balance.owner === null) return 'incomplete';
    sums.add(symbol, balance.owner, sign * balance.units);
  }
  return sums.bySymbol;
}
