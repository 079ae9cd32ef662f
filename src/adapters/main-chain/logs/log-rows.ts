/**
 * Logs of one `eth_getLogs` result in binary: read from the JSON text in place, without an object per log, and turned
 * into `RawLog` one by one. The bytes move between threads without a copy.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { IrregularJson, type JsonCursor } from '../rpc/json-cursor.ts';
import { parseQuantity } from '../rpc/quantities.ts';
import { decodeHexByte } from '../receipts/rlp-buffer.ts';
import type { Hex } from 'viem';
import type { RawLog } from './raw-log.ts';

const ADDRESS = Buffer.from('address');
const TOPICS = Buffer.from('topics');
const DATA = Buffer.from('data');
const BLOCK_NUMBER = Buffer.from('blockNumber');
const BLOCK_HASH = Buffer.from('blockHash');
const LOG_INDEX = Buffer.from('logIndex');
const TRANSACTION_HASH = Buffer.from('transactionHash');
const TIMESTAMP = Buffer.from('blockTimestamp');
const REMOVED = Buffer.from('removed');

const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;
const MAX_TOPICS = 4;

/**
 * A row: block number, log index, timestamp (NaN: none), length of the data, number of topics; then address, block
 * hash, transaction hash, topics and data.
 */
const HEAD_BYTES = 3 * 8 + 4 + 1;
const FIXED_BYTES = ADDRESS_BYTES + 2 * HASH_BYTES;
const FIRST_BYTES = 4_096;

/** Rows that are handled in one tick: about 5 ms. */
const ROWS_PER_TICK = 10_000;

interface RowPlace {
  readonly bytes: Buffer;
  readonly at: number;
}

type OriginTest = (blockNumber: number, address: string, readBlockHash: () => string) => boolean;

export class LogRows implements Iterable<RawLog> {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Returns the rows of all results in chain order, where those of each result are. The event loop runs between many rows. */
  static async merge(results: readonly LogRows[]): Promise<LogRows> {
    const sources = results.filter(({ bytes }) => bytes.length > 0).map(({ bytes }) => ({ bytes, at: 0 }));
    const merged = Buffer.allocUnsafeSlow(sources.reduce((sum, { bytes }) => sum + bytes.length, 0));
    for (let row = 1, to = 0; sources.length > 0; row++) {
      const first = sources.reduce((one, other) => (compareRows(other, one) < 0 ? other : one));
      const end = endOfRow(first.bytes, first.at);
      to += first.bytes.copy(merged, to, first.at, end);
      first.at = end;
      if (end === first.bytes.length) sources.splice(sources.indexOf(first), 1);
      if (row % ROWS_PER_TICK === 0) await nextTick();
    }
    return new LogRows(merged);
  }

  /**
   * Returns whether the test holds for block number, address and block hash of every row, without an object per row. The
   * event loop runs between many rows.
   */
  everyOrigin(test: OriginTest): boolean | Promise<boolean> {
    const next = this.#testOrigins(test, 0);
    return typeof next === 'boolean' ? next : this.#everyOriginFrom(test, next);
  }

  async #everyOriginFrom(test: OriginTest, from: number): Promise<boolean> {
    let next: number | boolean = from;
    while (typeof next === 'number') {
      await nextTick();
      next = this.#testOrigins(test, next);
    }
    return next;
  }

  /** Tests the rows of one tick. Returns the place of the next row; the result where it is known. */
  #testOrigins(test: OriginTest, from: number): number | boolean {
    const { bytes } = this;
    const hexOf = (start: number, length: number) => `0x${bytes.toString('hex', start, start + length)}`;
    let at = from;
    for (let rows = 0; at < bytes.length; rows++) {
      if (rows === ROWS_PER_TICK) return at;
      const start = at + HEAD_BYTES;
      const readBlockHash = () => hexOf(start + ADDRESS_BYTES, HASH_BYTES);
      if (!test(bytes.readDoubleLE(at), hexOf(start, ADDRESS_BYTES), readBlockHash)) return false;
      at = endOfRow(bytes, at);
    }
    return true;
  }

  *[Symbol.iterator](): Generator<RawLog, undefined> {
    const { bytes } = this;
    for (let at = 0; at < bytes.length;) {
      const timestamp = bytes.readDoubleLE(at + 16);
      const dataBytes = bytes.readUInt32LE(at + 24);
      const topicCount = bytes[at + 28]!;
      const from = at + HEAD_BYTES;
      const end = endOfRow(bytes, at);
      const hex = bytes.toString('hex', from, end);
      const take = (first: number, count: number): Hex => `0x${hex.slice(2 * first, 2 * (first + count))}`;
      yield {
        address: take(0, ADDRESS_BYTES),
        topics: Array.from({ length: topicCount }, (_, i) => take(FIXED_BYTES + i * HASH_BYTES, HASH_BYTES)),
        data: take(FIXED_BYTES + topicCount * HASH_BYTES, dataBytes),
        blockNumber: bytes.readDoubleLE(at),
        blockHash: take(ADDRESS_BYTES, HASH_BYTES),
        logIndex: bytes.readDoubleLE(at + 8),
        transactionHash: take(ADDRESS_BYTES + HASH_BYTES, HASH_BYTES),
        blockTimestamp: Number.isNaN(timestamp) ? undefined : timestamp,
      };
      at = end;
    }
  }
}

/** Returns a negative number when the row at the first place is before the other one in chain order. */
function compareRows(one: RowPlace, other: RowPlace): number {
  const compare = (offset: number) =>
    one.bytes.readDoubleLE(one.at + offset) - other.bytes.readDoubleLE(other.at + offset);
  return compare(0) || compare(8);
}

function endOfRow(bytes: Buffer, at: number): number {
  return at + HEAD_BYTES + FIXED_BYTES + bytes[at + 28]! * HASH_BYTES + bytes.readUInt32LE(at + 24);
}

/** Reads a list of logs of mined blocks at the cursor. Throws `IrregularJson` when the value has another form. */
export function readLogRows(json: JsonCursor): LogRows {
  const rows = new RowBuffer();
  json.enterList();
  while (json.nextItem()) readRow(json, rows);
  return new LogRows(rows.take());
}

function readRow(json: JsonCursor, rows: RowBuffer): void {
  let addressAt: number | undefined;
  let blockHashAt: number | undefined;
  let transactionAt: number | undefined;
  let numberText: string | undefined;
  let indexText: string | undefined;
  let timestampText: string | undefined;
  let data: { readonly at: number; readonly length: number } | undefined;
  const topics: number[] = [];
  let hasTopics = false;
  json.enterObject();
  while (json.nextMember()) {
    if (json.isNamed(ADDRESS)) addressAt = json.takeHex(ADDRESS_BYTES);
    else if (json.isNamed(TOPICS)) {
      if (hasTopics) throw new IrregularJson();
      hasTopics = true;
      json.enterList();
      while (json.nextItem()) topics.push(json.takeHex(HASH_BYTES));
    } else if (json.isNamed(DATA)) data = json.takeHexText();
    else if (json.isNamed(BLOCK_HASH)) blockHashAt = json.takeHex(HASH_BYTES);
    else if (json.isNamed(TRANSACTION_HASH)) transactionAt = json.takeHex(HASH_BYTES);
    else if (json.isNamed(BLOCK_NUMBER)) numberText = json.takeText();
    else if (json.isNamed(LOG_INDEX)) indexText = json.takeText();
    else if (json.isNamed(TIMESTAMP)) timestampText = json.takeText();
    else if (json.isNamed(REMOVED)) requireFalse(json);
    else json.skip();
  }
  const number = parseQuantity(numberText);
  const index = parseQuantity(indexText);
  if (number === undefined || index === undefined || data === undefined || !hasTopics) throw new IrregularJson();
  if (addressAt === undefined || blockHashAt === undefined || transactionAt === undefined) throw new IrregularJson();
  if (topics.length > MAX_TOPICS) throw new IrregularJson();
  const { bytes } = json;
  rows.startRow(number, index, parseQuantity(timestampText) ?? Number.NaN, data.length, topics.length);
  rows.writeHex(bytes, addressAt, ADDRESS_BYTES);
  rows.writeHex(bytes, blockHashAt, HASH_BYTES);
  rows.writeHex(bytes, transactionAt, HASH_BYTES);
  for (const at of topics) rows.writeHex(bytes, at, HASH_BYTES);
  rows.writeHex(bytes, data.at, data.length);
}

/** A log that a reorg removed is left to the general parser, which refuses it. */
function requireFalse(json: JsonCursor): void {
  if (json.takeSlice().toString('latin1') !== 'false') throw new IrregularJson();
}

class RowBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  startRow(number: number, index: number, timestamp: number, dataBytes: number, topicCount: number): void {
    this.#reserve(HEAD_BYTES + FIXED_BYTES + topicCount * HASH_BYTES + dataBytes);
    const bytes = this.#bytes;
    const at = this.#length;
    bytes.writeDoubleLE(number, at);
    bytes.writeDoubleLE(index, at + 8);
    bytes.writeDoubleLE(timestamp, at + 16);
    bytes.writeUInt32LE(dataBytes, at + 24);
    bytes[at + 28] = topicCount;
    this.#length = at + HEAD_BYTES;
  }

  /** Writes `count` bytes from hex digits. Throws `IrregularJson` for anything but digits. */
  writeHex(from: Uint8Array, at: number, count: number): void {
    const to = this.#bytes;
    let end = this.#length;
    let all = 0;
    for (let place = at; place < at + 2 * count; place += 2) {
      const byte = decodeHexByte(from, place);
      all |= byte;
      to[end++] = byte;
    }
    if (all < 0) throw new IrregularJson();
    this.#length = end;
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
