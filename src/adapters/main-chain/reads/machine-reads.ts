/**
 * Reads one machine with one multicall at one block; a document and event pages that are too large for the node are read separately.
 */
import { Fault } from '../../../domain/faults.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import type { EventPage, MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { decodeEventPage, mayBeTooLarge, readEventRange } from './event-pages.ts';
import { decodeMachineFacts, planMachineCalls } from './machine-calls.ts';
import type { FactName, NamedCalls, NamedResults, PageRequest } from './machine-calls.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { CallResult, Multicall } from './multicall.ts';

export interface MachineRead {
  readonly id: MachineId;
  readonly block: Header;
  readonly pages: PageRequest;
  /** Page limit of the contract, which may come with the same request. */
  readonly pageLimit: Promise<number>;
  readonly deadline: Deadline;
}

/** Reads one machine at exactly one block. Throws `ChainUnreadable`. */
export async function readMachineAt(
  multicall: Multicall,
  addresses: MainChainAddresses,
  read: MachineRead,
): Promise<MachineSnapshot> {
  const { id, block, pages, deadline } = read;
  const planned = await readNamed(multicall, block, planMachineCalls(id, addresses, pages), deadline);
  const results = planned ?? (await readWithoutPages(multicall, addresses, read));
  const facts = decodeMachineFacts(id, addresses, results);
  const limit = Math.min(pages.limit, await read.pageLimit);
  const count = facts.eventCount.state === 'present' ? facts.eventCount.value : undefined;
  const readPage = (offset: number, result: CallResult | undefined) =>
    result === undefined || mayBeTooLarge(result)
      ? readPageSeparately(multicall, addresses.eventRegistry, read, { offset, limit, count })
      : decodeEventPage(result, { offset, limit, count });

  const events = await readPage(pages.offset, results.events);
  let firstEvents: ReadResult<EventPage> | undefined;
  if (pages.firstEvents) firstEvents = pages.offset === 0 ? events : await readPage(0, results.firstEvents);
  const { number, hash, timestamp } = block;
  return { id, block: { number, hash, timestamp }, ...facts, events, firstEvents };
}

/** Reads all facts but the pages, the document in its own call: a controller can write one of any size. */
async function readWithoutPages(
  multicall: Multicall,
  addresses: MainChainAddresses,
  { id, block, deadline }: MachineRead,
): Promise<NamedResults> {
  const { document, ...others } = planMachineCalls(id, addresses, undefined);
  const results = await readNamed(multicall, block, others, deadline);
  if (results === undefined) return {};
  try {
    return { ...results, ...(await readNamed(multicall, block, { document: document! }, deadline)) };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'ChainUnreadable') throw error;
    return results;
  }
}

/** Reads a page in separate calls. A failure makes only the events unreadable. */
export async function readPageSeparately(
  multicall: Multicall,
  registry: Address,
  { id, block, deadline }: Pick<MachineRead, 'id' | 'block' | 'deadline'>,
  { offset, limit, count }: { readonly offset: number; readonly limit: number; readonly count: bigint | undefined },
): Promise<ReadResult<EventPage>> {
  if (count === undefined || count < BigInt(offset)) return unreadable('undecodable');
  const left = count - BigInt(offset);
  const records = left < BigInt(limit) ? Number(left) : limit;
  const range = { registry, id, from: offset, to: offset + records };
  try {
    const read = await readEventRange(multicall, block, range, limit, deadline);
    if (read.length !== records) return unreadable('events');
    return present({ offset, records: read });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'ChainUnreadable') throw error;
    return unreadable(error.context.cause);
  }
}

/** Returns the results by name; undefined when the calls are too large for the node. */
async function readNamed(
  multicall: Multicall,
  block: Header,
  calls: NamedCalls,
  deadline: Deadline,
): Promise<NamedResults | undefined> {
  const names = Object.keys(calls) as FactName[];
  const ordered = names.map((name) => calls[name]!);
  const results = await multicall.tryReadAt(block, ordered, deadline);
  if (results === 'too-large') return undefined;
  return Object.fromEntries(names.map((name, i) => [name, results[i]!]));
}
