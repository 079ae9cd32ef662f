/**
 * Reads legacy machines (chain-evm 2.9) with one eth_call per block. Calls that depend on a result are sent together
 * with it, predicted from the last result, and are repeated only when the prediction was wrong.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { LegacyMachine } from '../../../domain/machine/legacy-machine.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { EventsFrom, LegacyMachines, Header } from '../../../ports/main-chain.ts';
import { setBounded } from '../../rpc/bounded-map.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createBlockCache } from '../cache/block-cache.ts';
import { decodeEventPage, mayBeTooLarge, readEventRange } from './event-pages.ts';
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
const MAX_CACHED_OPERATORS = 64;

/** Claims in one group of calls, which is never split. */
const CLAIMS_PER_GROUP = 250;

/** Page limit until the contract's own limit is known. */
const ASSUMED_PAGE_LIMIT = 100;

/** Machines that an operator claims, and the registry's verdict on each. */
interface Claims {
  readonly claimed: readonly MachineId[];
  /** Claimed machines that do not belong to another operator, ascending. */
  readonly members: readonly { readonly id: MachineId; readonly isKnown: boolean }[];
}

interface Reader {
  readonly block: Header;
  readonly deadline: Deadline;
}

export function createLegacyMachines(options: LegacyMachinesOptions): LegacyMachines {
  const { addresses, multicall, headers, head, clock, limits, startRead } = options;
  const { didStore } = addresses;
  const sound = limits.maxSnapshotAgeMilliseconds;
  const flawed = limits.maxFlawedSnapshotAgeMilliseconds;
  const ids = createBlockCache<Address, MachineId | undefined>({
    clock,
    maxEntries: MAX_CACHED_IDS,
    maxAgeMilliseconds: () => sound,
  });
  const claims = createBlockCache<Address, Claims>({
    clock,
    maxEntries: MAX_CACHED_OPERATORS,
    maxAgeMilliseconds: ({ members }) => (members.every(({ isKnown }) => isKnown) ? sound : flawed),
  });
  const machines = createBlockCache<MachineId, LegacyMachine>({
    clock,
    maxEntries: MAX_CACHED_MACHINES,
    maxAgeMilliseconds: (machine) => (isFlawed(machine) ? flawed : sound),
  });
  const lastIds = new Map<Address, MachineId>();
  const lastClaims = new Map<Address, Claims>();

  async function startReading(): Promise<Reader> {
    const deadline = startRead();
    return { block: head.fresh() ?? (await head.read(deadline)), deadline };
  }

  function readId({ block, deadline }: Reader, address: Address): Promise<MachineId | undefined> {
    return ids.get(block, address, async () => {
      const [result] = await multicall.readAt(block, [calls.planMachineIdCall(address, addresses)], deadline);
      const id = calls.decodeMachineId(result);
      if (id !== undefined) setBounded(lastIds, address, id, MAX_CACHED_IDS);
      return id;
    });
  }

  async function readFacts({ block, deadline }: Reader, id: MachineId, offset: number): Promise<LegacyMachine> {
    const plan = (page?: { offset: number; limit: number }) => calls.planLegacyMachineCalls(id, addresses, page);
    const planned = await multicall.tryReadAt(block, plan({ offset, limit: ASSUMED_PAGE_LIMIT }), deadline);
    const results = planned === 'too-large' ? await multicall.readAt(block, plan(), deadline) : planned;
    const { facts, queryLimit, page } = calls.decodeLegacyMachine(results);
    const { number, hash, timestamp } = block;
    const machine = { id, block: { number, hash, timestamp }, ...facts };
    if (queryLimit === undefined || queryLimit < 1n) {
      return { ...machine, events: { state: 'unreadable', cause: 'undecodable' } };
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
    reader: Reader,
    wanted: readonly MachineId[],
    eventsFrom: EventsFrom,
  ): Promise<readonly Promise<LegacyMachine>[]> {
    const { block } = reader;
    const offsets = await Promise.all(
      wanted.map((id) => (machines.has(block, id) ? Promise.resolve(0) : eventsFrom(id))),
    );
    return wanted.map((id, i) => machines.get(block, id, () => readFacts(reader, id, offsets[i]!)));
  }

  /** Prefetches the predicted machines; failures surface when a machine is really read. */
  async function prefetchMachines(
    reader: Reader,
    predicted: readonly MachineId[],
    eventsFrom: EventsFrom,
  ): Promise<void> {
    for (const reading of await readMachines(reader, predicted, eventsFrom)) reading.catch(() => undefined);
  }

  async function readMembers(
    { block, deadline }: Reader,
    operator: Address,
    claimed: readonly MachineId[],
  ): Promise<Claims['members']> {
    const groups: Promise<Claims['members']>[] = [];
    for (let from = 0; from < claimed.length; from += CLAIMS_PER_GROUP) {
      const group = claimed.slice(from, from + CLAIMS_PER_GROUP);
      const plan = group.flatMap((id) => calls.planClaimCalls(id, addresses));
      groups.push(
        multicall.readAt(block, plan, deadline).then((results) =>
          group.flatMap((id, i) => {
            const own = results.slice(i * calls.CALLS_OF_CLAIM, (i + 1) * calls.CALLS_OF_CLAIM);
            const verdict = calls.decodeClaim(own, operator);
            return verdict === 'foreign' ? [] : [{ id, isKnown: verdict === 'held' }];
          }),
        ),
      );
    }
    return (await Promise.all(groups)).flat();
  }

  function readClaims(reader: Reader, operator: Address, store: Address): Promise<Claims> {
    const { block, deadline } = reader;
    return claims.get(block, operator, async () => {
      const predicted = lastClaims.get(operator)?.claimed ?? [];
      const [results, prefetched] = await Promise.all([
        multicall.readAt(block, [calls.planClaimsCall(operator, store)], deadline),
        readMembers(reader, operator, predicted),
      ]);
      const claimed = calls.decodeClaims(results[0]);
      const members = isSameList(claimed, predicted) ? prefetched : await readMembers(reader, operator, claimed);
      const read = { claimed, members };
      setBounded(lastClaims, operator, read, MAX_CACHED_OPERATORS);
      return read;
    });
  }

  return {
    canList: didStore !== undefined,
    async readMachineOf(address, eventsFrom) {
      const reader = await startReading();
      const predicted = lastIds.get(address);
      if (predicted !== undefined) await prefetchMachines(reader, [predicted], eventsFrom);
      const id = await readId(reader, address);
      if (id === undefined) return undefined;
      const [machine] = await readMachines(reader, [id], eventsFrom);
      return machine;
    },
    async readPageOf(operator, offset, limit, eventsFrom) {
      if (didStore === undefined) throw chainUnreadable('main', 'undecodable');
      const reader = await startReading();
      const toPage = (members: Claims['members']) => members.slice(offset, offset + limit);
      const toIds = (page: Claims['members']) => page.filter(({ isKnown }) => isKnown).map(({ id }) => id);
      await prefetchMachines(reader, toIds(toPage(lastClaims.get(operator)?.members ?? [])), eventsFrom);
      const { members } = await readClaims(reader, operator, didStore);
      const page = toPage(members);
      const read = await Promise.all(await readMachines(reader, toIds(page), eventsFrom));
      const byId = new Map(read.map((machine) => [machine.id, machine]));
      const { number, hash, timestamp } = reader.block;
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

function isSameList(a: readonly MachineId[], b: readonly MachineId[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
