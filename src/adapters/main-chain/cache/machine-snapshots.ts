/**
 * How long does what was read of a machine stay true? (chain-evm 3.4 and 6.) Until a log touches the machine, a block reaches
 * the next boundary of its subscription, or a hard age passes. What is kept is bounded in bytes; the longest unused falls first.
 */
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { MainChainLimits } from '../limits.ts';
import { estimateSnapshotBytes } from './snapshot-size.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

/** The others are read when they are asked for. */
const MAX_RENEWED = 200;

interface Kept {
  readonly snapshot: MachineSnapshot;
  readonly bytes: number;
  /** Clock milliseconds from which its age counts, and for how long it may serve. */
  readonly keptAtMilliseconds: number;
  readonly maxAgeMilliseconds: number;
  /** Block time from which its status may differ; undefined when time alone changes nothing. */
  readonly boundary: bigint | undefined;
  /** Someone has asked for it since it was kept. */
  isUsed: boolean;
}

interface UnderWay {
  readonly promise: Promise<MachineSnapshot>;
  readonly firstEvents: boolean;
  /** Its answer may be long in coming: readers do not wait for it. */
  readonly isPatient: boolean;
  /** A log touched the machine, or everything fell, after the block it is read at. */
  isOvertaken: boolean;
}

export interface MachineSnapshots {
  /**
   * The kept snapshot while it is true at `head`, else what a read under way gives, else what `read` gives. With `firstEvents` only one
   * that holds the first events.
   */
  get(
    id: MachineId,
    firstEvents: boolean,
    head: Header,
    read: () => Promise<MachineSnapshot>,
  ): Promise<MachineSnapshot>;
  /** The kept snapshot while it is true at `head`. */
  find(id: MachineId, firstEvents: boolean, head: Header): MachineSnapshot | undefined;
  /**
   * Sound snapshots in use that should be renewed now: those that will be too old before `byMilliseconds`, the newest used first, and not more
   * than one step should renew; and of those past half of their age as many as are an even share, with so long between steps.
   */
  listAging(byMilliseconds: number, stepMilliseconds: number): MachineSnapshot[];
  /** Reads a machine anew while the kept snapshot goes on serving. The age of what is read counts from now. */
  renew(id: MachineId, read: () => Promise<MachineSnapshot>): void;
  /** Drops what the step touched. */
  advance(step: HeadStep): void;
  dropAll(): void;
}

export interface MachineSnapshotsOptions {
  readonly clock: Clock;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
  /** The last known facts, for the lengths of grace and runoff. */
  readonly deployment: () => DeploymentFacts | undefined;
}

export function createMachineSnapshots(options: MachineSnapshotsOptions): MachineSnapshots {
  const { clock, limits, counters, deployment } = options;
  // In order of use: the first is the longest unused.
  const kept = new Map<MachineId, Kept>();
  const underWay = new Map<MachineId, UnderWay>();

  function find(id: MachineId, firstEvents: boolean, head: Header): MachineSnapshot | undefined {
    const entry = kept.get(id);
    if (entry === undefined) return undefined;
    const isExpired = !isFresh(clock, entry.keptAtMilliseconds, entry.maxAgeMilliseconds);
    const isPastBoundary = entry.boundary !== undefined && BigInt(head.timestamp) >= entry.boundary;
    if (isExpired || isPastBoundary) {
      drop(id);
      return undefined;
    }
    if (firstEvents && entry.snapshot.firstEvents === undefined) return undefined;
    kept.delete(id);
    kept.set(id, entry);
    entry.isUsed = true;
    counters.snapshotHits += 1;
    return entry.snapshot;
  }

  function drop(id: MachineId): void {
    const entry = kept.get(id);
    if (entry === undefined) return;
    kept.delete(id);
    counters.snapshotBytes -= entry.bytes;
    counters.snapshotCount = kept.size;
  }

  function keep(snapshot: MachineSnapshot, keptAtMilliseconds: number): void {
    drop(snapshot.id);
    const bytes = estimateSnapshotBytes(snapshot);
    kept.set(snapshot.id, {
      snapshot,
      bytes,
      keptAtMilliseconds,
      maxAgeMilliseconds: isFlawed(snapshot)
        ? limits.maxFlawedSnapshotAgeMilliseconds
        : limits.maxSnapshotAgeMilliseconds,
      boundary: nextBoundary(snapshot, deployment()),
      isUsed: false,
    });
    counters.snapshotBytes += bytes;
    for (const id of kept.keys()) {
      if (counters.snapshotBytes <= limits.maxSnapshotBytes) break;
      drop(id);
    }
    counters.snapshotCount = kept.size;
  }

  function overtake(id: MachineId): void {
    const read = underWay.get(id);
    if (read === undefined) return;
    read.isOvertaken = true;
    underWay.delete(id);
  }

  function start(
    id: MachineId,
    firstEvents: boolean,
    read: () => Promise<MachineSnapshot>,
    isPatient = false,
  ): Promise<MachineSnapshot> {
    counters.machineReads += 1;
    const startedAtMilliseconds = clock.nowMilliseconds();
    // A read that only lacks the first events still serves those who wait for it, but is not kept.
    overtake(id);
    const entry: UnderWay = { promise: read(), firstEvents, isPatient, isOvertaken: false };
    underWay.set(id, entry);
    const finish = (snapshot?: MachineSnapshot) => {
      if (underWay.get(id) === entry) underWay.delete(id);
      if (snapshot === undefined || entry.isOvertaken) return;
      keep(snapshot, isPatient ? startedAtMilliseconds : clock.nowMilliseconds());
    };
    entry.promise.then(finish, () => finish());
    return entry.promise;
  }

  function dropAll(): void {
    for (const id of [...underWay.keys()]) overtake(id);
    kept.clear();
    counters.snapshotBytes = 0;
    counters.snapshotCount = 0;
  }

  return {
    find,
    get(id, firstEvents, head, read) {
      const known = find(id, firstEvents, head);
      if (known !== undefined) return Promise.resolve(known);
      const reading = underWay.get(id);
      const isShared = reading?.isPatient === false && (reading.firstEvents || !firstEvents);
      if (isShared) return reading.promise;
      return start(id, firstEvents, read);
    },
    listAging(byMilliseconds, stepMilliseconds) {
      const maxAgeMilliseconds = limits.maxSnapshotAgeMilliseconds;
      const lasting = [...kept.values()].filter(
        (each) => each.isUsed && each.maxAgeMilliseconds === maxAgeMilliseconds,
      );
      const aging = lasting.filter((each) => each.keptAtMilliseconds + maxAgeMilliseconds < byMilliseconds);
      const leftMilliseconds = maxAgeMilliseconds - (byMilliseconds - clock.nowMilliseconds());
      const steps = Math.max(1, Math.floor(leftMilliseconds / Math.max(1, stepMilliseconds)));
      const share = Math.ceil(lasting.length / steps);
      if (aging.length >= share) return toSnapshots(aging.toReversed());
      const halfAged = clock.nowMilliseconds() - maxAgeMilliseconds / 2;
      const since = Math.max(halfAged, byMilliseconds - maxAgeMilliseconds);
      const oldest = lasting
        .filter(({ keptAtMilliseconds }) => keptAtMilliseconds < since)
        .toSorted((a, b) => a.keptAtMilliseconds - b.keptAtMilliseconds);
      return toSnapshots(oldest.slice(0, share));
    },
    renew(id, read) {
      // A failure leaves what is kept to its age.
      const firstEvents = kept.get(id)?.snapshot.firstEvents !== undefined;
      if (!underWay.has(id)) start(id, firstEvents, read, true).catch(() => undefined);
    },
    advance({ touched, deployment: isDeployment, checks }) {
      if (touched === 'all' || isDeployment || checks) return dropAll();
      for (const id of touched.machines) {
        overtake(id);
        drop(id);
      }
      if (touched.kybOperators.size === 0) return;
      for (const id of [...underWay.keys()]) overtake(id);
      for (const [id, { snapshot }] of kept) {
        if (isOfOperator(snapshot, touched.kybOperators)) drop(id);
      }
    },
    dropAll,
  };
}

function toSnapshots(entries: readonly Kept[]): MachineSnapshot[] {
  return entries.slice(0, MAX_RENEWED).map(({ snapshot }) => snapshot);
}

/** An unreadable fact may be a passing failure of the node. */
function isFlawed(snapshot: MachineSnapshot): boolean {
  return Object.values(snapshot).some((fact) => (fact as ReadResult<unknown> | undefined)?.state === 'unreadable');
}

/** KYB is that of the operator, or of the owner where no operator is recorded; what cannot be told falls. */
function isOfOperator({ attestations }: MachineSnapshot, operators: ReadonlySet<Address>): boolean {
  if (attestations.state !== 'present') return attestations.state === 'unreadable';
  return attestations.value.operator !== undefined && operators.has(attestations.value.operator);
}

/**
 * The first second after the block at which the status may change by time alone. It is compared with block times: at a block before
 * it, reading again could only give the same answer.
 */
export function nextBoundary(snapshot: MachineSnapshot, deployment: DeploymentFacts | undefined): bigint | undefined {
  if (snapshot.subscription.state !== 'present' || snapshot.subscription.value.periodStart === 0n) return undefined;
  const { periodEnd } = snapshot.subscription.value;
  const grace = deployment?.graceSeconds ?? 0n;
  const runoff = deployment?.runoffSeconds ?? 0n;
  const now = BigInt(snapshot.block.timestamp);
  return [periodEnd, periodEnd + grace, periodEnd + grace + runoff].find((boundary) => boundary > now);
}
