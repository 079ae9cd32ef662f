/** Cited Solana transactions (`getTransaction`, encoding `json`), parsed strictly for signers and token balances. */
import type { SourceBalance } from '../../domain/rating/paid/source-transaction.ts';
import { Undecodable } from '../alt-chain/accounts/byte-reader.ts';
import {
  expectArray,
  expectCount,
  expectKey,
  expectObject,
  expectOptional,
  expectText,
} from '../alt-chain/rpc/json-shape.ts';

export interface SolanaExecution {
  readonly slot: number;
  readonly success: boolean;
  readonly signers: readonly string[];
  /** Balances of listed mints; null when the node recorded none. */
  readonly pre: readonly SourceBalance[] | null;
  readonly post: readonly SourceBalance[] | null;
}

/** Account indexes are single bytes on the wire, and an account has at most one balance. */
const MAX_ACCOUNTS = 256;
const AMOUNT = /^(?:0|[1-9][0-9]{0,19})$/;

/** Parses a result; null means that the node does not have the transaction. Throws `Undecodable`. */
export function parseSolanaTransaction(
  result: unknown,
  signature: string,
  isListed: (mint: string) => boolean,
): SolanaExecution | null {
  if (result === null) return null;
  const { slot, version, transaction, meta: metaValue } = expectObject(result);
  if (version !== 'legacy' && version !== 0) throw new Undecodable();
  const { signatures, message: messageValue } = expectObject(transaction);
  if (expectArray(signatures)[0] !== signature) throw new Undecodable();
  const message = expectObject(messageValue);
  const meta = expectObject(metaValue);
  if (meta['err'] === undefined) throw new Undecodable();
  const keys = expectAccounts(message['accountKeys']);
  const signerCount = expectCount(expectObject(message['header'])['numRequiredSignatures']);
  if (signerCount === 0 || signerCount > keys.length) throw new Undecodable();
  return {
    slot: expectCount(slot),
    success: meta['err'] === null,
    signers: keys.slice(0, signerCount).map(expectKey),
    pre: readBalances(meta['preTokenBalances'], isListed),
    post: readBalances(meta['postTokenBalances'], isListed),
  };
}

function readBalances(value: unknown, isListed: (mint: string) => boolean): readonly SourceBalance[] | null {
  const accounts = new Set<number>();
  const balances = expectOptional(value, expectAccounts)?.map((entry) => {
    const { accountIndex, mint, owner, uiTokenAmount } = expectObject(entry);
    // An account that is listed twice would count twice.
    const account = expectCount(accountIndex);
    if (accounts.has(account)) throw new Undecodable();
    accounts.add(account);
    const amount = expectText(expectObject(uiTokenAmount)['amount']);
    if (!AMOUNT.test(amount)) throw new Undecodable();
    return { mint: expectKey(mint), owner: expectOptional(owner, expectKey) ?? null, units: BigInt(amount) };
  });
  return balances?.filter(({ mint }) => isListed(mint)) ?? null;
}

/** Narrows to a list with an item for each of some accounts. */
function expectAccounts(value: unknown): readonly unknown[] {
  const list = expectArray(value);
  if (list.length > MAX_ACCOUNTS) throw new Undecodable();
  return list;
}
