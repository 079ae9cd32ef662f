/**
 * How is one machine really read? One plan, one multicall at one block, and the pages of events again on their own where they
 * were too much for the node.
 */
import type { MachineId } from '../../domain/identifiers.ts';
import type { EventPage, MachineSnapshot, Reading } from '../../domain/machine-facts.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import { Fault } from '../../domain/faults.ts';
import { decodeEventPage, mayBeTooLarge, readEventRange } from './event-pages.ts';
import {
  decodeMachineFacts,
  planMachineCalls,
  type FactName,
  type NamedCalls,
  type NamedResults,
  type PageWants,
} from './machine-calls.ts';
import type { MainChainAddresses } from './main-chain-config.ts';
import { CallsTooLarge, type CallResult, type Multicall } from './multicall.ts';

export interface MachineReadsOptions {
  readonly multicall: Multicall;
  readonly addresses: MainChainAddresses;
}

/** Reads one machine at exactly `block`. Throws `ChainUnreadable`. */
export async function readMachineAt(
  { multicall, addresses }: MachineReadsOptions,
  id: MachineId,
  block: Header,
  pages: PageWants,
  deadline: AbortSignal,
): Promise<MachineSnapshot> {
  const results = await readNamed(multicall, block, planMachineCalls(id, addresses, pages), deadline).catch(
    (error: unknown) => {
      if (!(error instanceof CallsTooLarge)) throw error;
      return readNamed(multicall, block, planMachineCalls(id, addresses, undefined), deadline);
    },
  );
  const facts = decodeMachineFacts(id, results);
  const count = facts.eventCount.state === 'present' ? facts.eventCount.value : undefined;

  const readPage = async (offset: number, result: CallResult | undefined): Promise<Reading<EventPage>> => {
    const asked = { offset, limit: pages.limit, count };
    if (result !== undefined && !mayBeTooLarge(result)) return decodeEventPage(result, asked);
    if (count === undefined) return { state: 'unreadable', cause: 'undecodable' };
    const left = Math.max(0, Math.min(pages.limit, Number(count) - offset));
    const range = { registry: addresses.eventRegistry, id, from: offset, to: offset + left };
    try {
      const records = await readEventRange(multicall, block, range, pages.limit, deadline);
      return records.length === left
        ? { state: 'present', value: { offset, records } }
        : { state: 'unreadable', cause: 'events' };
    } catch (error) {
      // Only the events are missing: the other facts of this block are known.
      if (error instanceof Fault && error.kind === 'ChainUnreadable') {
        return { state: 'unreadable', cause: (error as Fault<'ChainUnreadable'>).context.cause };
      }
      throw error;
    }
  };

  const events = await readPage(pages.offset, results.events);
  const firstEvents = !pages.firstEvents
    ? undefined
    : pages.offset === 0
      ? events
      : await readPage(0, results.firstEvents);
  const { number, hash, timestamp } = block;
  return { id, block: { number, hash, timestamp }, ...facts, events, firstEvents };
}

async function readNamed(
  multicall: Multicall,
  block: Header,
  calls: NamedCalls,
  deadline: AbortSignal,
): Promise<NamedResults> {
  const names = Object.keys(calls) as FactName[];
  const results = await multicall.readAt(
    block,
    names.map((name) => calls[name]!),
    deadline,
  );
  return Object.fromEntries(names.map((name, i) => [name, results[i]!]));
}
