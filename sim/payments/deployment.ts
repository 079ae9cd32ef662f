/** Configuration of the payment sources, and the keys of those who are paid: an EVM chain, and a Solana cluster in other runs. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createFixedRates } from '../../src/adapters/fx/feed-rates.ts';
import { parseSources } from '../../src/adapters/payment-sources/sources-file.ts';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatBase58, parseBase58Exactly } from '../../src/domain/identifiers/base58.ts';
import { createAltChainKey, createMainChainKey } from '../../src/domain/signatures/account-keys.ts';
import { WALLETS } from '../alt-chain/deployment.ts';
import type { Random } from '../random.ts';

export const TOKEN = 'USDC';
export const TOKEN_DECIMALS = 6;

/** Account that receives payments. */
export interface AccountKey {
  readonly address: string;
  readonly sign: (message: Uint8Array) => string;
}

export interface SourceDeployment {
  readonly kind: 'evm' | 'solana';
  /** CAIP-2. */
  readonly name: string;
  /** Genesis hash of a cluster, or the chain id. */
  readonly genesis: string;
  readonly id: string;
  readonly token: string;
  /** A token that is not listed. */
  readonly fakeToken: string;
  /** Accounts that machines claim, and one whose owner pays. */
  readonly accounts: readonly AccountKey[];
  readonly payers: readonly string[];
  /** Owners of machines that pay; undefined: those of the main chain. */
  readonly owners?: readonly string[];
  readonly router: string;
  /** Sender of minted tokens. */
  readonly mint: string;
  /** Draws what names a transaction. */
  readonly drawReference: (random: Random) => string;
  /** Returns the `source_tx_hash` of a citation, in hex digits, and the members that its metadata needs. */
  readonly toCitation: (reference: string) => {
    readonly hash: string;
    readonly metadata: Readonly<Record<string, string>>;
  };
}

const SEEDS = [1, 2, 3, 4, 5, 6].map((number) => new Uint8Array(32).fill(number));
const SIGNATURE_BYTES = 64;
const evmAddress = (digits: string) => `0x${digits.repeat(20)}`;
const keyOf = (byte: number) => formatAltKey(new Uint8Array(32).fill(byte));
const CLUSTER_GENESIS = keyOf(0xb0);

export const EVM_SOURCE: SourceDeployment = {
  ...{
    kind: 'evm',
    name: 'eip155:8453',
    genesis: '8453',
    id: '8453',
    token: evmAddress('a1'),
    fakeToken: evmAddress('fa'),
  },
  accounts: SEEDS.map(createMainChainKey),
  payers: ['c1', 'c2'].map(evmAddress),
  ...{ router: evmAddress('77'), mint: evmAddress('00') },
  drawReference: (random) => `0x${random.hex(32)}`,
  toCitation: (reference) => ({ hash: reference.slice(2), metadata: {} }),
};

export const SOLANA_SOURCE: SourceDeployment = {
  ...{
    kind: 'solana',
    name: `solana:${CLUSTER_GENESIS.slice(0, 32)}`,
    genesis: CLUSTER_GENESIS,
    id: '1151111081099710',
  },
  ...{ token: keyOf(0xb1), fakeToken: keyOf(0xb2) },
  accounts: SEEDS.map((seed) => {
    const { key, sign } = createAltChainKey(seed);
    return { address: key, sign };
  }),
  payers: [0xc1, 0xc2].map(keyOf),
  owners: WALLETS,
  // The mint has no account, so nothing is lost where tokens are minted.
  ...{ router: keyOf(0x77), mint: '' },
  drawReference: (random) => formatBase58(Buffer.from(random.hex(SIGNATURE_BYTES), 'hex')),
  toCitation: (reference) => ({
    hash: bytesToHex(keccak_256(parseBase58Exactly(reference, SIGNATURE_BYTES)!)),
    metadata: { sig: reference },
  }),
};

/** Rates of every run: the token is worth one dollar. */
export const RATES = createFixedRates([
  { symbol: TOKEN, decimals: TOKEN_DECIMALS, fixedRate: 10n ** 12n, rates: undefined },
]);

/** Returns the configured source as the service reads it. */
export function configureSources({ kind, name, id, token }: SourceDeployment, rpcUrls: readonly string[]) {
  const file = { [name]: { rpc: rpcUrls, tokens: { [TOKEN]: token }, ...(kind === 'solana' && { id }) } };
  const { configured, problems } = parseSources(Buffer.from(JSON.stringify(file)), [TOKEN]);
  if (configured === undefined) throw new Error(problems.join('\n'));
  return configured;
}
