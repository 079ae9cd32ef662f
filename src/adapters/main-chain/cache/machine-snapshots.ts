/**
 * LRU cache of machine snapshots, bounded in bytes (chain-evm 3.4 and 6). A snapshot is valid until a log touches its
 * machine, a block reaches the next boundary of its subscription, or its maximum age passes.
 */
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { nextBondBoundary } from '../../../domain/machine/bond.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { MainChainLimits } from '../limits.ts';
import { createInFlightReads } from './in-flight-reads.ts';
import { estimateSnapshotBytes } from './snapshot-size.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

/** Upper bound of renewals per step; the remaining snapshots are read on demand. */
const MAX_RENEWED = 200;

interface CachedSnapshot {
  readonly snapshot: MachineSnapshot;
  readonly bytes: number;
  /** Clock milliseconds from which its age counts. */
  readonly sinceMilliseconds: number;
  readonly maxAgeMilliseconds: number;
  /** Block time from which its status may differ, by the deployment's lengths; undefined when time alone changes nothing. */
  boundary: bigint | undefined;
  boundaryBy: DeploymentFacts | undefined;
  /** Whether it has been read since it was stored. */
  isUsed: boolean;
}

interface ReadKind {
  readonly firstEvents: boolean;
  /** A renewal may take long: readers do not wait for it. */
  readonly isRenewal: boolean;
}

export interface MachineSnapshots {
  /**
   * Returns the cached snapshot while it is valid at `head`, else the result of a read in flight, else calls `read`.
   * With `firstEvents`, only a snapshot that holds the first events serves.
   */
  get(
    id: MachineId,
    firstEvents: boolean,
    head: Header,
    read: () => Promise<MachineSnapshot>,
  ): Promise<MachineSnapshot>;
  /** Returns the cached snapshot while it is valid at `head`. */
  find(id: MachineId, firstEvents: boolean, head: Header): MachineSnapshot | undefined;
  /**
   * Returns the flawless snapshots in use that should be renewed in this step: all that expire before `byMilliseconds`,
   * most recently used first, or, if those are fewer, an even share of the ones past half of their age, with
   * `stepMilliseconds` between steps. Bounded per step.
   */
  listAging(byMilliseconds: number, stepMilliseconds: number): MachineSnapshot[];
  /** Reads a machine again while its cached snapshot is served. The age of the result counts from this call. */
  renew(id: MachineId, read: () => Promise<MachineSnapshot>): void;
  /** Drops what the step touched. */
  advance(step: HeadStep): void;
  dropAll(): void;
}

export interface MachineSnapshotsOptions {
  readonly clock: Clock;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
  /** Returns the last known facts, for the lengths of grace and runoff. */
  readonly deployment: () => DeploymentFacts | undefined;
}

export function createMachineSnapshots(options: MachineSnapshotsOptions): MachineSnapshots {
  const { clock, limits, counters, deployment } = options;
  // In order of use: the least recently used first.
  const cached = new Map<MachineId, CachedSnapshot>();
  const inFlight = createInFlightReads<MachineId, MachineSnapshot, ReadKind>();

  function find(id: MachineId, firstEvents: boolean, head: Header): MachineSnapshot | undefined {
    const entry = cached.get(id);
    if (entry === undefined) return undefined;
    const isExpired = !isFresh(clock, entry.sinceMilliseconds, entry.maxAgeMilliseconds);
    const boundary = boundaryOf(entry);
    const isPastBoundary = boundary !== undefined && BigInt(head.timestamp) >= boundary;
    if (isExpired || isPastBoundary) {
      drop(id);
      return undefined;
    }
    if (firstEvents && entry.snapshot.firstEvents === undefined) return undefined;
    cached.delete(id);
    cached.set(id, entry);
    entry.isUsed = true;
    counters.snapshotHits += 1;
    return entry.snapshot;
  }

  /** The lengths of grace and runoff may be read, or change, after the snapshot was stored. */
  function boundaryOf(entry: CachedSnapshot): bigint | undefined {
    const facts = deployment();
    if (entry.boundaryBy !== facts) {
      entry.boundaryBy = facts;
      entry.boundary = nextBondBoundary(entry.snapshot, facts);
    }
    return entry.boundary;
  }

  function drop(id: MachineId): void {
    const entry = cached.get(id);
    if (entry === undefined) return;
    cached.delete(id);
    counters.snapshotBytes -= entry.bytes;
    counters.snapshotCount = cached.size;
  }

  function store(snapshot: MachineSnapshot, sinceMilliseconds: number): void {
    drop(snapshot.id);
    const bytes = estimateSnapshotBytes(snapshot);
    const facts = deployment();
    cached.set(snapshot.id, {
      snapshot,
      bytes,
      sinceMilliseconds,
      maxAgeMilliseconds: isFlawed(snapshot)
        ? limits.maxFlawedSnapshotAgeMilliseconds
        : limits.maxSnapshotAgeMilliseconds,
      boundary: nextBondBoundary(snapshot, facts),
      boundaryBy: facts,
      isUsed: false,
    });
    counters.snapshotBytes += bytes;
    for (const id of cached.keys()) {
      if (counters.snapshotBytes <= limits.maxSnapshotBytes) break;
      drop(id);
    }
    counters.snapshotCount = cached.size;
  }

  /**
   * Supersedes a read in flight, such as one that lacks first events: it serves the callers that wait for it, but is
   * not stored.
   */
  function start(id: MachineId, kind: ReadKind, read: () => Promise<MachineSnapshot>): Promise<MachineSnapshot> {
    counters.machineReads += 1;
    const startedAtMilliseconds = clock.nowMilliseconds();
    inFlight.supersede(id);
    const result = read();
    inFlight.start(id, result, kind, (snapshot) =>
      store(snapshot, kind.isRenewal ? startedAtMilliseconds : clock.nowMilliseconds()),
    );
    return result;
  }

  function dropAll(): void {
    inFlight.supersedeAll();
    cached.clear();
    counters.snapshotBytes = 0;
    counters.snapshotCount = 0;
  }

  return {
    find,
    get(id, firstEvents, head, read) {
      const known = find(id, firstEvents, head);
      if (known !== undefined) return Promise.resolve(known);
      const reading = inFlight.get(id);
      const isShared = reading?.info.isRenewal === false && (reading.info.firstEvents || !firstEvents);
      return isShared ? reading.result : start(id, { firstEvents, isRenewal: false }, read);
    },
    listAging(byMilliseconds, stepMilliseconds) {
      const maxAgeMilliseconds = limits.maxSnapshotAgeMilliseconds;
      const lasting = [...cached.values()].filter(
        (each) => each.isUsed && each.maxAgeMilliseconds === maxAgeMilliseconds,
      );
      const aging = lasting.filter((each) => each.sinceMilliseconds + maxAgeMilliseconds < byMilliseconds);
      const leftMilliseconds = maxAgeMilliseconds - (byMilliseconds - clock.nowMilliseconds());
      const steps = Math.max(1, Math.floor(leftMilliseconds / Math.max(1, stepMilliseconds)));
      const share = Math.ceil(lasting.length / steps);
      if (aging.length >= share) return toSnapshots(aging.toReversed());
      const halfAged = clock.nowMilliseconds() - maxAgeMilliseconds / 2;
      const since = Math.max(halfAged, byMilliseconds - maxAgeMilliseconds);
      const oldest = lasting
        .filter(({ sinceMilliseconds }) => sinceMilliseconds < since)
        .toSorted((a, b) => a.sinceMilliseconds - b.sinceMilliseconds);
      return toSnapshots(oldest.slice(0, share));
    },
    renew(id, read) {
      const firstEvents = cached.get(id)?.snapshot.firstEvents !== undefined;
      if (inFlight.get(id) !== undefined) return;
      // After a failure the cached snapshot serves until it expires.
      start(id, { firstEvents, isRenewal: true }, read).catch(() => undefined);
    },
    advance({ touched, deployment: hasDeploymentChange, checks }) {
      if (touched === 'all' || hasDeploymentChange || checks) {
        dropAll();
        return;
      }
      for (const id of touched.machines) {
        inFlight.supersede(id);
        drop(id);
      }
      if (touched.kybOperators.size === 0) return;
      inFlight.supersedeAll();
      for (const [id, { snapshot }] of cached) {
        if (isOfOperator(snapshot, touched.kybOperators)) drop(id);
      }
    },
    dropAll,
  };
}

function toSnapshots(entries: readonly CachedSnapshot[]): MachineSnapshot[] {
  return entries.slice(0, MAX_RENEWED).map(({ snapshot }) => snapshot);
}

/** Returns whether a fact is unreadable, which may be a transient failure of the node. */
function isFlawed(snapshot: MachineSnapshot): boolean {
  return Object.values(snapshot).some((fact) => (fact as ReadResult<unknown> | undefined)?.state === 'unreadable');
}

/**
 * Returns whether KYB of the machine may be that of one of the operators; true when its records are unreadable, and without a token
 * here, because the account on the alt chain names the operator, whose KYB is read at the block of the snapshot.
 */
function isOfOperator({ owner, attestations }: MachineSnapshot, operators: ReadonlySet<Address>): boolean {
  if (attestations.state !== 'present') return attestations.state === 'unreadable';
  if (owner.state === 'absent') return true;
  return attestations.value.operator !== undefined && operators.has(attestations.value.operator);
}
