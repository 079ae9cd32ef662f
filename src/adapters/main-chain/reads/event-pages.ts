/**
 * Pages of event records of one machine at one block (chain-evm 2.4, 3.7, 5.4). Pages that are too large for a node are
 * halved until they pass.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import type { EventPage, EventRecord } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { eventRegistryAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import type { CallResult, ContractCall, Multicall } from './multicall.ts';

const getEvents = contractFunction(eventRegistryAbi, 'getEvents');

/** `OffsetOutOfBounds()`. */
const OFFSET_OUT_OF_BOUNDS = '0x9605a010';

/** Cost of a full page in plain calls. */
const PAGE_WEIGHT = 24;

export function eventPageCall(registry: Address, id: MachineId, offset: number, limit: number): ContractCall {
  return { target: registry, data: getEvents.encode([id, BigInt(offset), BigInt(limit)]), weight: PAGE_WEIGHT };
}

/** Returns whether the call failed without data, as one that ran out of gas inside the aggregate does. */
export function mayBeTooLarge(result: CallResult): boolean {
  return !result.success && result.data === '0x';
}

/**
 * Decodes the page that begins at `offset` and checks it against the event count of the same block: it must hold all
 * remaining records, at most `limit`. At the very end of the events, and only there, both an empty page and a revert
 * are valid.
 */
export function decodeEventPage(
  result: CallResult,
  { offset, limit, count }: { readonly offset: number; readonly limit: number; readonly count: bigint | undefined },
): ReadResult<EventPage> {
  const left = count === undefined ? undefined : count - BigInt(offset);
  if (isOutOfBounds(result)) {
    if (left === 0n) return present({ offset, records: [] });
    return unreadable(left === undefined ? 'undecodable' : 'events');
  }
  const records = decodeRecords(result);
  if (records === undefined) return unreadable('undecodable');
  const expected = left === undefined || left > BigInt(limit) ? limit : Number(left);
  if (left === undefined ? records.length === 0 || records.length > limit : records.length !== expected) {
    return unreadable('events');
  }
  return present({ offset, records });
}

function isOutOfBounds(result: CallResult): boolean {
  return !result.success && result.data === OFFSET_OUT_OF_BOUNDS;
}

function decodeRecords(result: CallResult): EventRecord[] | undefined {
  return result.success ? getEvents.decode(result.data)?.map(toEventRecord) : undefined;
}

type RawRecord = NonNullable<ReturnType<typeof getEvents.decode>>[number];

function toEventRecord(raw: RawRecord): EventRecord {
  const { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency } = raw;
  return { eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency };
}

/** Event positions `from` to `to - 1` of one machine. */
export interface EventRange {
  readonly registry: Address;
  readonly id: MachineId;
  readonly from: number;
  readonly to: number;
}

/** Reads the records of the range at exactly `block`; fewer only where the registry ends. Throws `ChainUnreadable`. */
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

/**
 * Reads one page, in ever smaller parts where a node refuses it; parts are sequential, so that a node that always
 * refuses gets few calls.
 */
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
    // All of these records exist: about 1,000 of them reach the size limit of a response.
    const call = { ...eventPageCall(registry, id, offset, limit), weight: Math.max(PAGE_WEIGHT, limit) };
    const results = await multicall.tryReadAt(block, [call], deadline);
    const result = results === 'too-large' ? undefined : results[0]!;
    if (result === undefined || mayBeTooLarge(result)) {
      if (limit === 1) throw chainUnreadable('main', 'undecodable');
      size = Math.ceil(limit / 2);
      continue;
    }
    // The caller decides whether the registry may end here.
    const page = isOutOfBounds(result) ? [] : decodeRecords(result);
    if (page === undefined || page.length > limit) throw chainUnreadable('main', 'undecodable');
    records.push(...page);
    if (page.length < limit) break;
  }
  return records;
}
