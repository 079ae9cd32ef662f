/**
 * What did a block log, beyond doubt? The answer of `eth_getBlockReceipts`, encoded as the chain does and held against the root in the
 * block's header: what passes is every log of the block, each as it was written.
 */
import type { Hex } from 'viem';
import type { Header } from '../../ports/main-chain-log.ts';
import { parseHash, parseQuantity } from './quantities.ts';
import type { RawLog } from './raw-log.ts';
import { computeReceiptsRoot } from '../../domain/index-rules/receipts-root.ts';

/** A log of a block that is known. */
export type ProvenRawLog = RawLog & { readonly blockTimestamp: number };

/** All logs of the block in their order; undefined: these are not the receipts that its header commits to. */
export function proveReceipts(header: Header, receipts: unknown): readonly ProvenRawLog[] | undefined {
  if (!Array.isArray(receipts) || header.receiptsRoot === undefined) return undefined;
  const logs: ProvenRawLog[] = [];
  const encoded: Uint8Array[] = [];
  for (const receipt of receipts) {
    const bytes = takeReceipt(header, receipt, logs);
    if (bytes === undefined) return undefined;
    encoded.push(bytes);
  }
  return computeReceiptsRoot(encoded) === header.receiptsRoot ? logs : undefined;
}

const ADDRESS_DIGITS = 40;
const WORD_DIGITS = 64;
const BLOOM_DIGITS = 512;
const MAX_TOPICS = 4;
const MAX_TYPE = 0x7f;

/** The bytes of one receipt; its logs go to the end of the list. */
function takeReceipt(header: Header, receipt: unknown, logs: ProvenRawLog[]): Uint8Array | undefined {
  if (!isObject(receipt) || !Array.isArray(receipt['logs'])) return undefined;
  const { logsBloom } = receipt;
  const type = receipt['type'] === undefined ? 0 : parseQuantity(receipt['type']);
  const outcome = encodeOutcome(receipt);
  const gas = parseQuantity(receipt['cumulativeGasUsed']);
  const transactionHash = parseHash(receipt['transactionHash']);
  if (type === undefined || type > MAX_TYPE || outcome === undefined || gas === undefined) return undefined;
  if (transactionHash === undefined || !isHexOf(logsBloom, BLOOM_DIGITS)) return undefined;
  const parts: string[] = [];
  for (const entry of receipt['logs'] as readonly unknown[]) {
    const log = takeLog(header, entry, logs.length, transactionHash, parts);
    if (log === undefined) return undefined;
    logs.push(log);
  }
  const body =
    outcome + encodeText(gas === 0 ? '' : evenHex(gas)) + encodeText(logsBloom.slice(2)) + encodeList(parts.join(''));
  const hex = (type === 0 ? '' : evenHex(type)) + encodeList(body);
  const bytes = Buffer.from(hex, 'hex');
  // What is not hexadecimal ends the bytes early.
  return bytes.length === hex.length / 2 ? bytes : undefined;
}

/** The status or, before Byzantium, the root of the state. */
function encodeOutcome({ status, root }: Readonly<Record<string, unknown>>): string | undefined {
  if (status === '0x1') return '01';
  if (status === '0x0') return '80';
  return status === undefined && isHexOf(root, WORD_DIGITS) ? encodeText(root.slice(2)) : undefined;
}

/** Its bytes go to the end of the parts. The place of a log is not in the root: it is what was counted. */
function takeLog(
  header: Header,
  entry: unknown,
  logIndex: number,
  transactionHash: string,
  parts: string[],
): ProvenRawLog | undefined {
  if (!isObject(entry)) return undefined;
  const { address, topics, data } = entry;
  if (!isHexOf(address, ADDRESS_DIGITS) || !Array.isArray(topics) || topics.length > MAX_TOPICS) return undefined;
  if (typeof data !== 'string' || !data.startsWith('0x') || data.length % 2 !== 0) return undefined;
  let words = '';
  for (const topic of topics as readonly unknown[]) {
    if (!isHexOf(topic, WORD_DIGITS)) return undefined;
    words += `a0${topic.slice(2)}`;
  }
  parts.push(encodeList(`94${address.slice(2)}${encodeList(words)}${encodeText(data.slice(2))}`));
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic: string) => topic.toLowerCase() as Hex),
    data: data as Hex,
    blockNumber: header.number,
    blockHash: header.hash,
    logIndex,
    transactionHash,
    blockTimestamp: header.timestamp,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isHexOf(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits + 2 && value.startsWith('0x');
}

/** Of hex digits. */
function encodeText(digits: string): string {
  if (digits.length === 2 && digits < '80') return digits;
  return encodeLength(digits.length / 2, 0x80) + digits;
}

function encodeList(digits: string): string {
  return encodeLength(digits.length / 2, 0xc0) + digits;
}

function encodeLength(length: number, kind: number): string {
  if (length < 56) return evenHex(kind + length);
  const bytes = evenHex(length);
  return evenHex(kind + 55 + bytes.length / 2) + bytes;
}

function evenHex(value: number): string {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}
