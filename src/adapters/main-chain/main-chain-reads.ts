/** Main-chain port over the caches and readers (`MainChain`, `HeadListener`). */
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { isRegistered } from '../../domain/machine/machine-home.ts';
import { unwrapOptional } from '../../domain/read-result.ts';
import type { LegacyMachines, HeadListener, HeadStep, MainChain } from '../../ports/main-chain.ts';
import type { WorkScope } from '../../ports/runtime.ts';
import { withPurpose, type Deadline } from '../rpc/deadline.ts';
import type { KnownKeys } from '../rpc/known-keys.ts';
import type { DeploymentCache } from './cache/deployment-cache.ts';
import type { HeadTracker } from './cache/head-tracker.ts';
import { readBalance, type TokenBalances } from './cache/token-balances.ts';
import type { MachineSnapshots } from './cache/machine-snapshots.ts';
import type { Headers } from './logs/headers.ts';
import type { MainChainAddresses } from './main-chain-config.ts';
import { readEventRange } from './reads/event-pages.ts';
import { decodeKyb, planKybCall } from './reads/machine-calls.ts';
import type { Multicall } from './reads/multicall.ts';
import type { ContractReadiness } from './reads/readiness.ts';
import type { SnapshotReader } from './reads/snapshot-reader.ts';
import type { UncachedReader } from './reads/uncached-reader.ts';

export interface MainChainReadsOptions extends Pick<MainChain, 'chainId'> {
  readonly uncached: UncachedReader;
  readonly readiness: ContractReadiness;
  readonly addresses: MainChainAddresses;
  readonly legacy: LegacyMachines | undefined;
  readonly headers: Headers;
  readonly multicall: Multicall;
  readonly head: HeadTracker;
  readonly deployment: DeploymentCache;
  readonly snapshots: MachineSnapshots;
  readonly balances: TokenBalances;
  readonly snapshotReader: SnapshotReader;
  readonly startRead: (isKnown?: boolean) => Deadline;
  /** Machines that were found to exist. */
  readonly known: KnownKeys<MachineId>;
  readonly workScope: WorkScope | undefined;
  /** Renews what expires soon after a step. */
  readonly renewAging: (step: HeadStep) => void;
  /** Runs the checks of the deployment and logs their problems. */
  readonly startChecks: () => void;
}

export function createMainChainReads(options: MainChainReadsOptions): MainChain & HeadListener {
  const { chainId, addresses, legacy, uncached, readiness, startRead, renewAging, startChecks } = options;
  const { headers, multicall, head, deployment, snapshots, balances, snapshotReader, known, workScope } = options;

  return {
    chainId,
    machineRegistry: addresses.machineRegistry,
    legacy,
    ...uncached,
    readReadiness: readiness.read,
    async readMachine(id, { eventsFrom, firstEvents }) {
      const deadline = startRead();
      const block = head.fresh() ?? (await head.read(deadline));
      return snapshots.get(id, firstEvents, block, async () => {
        const offset = await eventsFrom();
        // A machine with stored events exists.
        const isKnown = offset > 0 || known.has(id);
        const own = withPurpose(deadline, { ...deadline.purpose, isKnown });
        const snapshot = await snapshotReader.read({ id, firstEvents, offset, block, deadline: own }, multicall);
        if (isRegistered(snapshot)) known.add(id);
        return snapshot;
      });
    },
    getCached(id, firstEvents) {
      const block = head.fresh();
      const facts = deployment.fresh();
      const snapshot = block && facts && snapshots.find(id, firstEvents, block);
      if (snapshot !== undefined) return { snapshot, deployment: facts! };
      workScope?.extend();
      return undefined;
    },
    async readBalance(owner, isKnown) {
      const deadline = startRead(isKnown);
      const block = head.fresh() ?? (await head.read(deadline));
      const read = () => readBalance(multicall, addresses.machineRegistry, owner, block, deadline);
      return balances.get(owner, block, read);
    },
    async readBalanceAt(owner, block) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      return readBalance(multicall, addresses.machineRegistry, owner, pinned, deadline);
    },
    async readEvents(id, block, from, to) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      const range = { registry: addresses.eventRegistry, id, from, to };
      const pageLimit = await snapshotReader.readPageLimit(pinned, deadline);
      const records = await readEventRange(multicall, pinned, range, pageLimit, deadline);
      if (records.length !== to - from) throw chainUnreadable('main', 'events');
      return { offset: from, records };
    },
    async readKyb(operator, block) {
      if (addresses.attestationRegistry === undefined) return undefined;
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      const calls = [planKybCall(operator, addresses.attestationRegistry)];
      return unwrapOptional(decodeKyb((await multicall.readAt(pinned, calls, deadline))[0]));
    },
    async readDeployment() {
      const deadline = startRead();
      return deployment.read(head.fresh() ?? (await head.read(deadline)), deadline);
    },
    observeFinal: head.observeFinal,
    advanceHead(step) {
      head.advance(step);
      snapshots.advance(step);
      balances.advance(step);
      renewAging(step);
      readiness.advance(step);
      if (step.touched === 'all' || step.deployment || step.checks) deployment.invalidate();
      if (step.checks) startChecks();
    },
  };
}
