/** Mint and token accounts of the local alt chain, which is also a payment source. */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltNode } from '../alt-node/alt-node.ts';
import { createMintData, createTokenAccountData, TOKEN_PROGRAM } from '../alt-node/token-accounts.ts';
import { altAccountOf } from './keys.ts';
import type { AltAccount } from './keys.ts';

/** USDC: in `TOKENS_FILE` with the fixed rate 1. */
export const ALT_MINT = altAccountOf('USDC mint').key;

/** Wallet with a token account. */
export interface TokenWallet {
  readonly wallet: AltAccount;
  /** Its token account. */
  readonly tokenAccount: AltAccount;
  /** Absent: `ALT_MINT`. */
  readonly mint?: AltKey;
}

/** Wallet that has tokens before the first payment. */
export interface FundedWallet extends TokenWallet {
  readonly units: bigint;
}

/** `source_chain_id` of events that cite the alt chain. */
export const ALT_SOURCE_ID = '1151111081099710';

export const ALT_SHOPPER = toTokenWallet('shopper');
export const TOKEN_WALLETS: readonly TokenWallet[] = [ALT_SHOPPER, toTokenWallet('wholesaler')];

/** Returns the wallet of a name with its token account. */
export function toTokenWallet(name: string): TokenWallet {
  return { wallet: altAccountOf(name), tokenAccount: altAccountOf(`${name} USDC`) };
}

const FUNDED_UNITS = 10n ** 13n;

/** Writes the mints, and the accounts of the wallets with what they hold. */
export function placeTokens(node: AltNode, decimals: number, wallets: readonly FundedWallet[]): void {
  const funded = [...TOKEN_WALLETS.map((wallet) => ({ ...wallet, units: FUNDED_UNITS })), ...wallets];
  for (const [mint, holders] of Map.groupBy(funded, ({ mint: own = ALT_MINT }) => own)) {
    const supply = holders.reduce((sum, { units }) => sum + units, 0n);
    node.setAccount(mint, { owner: TOKEN_PROGRAM, data: createMintData(supply, decimals) });
    for (const { wallet, tokenAccount, units } of holders) {
      const data = createTokenAccountData({ mint, owner: wallet.key, units });
      node.setAccount(tokenAccount.key, { owner: TOKEN_PROGRAM, data });
    }
  }
}
