/** Files that make the local chains payment sources: `TOKENS_FILE` and `SOURCES_FILE`, and what `fixtures.json` says of them. */
import type { Hex } from 'viem';
import type { AltChain } from './alt-chain/alt-chain.ts';
import { formatSeed } from './alt-chain/keys.ts';
import { ALT_MINT, ALT_SOURCE_ID, TOKEN_WALLETS } from './alt-chain/tokens.ts';
import { DEVNET_CHAIN_ID } from './main-chain/anvil.ts';
import { TOKEN_DECIMALS, TOKEN_SYMBOL } from './main-chain/payments.ts';
import type { PaymentContracts } from './main-chain/payments.ts';
import { DOWN_SOURCE_ID } from './personas/paid-histories.ts';
import { SHOPPER, WHOLESALER } from './personas/planned-payment.ts';

export interface SourcesFixture {
  readonly main: {
    /** CAIP-2 name of the chain as a source. */
    readonly name: string;
    readonly token: string;
    readonly router: string;
    /** Wallets with tokens. */
    readonly wallets: readonly { readonly name: string; readonly address: string; readonly key: Hex }[];
  };
  /** Source whose node does not answer. It is not in `SOURCES_FILE`, so that `svc doctor` passes. */
  readonly down: {
    readonly name: string;
    readonly rpcUrl: string;
  };
  /** Null: the devnet has no alt chain. */
  readonly alt: {
    readonly name: string;
    readonly mint: string;
    /** `key` is an Ed25519 seed, 64 hex digits. */
    readonly wallets: readonly {
      readonly name: string;
      readonly address: string;
      readonly tokenAccount: string;
      readonly key: string;
    }[];
  } | null;
}

type AltSource = Pick<AltChain, 'rpcUrl' | 'genesisHash'>;

const MAIN_SOURCE = `eip155:${DEVNET_CHAIN_ID}`;
/** The discard port, where nothing listens. */
const DOWN_RPC_URL = 'http://127.0.0.1:9';
const GENESIS_CHARACTERS = 32;

export function formatTokensFile(): string {
  return formatFile([{ symbol: TOKEN_SYMBOL, decimals: TOKEN_DECIMALS, usd_rate: '1' }]);
}

export function formatSourcesFile(rpcUrl: string, { token }: PaymentContracts, alt: AltSource | undefined): string {
  return formatFile({
    [MAIN_SOURCE]: { rpc: [rpcUrl], tokens: { [TOKEN_SYMBOL]: token.toLowerCase() } },
    ...(alt && {
      [nameAltSource(alt)]: { id: ALT_SOURCE_ID, rpc: [alt.rpcUrl], tokens: { [TOKEN_SYMBOL]: ALT_MINT } },
    }),
  });
}

export function toSourcesFixture({ token, router }: PaymentContracts, alt: AltSource | undefined): SourcesFixture {
  const wallets = [SHOPPER, WHOLESALER].map(({ name, address, key }) => ({ name, address, key }));
  const altWallets = TOKEN_WALLETS.map(({ wallet, tokenAccount }) => ({
    name: wallet.name,
    address: wallet.key,
    tokenAccount: tokenAccount.key,
    key: formatSeed(wallet),
  }));
  return {
    main: { name: MAIN_SOURCE, token, router, wallets },
    down: { name: `eip155:${DOWN_SOURCE_ID}`, rpcUrl: DOWN_RPC_URL },
    alt: alt === undefined ? null : { name: nameAltSource(alt), mint: ALT_MINT, wallets: altWallets },
  };
}

function nameAltSource({ genesisHash }: AltSource): string {
  return `solana:${genesisHash.slice(0, GENESIS_CHARACTERS)}`;
}

function formatFile(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
