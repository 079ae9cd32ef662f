/** Names of chains for people: chain ids of EVM chains, and genesis hashes of Solana's clusters. */

const MAIN_CHAINS: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  3338: 'peaq',
  8453: 'Base',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
  31337: 'Local chain',
};

const ALT_CHAINS: Readonly<Record<string, string>> = {
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'Solana Devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'Solana Testnet',
};

/** Returns the name of an EVM chain; its chain id where the name is unknown. */
export function nameMainChain(chainId: number): string {
  return MAIN_CHAINS[chainId] ?? `Chain ${chainId}`;
}

/** Returns the name of a Solana cluster. */
export function nameAltChain(genesisHash: string): string {
  return ALT_CHAINS[genesisHash] ?? 'Solana';
}
