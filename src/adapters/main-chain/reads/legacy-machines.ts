/**
 * Reads legacy machines (chain-evm 2.9) with one eth_call per block. Calls that depend on a result are sent together
 * with it, predicted from the last result, and are repeated only when the prediction was wrong.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { LegacyMachine } from '../../../domain/machine/legacy-machine.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { unreadable, type ReadResult } from '../../../domain/read-result.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { EventsFrom, LegacyMachines } from '../../../ports/main-chain.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createBlockCache } from '../cache/block-cache.ts';
import { decodeEventPage, mayBeTooLarge, readEventRange } from './event-pages.ts';
import { createLegacyClaims, type ClaimedMembers, type PinnedRead } from './legacy-claims.ts';
import * as calls from './legacy-machine-calls.ts';
import type { Headers } from '../logs/headers.ts';
import type { HeadTracker } from '../cache/head-tracker.ts';
import type { MainChainLimits } from '../limits.ts';
import { readPageSeparately } from './machine-reads.ts';
import type { LegacyContracts } from '../main-chain-config.ts';
import type { Multicall } from './multicall.ts';

export interface LegacyMachinesOptions {
  readonly addresses: LegacyContracts;
  readonly multicall: Multicall;
  readonly headers: Headers;
  readonly head: HeadTracker;
  readonly clock: Clock;
  readonly limits: MainChainLimits;
  readonly startRead: () => Deadline;
}

/** Cache bounds: a machine holds a page of events, the other entries are small. */
const MAX_CACHED_MACHINES = 128;
const MAX_CACHED_IDS = 10_000;

/** Page limit until the contract's own limit is known. */
const ASSUMED_PAGE_LIMIT = 100;

export function createLegacyMachines(options: LegacyMachinesOptions): LegacyMachines {
  const { addresses, multicall, headers, head, clock, limits, startRead } = options;
  const { didStore } = addresses;
  const maxAgeMilliseconds = limits.maxSnapshotAgeMilliseconds;
  const maxFlawedAgeMilliseconds = limits.maxFlawedSnapshotAgeMilliseconds;
  const ids = createBlockCache<Address, MachineId | undefined>({
    clock,
    maxEntries: MAX_CACHED_IDS,
    maxAgeMilliseconds: () => maxAgeMilliseconds,
  });
  const machines = createBlockCache<MachineId, LegacyMachine>({
    clock,
    maxEntries: MAX_CACHED_MACHINES,
    maxAgeMilliseconds: (machine) => (isFlawed(machine) ? maxFlawedAgeMilliseconds : maxAgeMilliseconds),
  });
  const claims = createLegacyClaims({ addresses, multicall, clock, limits });
  const lastIds = new Map<Address, MachineId>();

  async function startReading(): Promise<PinnedRead> {
    const deadline = startRead();
    return { block: head.fresh() ?? (await head.read(deadline)), deadline };
  }

  function readId({ block, deadline }: PinnedRead, address: Address): Promise<MachineId | undefined> {
    return ids.get(block, address, async () => {
      const [result] = await multicall.readAt(block, [calls.planMachineIdCall(address, addresses)], deadline);
      const id = calls.decodeMachineId(result);
      if (id !== undefined) setBounded(lastIds, address, id, MAX_CACHED_IDS);
      return id;
    });
  }

  async function readFacts({ block, deadline }: PinnedRead, id: MachineId, offset: number): Promise<LegacyMachine> {
    const plan = (page?: { offset: number; limit: number }) => calls.planLegacyMachineCalls(id, addresses, page);
    const planned = await multicall.tryReadAt(block, plan({ offset, limit: ASSUMED_PAGE_LIMIT }), deadline);
    const results = planned === 'too-large' ? await multicall.readAt(block, plan(), deadline) : planned;
    const { facts, queryLimit, page } = calls.decodeLegacyMachine(results);
    const { number, hash, timestamp } = block;
    const machine = { id, block: { number, hash, timestamp }, ...facts };
    if (queryLimit === undefined || queryLimit < 1n) {
      return { ...machine, events: unreadable('undecodable') };
    }
    const limit = Math.min(ASSUMED_PAGE_LIMIT, Number(queryLimit));
    const count = facts.eventCount.state === 'present' ? facts.eventCount.value : undefined;
    const events =
      page === undefined || mayBeTooLarge(page)
        ? await readPageSeparately(
            multicall,
            addresses.eventRegistry,
            { id, block, deadline },
            { offset, limit, count },
          )
        : decodeEventPage(page, { offset, limit, count });
    return { ...machine, events };
  }

  /**
   * Starts reading the machines that are not cached. Event offsets are loaded first, because a store that responds in
   * between would split one eth_call into several.
   */
  async function readMachines(
    read: PinnedRead,
    requested: readonly MachineId[],
    eventsFrom: EventsFrom,
  ): Promise<readonly Promise<LegacyMachine>[]> {
    const { block } = read;
    const offsets = await Promise.all(
      requested.map((id) => (machines.has(block, id) ? Promise.resolve(0) : eventsFrom(id))),
    );
    return requested.map((id, i) => machines.get(block, id, () => readFacts(read, id, offsets[i]!)));
  }

  /** Prefetches the predicted machines; failures surface when a machine is really read. */
  async function prefetchMachines(
    read: PinnedRead,
    predicted: readonly MachineId[],
    eventsFrom: EventsFrom,
  ): Promise<void> {
    for (const reading of await readMachines(read, predicted, eventsFrom)) reading.catch(() => undefined);
  }

  return {
    canList: didStore !== undefined,
    async readMachineOf(address, eventsFrom) {
      const read = await startReading();
      const predicted = lastIds.get(address);
      if (predicted !== undefined) await prefetchMachines(read, [predicted], eventsFrom);
      const id = await readId(read, address);
      if (id === undefined) return undefined;
      const [machine] = await readMachines(read, [id], eventsFrom);
      return machine;
    },
    async readPageOf(operator, offset, limit, eventsFrom) {
      if (didStore === undefined) throw chainUnreadable('main', 'undecodable');
      const read = await startReading();
      const toPage = (members: ClaimedMembers) => members.slice(offset, offset + limit);
      const toIds = (page: ClaimedMembers) => page.filter(({ isKnown }) => isKnown).map(({ id }) => id);
      await prefetchMachines(read, toIds(toPage(claims.predict(operator)?.members ?? [])), eventsFrom);
      const { members } = await claims.read(read, operator, didStore);
      const page = toPage(members);
      const legacyMachines = await Promise.all(await readMachines(read, toIds(page), eventsFrom));
      const byId = new Map(legacyMachines.map((machine) => [machine.id, machine]));
      const { number, hash, timestamp } = read.block;
      return {
        block: { number, hash, timestamp },
        total: members.length,
        machines: page.map(({ id }) => byId.get(id)),
      };
    },
    async readEvents(id, block, from, to) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      const range = { registry: addresses.eventRegistry, id, from, to };
      const { queryLimit } = calls.decodeLegacyMachine(
        await multicall.readAt(pinned, calls.planLegacyMachineCalls(id, addresses, undefined), deadline),
      );
      if (queryLimit === undefined || queryLimit < 1n) throw chainUnreadable('main', 'undecodable');
      const limit = Math.min(limits.maxEventPage, Number(queryLimit));
      const records = await readEventRange(multicall, pinned, range, limit, deadline);
      if (records.length !== to - from) throw chainUnreadable('main', 'events');
      return { offset: from, records };
    },
  };
}

function isFlawed(machine: LegacyMachine): boolean {
  return Object.values(machine).some((fact) => (fact as ReadResult<unknown>).state === 'unreadable');
}
