/** JSON-RPC nodes of payment sources in memory, for the reader of `svc replay`: what a ledger holds, all of it final. */
import { wordOf } from '../fixtures/payment-world.ts';
import type {
  CitedTransaction,
  SourceBalance,
  SourceTransfer,
} from '../../src/domain/rating/paid/source-transaction.ts';
import { TRANSFER_TOPIC } from '../../src/domain/rating/paid/transfer-log.ts';

export interface SourceNodeLedger {
  readonly kind: 'evm' | 'solana';
  /** Contract or mint by symbol. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly transactions: ReadonlyMap<string, CitedTransaction>;
  readonly transfers: readonly SourceTransfer[];
  readonly blockSeconds: number;
  readonly headBlock: number;
}

const toQuantity = (value: number) => `0x${value.toString(16)}`;
const toTopic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
/** A transaction of each block, by which a node shows that it has the receipts of the time. */
const OTHER_TRANSACTION = `0x${'0e'.repeat(32)}`;
const MORE_LOGS_THAN_JUDGED = Array.from({ length: 5_001 }, () => ({ address: '0x', topics: [], data: '0x' }));

/** Returns a transport in which each URL is the node of one ledger. */
export function createSourceNodes(ledgers: ReadonlyMap<string, SourceNodeLedger>): typeof fetch {
  return (async (url: string, init?: RequestInit) => {
    const { method, params } = JSON.parse(init?.body as string) as { method: string; params: readonly unknown[] };
    const ledger = ledgers.get(url)!;
    const respond = ledger.kind === 'evm' ? respondAsEvm : respondAsSolana;
    return Response.json({ jsonrpc: '2.0', id: 1, result: respond(ledger, method, params) });
  }) as typeof fetch;
}

function respondAsEvm(ledger: SourceNodeLedger, method: string, [first]: readonly unknown[]): unknown {
  const { transactions, headBlock, blockSeconds } = ledger;
  if (method === 'eth_getBlockByNumber') {
    const number = first === 'finalized' || first === 'latest' ? headBlock : Number(first);
    const timestamp = toQuantity(number * blockSeconds);
    return { number: toQuantity(number), timestamp, hash: wordOf(number), transactions: [OTHER_TRANSACTION] };
  }
  if (method === 'eth_getLogs') return listLogs(ledger, first as LogFilter);
  if (method !== 'eth_getTransactionReceipt') throw new Error(`unknown method ${method}`);
  if (first === OTHER_TRANSACTION) return {};
  const found = transactions.get(first as string);
  if (found?.kind !== 'evm') return null;
  const { block, success, from, logs } = found;
  return {
    ...{ transactionHash: first, blockNumber: toQuantity(block), blockHash: wordOf(block), from },
    ...{ status: success ? '0x1' : '0x0', logs: toLogs(logs) },
  };
}

function toLogs(logs: (CitedTransaction & { readonly kind: 'evm' })['logs']): readonly object[] {
  const listed = logs === 'too_many' ? MORE_LOGS_THAN_JUDGED : logs;
  return listed.map((log, i) => ({ ...log, logIndex: toQuantity(i) }));
}

interface LogFilter {
  readonly topics: readonly [string, readonly string[]];
  readonly fromBlock: string;
  readonly toBlock: string;
}

function listLogs({ tokens, transfers }: SourceNodeLedger, { topics, fromBlock, toBlock }: LogFilter): unknown {
  const [, senders] = topics;
  return transfers
    .filter(({ from, block }) => {
      return senders.includes(toTopic(from)) && block >= Number(fromBlock) && block <= Number(toBlock);
    })
    .map(({ from, to, token, units, block, logIndex }) => ({
      ...{ address: tokens.get(token), topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)] },
      ...{ data: `0x${units.toString(16).padStart(64, '0')}` },
      ...{ blockNumber: toQuantity(block), logIndex: toQuantity(logIndex) },
    }));
}

function respondAsSolana(
  { transactions, headBlock, blockSeconds }: SourceNodeLedger,
  method: string,
  [first]: readonly unknown[],
): unknown {
  if (method === 'getSlot') return headBlock;
  if (method === 'getBlockTime') return (first as number) * blockSeconds;
  if (method === 'getFirstAvailableBlock') return 0;
  if (method !== 'getTransaction') throw new Error(`unknown method ${method}`);
  const found = transactions.get(first as string);
  if (found?.kind !== 'solana') return null;
  const { block, success, signers, pre, post } = found;
  return {
    slot: block,
    transaction: {
      signatures: [first],
      message: { accountKeys: signers, header: { numRequiredSignatures: signers.length } },
    },
    meta: {
      ...{ err: success ? null : {}, preTokenBalances: toRows(pre), postTokenBalances: toRows(post) },
    },
  };
}

function toRows(balances: readonly SourceBalance[] | null): unknown {
  return (
    balances?.map(({ mint, owner, units }, accountIndex) => ({
      ...{ accountIndex, mint, owner, uiTokenAmount: { amount: units.toString() } },
    })) ?? null
  );
}
