/**
 * How do transactions get into blocks that we choose? All calls of a block are sent with explicit nonces, then one block is
 * mined, then every receipt is checked: a transaction that was dropped or reverted stops the caller.
 */
import { numberToHex } from 'viem';
import type { Address, Hex } from 'viem';
import { createRpc, RpcError } from './rpc.ts';
import type { Rpc } from './rpc.ts';

/** One transaction. `to` absent: a deployment. `what` names it in an error. */
export interface Call {
  readonly label: string;
  readonly from: Address;
  readonly to?: Address;
  readonly data: Hex;
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
  /**
   * Puts the calls into one new block, in their order, and answers their receipts. `timestamp` in Unix seconds, never below
   * that of the block before; absent = the node's clock. Throws naming the call that failed.
   */
  mine(calls: readonly Call[], timestamp?: number): Promise<Receipt[]>;
  /** The nonce that the account's next call gets. */
  nextNonce(account: Address): Promise<number>;
}

const GAS_PRICE = numberToHex(2_000_000_000n);
/** Enough for a hundred endpoints; below the 2^24 cap of newer forks. */
const GAS_LIMIT = numberToHex(16_000_000n);
const FUNDS = numberToHex(10_000n * 10n ** 18n);

export function createChainWriter(rpcUrl: string): ChainWriter {
  const rpc = createRpc(rpcUrl);
  const nonces = new Map<Address, number>();

  /** An account is funded when it first acts. */
  async function meet(accounts: readonly Address[]): Promise<void> {
    const strangers = [...new Set(accounts)].filter((account) => !nonces.has(account));
    if (strangers.length === 0) return;
    await rpc.batch(strangers.map((account) => ({ method: 'anvil_setBalance', params: [account, FUNDS] })));
    const counts = await rpc.batch<Hex>(
      strangers.map((account) => ({ method: 'eth_getTransactionCount', params: [account, 'pending'] })),
    );
    strangers.forEach((account, index) => nonces.set(account, Number(counts[index])));
  }

  function toTransaction({ from, to, data }: Call): Record<string, unknown> {
    const nonce = nonces.get(from)!;
    nonces.set(from, nonce + 1);
    return { from, ...(to && { to }), data, gas: GAS_LIMIT, gasPrice: GAS_PRICE, nonce: numberToHex(nonce) };
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
      await meet([account]);
      return nonces.get(account)!;
    },
    async mine(calls, timestamp) {
      await meet(calls.map((call) => call.from));
      const hashes = await rpc.batch<Hex>(
        calls.map((call) => ({ method: 'eth_sendTransaction', params: [toTransaction(call)] })),
      );
      await rpc.request('evm_mine', timestamp === undefined ? [] : [timestamp]);
      const receipts = await rpc.request<Receipt[]>('eth_getBlockReceipts', ['latest']);
      const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
      return Promise.all(
        calls.map(async (call, index) => {
          const receipt = byHash.get(hashes[index]!);
          if (receipt === undefined) throw new Error(`${call.label}: not in the block`);
          if (receipt.status !== '0x1') throw new Error(`${call.label}: ${await explain(call)}`);
          return receipt;
        }),
      );
    },
  };
}
