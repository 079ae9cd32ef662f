/**
 * Which events had this machine of the alt chain at this slot? The second reader of that chain, behind `svc replay`: every transaction that names
 * the machine's event log, from the first on, held against the count and the last record that the log's account shows. Nothing is kept and
 * nothing shared with `src/adapters/alt-chain` (chain-svm 3.4 to 3.7, 5 and 6).
 */
import {
  readEventOperations,
  readRecord,
  type AltRecord,
  type EventOperation,
  type LogOf,
} from './event-operations.ts';
import { RpcRefusal, type Rpc } from './json-rpc.ts';
import type { RawEvent } from './model.ts';
import { ReplayFailure } from './replay-failure.ts';
import { parseList, parseObject, parseSlot, parseText } from './solana-responses.ts';
import { deriveAddress, MalformedSolana, readBorsh, toWord } from './solana-bytes.ts';

export interface AltLocation {
  readonly genesisHash: string;
  readonly machineRegistry: string;
  readonly eventRegistry: string;
}

/** Everything that the model takes from the alt chain. */
export interface RawAltLog {
  /** Protocol chain ordinal. */
  readonly ordinal: bigint;
  readonly events: readonly RawEvent[];
  readonly priorEvents: bigint;
}

/**
 * Reads the log as it was at `slot`. The whole log, as it is now, must be what its account shows.
 * Throws ReplayFailure: `unreachable` when a read is refused or the node does not hold all of it, `contradictory` when the answers cannot be true.
 */
export async function readRawAltLog(
  rpc: Rpc,
  location: AltLocation,
  machineId: bigint,
  slot: number,
  wait: (milliseconds: number) => Promise<void>,
): Promise<RawAltLog> {
  try {
    if ((await rpc('getGenesisHash', [])) !== location.genesisHash) {
      throw new ReplayFailure('contradictory', 'the node serves another alt chain than the one configured');
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
    if (error instanceof MalformedSolana)
      throw new ReplayFailure('contradictory', `unreadable answer: ${error.message}`);
    if (error instanceof RpcRefusal) throw new ReplayFailure('unreachable', error.message);
    throw error;
  }
}

/** Balanced nodes are some slots apart: what one tells of the account and another of the transactions may differ for seconds. */
class NotYet extends ReplayFailure {}

const ATTEMPTS = 4;

async function readOnce(
  rpc: Rpc,
  { machineRegistry, eventRegistry }: AltLocation,
  machineId: bigint,
  slot: number,
): Promise<RawAltLog> {
  const word = toWord(machineId);
  const log: LogOf = { machineId, eventRegistry, logAddress: deriveAddress(eventRegistry, 'MachineEventLog', word) };
  const machineAddress = deriveAddress(machineRegistry, 'Machine', word);
  const keys = [machineAddress, log.logAddress, deriveAddress(machineRegistry, 'MachineRegistry')];
  const answer = parseObject(await rpc('getMultipleAccounts', [keys, { encoding: 'base64', commitment: 'finalized' }]));
  const seenAt = parseSlot(parseObject(answer['context'])['slot']);
  if (seenAt < slot) throw new NotYet('unreachable', `the node is at slot ${seenAt}, the service read ${slot}`);
  const [machine, shown, registry] = parseList(answer['value']);

  requireMachine(readAccount(machine, machineRegistry, MACHINE), word);
  const ordinal = readOrdinal(readAccount(registry, machineRegistry, REGISTRY));
  const account = readLogAccount(readAccount(shown, eventRegistry, EVENT_LOG), word);

  const operations = (await readOperations(rpc, log)).filter((operation) => operation.slot <= seenAt);
  const now = applyAll(operations);
  if (now.records.length < account.count) {
    const told = `${now.records.length} of ${account.count} events`;
    throw new NotYet('unreachable', `the node tells of ${told}: a replay needs one that keeps all history`);
  }
  const isProven =
    BigInt(now.records.length) === account.count &&
    now.prior === account.prior &&
    now.records.at(-1)?.record.hex === account.lastRecord;
  if (!isProven) throw new NotYet('contradictory', 'the event log and the transactions that wrote it differ');

  const then = applyAll(operations.filter((operation) => operation.slot <= slot));
  return { ordinal, priorEvents: then.prior, events: await toEvents(rpc, then.records) };
}

// -------------------------------------------------------------------------------------------------------- accounts

const MACHINE = '1966160d3af38a4f';
const REGISTRY = '2fae6ef6b8b6fcda';
const EVENT_LOG = '7a8ada9cb47241f8';
const SYSTEM_PROGRAM = '1'.repeat(32);

/** What follows the discriminator; undefined: there is no such account, though somebody may have sent money to its address. */
function readAccount(value: unknown, program: string, discriminator: string): Uint8Array | undefined {
  if (value === null) return undefined;
  const { owner, executable, data } = parseObject(value);
  const bytes = Buffer.from(parseText(parseList(data)[0]), 'base64');
  if (owner === SYSTEM_PROGRAM && bytes.length === 0) return undefined;
  if (owner !== program || executable === true) throw new MalformedSolana('an account of another program');
  if (bytes.subarray(0, 8).toString('hex') !== discriminator) throw new MalformedSolana('an account of another kind');
  return bytes.subarray(8);
}

function requireMachine(data: Uint8Array | undefined, word: Uint8Array): void {
  if (data === undefined) throw new ReplayFailure('contradictory', 'the alt chain holds no such machine');
  if (!Buffer.from(data.subarray(0, 32)).equals(word)) throw new MalformedSolana('an account of another machine');
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
  /** In hex; undefined: none. */
  readonly lastRecord: string | undefined;
}

/** Absent: no event yet. What stands behind the last record is of older ones. */
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
  /** Unix seconds; undefined: the list does not say. */
  readonly blockTime: bigint | undefined;
}

type Placed<T> = T & Pick<Row, 'slot' | 'blockTime'>;

const PAGE = 1000;
const TRANSACTIONS_AT_ONCE = 8;

/** Every operation of the log, in the order of execution. */
async function readOperations(rpc: Rpc, log: LogOf): Promise<Placed<EventOperation>[]> {
  const rows = await inChainOrder(rpc, await listRows(rpc, log.logAddress));
  const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const operations: Placed<EventOperation>[] = [];
  for (let at = 0; at < rows.length; at += TRANSACTIONS_AT_ONCE) {
    const some = rows.slice(at, at + TRANSACTIONS_AT_ONCE);
    const answers = await Promise.all(some.map(({ signature }) => rpc('getTransaction', [signature, options])));
    answers.forEach((answer, index) => {
      const { signature, slot, blockTime } = some[index]!;
      if (answer === null) throw new NotYet('unreachable', 'the node lists a transaction that it does not hold');
      if (parseObject(answer)['slot'] !== slot) throw new MalformedSolana('a transaction of another slot');
      for (const operation of readEventOperations(answer, signature, log)) {
        operations.push({ ...operation, slot, blockTime });
      }
    });
  }
  return operations;
}

/** All transactions that name the address and did not fail, newest first. Only an empty page is the end. */
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

/** Oldest first. Lists promise no order inside a slot, so the block is asked where a slot has several. */
async function inChainOrder(rpc: Rpc, rows: readonly Row[]): Promise<Row[]> {
  const bySlot = [...Map.groupBy(rows, ({ slot }) => slot)].sort(([a], [b]) => a - b);
  const ordered: Row[] = [];
  for (const [slot, ofSlot] of bySlot) {
    const places = ofSlot.length === 1 ? undefined : await readPlaces(rpc, slot);
    const placeOf = ({ signature }: Row): number => {
      const place = places === undefined ? 0 : places.indexOf(signature);
      if (place === -1) throw new MalformedSolana('a transaction that its block does not hold');
      return place;
    };
    ordered.push(...[...ofSlot].sort((a, b) => placeOf(a) - placeOf(b)));
  }
  return ordered;
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

/** A log that is closed begins anew. */
function applyAll(operations: readonly Placed<EventOperation>[]): Log {
  let records: Placed<{ readonly record: AltRecord }>[] = [];
  let prior = 0n;
  for (const operation of operations) {
    if (operation.kind === 'closed') {
      records = [];
      prior = 0n;
      continue;
    }
    const { record, slot, blockTime } = operation;
    if (operation.kind === 'carried') prior = operation.prior;
    if (record !== undefined) records.push({ record, slot, blockTime });
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
      // One character for each byte, as on the main chain: no decoder repairs what is malformed.
      currency: String.fromCharCode(...currencyBytes.subarray(0, 64)),
      blockTimestamp: blockTime ?? (await readBlockTime(rpc, slot)),
    });
  }
  return events;
}

async function readBlockTime(rpc: Rpc, slot: number): Promise<bigint> {
  const time = parseTime(await rpc('getBlockTime', [slot]));
  if (time === undefined) throw new ReplayFailure('unreachable', `the node does not know the time of slot ${slot}`);
  return time;
}
