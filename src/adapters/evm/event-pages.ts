/**
 * Which records does an event registry hold at given positions of one machine at one block? (chain-evm 2.4, 3.7, 5.4.)
 * Pages that are too much for a node are halved until they pass.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { Address, MachineId } from '../../domain/identifiers.ts';
import type { EventPage, EventRecord, Reading } from '../../domain/machine-facts.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import { eventRegistryAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import { CallsTooLarge, type CallResult, type ContractCall, type Multicall } from './multicall.ts';

const getEvents = contractFunction(eventRegistryAbi, 'getEvents');

/** `OffsetOutOfBounds()`. */
const OFFSET_OUT_OF_BOUNDS = '0x9605a010';

/** A full page costs a node about as much as this many plain calls. */
const PAGE_WEIGHT = 24;

export function eventPageCall(registry: Address, id: MachineId, offset: number, limit: number): ContractCall {
  return { target: registry, data: getEvents.encode([id, BigInt(offset), BigInt(limit)]), weight: PAGE_WEIGHT };
}

export interface AskedPage {
  readonly offset: number;
  readonly limit: number;
  /** The count of the same block, when it could be read. */
  readonly count: bigint | undefined;
}

/** Whether a page at the very end reverts or is empty is not known, so both are accepted there. */
export function decodeEventPage(result: CallResult, asked: AskedPage): Reading<EventPage> {
  const { offset, limit, count } = asked;
  if (!result.success) {
    return result.data === OFFSET_OUT_OF_BOUNDS && count === BigInt(offset)
      ? { state: 'present', value: { offset, records: [] } }
      : { state: 'unreadable', cause: 'undecodable' };
  }
  const records = getEvents.decode(result.data);
  if (records === undefined || records.length > limit) return { state: 'unreadable', cause: 'undecodable' };
  if (count !== undefined && BigInt(records.length) !== expectedRecords(offset, limit, count)) {
    return { state: 'unreadable', cause: 'events' };
  }
  return { state: 'present', value: { offset, records: records.map(toEventRecord) } };
}

/** A call that ran out of gas inside the aggregate fails without data. */
export function mayBeTooLarge(result: CallResult): boolean {
  return !result.success && result.data === '0x';
}

function expectedRecords(offset: number, limit: number, count: bigint): bigint {
  const left = count - BigInt(offset);
  if (left < 0n) return 0n;
  return left < BigInt(limit) ? left : BigInt(limit);
}

type RawRecord = NonNullable<ReturnType<typeof getEvents.decode>>[number];

function toEventRecord(raw: RawRecord): EventRecord {
  const { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency } = raw;
  return { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency };
}

export interface EventRange {
  readonly registry: Address;
  readonly id: MachineId;
  readonly from: number;
  readonly to: number;
}

/**
 * The records at positions `from` to `to - 1` at exactly `block`, fewer only where the registry ends; pages of at most `pageLimit`.
 * Throws `ChainUnreadable`.
 */
export async function readEventRange(
  multicall: Multicall,
  block: Header,
  range: EventRange,
  pageLimit: number,
  deadline: AbortSignal,
): Promise<EventRecord[]> {
  const pages: EventRange[] = [];
  for (let from = range.from; from < range.to; from += pageLimit) {
    pages.push({ ...range, from, to: Math.min(from + pageLimit, range.to) });
  }
  const read = await Promise.all(pages.map((page) => readHalving(multicall, block, page, deadline)));
  return read.flat();
}

/** One page; where a node cannot take it, its halves one after the other, so that a node that never can is asked only a few times. */
async function readHalving(
  multicall: Multicall,
  block: Header,
  { registry, id, from, to }: EventRange,
  deadline: AbortSignal,
): Promise<EventRecord[]> {
  const records: EventRecord[] = [];
  let size = to - from;
  while (records.length < to - from) {
    const offset = from + records.length;
    const limit = Math.min(size, to - offset);
    const result = await readPage(multicall, block, eventPageCall(registry, id, offset, limit), deadline);
    if (result === undefined || mayBeTooLarge(result)) {
      if (limit === 1) throw chainUnreadable('main', 'undecodable');
      size = Math.ceil(limit / 2);
      continue;
    }
    // At the end a registry may revert; what ends where is for the caller to judge.
    if (!result.success && result.data === OFFSET_OUT_OF_BOUNDS) return records;
    const page = decodeEventPage(result, { offset, limit, count: undefined });
    if (page.state !== 'present') throw chainUnreadable('main', 'undecodable');
    records.push(...page.value.records);
    if (page.value.records.length < limit) return records;
  }
  return records;
}

/** Undefined: too large for one call. */
async function readPage(
  multicall: Multicall,
  block: Header,
  call: ContractCall,
  deadline: AbortSignal,
): Promise<CallResult | undefined> {
  try {
    return (await multicall.readAt(block, [call], deadline))[0]!;
  } catch (error) {
    if (error instanceof CallsTooLarge) return undefined;
    throw error;
  }
}
