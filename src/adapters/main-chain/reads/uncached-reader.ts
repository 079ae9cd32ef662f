/** Reads that use no cache: for writes at the newest block, after the call; for statements at exactly one block. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { isRegistered } from '../../../domain/machine/machine-home.ts';
import type { CachedMachine, Header, MainChain } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { KnownKeys } from '../../rpc/known-keys.ts';
import { coalesceAfterCall } from '../cache/coalesced-reads.ts';
import type { HeadTracker } from '../cache/head-tracker.ts';
import type { Headers } from '../logs/headers.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import { readDeploymentFacts } from './deployment.ts';
import { readMachineAt } from './machine-reads.ts';
import type { Multicall } from './multicall.ts';

export interface UncachedReaderOptions {
  readonly addresses: MainChainAddresses;
  readonly maxEventPage: number;
  readonly headers: Headers;
  readonly head: Pick<HeadTracker, 'fresh' | 'requireCurrent'>;
  readonly multicall: Multicall;
  readonly startRead: (isKnown?: boolean) => Deadline;
  /** Machines that were found to exist. */
  readonly known: KnownKeys<MachineId>;
}

export type UncachedReader = Pick<MainChain, 'readMachineUncached' | 'readMachineAt'>;

export function createUncachedReader(options: UncachedReaderOptions): UncachedReader {
  const { addresses, headers, head, multicall, startRead, known } = options;

  /** Prefers the follower's head where it is newer than that of the node. */
  const readNewestBlock = coalesceAfterCall(async () => {
    const newest = await headers.read('latest', startRead());
    const followed = head.fresh();
    return followed !== undefined && followed.number > newest.number ? followed : head.requireCurrent(newest);
  });

  async function readAt(id: MachineId, block: Header, deadline: Deadline): Promise<CachedMachine> {
    const pages = { offset: 0, limit: 1, firstEvents: false };
    const [snapshot, deployment] = await Promise.all([
      readMachineAt(multicall, addresses, { id, block, pages, pageLimit: Promise.resolve(1), deadline }),
      readDeploymentFacts(multicall, options, block, deadline),
    ]);
    if (isRegistered(snapshot)) known.add(id);
    return { snapshot, deployment };
  }

  return {
    /** Concurrent calls share the next read. */
    readMachineUncached: coalesceAfterCall(async (id: MachineId) =>
      readAt(id, await readNewestBlock('latest'), startRead(known.has(id))),
    ),
    async readMachineAt(id, block) {
      const deadline = startRead(known.has(id));
      return readAt(id, await headers.readExactly(block, deadline), deadline);
    },
  };
}
