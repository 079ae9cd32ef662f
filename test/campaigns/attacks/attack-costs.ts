/** What the transactions of an attack cost: gas, and the money that its wallets have to hold. Both are read from the chain. */
import { keccak256, stringToHex } from 'viem';
import type { Address, Hex } from 'viem';
import type { Receipt } from '../../../devnet/main-chain/chain-writer.ts';
import type { Rpc } from '../../../devnet/main-chain/rpc.ts';

/** Price of gas in US cents per million: 0.02 gwei at USD 2,500 for 1 ETH. */
export const CENTS_PER_MILLION_GAS = 5;

/** Token units in a US cent. */
const UNITS_PER_CENT = 10_000n;
const TRANSFER = keccak256(stringToHex('Transfer(address,address,uint256)'));
const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`;
const BLOCKS_PER_BATCH = 50;

export interface AttackCost {
  readonly transactions: number;
  readonly gas: number;
  /** Largest sum that its wallets have to hold, in US cents. */
  readonly capitalCents: number;
}

/** Sent transaction, in chain order. */
export type SentTransaction = Receipt & { readonly from: Address };

/** Reads all transactions of the chain. */
export async function readTransactions(rpc: Rpc): Promise<SentTransaction[]> {
  const head = Number(await rpc.request<Hex>('eth_blockNumber', []));
  const transactions: SentTransaction[] = [];
  for (let from = 0; from <= head; from += BLOCKS_PER_BATCH) {
    const blocks = Array.from({ length: Math.min(BLOCKS_PER_BATCH, head + 1 - from) }, (_, i) => from + i);
    const receipts = await rpc.batch<SentTransaction[]>(
      blocks.map((block) => ({ method: 'eth_getBlockReceipts', params: [`0x${block.toString(16)}`] })),
    );
    transactions.push(...receipts.flat());
  }
  return transactions;
}

/** Sums up what the accounts of an attack sent. All tokens are dollars of equal decimals. A minted token is money that the wallet had before. */
export function sumCosts(
  transactions: readonly SentTransaction[],
  accounts: readonly Address[],
  tokens: readonly Address[],
): AttackCost {
  const own = new Set(accounts.map((account) => account.toLowerCase()));
  const sent = transactions.filter(({ from }) => own.has(from.toLowerCase()));
  const balances = new Map<string, bigint>();
  const lowest = new Map<string, bigint>();
  const move = (account: string, units: bigint) => {
    if (!own.has(account)) return;
    const balance = (balances.get(account) ?? 0n) + units;
    balances.set(account, balance);
    if (balance < (lowest.get(account) ?? 0n)) lowest.set(account, balance);
  };
  for (const { from, to, units } of transactions.flatMap((transaction) => listTransfers(transaction, tokens))) {
    if (from === ZERO_ADDRESS) continue;
    move(from, -units);
    move(to, units);
  }
  const capital = [...lowest.values()].reduce((sum, balance) => sum - balance, 0n);
  return {
    transactions: sent.length,
    gas: sent.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0),
    capitalCents: Number(capital / UNITS_PER_CENT),
  };
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}

function listTransfers({ logs }: Receipt, tokens: readonly Address[]): Transfer[] {
  return logs
    .filter(
      ({ address, topics }) =>
        tokens.some((token) => token.toLowerCase() === address.toLowerCase()) && topics[0] === TRANSFER,
    )
    .map(({ topics, data }) => ({
      from: toAddress(topics[1]!),
      to: toAddress(topics[2]!),
      units: BigInt(data),
    }));
}

function toAddress(topic: Hex): string {
  return `0x${topic.slice(-40)}`;
}

/** Returns the price of gas in US cents. */
export function priceGas(gas: number): number {
  return (gas * CENTS_PER_MILLION_GAS) / 1_000_000;
}
