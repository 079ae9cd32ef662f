/** Files that make the local chains payment sources: `TOKENS_FILE` and `SOURCES_FILE`, and what `fixtures.json` says of them. */
import type { Hex } from 'viem';
import { DEVNET_CHAIN_ID } from './main-chain/anvil.ts';
import { TOKEN_DECIMALS, TOKEN_SYMBOL } from './main-chain/payments.ts';
import type { PaymentContracts } from './main-chain/payments.ts';
import { SHOPPER, WHOLESALER } from './personas/planned-payment.ts';

export interface SourcesFixture {
  /** CAIP-2 name of the main chain as a source. */
  readonly main: string;
  readonly token: string;
  readonly router: string;
  readonly wallets: readonly { readonly name: string; readonly address: string; readonly key: Hex }[];
}

const MAIN_SOURCE = `eip155:${DEVNET_CHAIN_ID}`;

export function formatTokensFile(): string {
  return formatFile([{ symbol: TOKEN_SYMBOL, decimals: TOKEN_DECIMALS, usd_rate: '1' }]);
}

export function formatSourcesFile(rpcUrl: string, { token }: PaymentContracts): string {
  return formatFile({ [MAIN_SOURCE]: { rpc: [rpcUrl], tokens: { [TOKEN_SYMBOL]: token.toLowerCase() } } });
}

export function toSourcesFixture({ token, router }: PaymentContracts): SourcesFixture {
  const wallets = [SHOPPER, WHOLESALER].map(({ name, address, key }) => ({ name, address, key }));
  return { main: MAIN_SOURCE, token, router, wallets };
}

function formatFile(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
