/**
 * JSON-RPC methods of the local alt chain (chain-svm 9) with the limits of mainnet nodes (chain-svm 8). `confirmed` is one slot behind the
 * newest and `finalized` 31. A read at a commitment is as of its slot: accounts and rows never show later changes.
 */
import { createHash } from 'node:crypto';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatBase58, parseBase58 } from '../../src/domain/identifiers/base58.ts';
import type { Chain, ExecutedTransaction } from './chain.ts';
import { TransactionRejected } from './chain.ts';
import type { NodeFaults } from './node-faults.ts';
import { toRpcAccount, toRpcTransaction } from './rpc-responses.ts';
import {
  readCommitment,
  readConfiguration,
  readCount,
  readDataSlice,
  readEncoding,
  readFilters,
  readHistoryCommitment,
  readKey,
  readSignature,
  invalidParams,
  RPC_ERROR,
  RpcErrorResponse,
} from './rpc-parameters.ts';
import type { Commitment, Configuration } from './rpc-parameters.ts';

export type RpcMethod = (params: readonly unknown[]) => unknown;

/** Number of slots that each commitment is behind the newest. */
export const COMMITMENT_LAG_SLOTS: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 31 };

const VERSION = '3.0.0-devnet';
const MAX_KEYS = 100;
const MAX_ROWS = 1000;
const MAX_STATUSES = 256;
const MAX_WIRE_BYTES = 1232;
const BLOCKHASH_LIFE_SLOTS = 150;

export function createRpcMethods(chain: Chain, faults: NodeFaults): Readonly<Record<string, RpcMethod>> {
  function slotAt(commitment: Commitment): number {
    return Math.max(0, chain.clock.slot - COMMITMENT_LAG_SLOTS[commitment] - faults.slotsBehind);
  }

  /** Returns the slot of a read with this configuration. */
  function readSlot(configuration: Configuration, commitment = readCommitment(configuration)): number {
    const slot = slotAt(commitment);
    const { minContextSlot } = configuration;
    if (minContextSlot !== undefined && readCount(minContextSlot, 'minContextSlot') > slot) {
      throw new RpcErrorResponse(RPC_ERROR.minContextSlot, 'Minimum context slot has not been reached', {
        contextSlot: slot,
      });
    }
    return slot;
  }

  function withContext(slot: number, value: unknown): object {
    return { context: { apiVersion: VERSION, slot }, value };
  }

  function timeOf(slot: number): number | null {
    return faults.untimedSlots.has(slot) ? null : chain.clock.timeOf(slot);
  }

  function isAvailable({ slot }: ExecutedTransaction): boolean {
    return slot >= faults.firstAvailableBlock;
  }

  /** Returns a transaction that the node has at the slot. */
  function findTransaction(signature: string, slot: number): ExecutedTransaction | undefined {
    const transaction = chain.transaction(signature);
    const isKnown = transaction !== undefined && transaction.slot <= slot && isAvailable(transaction);
    return isKnown && !faults.unknownTransactions.has(signature) ? transaction : undefined;
  }

  function accountReader(configuration: Configuration, slot: number): (key: AltKey) => object | null {
    const encoding = readEncoding(configuration);
    const slice = readDataSlice(configuration);
    return (key) => {
      const account = chain.accounts.at(key, slot);
      return account === undefined ? null : toRpcAccount(account, encoding, slice);
    };
  }

  /** Omits and repeats rows as the faults require. */
  function withFaults<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
    return rows.flatMap((row) => {
      const name = nameOf(row);
      if (faults.missingRows.has(name)) return [];
      return faults.duplicateRows.has(name) ? [row, row] : [row];
    });
  }

  function blockSlot(value: unknown, commitment: Commitment): number {
    const slot = readCount(value, 'slot');
    if (slot > slotAt(commitment)) {
      throw new RpcErrorResponse(RPC_ERROR.blockNotAvailable, `Block not available for slot ${slot}`);
    }
    const first = faults.firstAvailableBlock;
    if (slot < first) {
      const message = `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`;
      throw new RpcErrorResponse(RPC_ERROR.blockCleanedUp, message);
    }
    return slot;
  }

  /** Returns transactions newest first, between `before` and `until` (both exclusive). An unknown `before` yields none. */
  function listSignatures(address: AltKey, slot: number, before: string | undefined, until: string | undefined) {
    const all = chain
      .transactionsOf(address)
      .filter((transaction) => transaction.slot <= slot && isAvailable(transaction));
    const newestFirst = faults.oldestFirstInSlot
      ? all.toSorted((one, other) => other.slot - one.slot)
      : all.toReversed();
    const isOf = (signature: string) => (each: ExecutedTransaction) => each.signatures[0] === signature;
    const start = before === undefined ? 0 : newestFirst.findIndex(isOf(before)) + 1;
    if (before !== undefined && (start === 0 || faults.unknownBefore.has(before))) return [];
    const rest = newestFirst.slice(start);
    const end = until === undefined ? -1 : rest.findIndex(isOf(until));
    return end < 0 ? rest : rest.slice(0, end);
  }

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'feature-set': 0, 'solana-core': VERSION }),
    getGenesisHash: () => faults.genesisHash ?? chain.genesisHash,
    getFirstAvailableBlock: () => faults.firstAvailableBlock,
    getSlot: ([configuration]) => readSlot(readConfiguration(configuration)),

    getBlockTime: ([slot]) => timeOf(blockSlot(slot, 'confirmed')),

    getLatestBlockhash([options]) {
      const slot = readSlot(readConfiguration(options));
      const value = { blockhash: chain.createBlockhash(), lastValidBlockHeight: slot + BLOCKHASH_LIFE_SLOTS };
      return withContext(slot, value);
    },

    getAccountInfo([address, options]) {
      const key = readKey(address);
      const configuration = readConfiguration(options);
      const slot = readSlot(configuration);
      return withContext(slot, accountReader(configuration, slot)(key));
    },

    getMultipleAccounts([addresses, options]) {
      if (!Array.isArray(addresses)) throw invalidParams('Invalid params: expected a sequence.');
      if (addresses.length > MAX_KEYS) throw invalidParams(`Too many inputs provided; max ${MAX_KEYS}`);
      const keys = addresses.map(readKey);
      const configuration = readConfiguration(options);
      const slot = readSlot(configuration);
      return withContext(slot, keys.map(accountReader(configuration, slot)));
    },

    getProgramAccounts([program, options]) {
      const owner = readKey(program);
      const configuration = readConfiguration(options);
      const slot = readSlot(configuration);
      const filters = readFilters(configuration);
      const [encoding, slice] = [readEncoding(configuration), readDataSlice(configuration)];
      const rows: { pubkey: AltKey; account: object }[] = [];
      for (const [pubkey, account] of chain.accounts.ownedAt(owner, slot)) {
        if (!filters.every((isPassed) => isPassed(account.data))) continue;
        rows.push({ pubkey, account: toRpcAccount(account, encoding, slice) });
      }
      const listed = withFaults(rows, ({ pubkey }) => pubkey);
      return configuration['withContext'] === true ? withContext(slot, listed) : listed;
    },

    getSignaturesForAddress([address, options]) {
      const key = readKey(address);
      const configuration = readConfiguration(options);
      const slot = readSlot(configuration, readHistoryCommitment(configuration));
      const { limit = MAX_ROWS, before, until } = configuration;
      const most = readCount(limit, 'limit');
      if (most < 1 || most > MAX_ROWS) throw invalidParams(`Invalid limit; max ${MAX_ROWS}`);
      const all = listSignatures(
        key,
        slot,
        before === undefined ? undefined : readSignature(before),
        until === undefined ? undefined : readSignature(until),
      );
      const finalized = slotAt('finalized');
      const rows = all.slice(0, most).map((transaction) => ({
        blockTime: timeOf(transaction.slot),
        confirmationStatus: transaction.slot <= finalized ? 'finalized' : 'confirmed',
        err: transaction.err,
        memo: null,
        signature: transaction.signatures[0]!,
        slot: transaction.slot,
      }));
      return withFaults(rows, ({ signature }) => signature);
    },

    /** Searches the whole history, as with `searchTransactionHistory`. */
    getSignatureStatuses([names]) {
      if (!Array.isArray(names)) throw invalidParams('Invalid params: expected a sequence.');
      if (names.length > MAX_STATUSES) throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`);
      const [slot, finalized] = [slotAt('processed'), slotAt('finalized')];
      const statuses = names.map(readSignature).map((signature) => {
        const transaction = findTransaction(signature, slot) ?? findVote(signature, slot);
        if (transaction === undefined) return null;
        const isFinalized = transaction.slot <= finalized;
        return {
          slot: transaction.slot,
          confirmations: isFinalized ? null : slot - transaction.slot,
          err: transaction.err,
          status: transaction.err === null ? { Ok: null } : { Err: transaction.err },
          confirmationStatus: isFinalized ? 'finalized' : transaction.slot < slot ? 'confirmed' : 'processed',
        };
      });
      return withContext(slot, statuses);
    },

    getTransaction([name, options]) {
      const signature = readSignature(name);
      const configuration = readConfiguration(typeof options === 'string' ? { encoding: options } : options);
      const slot = readSlot(configuration, readHistoryCommitment(configuration));
      const { encoding = 'json', maxSupportedTransactionVersion: maxVersion } = configuration;
      if (encoding !== 'json' && encoding !== 'base58' && encoding !== 'base64') {
        throw invalidParams(`encoding ${String(encoding)} is not supported`);
      }
      const transaction = findTransaction(signature, slot);
      if (transaction === undefined) return null;
      return toRpcTransaction(
        transaction,
        timeOf(transaction.slot),
        maxVersion === undefined ? undefined : readCount(maxVersion, 'maxSupportedTransactionVersion'),
        encoding,
        faults.logs,
      );
    },

    getBlock([number, options]) {
      const configuration = readConfiguration(options);
      const slot = blockSlot(number, readHistoryCommitment(configuration));
      const { transactionDetails } = configuration;
      if (transactionDetails !== 'signatures' && transactionDetails !== 'none') {
        throw invalidParams('only transactionDetails "signatures" and "none" are supported');
      }
      const signatures = [voteOf(slot), ...chain.block(slot).map((transaction) => transaction.signatures[0]!)];
      return {
        blockHeight: slot,
        blockTime: timeOf(slot),
        blockhash: blockhashOf(slot),
        parentSlot: Math.max(0, slot - 1),
        previousBlockhash: blockhashOf(Math.max(0, slot - 1)),
        ...(transactionDetails === 'signatures' ? { signatures } : {}),
      };
    },

    sendTransaction([wire, options]) {
      const { encoding = 'base58', skipPreflight } = readConfiguration(options);
      const bytes = readWire(wire, encoding);
      try {
        if (skipPreflight !== true) chain.preflight(bytes);
        return chain.execute(bytes).signatures[0]!;
      } catch (error) {
        if (!(error instanceof TransactionRejected)) throw error;
        const message = `Transaction simulation failed: ${error.reason}`;
        throw new RpcErrorResponse(RPC_ERROR.preflight, message, { err: error.reason, logs: error.logs });
      }
    },
  };

  /**
   * Returns the signature of the vote in a block. Every block of a cluster has votes, by which readers see how far back a node reaches; here
   * they have a signature and a status, and no other content. The signature begins with the slot.
   */
  function voteOf(slot: number): string {
    const bytes = createHash('sha512').update(`${chain.genesisHash} vote ${slot}`).digest();
    bytes.writeBigUInt64BE(BigInt(slot));
    return formatBase58(new Uint8Array(bytes));
  }

  /** Returns the vote of a block that the node has at the slot. */
  function findVote(signature: string, newest: number): Pick<ExecutedTransaction, 'slot' | 'err'> | undefined {
    const slot = Number(Buffer.from(parseBase58(signature, 64)!).readBigUInt64BE());
    const isKnown = slot >= faults.firstAvailableBlock && slot <= newest && voteOf(slot) === signature;
    return isKnown ? { slot, err: null } : undefined;
  }

  /** Returns the hash of a block. Transactions use other hashes, see `getLatestBlockhash`. */
  function blockhashOf(slot: number): string {
    return formatBase58(new Uint8Array(createHash('sha256').update(`${chain.genesisHash} block ${slot}`).digest()));
  }
}

function readWire(wire: unknown, encoding: unknown): Uint8Array {
  if (typeof wire !== 'string') throw invalidParams('Invalid params: expected a string.');
  const bytes =
    encoding === 'base64'
      ? Buffer.from(wire, 'base64')
      : encoding === 'base58'
        ? parseBase58(wire, MAX_WIRE_BYTES)
        : [];
  if (bytes === undefined || bytes.length === 0) throw invalidParams(`invalid ${String(encoding)} encoding`);
  if (bytes.length > MAX_WIRE_BYTES) throw invalidParams(`decoded transaction too large: ${bytes.length} bytes`);
  return Uint8Array.from(bytes);
}
