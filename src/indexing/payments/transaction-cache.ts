/**
 * LRU cache of cited transactions, bounded by their logs and balances. Concurrent reads of one transaction share one request. A transaction
 * whose balances a node did not record is read again, because another read may return them.
 */
import { PAYMENT } from '../../domain/rating/constants.ts';
import type { CitedTransaction } from '../../domain/rating/paid/source-transaction.ts';

export interface TransactionCache {
  /** Returns the cached transaction, or reads it. Only complete transactions are cached. */
  get(key: string, read: () => Promise<CitedTransaction | 'absent'>): Promise<CitedTransaction | 'absent'>;
}

const MAX_ENTRIES = 2_000;
const MAX_PARTS = 4 * PAYMENT.maxLogs;

export function createTransactionCache(): TransactionCache {
  const cached = new Map<string, CitedTransaction>();
  const reading = new Map<string, Promise<CitedTransaction | 'absent'>>();
  let parts = 0;

  function store(key: string, transaction: CitedTransaction): void {
    cached.set(key, transaction);
    parts += countParts(transaction);
    for (const [oldest, evicted] of cached) {
      if (cached.size <= MAX_ENTRIES && parts <= MAX_PARTS) return;
      cached.delete(oldest);
      parts -= countParts(evicted);
    }
  }

  async function readOnce(key: string, read: () => Promise<CitedTransaction | 'absent'>) {
    try {
      const transaction = await read();
      if (transaction !== 'absent' && isComplete(transaction)) store(key, transaction);
      return transaction;
    } finally {
      reading.delete(key);
    }
  }

  return {
    async get(key, read) {
      const known = cached.get(key);
      if (known !== undefined) {
        cached.delete(key);
        cached.set(key, known);
        return known;
      }
      // An absence depends on the window of its event, so only a transaction is shared.
      const shared = await reading.get(key)?.catch(() => undefined);
      if (typeof shared === 'object') return shared;
      const own = readOnce(key, read);
      reading.set(key, own);
      return own;
    },
  };
}

function isComplete(transaction: CitedTransaction): boolean {
  if (transaction.kind === 'evm') return true;
  const { pre, post } = transaction;
  return pre !== null && post !== null && [...pre, ...post].every(({ owner }) => owner !== null);
}

function countParts(transaction: CitedTransaction): number {
  if (transaction.kind === 'solana') return 1 + (transaction.pre?.length ?? 0) + (transaction.post?.length ?? 0);
  return 1 + (transaction.logs === 'too_many' ? 0 : transaction.logs.length);
}
