/**
 * Which records does an event registry hold at given positions of one machine at one block? (chain-evm 2.4, 3.7, 5.4.)
 * Pages that are too much for a node are halved until they pass.
 */
import type { Hex } from 'viem';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { EventPage, EventRecord } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { eventRegistryAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import type { CallResult, ContractCall, Multicall } from './multicall.ts';

const getEvents = contractFunction(eventRegistryAbi, 'getEvents');

/** `OffsetOutOfBounds()`. */
const OFFSET_OUT_OF_BOUNDS = '0x9605a010';

/** A full page costs a node about as much as this many plain calls. */
const PAGE_WEIGHT = 24;

export function eventPageCall(registry: Address, id: MachineId, offset: number, limit: number): ContractCall {
  return { target: registry, data: getEvents.encode([id, BigInt(offset), BigInt(limit)]), weight: PAGE_WEIGHT };
}

/** A call that ran out of gas inside the aggregate fails without data. */
export function mayBeTooLarge(result: CallResult): boolean {
  return !result.success && result.data === '0x';
}

/**
 * The page from `offset` on, held against the count of the same block: as many records as there are, at most `limit`. Whether a page at the
 * very end reverts or is empty is not known, so both are accepted there and nowhere else.
 */
export function decodeEventPage(
  result: CallResult,
  { offset, limit, count }: { readonly offset: number; readonly limit: number; readonly count: bigint | undefined },
): ReadResult<EventPage> {
  const left = count === undefined ? undefined : count - BigInt(offset);
  if (isOutOfBounds(result)) {
    if (left === 0n) return { state: 'present', value: { offset, records: [] } };
    return { state: 'unreadable', cause: left === undefined ? 'undecodable' : 'events' };
  }
  const records = decodeRecords(result);
  if (records === undefined) return { state: 'unreadable', cause: 'undecodable' };
  const expected = left === undefined || left > BigInt(limit) ? limit : Number(left);
  if (left === undefined ? records.length === 0 || records.length > limit : records.length !== expected) {
    return { state: 'unreadable', cause: 'events' };
  }
  return { state: 'present', value: { offset, records } };
}

function isOutOfBounds(result: CallResult): boolean {
  return !result.success && result.data === OFFSET_OUT_OF_BOUNDS;
}

function decodeRecords(result: CallResult): EventRecord[] | undefined {
  return result.success ? getEvents.decode(result.data as Hex)?.map(toEventRecord) : undefined;
}

type RawRecord = NonNullable<ReturnType<typeof getEvents.decode>>[number];

function toEventRecord(raw: RawRecord): EventRecord {
  const { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency } = raw;
  return { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency };
}

/** Positions `from` to `to - 1` of one machine. */
export interface EventRange {
  readonly registry: Address;
  readonly id: MachineId;
  readonly from: number;
  readonly to: number;
}

/** The records of the range at exactly `block`, fewer only where the registry ends. Throws `ChainUnreadable`. */
export async function readEventRange(
  multicall: Multicall,
  block: Header,
  range: EventRange,
  pageLimit: number,
  deadline: Deadline,
): Promise<EventRecord[]> {
  const pages: EventRange[] = [];
  for (let from = range.from; from < range.to; from += pageLimit) {
    pages.push({ ...range, from, to: Math.min(from + pageLimit, range.to) });
  }
  const read = await Promise.all(pages.map((page) => readHalving(multicall, block, page, deadline)));
  return read.flat();
}

/** One page; where a node cannot take it, its parts one after the other, so that a node that never can is asked only a few times. */
async function readHalving(
  multicall: Multicall,
  block: Header,
  { registry, id, from, to }: EventRange,
  deadline: Deadline,
): Promise<EventRecord[]> {
  const records: EventRecord[] = [];
  let size = to - from;
  while (records.length < to - from) {
    const offset = from + records.length;
    const limit = Math.min(size, to - offset);
    const results = await multicall.tryReadAt(block, [eventPageCall(registry, id, offset, limit)], deadline);
    const result = results === 'too-large' ? undefined : results[0]!;
    if (result === undefined || mayBeTooLarge(result)) {
      if (limit === 1) throw chainUnreadable('main', 'undecodable');
      size = Math.ceil(limit / 2);
      continue;
    }
    // Where the registry ends is for the caller to judge.
    const page = isOutOfBounds(result) ? [] : decodeRecords(result);
    if (page === undefined || page.length > limit) throw chainUnreadable('main', 'undecodable');
    records.push(...page);
    if (page.length < limit) break;
  }
  return records;
}
