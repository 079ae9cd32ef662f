/** How does the virtual chain write its logs, and the bloom over them? By the signatures of chain-evm 2, spelled a second time. */
import { buildBloom } from '../../src/domain/index-rules/bloom.ts';
import * as abi from './abi-words.ts';
import { ADDRESSES } from './deployment.ts';

export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

type Contract = keyof typeof ADDRESSES;

const topics = new Map<string, string>();

/** `indexed` and `data` in words, as the signature orders them. */
export function makeLog(
  contract: Contract,
  signature: string,
  indexed: readonly string[],
  data: readonly string[] = [],
): SimLog {
  let topic = topics.get(signature);
  if (topic === undefined) topics.set(signature, (topic = `0x${abi.keccakHex(signature)}`));
  return {
    address: ADDRESSES[contract],
    topics: [topic, ...indexed.map((word) => `0x${word}`)],
    data: `0x${data.join('')}`,
  };
}

/** A log of a contract that nobody watches. */
export function makeForeignLog(address: string, salt: string): SimLog {
  return { address, topics: [`0x${salt}`], data: '0x' };
}

export const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;

export function bloomOf(logs: readonly SimLog[]): string {
  if (logs.length === 0) return EMPTY_BLOOM;
  return buildBloom(new Set(logs.flatMap(({ address, topics: words }) => [address, ...words])));
}
