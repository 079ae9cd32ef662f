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
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'Solana',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'Solana Devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'Solana Testnet',
};

/** Home chains by protocol ordinal, beside the main chain of a deployment. */
const HOME_CHAINS: Readonly<Record<number, string>> = { 5: 'Solana', 6: 'Solana Devnet' };

/** Returns the name of an EVM chain; its chain id where the name is unknown. */
export function nameMainChain(chainId: number): string {
  return MAIN_CHAINS[chainId] ?? `Chain ${chainId}`;
}

/** Returns the name of a Solana cluster. */
export function nameAltChain(genesisHash: string): string {
  return ALT_CHAINS[genesisHash] ?? 'Solana';
}

/** Returns the name of a chain by its CAIP-2 name; undefined for a chain that has none here. */
export function nameChain(caip2: string): string | undefined {
  const [namespace, reference = ''] = caip2.split(':');
  if (namespace === 'eip155') return MAIN_CHAINS[Number(reference)];
  // CAIP-2 has room for the start of a genesis hash.
  const genesisHash = Object.keys(ALT_CHAINS).find((hash) => hash.slice(0, 32) === reference);
  return namespace === 'solana' && genesisHash !== undefined ? ALT_CHAINS[genesisHash] : undefined;
}

/** Returns the name of a home chain that the service does not read, by its protocol ordinal; undefined where it is unknown. */
export function nameHomeChain(ordinal: number): string | undefined {
  return HOME_CHAINS[ordinal];
}
