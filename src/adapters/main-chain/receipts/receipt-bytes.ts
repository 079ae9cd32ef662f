/**
 * Encodes receipts in RLP (Yellow Paper 4.4.1; EIP-2718) directly from the JSON text of a node, without intermediate
 * objects. The result is unproven until its root is compared with a header.
 */
import { computeReceiptsRoot } from '../../../domain/index-rules/receipts-root.ts';
import { IrregularJson, type HexText, type JsonCursor } from '../rpc/json-cursor.ts';
import { parseHash, parseQuantity } from '../rpc/quantities.ts';
import { RlpBuffer } from './rlp-buffer.ts';

export interface EncodedReceipt {
  readonly bytes: Buffer;
  /** Reported by the node; no root commits to it. */
  readonly transactionHash: string;
  /** Concatenated logs: the tail of `bytes`. */
  readonly logBytes: Buffer;
}

/** Receipts of one block in their order. */
export class BlockReceipts {
  readonly list: readonly EncodedReceipt[];
  #root: string | undefined;

  constructor(list: readonly EncodedReceipt[], root?: string) {
    this.list = list;
    this.#root = root;
  }

  /** Receipts root that these receipts hash to; computed once. */
  get root(): string {
    this.#root ??= computeReceiptsRoot(this.list.map(({ bytes }) => bytes));
    return this.#root;
  }
}

/** Lengths of a receipt and of its logs, and its transaction hash. */
const PACKED_HEAD_BYTES = 8 + 32;

/** Packs receipts with their root for transfer between threads. */
export function packReceipts(receipts: BlockReceipts): Buffer {
  const parts: Buffer[] = [Buffer.from(receipts.root.slice(2), 'hex')];
  for (const { bytes, logBytes, transactionHash } of receipts.list) {
    const head = Buffer.allocUnsafe(PACKED_HEAD_BYTES);
    head.writeUInt32LE(bytes.length, 0);
    head.writeUInt32LE(logBytes.length, 4);
    head.write(transactionHash.slice(2), 8, 'hex');
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}

export function unpackReceipts(packed: Buffer): BlockReceipts {
  const list: EncodedReceipt[] = [];
  for (let at = WORD_BYTES; at < packed.length;) {
    const from = at + PACKED_HEAD_BYTES;
    const end = from + packed.readUInt32LE(at);
    list.push({
      bytes: packed.subarray(from, end),
      logBytes: packed.subarray(end - packed.readUInt32LE(at + 4), end),
      transactionHash: `0x${packed.toString('hex', at + 8, from)}`,
    });
    at = end;
  }
  return new BlockReceipts(list, `0x${packed.toString('hex', 0, WORD_BYTES)}`);
}

/** Reads a list of receipts at the cursor. Throws `IrregularJson` when the value has another form. */
export function readBlockReceipts(json: JsonCursor): BlockReceipts {
  const receipts: EncodedReceipt[] = [];
  json.enterList();
  while (json.nextItem()) receipts.push(readReceipt(json));
  return new BlockReceipts(receipts);
}

const LOGS = Buffer.from('logs');
const BLOOM = Buffer.from('logsBloom');
const TYPE = Buffer.from('type');
const STATUS = Buffer.from('status');
const ROOT = Buffer.from('root');
const GAS = Buffer.from('cumulativeGasUsed');
const TRANSACTION = Buffer.from('transactionHash');
const ADDRESS = Buffer.from('address');
const TOPICS = Buffer.from('topics');
const DATA = Buffer.from('data');

const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;
const BLOOM_BYTES = 256;
const MAX_TOPICS = 4;
const MAX_TYPE = 0x7f;

/** Buffers reused for every receipt. */
const whole = new RlpBuffer();
const fields = new RlpBuffer();
const logList = new RlpBuffer();
const logItems = new RlpBuffer();

function readReceipt(json: JsonCursor): EncodedReceipt {
  let type: string | undefined = '0x0';
  let status: string | undefined;
  let root: string | undefined;
  let gasText: string | undefined;
  let transaction: string | undefined;
  let bloomAt: number | undefined;
  let hasLogs = false;
  json.enterObject();
  while (json.nextMember()) {
    if (json.isNamed(LOGS)) {
      readLogs(json);
      hasLogs = true;
    } else if (json.isNamed(BLOOM)) bloomAt = json.takeHex(BLOOM_BYTES);
    else if (json.isNamed(TYPE)) type = json.takeText();
    else if (json.isNamed(STATUS)) status = json.takeText();
    else if (json.isNamed(ROOT)) root = json.takeText();
    else if (json.isNamed(GAS)) gasText = json.takeText();
    else if (json.isNamed(TRANSACTION)) transaction = json.takeText();
    else json.skip();
  }
  const kind = parseQuantity(type);
  const gas = parseQuantity(gasText);
  const transactionHash = parseHash(transaction);
  if (kind === undefined || kind > MAX_TYPE || gas === undefined) throw new IrregularJson();
  if (transactionHash === undefined || bloomAt === undefined || !hasLogs) throw new IrregularJson();

  fields.clear();
  writeOutcome(status, parseHash(root));
  fields.writeInteger(gas);
  writeHex(fields, json.bytes, bloomAt, BLOOM_BYTES);
  fields.writeListPrefix(logList.length);
  whole.clear();
  if (kind !== 0) whole.writeByte(kind);
  whole.writeListPrefix(fields.length + logList.length);
  whole.append(fields);
  whole.append(logList);
  const bytes = whole.copyBytes();
  return { bytes, logBytes: bytes.subarray(bytes.length - logList.length), transactionHash };
}

/** Writes the status or, before Byzantium, the state root. */
function writeOutcome(status: string | undefined, root: string | undefined): void {
  if (status === '0x1' || status === '0x0') fields.writeInteger(Number(status));
  else if (status === undefined && root !== undefined) writeHex(fields, Buffer.from(root), 2, WORD_BYTES);
  else throw new IrregularJson();
}

function readLogs(json: JsonCursor): void {
  logList.clear();
  json.enterList();
  while (json.nextItem()) readLog(json);
}

/** Offsets of the current log's topics in the response. */
const topicOffsets: number[] = [];

function readLog(json: JsonCursor): void {
  let addressAt: number | undefined;
  let data: HexText | undefined;
  let topicCount: number | undefined;
  json.enterObject();
  while (json.nextMember()) {
    if (json.isNamed(ADDRESS)) addressAt = json.takeHex(ADDRESS_BYTES);
    else if (json.isNamed(TOPICS)) topicCount = readTopics(json);
    else if (json.isNamed(DATA)) data = json.takeHexText();
    else json.skip();
  }
  if (addressAt === undefined || data === undefined || topicCount === undefined) throw new IrregularJson();
  writeLog(json, addressAt, topicCount, data);
}

function readTopics(json: JsonCursor): number {
  let count = 0;
  json.enterList();
  while (json.nextItem()) {
    if (count === MAX_TOPICS) throw new IrregularJson();
    topicOffsets[count++] = json.takeHex(WORD_BYTES);
  }
  return count;
}

/** Writes a log with the topics read last. */
function writeLog({ bytes }: JsonCursor, addressAt: number, topicCount: number, data: HexText): void {
  logItems.clear();
  writeHex(logItems, bytes, addressAt, ADDRESS_BYTES);
  logItems.writeListPrefix(topicCount * (1 + WORD_BYTES));
  for (let i = 0; i < topicCount; i++) writeHex(logItems, bytes, topicOffsets[i]!, WORD_BYTES);
  writeHex(logItems, bytes, data.at, data.length);
  logList.writeListPrefix(logItems.length);
  logList.append(logItems);
}

/** Writes `length` bytes from hex digits. Throws `IrregularJson` for anything but digits. */
function writeHex(to: RlpBuffer, from: Buffer, at: number, length: number): void {
  if (!to.writeHex(from, at, length)) throw new IrregularJson();
}
