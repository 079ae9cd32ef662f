/**
 * Alt-chain reader of `svc replay`, independent of `src/adapters/alt-chain`: reads every transaction that names the machine's event log
 * and verifies the result against the count and the last record in the log's account (chain-svm 3.4 to 3.7, 5 and 6).
 */
import {
  readEventOperations,
  readRecord,
  type AltRecord,
  type EventOperation,
  type LogOf,
} from './event-operations.ts';
import { RpcRefusal, type Rpc } from './json-rpc.ts';
import type { RawEvent } from './model/raw-events.ts';
import { carriesProof, type CitingRecord, type Place } from './payout-claims.ts';
import { ReplayFailure } from './replay-failure.ts';
import { parseList, parseObject, parseSlot, parseText } from './solana-responses.ts';
import { deriveAddress, formatBase58, MalformedSolana, readBorsh, toWord } from './solana-bytes.ts';

export interface AltLocation {
  readonly genesisHash: string;
  readonly machineRegistry: string;
  readonly eventRegistry: string;
}

/** All inputs of the model from the alt chain. */
export interface RawAltLog {
  /** Protocol chain ordinal. */
  readonly ordinal: bigint;
  readonly events: readonly RawEvent[];
  /** What the events hold of payments, in order. */
  readonly citing: readonly CitingRecord[];
  /** Owner of the machine account, base58. */
  readonly owner: string;
  readonly priorEvents: bigint;
}

/**
 * Reads the log as of `slot`, by default the newest. The whole current log must match its account. Throws `ReplayFailure`: `unreachable` when a read is refused
 * or the node lacks part of the log, `contradictory` when the responses contradict each other.
 */
export async function readRawAltLog(
  rpc: Rpc,
  location: AltLocation,
  machineId: bigint,
  slot: number | undefined,
  wait: (milliseconds: number) => Promise<void>,
): Promise<RawAltLog> {
  try {
    if ((await rpc('getGenesisHash', [])) !== location.genesisHash) {
      throw new ReplayFailure('contradictory', 'the node serves another alt chain than the configured one');
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readOnce(rpc, location, machineId, slot);
      } catch (error) {
        if (!(error instanceof NotYet) || attempt === ATTEMPTS) throw error;
      }
      await wait(1000 * 2 ** attempt);
    }
  } catch (error) {
    throw toFailure(error);
  }
}

/** Lists the ids of all machines with an event log. Throws `ReplayFailure`. */
export async function listAltMachines(rpc: Rpc, { eventRegistry }: AltLocation): Promise<bigint[]> {
  const filters = [{ memcmp: { offset: 0, bytes: formatBase58(Buffer.from(EVENT_LOG, 'hex')) } }];
  const options = { encoding: 'base64', commitment: 'finalized', filters, dataSlice: { offset: 8, length: 32 } };
  try {
    return parseList(await rpc('getProgramAccounts', [eventRegistry, options])).map((row) => {
      const data = Buffer.from(parseText(parseList(parseObject(parseObject(row)['account'])['data'])[0]), 'base64');
      if (data.length !== 32) throw new MalformedSolana('an account of another kind');
      return BigInt(`0x${data.toString('hex')}`);
    });
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  if (error instanceof MalformedSolana)
    return new ReplayFailure('contradictory', `malformed response: ${error.message}`);
  return error instanceof RpcRefusal ? new ReplayFailure('unreachable', error.message) : error;
}

/** Nodes behind a load balancer are some slots apart: an account and its transactions may differ for seconds. */
class NotYet extends ReplayFailure {}

const ATTEMPTS = 4;

async function readOnce(
  rpc: Rpc,
  { machineRegistry, eventRegistry }: AltLocation,
  machineId: bigint,
  slot: number | undefined,
): Promise<RawAltLog> {
  const word = toWord(machineId);
  const log: LogOf = { machineId, eventRegistry, logAddress: deriveAddress(eventRegistry, 'MachineEventLog', word) };
  const machineAddress = deriveAddress(machineRegistry, 'Machine', word);
  const keys = [machineAddress, log.logAddress, deriveAddress(machineRegistry, 'MachineRegistry')];
  const response = parseObject(
    await rpc('getMultipleAccounts', [keys, { encoding: 'base64', commitment: 'finalized' }]),
  );
  const seenAt = parseSlot(parseObject(response['context'])['slot']);
  if (slot !== undefined && seenAt < slot)
    throw new NotYet('unreachable', `the node is at slot ${seenAt}, but the service read ${slot}`);
  const [machine, shown, registry] = parseList(response['value']);

  const owner = readOwner(readAccount(machine, machineRegistry, MACHINE), word);
  const ordinal = readOrdinal(readAccount(registry, machineRegistry, REGISTRY));
  const account = readLogAccount(readAccount(shown, eventRegistry, EVENT_LOG), word);

  const operations = (await readOperations(rpc, log)).filter((operation) => operation.slot <= seenAt);
  const now = applyAll(operations);
  if (now.records.length < account.count) {
    const found = `${now.records.length} of ${account.count} events`;
    throw new NotYet('unreachable', `the node returns ${found}; a replay requires a node with the whole history`);
  }
  const isProven =
    BigInt(now.records.length) === account.count &&
    now.prior === account.prior &&
    now.records.at(-1)?.record.hex === account.lastRecord;
  if (!isProven) throw new NotYet('contradictory', 'the event log and the transactions that wrote it differ');

  const then = applyAll(operations.filter((operation) => operation.slot <= (slot ?? seenAt)));
  const events = await toEvents(rpc, then.records);
  const citing: CitingRecord[] = [];
  for (const [position, found] of then.records.entries()) {
    const { trust, sourceChainId, sourceTxHash, metadata } = found.record;
    const { seq, blockTimestamp } = events[position]!;
    // The order in the slot decides between the claims of two machines.
    const place = carriesProof(metadata) ? await readPlace(rpc, found) : ([BigInt(found.slot), 0n] as const);
    citing.push({ seq, blockTimestamp, place, trust, sourceChainId, sourceTxHash, metadata, owner: null });
  }
  return { ordinal, owner, priorEvents: then.prior, events, citing };
}

// -------------------------------------------------------------------------------------------------------- accounts

const MACHINE = '1966160d3af38a4f';
const REGISTRY = '2fae6ef6b8b6fcda';
const EVENT_LOG = '7a8ada9cb47241f8';
const SYSTEM_PROGRAM = '1'.repeat(32);

/** Returns the data after the discriminator; undefined: no account, or only a balance at its address. */
function readAccount(value: unknown, program: string, discriminator: string): Uint8Array | undefined {
  if (value === null) return undefined;
  const { owner, executable, data } = parseObject(value);
  const bytes = Buffer.from(parseText(parseList(data)[0]), 'base64');
  if (owner === SYSTEM_PROGRAM && bytes.length === 0) return undefined;
  if (owner !== program || executable === true) throw new MalformedSolana('an account of another program');
  if (bytes.subarray(0, 8).toString('hex') !== discriminator) throw new MalformedSolana('an account of another kind');
  return bytes.subarray(8);
}

function readOwner(data: Uint8Array | undefined, word: Uint8Array): string {
  if (data === undefined) throw new ReplayFailure('contradictory', 'the alt chain has no such machine');
  if (!Buffer.from(data.subarray(0, 32)).equals(word)) throw new MalformedSolana('an account of another machine');
  return formatBase58(readBorsh(data.subarray(32)).take(32));
}

function readOrdinal(data: Uint8Array | undefined): bigint {
  if (data === undefined) throw new MalformedSolana('no registry of machines');
  const reader = readBorsh(data);
  reader.take(32 + 32);
  return reader.uint(2);
}

interface LogAccount {
  readonly count: bigint;
  readonly prior: bigint;
  /** In hex; undefined: the log is empty. */
  readonly lastRecord: string | undefined;
}

/** Parses the account; without one the log is empty. Data after the last record is left over from longer records. */
function readLogAccount(data: Uint8Array | undefined, word: Uint8Array): LogAccount {
  if (data === undefined) return { count: 0n, prior: 0n, lastRecord: undefined };
  const reader = readBorsh(data);
  if (!Buffer.from(reader.take(32)).equals(word)) throw new MalformedSolana('an account of another machine');
  const [count, prior] = [reader.uint(8), reader.uint(8)];
  return { count, prior, lastRecord: reader.option(() => readRecord(reader))?.hex };
}

// ---------------------------------------------------------------------------------------------------- transactions

interface Row {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; undefined: not in the list. */
  readonly blockTime: bigint | undefined;
}

type Placed<T> = T & Row & { readonly order: number };

const PAGE = 1000;
const CONCURRENT_TRANSACTIONS = 8;
/** More than a transaction executes. */
const MAX_INSTRUCTIONS = 65_536n;

/** Reads every operation of the log, in order of execution. */
async function readOperations(rpc: Rpc, log: LogOf): Promise<Placed<EventOperation>[]> {
  const rows = await inChainOrder(rpc, await listRows(rpc, log.logAddress));
  const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const operations: Placed<EventOperation>[] = [];
  for (let at = 0; at < rows.length; at += CONCURRENT_TRANSACTIONS) {
    const batch = rows.slice(at, at + CONCURRENT_TRANSACTIONS);
    const responses = await Promise.all(batch.map(({ signature }) => rpc('getTransaction', [signature, options])));
    responses.forEach((response, index) => {
      const { signature, slot, blockTime } = batch[index]!;
      if (response === null) throw new NotYet('unreachable', 'the node lists a transaction that it does not have');
      if (parseObject(response)['slot'] !== slot) throw new MalformedSolana('a transaction of another slot');
      for (const operation of readEventOperations(response, signature, log)) {
        operations.push({ ...operation, signature, slot, blockTime });
      }
    });
  }
  return operations;
}

/** Lists all successful transactions that name the address, newest first. Only an empty page ends the list. */
async function listRows(rpc: Rpc, address: string): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const seen = new Set<string>();
  for (let before: string | undefined; ;) {
    const options = { limit: PAGE, commitment: 'finalized', ...(before !== undefined && { before }) };
    const page = parseList(await rpc('getSignaturesForAddress', [address, options])).map(parseObject);
    if (page.length === 0) return [...rows.values()];
    const seenBefore = seen.size;
    for (const { signature, slot, err, blockTime } of page) {
      before = parseText(signature);
      seen.add(before);
      if (err !== null) continue;
      rows.set(before, { signature: before, slot: parseSlot(slot), blockTime: parseTime(blockTime) });
    }
    if (seen.size === seenBefore) throw new MalformedSolana('a list of transactions without an end');
  }
}

/** Sorts oldest first. Lists guarantee no order within a slot, so the block decides when a slot has several. */
async function inChainOrder(rpc: Rpc, rows: readonly Row[]): Promise<Row[]> {
  const bySlot = [...Map.groupBy(rows, ({ slot }) => slot)].sort(([a], [b]) => a - b);
  const ordered: Row[] = [];
  for (const [slot, ofSlot] of bySlot) {
    const places = ofSlot.length === 1 ? undefined : await readPlaces(rpc, slot);
    const placeOf = ({ signature }: Row): number => {
      return places === undefined ? 0 : findPlace(places, signature);
    };
    ordered.push(...[...ofSlot].sort((a, b) => placeOf(a) - placeOf(b)));
  }
  return ordered;
}

function findPlace(places: readonly unknown[], signature: string): number {
  const place = places.indexOf(signature);
  if (place === -1) throw new MalformedSolana('a transaction that is not in its block');
  return place;
}

async function readPlace(rpc: Rpc, { signature, slot, order }: Placed<object>): Promise<Place> {
  const place = findPlace(await readPlaces(rpc, slot), signature);
  return [BigInt(slot), BigInt(place) * MAX_INSTRUCTIONS + BigInt(order)];
}

async function readPlaces(rpc: Rpc, slot: number): Promise<readonly unknown[]> {
  const options = {
    transactionDetails: 'signatures',
    rewards: false,
    commitment: 'finalized',
    maxSupportedTransactionVersion: 0,
  };
  return parseList(parseObject(await rpc('getBlock', [slot, options]))['signatures']);
}

function parseTime(value: unknown): bigint | undefined {
  if (value === null || value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new MalformedSolana('not a time');
  return BigInt(value as number);
}

// ----------------------------------------------------------------------------------------------------------- events

interface Log {
  readonly records: readonly Placed<{ readonly record: AltRecord }>[];
  readonly prior: bigint;
}

/** Applies all operations in order. After a close the log is empty again. */
function applyAll(operations: readonly Placed<EventOperation>[]): Log {
  let records: Placed<{ readonly record: AltRecord }>[] = [];
  let prior = 0n;
  for (const operation of operations) {
    if (operation.kind === 'closed') {
      records = [];
      prior = 0n;
      continue;
    }
    const { record, signature, slot, blockTime, order } = operation;
    if (operation.kind === 'carried') prior = operation.prior;
    if (record !== undefined) records.push({ record, signature, slot, blockTime, order });
  }
  return { records, prior };
}

async function toEvents(rpc: Rpc, records: Log['records']): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for (const [position, { record, slot, blockTime }] of records.entries()) {
    const { type, value, timestamp, trust, currencyBytes } = record;
    events.push({
      seq: BigInt(position),
      ...{ type, value, timestamp, trust },
      // One character per byte, as on the main chain: no decoder repairs malformed text.
      currency: String.fromCharCode(...currencyBytes.subarray(0, 64)),
      blockTimestamp: blockTime ?? (await readBlockTime(rpc, slot)),
      // The alt chain has no chip records.
      attested: false,
      paidCents: 0n,
    });
  }
  return events;
}

async function readBlockTime(rpc: Rpc, slot: number): Promise<bigint> {
  const time = parseTime(await rpc('getBlockTime', [slot]));
  if (time === undefined) throw new ReplayFailure('unreachable', `the node does not know the time of slot ${slot}`);
  return time;
}
