/** Decoding of ERC-20 `Transfer` logs of listed tokens (design/scoring.md, Verdict). Shared by cited transactions and flows. */
import type { SourceLog } from './source-transaction.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const TOPICS = 3;
const DATA = /^0x[0-9a-f]{64}$/;
const ADDRESS_DIGITS = 40;

export interface TokenTransfer {
  readonly from: string;
  readonly to: string;
  /** Symbol. */
  readonly token: string;
  readonly units: bigint;
}

/** Returns the transfer of a listed token that a log reports; undefined for any other log. `symbols` is keyed by contract address. */
export function decodeTransfer(
  { address, topics, data }: SourceLog,
  symbols: ReadonlyMap<string, string>,
): TokenTransfer | undefined {
  const token = symbols.get(address.toLowerCase());
  if (token === undefined || topics.length !== TOPICS || topics[0] !== TRANSFER_TOPIC || !DATA.test(data)) {
    return undefined;
  }
  return { from: addressOf(topics[1]!), to: addressOf(topics[2]!), token, units: BigInt(data) };
}

/** An address in a topic is its low 20 bytes, whatever the other 12 hold. */
function addressOf(topic: string): string {
  return `0x${topic.slice(-ADDRESS_DIGITS).toLowerCase()}`;
}
