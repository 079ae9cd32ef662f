/** Logs of the virtual main chain and their bloom, from a second copy of the signatures of chain-evm 2. */
import { ADDRESSES } from './deployment.ts';
import { keccakOf, keccakOfHex } from './keccak.ts';

export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Index from 0 among the transactions of the block that logged something. */
  readonly transaction: number;
}

export type LogContent = Omit<SimLog, 'transaction'>;

type Contract = keyof typeof ADDRESSES;

const topics = new Map<string, string>();

/** Builds a log; `indexed` and `data` are words in the order of the signature. */
export function makeLog(
  contract: Contract,
  signature: string,
  indexed: readonly string[],
  data: readonly string[] = [],
): LogContent {
  let topic = topics.get(signature);
  if (topic === undefined) topics.set(signature, (topic = `0x${keccakOf(signature)}`));
  return {
    address: ADDRESSES[contract],
    topics: [topic, ...indexed.map((word) => `0x${word}`)],
    data: `0x${data.join('')}`,
  };
}

/** Builds a log of an unwatched contract. */
export function makeForeignLog(address: string, salt: string): LogContent {
  return { address, topics: [`0x${salt}`], data: '0x' };
}

const BLOOM_BYTES = 256;
export const EMPTY_BLOOM = `0x${'00'.repeat(BLOOM_BYTES)}`;

export function bloomOf(logs: readonly Pick<LogContent, 'address' | 'topics'>[]): string {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const { address, topics: words } of logs) {
    for (const item of [address, ...words]) {
      for (const bit of bitsOf(item)) bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${bloom.toString('hex')}`;
}

/** Returns the three bits of an item (Yellow Paper 4.4.3). */
function bitsOf(item: string): readonly number[] {
  let bits = knownBits.get(item);
  if (bits === undefined) {
    const hash = keccakOfHex(item.slice(2));
    bits = [0, 4, 8].map((at) => parseInt(hash.slice(at, at + 4), 16) & (8 * BLOOM_BYTES - 1));
    if (knownBits.size >= MAX_KNOWN_BITS) knownBits.clear();
    knownBits.set(item, bits);
  }
  return bits;
}

const knownBits = new Map<string, readonly number[]>();
const MAX_KNOWN_BITS = 20_000;
