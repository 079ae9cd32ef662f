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

export const TOKEN_WALLETS: readonly TokenWallet[] = ['shopper', 'wholesaler'].map((name) => ({
  wallet: altAccountOf(name),
  tokenAccount: altAccountOf(`${name} USDC`),
}));

const FUNDED_UNITS = 10n ** 13n;

/** Writes the mint and the accounts of the wallets. */
export function placeTokens(node: AltNode, decimals: number): void {
  const supply = FUNDED_UNITS * BigInt(TOKEN_WALLETS.length);
  node.setAccount(ALT_MINT, { owner: TOKEN_PROGRAM, data: createMintData(supply, decimals) });
  for (const { wallet, tokenAccount } of TOKEN_WALLETS) {
    const data = createTokenAccountData({ mint: ALT_MINT, owner: wallet.key, units: FUNDED_UNITS });
    node.setAccount(tokenAccount.key, { owner: TOKEN_PROGRAM, data });
  }
}
