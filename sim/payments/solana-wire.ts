/** JSON-RPC encoding of the transactions of a Solana cluster. The blocks of the payment chain are its slots. */
import type { MinedPayment, PaymentBlock, PaymentTransaction } from './payment-chain.ts';

/** Balance of a router before and after, which forwards what it gets. */
const UNCHANGED = 7n;

/** Encodes a block with the signatures of its transactions. */
export function toSolanaBlock({ number, timestamp, transactions }: PaymentBlock) {
  return {
    blockTime: timestamp,
    parentSlot: Math.max(0, number - 1),
    signatures: transactions.map(({ hash }) => hash),
  };
}

/** Encodes a transaction; without `hasBalances` as a node that did not record them. */
export function toSolanaTransaction({ transaction, block }: MinedPayment, hasBalances: boolean) {
  const { pre, post } = hasBalances ? listBalances(transaction) : { pre: null, post: null };
  return {
    slot: block.number,
    blockTime: block.timestamp,
    version: 0,
    transaction: {
      signatures: [transaction.hash],
      message: { header: { numRequiredSignatures: 1 }, accountKeys: [transaction.from], instructions: [] },
    },
    meta: {
      err: transaction.isSuccessful ? null : { InstructionError: [0, 'Custom'] },
      preTokenBalances: pre && pre.map(toEntry),
      postTokenBalances: post && post.map(toEntry),
    },
  };
}

interface Balance {
  readonly mint: string;
  readonly owner: string;
  readonly units: bigint;
}

/** Lists the balances that a transaction changes; a minted amount has no sender. */
export function listBalances({ transfers, isSuccessful }: PaymentTransaction): {
  readonly pre: readonly Balance[];
  readonly post: readonly Balance[];
} {
  const nets = new Map<string, Balance>();
  const add = (mint: string, owner: string, units: bigint) => {
    if (owner === '') return;
    const key = `${mint} ${owner}`;
    nets.set(key, { mint, owner, units: (nets.get(key)?.units ?? 0n) + units });
  };
  for (const { contract, from, to, units } of isSuccessful ? transfers : []) {
    add(contract, from, -units);
    add(contract, to, units);
  }
  const changes = [...nets.values()];
  const pre = changes.map((each) => ({ ...each, units: each.units < 0n ? UNCHANGED - each.units : UNCHANGED }));
  const post = changes.map((each) => ({ ...each, units: each.units > 0n ? UNCHANGED + each.units : UNCHANGED }));
  return { pre, post };
}

function toEntry({ mint, owner, units }: Balance, accountIndex: number) {
  return { accountIndex, mint, owner, uiTokenAmount: { amount: String(units), decimals: 6 } };
}
