/**
 * Main-chain reader of `svc replay`, independent of `src/adapters/main-chain`: plain calls pinned to one block, every record and
 * every log from the first block, without caches (interfaces: chain-evm 2.1, 2.3, 2.4, 2.7, 2.8; the time of an event: 3.7).
 */
import { encodeCall, encodeWord, hashOf, MalformedAbi, parseBytes, readTuple, topicOf } from './abi.ts';
import { RpcRefusal, type Rpc } from './json-rpc.ts';
import type { RawEvent } from './model/raw-events.ts';
import type { CitingRecord, ClaimEnd } from './payout-claims.ts';
import { ReplayFailure } from './replay-failure.ts';

export interface ChainLocation {
  /** Compared with that of the node when given. */
  readonly chainId?: bigint;
  /** The first block at which a contract had code. */
  readonly startBlock: bigint;
  readonly eventRegistry: string;
  readonly machineRegistry: string;
  readonly machineSubscription: string;
  /** Undefined: there are no flags and no overrides. */
  readonly adminFlags?: string;
  /** Undefined: no event is attested, and no operator is verified. */
  readonly attestationRegistry?: string;
}

export interface PinnedBlock {
  readonly number: bigint;
  /** `0x` + 64 hex. */
  readonly hash: string;
}

/** Main-chain state of a machine, whatever its home. */
export interface RawMainState {
  /** Unix seconds. */
  readonly blockTimestamp: bigint;
  readonly subscription: string;
  /** Unix seconds, 0 for none. */
  readonly negativeFlagAt: bigint;
  /** Percent. */
  readonly trustOverride: bigint | null;
}

/** All inputs of the model from the chain, at one block. */
export interface RawMachine extends RawMainState {
  readonly events: readonly RawEvent[];
  readonly priorEvents: bigint;
  /** The changes of hands, each as the number of events before it. */
  readonly hands: readonly bigint[];
  /** Unix seconds of the block of the newest change of hands. */
  readonly changedHandsAt: bigint | null;
  /** Unix seconds at which the chip record in force was issued; null: there is none. */
  readonly chipIssuedAt: bigint | null;
  /** No change of hands, or a controller update in a later transaction than the newest. */
  readonly accepted: boolean;
  /** Undefined: the operator has none. */
  readonly kyb: KybRecord | undefined;
  /** What the events hold of payments, in order. */
  readonly citing: readonly CitingRecord[];
  /** Changes of hands and burns. */
  readonly claimEnds: readonly ClaimEnd[];
}

/** Unix seconds. */
export interface KybRecord {
  /** 0: never. */
  readonly expiresAt: bigint;
  /** 0: not revoked. */
  readonly revokedAt: bigint;
}

/** Main-chain state of a machine that is homed on another chain. */
export interface RawAltHomeState extends RawMainState {
  /** Protocol chain ordinal; 0: not recorded on the main chain. */
  readonly home: bigint;
}

/**
 * Reads one machine at a block, which the node must have before and after the reads. Throws `ReplayFailure`: `unreachable` when a read
 * is refused or gets no response, `contradictory` when the responses contradict each other.
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
    const logs = await readAllLogs(rpc, location, machineId, block.number);
    return {
      priorEvents,
      ...(await judgeLogs(rpc, records, logs, priorEvents)),
      kyb: await readKyb(call, location, machineId),
    };
  });
}

/** Lists the ids of all machines that were ever minted, up to a block. Throws as `readRawMachine`. */
export async function listMainMachines(rpc: Rpc, location: ChainLocation, block: PinnedBlock): Promise<bigint[]> {
  return withFailures(async () => {
    const minted: LogFilter = { address: location.machineRegistry, topics: [[TRANSFER], encodeWord(0n)] };
    const logs = await readLogs(rpc, minted, location.startBlock, block.number);
    return [...new Set(logs.map(({ topics }) => BigInt(topics[3]!)))];
  });
}

/** Reads what the events of a machine hold of payments, at a block. Throws as `readRawMachine`. */
export async function readCitingRecords(
  rpc: Rpc,
  location: ChainLocation,
  machineId: bigint,
  block: PinnedBlock,
): Promise<Pick<RawMachine, 'citing' | 'claimEnds'>> {
  return withFailures(async () => {
    const call = createCall(rpc, block);
    const records = await readRecords(call, location.eventRegistry, machineId);
    if (records.length === 0) return { citing: [], claimEnds: [] };
    const priorEvents = (await call(location.eventRegistry, 'priorEventCount(uint256)', [machineId])).uint(0);
    const logs = await readAllLogs(rpc, location, machineId, block.number);
    return judgeLogs(rpc, records, logs, priorEvents);
  });
}

/** Reads the main-chain state of a machine of the alt chain. Throws as `readRawMachine`. */
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

/** Who could decide about a machine of the main chain. */
export interface RawAuthority {
  /** `0x` + 40 hex, lower case. */
  readonly owner: string;
  /** The owner where no controller is set. */
  readonly controller: string;
}

/** Unix seconds of a block, and of the next one, if there is one. */
export interface RawBlockTimes {
  readonly timestamp: bigint;
  readonly nextTimestamp: bigint | undefined;
}

/** Reads who could decide at a block. Throws as `readRawMachine`; `contradictory` also for a machine without a token. */
export function readRawAuthority(
  rpc: Rpc,
  { chainId, machineRegistry }: Pick<ChainLocation, 'chainId' | 'machineRegistry'>,
  machineId: bigint,
  block: PinnedBlock,
): Promise<RawAuthority> {
  return withFailures(async () => {
    if (chainId !== undefined) await requireChainId(rpc, chainId);
    const call = createCall(rpc, block);
    const owner = toAddress((await call(machineRegistry, 'ownerOf(uint256)', [machineId])).uint(0, 160));
    const controller = (await call(machineRegistry, 'controllerOf(uint256)', [machineId])).uint(0, 160);
    return { owner, controller: controller === 0n ? owner : toAddress(controller) };
  });
}

/** Reads the times of a block, which the chain must have. Throws as `readRawMachine`. */
export function readRawBlockTimes(
  rpc: Rpc,
  { chainId }: Pick<ChainLocation, 'chainId'>,
  block: PinnedBlock,
): Promise<RawBlockTimes> {
  return withFailures(async () => {
    if (chainId !== undefined) await requireChainId(rpc, chainId);
    const { timestamp } = await requireBlock(rpc, block);
    return { timestamp, nextTimestamp: (await readHeader(rpc, block.number + 1n))?.timestamp };
  });
}

function toAddress(value: bigint): string {
  return `0x${value.toString(16).padStart(40, '0')}`;
}

async function readPinned<T extends object>(
  rpc: Rpc,
  location: ChainLocation,
  machineId: bigint,
  block: PinnedBlock,
  readRest: (call: Call) => Promise<T>,
): Promise<RawMainState & T> {
  return withFailures(async () => {
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
  });
}

async function withFailures<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof MalformedAbi) throw new ReplayFailure('contradictory', `malformed response: ${error.message}`);
    if (error instanceof RpcRefusal) throw new ReplayFailure('unreachable', error.message);
    throw error;
  }
}

const STATUSES = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];

// --------------------------------------------------------------------------------------------------- block and calls

interface Header {
  readonly hash: string;
  readonly timestamp: bigint;
}

async function requireChainId(rpc: Rpc, chainId: bigint): Promise<void> {
  const served = parseQuantity(await rpc('eth_chainId', []));
  if (served !== chainId) throw new ReplayFailure('contradictory', `the node serves chain ${served}, not ${chainId}`);
}

async function requireBlock(rpc: Rpc, block: PinnedBlock): Promise<Header> {
  const header = await readHeader(rpc, block.number);
  if (header === undefined) throw new ReplayFailure('unreachable', `the node does not have block ${block.number}`);
  if (header.hash !== block.hash.toLowerCase()) {
    throw new ReplayFailure(
      'contradictory',
      `block ${block.number} is ${header.hash}, but the service read ${block.hash}`,
    );
  }
  return header;
}

/** Returns undefined when the node does not have the block. */
async function readHeader(rpc: Rpc, number: bigint): Promise<Header | undefined> {
  const result = await rpc('eth_getBlockByNumber', [formatQuantity(number), false]);
  if (result === null || result === undefined) return undefined;
  const header = parseObject(result);
  if (parseQuantity(header['number']) !== number) throw new MalformedAbi('a header of another block');
  return { hash: parseHash(header['hash']), timestamp: parseQuantity(header['timestamp']) };
}

/** Data shorter than its type (empty for a contract without code) throws `MalformedAbi` when it is read. */
type Call = (to: string, signature: string, args: readonly bigint[]) => Promise<ReturnType<typeof readTuple>>;

/** Pins calls by block hash: a node that lags or is on another fork must refuse. */
function createCall(rpc: Rpc, block: PinnedBlock): Call {
  return async (to, signature, args) => {
    const result = await rpc('eth_call', [{ to, data: encodeCall(signature, args) }, { blockHash: block.hash }]);
    return readTuple(parseBytes(result));
  };
}

async function readFlags(call: Call, adminFlags: string | undefined, machineId: bigint) {
  if (adminFlags === undefined) return { negativeFlagAt: 0n, trustOverride: null };
  const flags = await call(adminFlags, 'flagsOf(uint256)', [machineId]);
  const [flaggedAt, overrideSet, override] = [flags.uint(0, 64), flags.bool(1), flags.uint(2, 8)];
  return { negativeFlagAt: flaggedAt, trustOverride: overrideSet ? override : null };
}

async function readKyb(call: Call, location: ChainLocation, machineId: bigint): Promise<KybRecord | undefined> {
  if (location.attestationRegistry === undefined) return undefined;
  const named = (await call(location.machineRegistry, 'operatorOf(uint256)', [machineId])).uint(0, 160);
  const operator =
    named === 0n ? (await call(location.machineRegistry, 'ownerOf(uint256)', [machineId])).uint(0, 160) : named;
  const record = await call(location.attestationRegistry, 'kybOf(address)', [operator]);
  const [issuedAt, expiresAt, revokedAt] = [record.uint(0, 64), record.uint(1, 64), record.uint(2, 64)];
  return issuedAt === 0n ? undefined : { expiresAt, revokedAt };
}

// --------------------------------------------------------------------------------------------------------- records

/** Members of one event in `getEvents` that the rating uses. */
interface EventRecord {
  readonly type: bigint;
  readonly value: bigint;
  readonly timestamp: bigint;
  readonly trust: bigint;
  readonly sourceChainId: bigint;
  readonly sourceTxHash: string;
  readonly metadata: Uint8Array;
  readonly currencyBytes: Uint8Array;
}

/** Reads all records, oldest first, page by page; halves a page that the node refuses. */
async function readRecords(call: Call, eventRegistry: string, machineId: bigint): Promise<EventRecord[]> {
  const count = (await call(eventRegistry, 'getEventCount(uint256)', [machineId])).uint(0);
  const records: EventRecord[] = [];
  if (count === 0n) return records;
  let limit = (await call(eventRegistry, 'MAX_QUERY_LIMIT()', [])).uint(0);
  while (BigInt(records.length) < count) {
    const offset = BigInt(records.length);
    const requested = limit < count - offset ? limit : count - offset;
    let page: EventRecord[];
    try {
      const result = await call(eventRegistry, 'getEvents(uint256,uint256,uint256)', [machineId, offset, requested]);
      page = result.tuples(0).map((tuple) => parseRecord(tuple, machineId));
    } catch (error) {
      if (!(error instanceof RpcRefusal) || requested <= 1n) throw error;
      limit = requested / 2n;
      continue;
    }
    if (page.length === 0 || BigInt(page.length) > requested) {
      throw new ReplayFailure(
        'contradictory',
        `${page.length} records instead of ${requested} at ${offset} of ${count}`,
      );
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
    sourceChainId: tuple.uint(6),
    sourceTxHash: encodeWord(tuple.uint(7)),
    metadata: tuple.bytes(8),
    currencyBytes: tuple.bytes(9),
  };
}

// ------------------------------------------------------------------------------------------------------------ logs

const EVENT_SUBMITTED = topicOf('EventSubmitted(uint256,uint256,uint8,uint256,string)');
const MACHINE_EVENTS_IMPORTED = topicOf('MachineEventsImported(uint256,uint256)');
const TRANSFER = topicOf('Transfer(address,address,uint256)');
const CONTROLLER_UPDATED = topicOf('ControllerUpdated(uint256,address,address)');
const CHIP_ATTESTED = topicOf('ChipAttested(uint256,uint64,uint64,bytes32)');
const CHIP_REVOKED = topicOf('ChipRevoked(uint256,uint64)');

/** Number of topics of each log. */
const TOPIC_COUNTS: ReadonlyMap<string | undefined, number> = new Map([
  [EVENT_SUBMITTED, 4],
  [MACHINE_EVENTS_IMPORTED, 2],
  [TRANSFER, 4],
  [CONTROLLER_UPDATED, 4],
  [CHIP_ATTESTED, 2],
  [CHIP_REVOKED, 2],
]);

interface Log {
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly logIndex: bigint;
  readonly transactionHash: string;
  readonly topics: readonly string[];
  readonly data: Uint8Array;
}

/** Logs of one contract, by topics; null accepts any. */
interface LogFilter {
  readonly address: string;
  readonly topics: readonly (string | readonly string[] | null)[];
}

/** Reads every log of the machine that the rating depends on, up to the block, in chain order. */
async function readAllLogs(
  rpc: Rpc,
  { startBlock, eventRegistry, machineRegistry, attestationRegistry }: ChainLocation,
  machineId: bigint,
  lastBlock: bigint,
): Promise<Log[]> {
  const id = encodeWord(machineId);
  const filters: LogFilter[] = [
    { address: eventRegistry, topics: [[EVENT_SUBMITTED, MACHINE_EVENTS_IMPORTED], id] },
    { address: machineRegistry, topics: [[TRANSFER], null, null, id] },
    { address: machineRegistry, topics: [[CONTROLLER_UPDATED], id] },
  ];
  if (attestationRegistry !== undefined) {
    filters.push({ address: attestationRegistry, topics: [[CHIP_ATTESTED, CHIP_REVOKED], id] });
  }
  const logs: Log[] = [];
  for (const filter of filters) logs.push(...(await readLogs(rpc, filter, startBlock, lastBlock)));
  return logs.sort(compareLogs);
}

const compareLogs = (a: Log, b: Log): number =>
  a.blockNumber === b.blockNumber ? Number(a.logIndex - b.logIndex) : Number(a.blockNumber - b.blockNumber);

/**
 * Reads the logs up to the block, in chain order. Starts with one window over the whole range; halves a window that the node refuses,
 * for any reason, and continues with the smaller size.
 */
async function readLogs(rpc: Rpc, filter: LogFilter, startBlock: bigint, lastBlock: bigint): Promise<Log[]> {
  const logs: Log[] = [];
  let from = startBlock;
  let size = lastBlock - from + 1n;
  while (from <= lastBlock) {
    const to = from + size - 1n < lastBlock ? from + size - 1n : lastBlock;
    let result: unknown;
    try {
      result = await rpc('eth_getLogs', [
        {
          ...filter,
          fromBlock: formatQuantity(from),
          toBlock: formatQuantity(to),
        },
      ]);
    } catch (error) {
      if (!(error instanceof RpcRefusal) || to === from) throw error;
      size = (to - from + 1n) / 2n;
      continue;
    }
    if (!Array.isArray(result)) throw new MalformedAbi('logs are not an array');
    for (const item of result as unknown[]) {
      const log = parseLog(item, filter);
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

function parseLog(item: unknown, filter: LogFilter): Log {
  const log = parseObject(item);
  if (String(log['address']).toLowerCase() !== filter.address.toLowerCase())
    throw new MalformedAbi('a log of another contract');
  if (log['removed'] === true) throw new MalformedAbi('a removed log');
  if (!Array.isArray(log['topics'])) throw new MalformedAbi('topics are not an array');
  const topics = log['topics'].map(parseHash);
  const isRequested = filter.topics.every((topic, at) => topic === null || [topic].flat().includes(topics[at]!));
  if (topics.length !== TOPIC_COUNTS.get(topics[0]) || !isRequested) {
    throw new MalformedAbi('a log that was not requested');
  }
  return {
    blockNumber: parseQuantity(log['blockNumber']),
    blockHash: parseHash(log['blockHash']),
    logIndex: parseQuantity(log['logIndex']),
    transactionHash: parseHash(log['transactionHash']),
    topics,
    data: parseBytes(log['data']),
  };
}

// --------------------------------------------------------------------------------------------------------- pairing

/** Pairs records with their logs, and judges the evidence for each by the logs before it. */
async function judgeLogs(
  rpc: Rpc,
  records: readonly EventRecord[],
  logs: readonly Log[],
  priorEvents: bigint,
): Promise<
  Pick<RawMachine, 'events' | 'citing' | 'claimEnds' | 'hands' | 'changedHandsAt' | 'chipIssuedAt' | 'accepted'>
> {
  const changes = findChangesOfHands(logs);
  const newest = changes.at(-1);
  const lastImport = logs.findLastIndex((log) => log.topics[0] === MACHINE_EVENTS_IMPORTED);
  const countBefore = (at: Log) =>
    logs.filter((log, index) => index > lastImport && log.topics[0] === EVENT_SUBMITTED && compareLogs(log, at) < 0)
      .length;
  const ends = findClaimEnds(logs);
  const endHeaders = await readHeaders(rpc, ends);
  return {
    ...(await pair(rpc, records, logs, priorEvents)),
    claimEnds: ends.map((end) => ({
      before: BigInt(countBefore(end)),
      at: endHeaders.get(end.blockNumber)!.timestamp,
    })),
    hands: changes.map((change) => BigInt(countBefore(change))),
    changedHandsAt: newest === undefined ? null : (await readHeaders(rpc, [newest])).get(newest.blockNumber)!.timestamp,
    chipIssuedAt: findChipIssue(logs),
    accepted: newest === undefined || logs.some((log) => accepts(log, newest)),
  };
}

/** Returns the transfers to another owner than the transfer before; burns are passed over. */
function findChangesOfHands(logs: readonly Log[]): Log[] {
  const transfers = logs.filter(({ topics }) => topics[0] === TRANSFER && topics[2] !== encodeWord(0n));
  return transfers.filter(({ topics }, at) => at > 0 && topics[2] !== transfers[at - 1]!.topics[2]);
}

/** Returns the changes of hands and the burns. */
function findClaimEnds(logs: readonly Log[]): Log[] {
  const changes = new Set(findChangesOfHands(logs));
  return logs.filter((log) => changes.has(log) || (log.topics[0] === TRANSFER && log.topics[2] === encodeWord(0n)));
}

/** Returns the owner at each log, in lower case; the zero address before the first mint and after a burn. */
function followOwner(logs: readonly Log[]): ReadonlyMap<Log, string> {
  let owner = `0x${'0'.repeat(40)}`;
  return new Map(
    logs.map((log) => {
      if (log.topics[0] === TRANSFER) owner = `0x${log.topics[2]!.slice(-40)}`;
      return [log, owner];
    }),
  );
}

const accepts = (log: Log, change: Log): boolean =>
  log.topics[0] === CONTROLLER_UPDATED &&
  compareLogs(log, change) > 0 &&
  log.transactionHash !== change.transactionHash;

/** Returns the expiry of the chip record at each log, 0 for never; undefined: there is none, or it is revoked. */
function followChip(logs: readonly Log[]): ReadonlyMap<Log, bigint | undefined> {
  let expiresAt: bigint | undefined;
  return new Map(
    logs.map((log) => {
      if (log.topics[0] === CHIP_ATTESTED) expiresAt = readTuple(log.data).uint(1, 64);
      if (log.topics[0] === CHIP_REVOKED) expiresAt = undefined;
      return [log, expiresAt];
    }),
  );
}

/** Returns when the newest chip record was issued; null: there is none, or it is revoked. */
function findChipIssue(logs: readonly Log[]): bigint | null {
  const newest = logs.findLast(({ topics }) => topics[0] === CHIP_ATTESTED || topics[0] === CHIP_REVOKED);
  return newest?.topics[0] === CHIP_ATTESTED ? readTuple(newest.data).uint(0, 64) : null;
}

/** Pairs the k-th log since the last import with the k-th record; their common members must be equal. */
async function pair(
  rpc: Rpc,
  records: readonly EventRecord[],
  all: readonly Log[],
  priorEvents: bigint,
): Promise<Pick<RawMachine, 'events' | 'citing'>> {
  const allLogs = all.filter(({ topics }) => topics[0] === EVENT_SUBMITTED || topics[0] === MACHINE_EVENTS_IMPORTED);
  const lastImport = allLogs.findLastIndex((log) => log.topics[0] === MACHINE_EVENTS_IMPORTED);
  const logs = allLogs.slice(lastImport + 1);
  if (logs.length !== records.length) {
    throw new ReplayFailure('contradictory', `${records.length} records but ${logs.length} logs`);
  }
  const headers = await readHeaders(rpc, logs);
  const [chip, owners] = [followChip(all), followOwner(all)];
  const citing: CitingRecord[] = [];
  const events = records.map((record, position): RawEvent => {
    const log = logs[position]!;
    const expiresAt = chip.get(log);
    const header = headers.get(log.blockNumber)!;
    const logged = readTuple(log.data);
    const agrees =
      log.blockHash === header.hash &&
      logged.uint(0, 8) === record.type &&
      logged.uint(1) === record.value &&
      log.topics[3] === hashOf(record.currencyBytes) &&
      // With prior events the index may include those.
      (priorEvents > 0n || log.topics[2] === encodeWord(BigInt(position)));
    if (!agrees) throw new ReplayFailure('contradictory', `record ${position} and its log differ`);
    const { trust, sourceChainId, sourceTxHash, metadata } = record;
    citing.push({
      ...{ seq: BigInt(position), trust, sourceChainId, sourceTxHash, metadata },
      ...{ blockTimestamp: header.timestamp, place: [log.blockNumber, log.logIndex], owner: owners.get(log)! },
    });
    return {
      seq: BigInt(position),
      type: record.type,
      value: record.value,
      currency: toText(record.currencyBytes),
      timestamp: record.timestamp,
      trust: record.trust,
      blockTimestamp: header.timestamp,
      attested: record.trust === 2n && expiresAt !== undefined && (expiresAt === 0n || expiresAt > header.timestamp),
      paidCents: 0n,
    };
  });
  return { events, citing };
}

/**
 * Converts each byte to one character, up to a length that is certainly malformed. A sound currency is ASCII or empty; a UTF-8 decoder
 * would drop a byte order mark or replace an invalid byte, and could make a malformed currency sound.
 */
const toText = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 64));

const CONCURRENT_HEADERS = 16;

async function readHeaders(rpc: Rpc, logs: readonly Log[]): Promise<Map<bigint, Header>> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const headers = new Map<bigint, Header>();
  for (let at = 0; at < numbers.length; at += CONCURRENT_HEADERS) {
    const batch = numbers.slice(at, at + CONCURRENT_HEADERS);
    const results = await Promise.all(batch.map((number) => readHeader(rpc, number)));
    results.forEach((header, index) => {
      if (header === undefined)
        throw new ReplayFailure('contradictory', `a log of block ${batch[index]!}, but no such block`);
      headers.set(batch[index]!, header);
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
