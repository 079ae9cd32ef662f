/**
 * What does the main chain hold about this machine at this block? The second reader, behind `svc replay`: plain calls
 * pinned to one block, every record and every log from the first block on, nothing kept and nothing shared with
 * `src/adapters/main-chain` (interfaces: chain-evm 2.3, 2.4, 2.7; the time of an event: 3.7).
 */
import { encodeCall, encodeWord, hashOf, MalformedAbi, parseBytes, readTuple, topicOf } from './abi.ts';
import { RpcRefusal, type Rpc } from './json-rpc.ts';
import type { RawEvent } from './model.ts';
import { ReplayFailure } from './replay-failure.ts';

export interface ChainLocation {
  /** Checked against the node when given. */
  readonly chainId?: bigint;
  /** No contract had code before it. */
  readonly startBlock: bigint;
  readonly eventRegistry: string;
  readonly machineSubscription: string;
  /** Omitted: no flags and no overrides exist. */
  readonly adminFlags?: string;
}

export interface PinnedBlock {
  readonly number: bigint;
  /** `0x` + 64 hex. */
  readonly hash: string;
}

/** What the main chain holds of every machine, wherever it lives. */
export interface RawMainState {
  /** Unix seconds. */
  readonly blockTimestamp: bigint;
  readonly subscription: string;
  /** Unix seconds, 0 for none. */
  readonly negativeFlagAt: bigint;
  /** Percent. */
  readonly trustOverride: bigint | null;
}

/** Everything that the model takes from the chain, all of one block. */
export interface RawMachine extends RawMainState {
  readonly events: readonly RawEvent[];
  readonly priorEvents: bigint;
}

/** Of a machine that lives on another chain. */
export interface RawAltHomeState extends RawMainState {
  /** Protocol chain ordinal; 0: the main chain has not heard of it. */
  readonly home: bigint;
}

/**
 * Reads one machine. The node must hold exactly the block that is asked for, before the reads and after them.
 * Throws ReplayFailure: `unreachable` when a read is refused or unanswered, `contradictory` when the answers cannot be true.
 */
export function readRawMachine(
  rpc: Rpc,
  location: ChainLocation,
  machineId: bigint,
  block: PinnedBlock,
): Promise<RawMachine> {
  return readPinned(rpc, location, machineId, block, async (call) => {
    const priorEvents = (await call(location.eventRegistry, 'priorEventCount(uint256)', [machineId])).uint(0);
    const records = await readRecords(call, location.eventRegistry, machineId);
    const logs = await readLogs(rpc, location, machineId, block.number);
    return { priorEvents, events: await pair(rpc, records, logs, priorEvents) };
  });
}

/** Reads what the main chain holds of a machine of the alt chain. Throws as `readRawMachine`. */
export function readAltHomeState(
  rpc: Rpc,
  location: ChainLocation & { readonly crossChainMirror: string },
  machineId: bigint,
  block: PinnedBlock,
): Promise<RawAltHomeState> {
  return readPinned(rpc, location, machineId, block, async (call) => ({
    home: (await call(location.crossChainMirror, 'homeChainOf(uint256)', [machineId])).uint(0, 16),
  }));
}

async function readPinned<T extends object>(
  rpc: Rpc,
  location: ChainLocation,
  machineId: bigint,
  block: PinnedBlock,
  readRest: (call: Call) => Promise<T>,
): Promise<RawMainState & T> {
  try {
    if (location.chainId !== undefined) await requireChainId(rpc, location.chainId);
    const header = await requireBlock(rpc, block);

    const call = createCall(rpc, block);
    const status = await call(location.machineSubscription, 'subscriptionStatus(uint256)', [machineId]);
    const subscription = STATUSES[Number(status.uint(0, 8))];
    if (subscription === undefined) throw new MalformedAbi('subscriptionStatus is above 4');
    const flags = await readFlags(call, location.adminFlags, machineId);
    const rest = await readRest(call);

    await requireBlock(rpc, block);
    return { blockTimestamp: header.timestamp, subscription, ...flags, ...rest };
  } catch (error) {
    if (error instanceof MalformedAbi) throw new ReplayFailure('contradictory', `unreadable answer: ${error.message}`);
    if (error instanceof RpcRefusal) throw new ReplayFailure('unreachable', error.message);
    throw error;
  }
}

const STATUSES = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];

// --------------------------------------------------------------------------------------------------- the block, calls

interface Header {
  readonly hash: string;
  readonly timestamp: bigint;
}

async function requireChainId(rpc: Rpc, chainId: bigint): Promise<void> {
  const answer = parseQuantity(await rpc('eth_chainId', []));
  if (answer !== chainId) throw new ReplayFailure('contradictory', `the node serves chain ${answer}, not ${chainId}`);
}

async function requireBlock(rpc: Rpc, block: PinnedBlock): Promise<Header> {
  const header = await readHeader(rpc, block.number);
  if (header === undefined) throw new ReplayFailure('unreachable', `the node does not hold block ${block.number}`);
  if (header.hash !== block.hash.toLowerCase()) {
    throw new ReplayFailure('contradictory', `block ${block.number} is ${header.hash}, the service read ${block.hash}`);
  }
  return header;
}

/** Undefined when the node does not hold the block. */
async function readHeader(rpc: Rpc, number: bigint): Promise<Header | undefined> {
  const answer = await rpc('eth_getBlockByNumber', [formatQuantity(number), false]);
  if (answer === null || answer === undefined) return undefined;
  const header = parseObject(answer);
  if (parseQuantity(header['number']) !== number) throw new MalformedAbi('a header of another block');
  return { hash: parseHash(header['hash']), timestamp: parseQuantity(header['timestamp']) };
}

/** An answer shorter than its type (a contract without code answers nothing) throws MalformedAbi when it is read. */
type Call = (to: string, signature: string, args: readonly bigint[]) => Promise<ReturnType<typeof readTuple>>;

/** Pins by hash: a node that lags or sits on another fork must refuse, it cannot answer for an older block. */
function createCall(rpc: Rpc, block: PinnedBlock): Call {
  return async (to, signature, args) => {
    const answer = await rpc('eth_call', [{ to, data: encodeCall(signature, args) }, { blockHash: block.hash }]);
    return readTuple(parseBytes(answer));
  };
}

async function readFlags(call: Call, adminFlags: string | undefined, machineId: bigint) {
  if (adminFlags === undefined) return { negativeFlagAt: 0n, trustOverride: null };
  const flags = await call(adminFlags, 'flagsOf(uint256)', [machineId]);
  const [flaggedAt, overrideSet, override] = [flags.uint(0, 64), flags.bool(1), flags.uint(2, 8)];
  return { negativeFlagAt: flaggedAt, trustOverride: overrideSet ? override : null };
}

// --------------------------------------------------------------------------------------------------------- records

/** What `getEvents` tells of one event that the rating uses. */
interface EventRecord {
  readonly type: bigint;
  readonly value: bigint;
  readonly timestamp: bigint;
  readonly trust: bigint;
  readonly currencyBytes: Uint8Array;
}

/** All records, oldest first, page by page; a page that the node refuses is halved. */
async function readRecords(call: Call, eventRegistry: string, machineId: bigint): Promise<EventRecord[]> {
  const count = (await call(eventRegistry, 'getEventCount(uint256)', [machineId])).uint(0);
  const records: EventRecord[] = [];
  if (count === 0n) return records;
  let limit = (await call(eventRegistry, 'MAX_QUERY_LIMIT()', [])).uint(0);
  while (BigInt(records.length) < count) {
    const offset = BigInt(records.length);
    const asked = limit < count - offset ? limit : count - offset;
    let page: EventRecord[];
    try {
      const answer = await call(eventRegistry, 'getEvents(uint256,uint256,uint256)', [machineId, offset, asked]);
      page = answer.tuples(0).map((tuple) => parseRecord(tuple, machineId));
    } catch (error) {
      if (!(error instanceof RpcRefusal) || asked <= 1n) throw error;
      limit = asked / 2n;
      continue;
    }
    if (page.length === 0 || BigInt(page.length) > asked) {
      throw new ReplayFailure('contradictory', `${page.length} records instead of ${asked} at ${offset} of ${count}`);
    }
    records.push(...page);
  }
  return records;
}

/** MachineEvent (chain-evm 2): the currency is the last of ten members. */
function parseRecord(tuple: ReturnType<typeof readTuple>, machineId: bigint): EventRecord {
  if (tuple.uint(0) !== machineId) throw new MalformedAbi('a record of another machine');
  return {
    type: tuple.uint(1, 8),
    value: tuple.uint(2),
    timestamp: tuple.uint(3),
    trust: tuple.uint(5, 8),
    currencyBytes: tuple.bytes(9),
  };
}

// ------------------------------------------------------------------------------------------------------------ logs

const EVENT_SUBMITTED = topicOf('EventSubmitted(uint256,uint256,uint8,uint256,string)');
const MACHINE_EVENTS_IMPORTED = topicOf('MachineEventsImported(uint256,uint256)');

interface Log {
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly logIndex: bigint;
  readonly topics: readonly string[];
  readonly data: Uint8Array;
}

/**
 * Every `EventSubmitted` and `MachineEventsImported` of the machine up to the block, in chain order. One window over the
 * whole range first; a window that the node refuses, for whatever reason, is halved, and the smaller size is kept.
 */
async function readLogs(rpc: Rpc, location: ChainLocation, machineId: bigint, lastBlock: bigint): Promise<Log[]> {
  const logs: Log[] = [];
  let from = location.startBlock;
  let size = lastBlock - from + 1n;
  while (from <= lastBlock) {
    const to = from + size - 1n < lastBlock ? from + size - 1n : lastBlock;
    let answer: unknown;
    try {
      answer = await rpc('eth_getLogs', [
        {
          address: location.eventRegistry,
          topics: [[EVENT_SUBMITTED, MACHINE_EVENTS_IMPORTED], encodeWord(machineId)],
          fromBlock: formatQuantity(from),
          toBlock: formatQuantity(to),
        },
      ]);
    } catch (error) {
      if (!(error instanceof RpcRefusal) || to === from) throw error;
      size = (to - from + 1n) / 2n;
      continue;
    }
    if (!Array.isArray(answer)) throw new MalformedAbi('logs are not a list');
    for (const item of answer as unknown[]) {
      const log = parseLog(item, location.eventRegistry, machineId);
      const before = logs.at(-1);
      const inRange = log.blockNumber >= from && log.blockNumber <= to;
      const inOrder =
        before === undefined ||
        log.blockNumber > before.blockNumber ||
        (log.blockNumber === before.blockNumber && log.logIndex > before.logIndex);
      if (!inRange || !inOrder) throw new MalformedAbi('logs out of range or out of order');
      logs.push(log);
    }
    from = to + 1n;
  }
  return logs;
}

function parseLog(item: unknown, address: string, machineId: bigint): Log {
  const log = parseObject(item);
  if (String(log['address']).toLowerCase() !== address.toLowerCase())
    throw new MalformedAbi('a log of another contract');
  if (log['removed'] === true) throw new MalformedAbi('a removed log');
  if (!Array.isArray(log['topics'])) throw new MalformedAbi('topics are not a list');
  const topics = log['topics'].map(parseHash);
  const expectedTopics = topics[0] === EVENT_SUBMITTED ? 4 : topics[0] === MACHINE_EVENTS_IMPORTED ? 2 : 0;
  if (topics.length !== expectedTopics || topics[1] !== encodeWord(machineId)) {
    throw new MalformedAbi('a log that was not asked for');
  }
  return {
    blockNumber: parseQuantity(log['blockNumber']),
    blockHash: parseHash(log['blockHash']),
    logIndex: parseQuantity(log['logIndex']),
    topics,
    data: parseBytes(log['data']),
  };
}

// --------------------------------------------------------------------------------------------------------- pairing

/** The k-th log since the last import belongs to the k-th record; what both say must be equal. */
async function pair(
  rpc: Rpc,
  records: readonly EventRecord[],
  allLogs: readonly Log[],
  priorEvents: bigint,
): Promise<RawEvent[]> {
  const lastImport = allLogs.findLastIndex((log) => log.topics[0] === MACHINE_EVENTS_IMPORTED);
  const logs = allLogs.slice(lastImport + 1);
  if (logs.length !== records.length) {
    throw new ReplayFailure('contradictory', `${records.length} records, but ${logs.length} logs of them`);
  }
  const headers = await readHeaders(rpc, logs);
  return records.map((record, position) => {
    const log = logs[position]!;
    const header = headers.get(log.blockNumber)!;
    const told = readTuple(log.data);
    const agrees =
      log.blockHash === header.hash &&
      told.uint(0, 8) === record.type &&
      told.uint(1) === record.value &&
      log.topics[3] === hashOf(record.currencyBytes) &&
      // With prior events the index may count those too.
      (priorEvents > 0n || log.topics[2] === encodeWord(BigInt(position)));
    if (!agrees) throw new ReplayFailure('contradictory', `record ${position} and its log differ`);
    return {
      seq: BigInt(position),
      type: record.type,
      value: record.value,
      currency: toText(record.currencyBytes),
      timestamp: record.timestamp,
      trust: record.trust,
      blockTimestamp: header.timestamp,
    };
  });
}

/**
 * One character per byte, and no more than are needed to see that it is too long. A sound currency is ASCII or empty;
 * a UTF-8 decoder would drop a byte order mark or repair a broken byte, and could so make a malformed one sound.
 */
const toText = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 64));

const HEADERS_AT_ONCE = 16;

async function readHeaders(rpc: Rpc, logs: readonly Log[]): Promise<Map<bigint, Header>> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const headers = new Map<bigint, Header>();
  for (let at = 0; at < numbers.length; at += HEADERS_AT_ONCE) {
    const some = numbers.slice(at, at + HEADERS_AT_ONCE);
    const answers = await Promise.all(some.map((number) => readHeader(rpc, number)));
    answers.forEach((header, index) => {
      if (header === undefined) throw new ReplayFailure('contradictory', `a log of block ${some[index]}, but no block`);
      headers.set(some[index]!, header);
    });
  }
  return headers;
}

// ---------------------------------------------------------------------------------------------------- JSON-RPC values

const formatQuantity = (value: bigint): string => `0x${value.toString(16)}`;

function parseQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new MalformedAbi('not a quantity');
  return BigInt(value);
}

function parseHash(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw new MalformedAbi('not a 32-byte word');
  return value.toLowerCase();
}

function parseObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new MalformedAbi('not an object');
  return value as Readonly<Record<string, unknown>>;
}
