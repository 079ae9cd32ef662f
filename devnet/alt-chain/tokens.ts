/** Mint and token accounts of the local alt chain, which is also a payment source. */
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

/** Writes the mint, the accounts of the wallets, and the empty accounts of those who are paid. */
export function placeTokens(node: AltNode, decimals: number, payouts: readonly TokenWallet[]): void {
  const supply = FUNDED_UNITS * BigInt(TOKEN_WALLETS.length);
  node.setAccount(ALT_MINT, { owner: TOKEN_PROGRAM, data: createMintData(supply, decimals) });
  for (const { wallet, tokenAccount } of [...TOKEN_WALLETS, ...payouts]) {
    const units = payouts.some((payout) => payout.wallet === wallet) ? 0n : FUNDED_UNITS;
    const data = createTokenAccountData({ mint: ALT_MINT, owner: wallet.key, units });
    node.setAccount(tokenAccount.key, { owner: TOKEN_PROGRAM, data });
  }
}
