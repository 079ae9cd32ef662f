/**
 * Writes transactions into chosen blocks: sends all calls of a block with explicit nonces, mines one block, and checks every receipt. A
 * dropped or reverted transaction is an error.
 */
import { numberToHex } from 'viem';
import type { Address, Hex } from 'viem';
import { createRpc, RpcError } from './rpc.ts';
import type { Rpc } from './rpc.ts';

/** One transaction. Without `to` it is a deployment. `label` identifies it in errors. */
export interface Call {
  readonly label: string;
  readonly from: Address;
  readonly to?: Address;
  readonly data: Hex;
  /** Whether the transaction is meant to revert. */
  readonly reverts?: boolean;
}

/** A call in the pool of the node. */
export interface SentCall {
  readonly call: Call;
  readonly hash: Hex;
}

export interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface Receipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly blockNumber: Hex;
  readonly contractAddress: Address | null;
  readonly gasUsed: Hex;
  readonly logs: readonly Log[];
}

export interface ChainWriter {
  readonly rpc: Rpc;
  /** Sends calls without mining them. */
  send(calls: readonly Call[]): Promise<SentCall[]>;
  /**
   * Mines the calls in order in one new block, after those of `sent`, and returns the receipts of all. `timestamp` (Unix seconds) must not
   * be earlier than the previous block's; absent = the node's clock. Throws an error that names the failed call.
   */
  mine(calls: readonly Call[], timestamp?: number, sent?: readonly SentCall[]): Promise<Receipt[]>;
  /** Returns the nonce of the account's next call. */
  nextNonce(account: Address): Promise<number>;
}

const GAS_PRICE = numberToHex(2_000_000_000n);
/** Enough for a hundred service endpoints, and below the 2^24 limit of newer forks. */
const GAS_LIMIT = numberToHex(16_000_000n);
const FUNDS = numberToHex(10_000n * 10n ** 18n);

export function createChainWriter(rpcUrl: string): ChainWriter {
  const rpc = createRpc(rpcUrl);
  const nonces = new Map<Address, number>();

  /** Funds accounts at their first use. */
  async function prepareAccounts(accounts: readonly Address[]): Promise<void> {
    const newAccounts = [...new Set(accounts)].filter((account) => !nonces.has(account));
    if (newAccounts.length === 0) return;
    await rpc.batch(newAccounts.map((account) => ({ method: 'anvil_setBalance', params: [account, FUNDS] })));
    const counts = await rpc.batch<Hex>(
      newAccounts.map((account) => ({ method: 'eth_getTransactionCount', params: [account, 'pending'] })),
    );
    newAccounts.forEach((account, index) => nonces.set(account, Number(counts[index])));
  }

  function toTransaction({ from, to, data }: Call): Record<string, unknown> {
    const nonce = nonces.get(from)!;
    nonces.set(from, nonce + 1);
    return { from, ...(to && { to }), data, gas: GAS_LIMIT, gasPrice: GAS_PRICE, nonce: numberToHex(nonce) };
  }

  async function send(calls: readonly Call[]): Promise<SentCall[]> {
    await prepareAccounts(calls.map((call) => call.from));
    const hashes = await rpc.batch<Hex>(
      calls.map((call) => ({ method: 'eth_sendTransaction', params: [toTransaction(call)] })),
    );
    return calls.map((call, index) => ({ call, hash: hashes[index]! }));
  }

  async function explain(call: Call): Promise<string> {
    try {
      await rpc.request('eth_call', [{ from: call.from, to: call.to, data: call.data }, 'latest']);
      return 'reverted';
    } catch (error) {
      return error instanceof RpcError ? `${error.message} ${JSON.stringify(error.data ?? '')}` : String(error);
    }
  }

  return {
    rpc,
    async nextNonce(account) {
      await prepareAccounts([account]);
      return nonces.get(account)!;
    },
    send,
    async mine(calls, timestamp, sent = []) {
      const included = [...sent, ...(await send(calls))];
      await rpc.request('evm_mine', timestamp === undefined ? [] : [timestamp]);
      const receipts = await rpc.request<Receipt[]>('eth_getBlockReceipts', ['latest']);
      const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
      return Promise.all(
        included.map(async ({ call, hash }) => {
          // A block producer may have mined it just before.
          const receipt = byHash.get(hash) ?? (await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash]));
          if (receipt === null) throw new Error(`${call.label}: not in the block`);
          const hasReverted = receipt.status !== '0x1';
          if (hasReverted && call.reverts !== true) throw new Error(`${call.label}: ${await explain(call)}`);
          if (!hasReverted && call.reverts === true) throw new Error(`${call.label}: did not revert`);
          return receipt;
        }),
      );
    },
  };
}
