/** Names and block explorers of the chains of this deployment, which the service embeds in the HTML shell. */

export interface Chain {
  readonly name: string;
  /** Chain id of the main chain. */
  readonly id?: string;
  /** Address of the block explorer. */
  readonly explorer?: string;
  /** Protocol chain ordinal of the alt chain, where one is served. */
  readonly ordinal?: number;
}

export interface Chains {
  readonly main: Chain;
  readonly alt: Chain;
}

export const chains = JSON.parse(
  document.body.dataset['chains'] ?? '{"main":{"name":"Main chain"},"alt":{"name":"Solana"}}',
) as Chains;

export type ChainName = keyof Chains;
export type ExplorerKind = 'address' | 'tx' | 'block';

/** Returns the link to an account, a transaction or a block; undefined without a block explorer. */
export function explorerUrl(chain: ChainName, kind: ExplorerKind, value: string): string | undefined {
  const { explorer } = chains[chain];
  if (explorer === undefined) return undefined;
  const url = new URL(explorer);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${kind}/${encodeURIComponent(value.toWellFormed())}`;
  return url.href;
}
