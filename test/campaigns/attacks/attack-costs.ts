/** What the transactions of an attack cost: fees, and the money that its wallets have to hold. Both are read from the chain. */
import { keccak256, stringToHex } from 'viem';
import type { Address, Hex } from 'viem';
import type { Receipt } from '../../../devnet/main-chain/chain-writer.ts';
import type { Rpc } from '../../../devnet/main-chain/rpc.ts';

/** Price of gas in US cents per million: 0.02 gwei at USD 2,500 for 1 ETH. */
export const CENTS_PER_MILLION_GAS = 5;

/** Price of 10^9 lamports in US cents: USD 150 for 1 SOL. */
export const CENTS_PER_SOL = 15_000;
const LAMPORTS_PER_SOL = 1_000_000_000;

/** Token units in a US cent. */
const UNITS_PER_CENT = 10_000n;
const TRANSFER = keccak256(stringToHex('Transfer(address,address,uint256)'));
const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`;
const BLOCKS_PER_BATCH = 50;

export interface AttackCost {
  readonly transactions: number;
  readonly gas: number;
  readonly lamports: number;
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
  const capital = new Capital(own);
  for (const { from, to, units } of transactions.flatMap((transaction) => listTransfers(transaction, tokens))) {
    if (from === ZERO_ADDRESS) continue;
    capital.move(from, -units);
    capital.move(to, units);
  }
  return {
    transactions: sent.length,
    gas: sent.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0),
    lamports: 0,
    capitalCents: capital.cents,
  };
}

/** Largest sum that wallets have to hold, from their movements in chain order. */
class Capital {
  readonly #own: ReadonlySet<string>;
  readonly #balances = new Map<string, bigint>();
  readonly #lowest = new Map<string, bigint>();

  constructor(own: ReadonlySet<string>) {
    this.#own = own;
  }

  get cents(): number {
    return Number(this.#lowest.values().reduce((sum, balance) => sum - balance, 0n) / UNITS_PER_CENT);
  }

  move(account: string, units: bigint): void {
    if (!this.#own.has(account)) return;
    const balance = (this.#balances.get(account) ?? 0n) + units;
    this.#balances.set(account, balance);
    if (balance < (this.#lowest.get(account) ?? 0n)) this.#lowest.set(account, balance);
  }
}

/** Sends a JSON-RPC request to the alt chain. */
export type AltRpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Alt-chain transaction as `getTransaction` returns it. */
export interface AltTransaction {
  readonly slot: number;
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly fee: number;
    readonly preTokenBalances: readonly AltBalance[];
    readonly postTokenBalances: readonly AltBalance[];
  };
}

interface AltBalance {
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** Reads the alt-chain transactions that name an address, in chain order. */
export async function readAltTransactions(rpc: AltRpc, addresses: readonly string[]): Promise<AltTransaction[]> {
  const signatures = new Set<string>();
  for (const address of addresses) {
    const rows = (await rpc('getSignaturesForAddress', [address])) as { readonly signature: string }[];
    for (const { signature } of rows) signatures.add(signature);
  }
  const transactions: AltTransaction[] = [];
  for (const signature of signatures) {
    const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
    transactions.push((await rpc('getTransaction', [signature, options])) as AltTransaction);
  }
  return transactions.sort((a, b) => a.slot - b.slot);
}

/** Sums up what the wallets of an attack paid for on the alt chain. All mints are dollars of equal decimals. */
export function sumAltCosts(
  transactions: readonly AltTransaction[],
  wallets: readonly string[],
  mints: readonly string[],
): AttackCost {
  const own = new Set(wallets);
  const sent = transactions.filter(({ transaction }) => own.has(transaction.message.accountKeys[0]!));
  const capital = new Capital(own);
  for (const { meta } of transactions) {
    const nets = new Map<string, bigint>();
    const balances = [...meta.preTokenBalances.map(toChange(-1n)), ...meta.postTokenBalances.map(toChange(1n))];
    for (const { mint, owner, units } of balances) {
      if (mints.includes(mint)) nets.set(owner, (nets.get(owner) ?? 0n) + units);
    }
    for (const [owner, net] of nets) capital.move(owner, net);
  }
  const lamports = sent.reduce((sum, { meta }) => sum + meta.fee, 0);
  return { transactions: sent.length, gas: 0, lamports, capitalCents: capital.cents };
}

function toChange(sign: bigint) {
  return ({ mint, owner, uiTokenAmount }: AltBalance) => ({ mint, owner, units: sign * BigInt(uiTokenAmount.amount) });
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

/** Returns the price of gas and lamports in US cents. */
export function priceFees({ gas, lamports }: Pick<AttackCost, 'gas' | 'lamports'>): number {
  return (gas * CENTS_PER_MILLION_GAS) / 1_000_000 + (lamports * CENTS_PER_SOL) / LAMPORTS_PER_SOL;
}
