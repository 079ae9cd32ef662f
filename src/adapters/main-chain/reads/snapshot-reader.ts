/** Reads machine snapshots at one block; deployment facts that are not known yet are read in the same request. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { DeploymentCache } from '../cache/deployment-cache.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import { readMachineAt } from './machine-reads.ts';
import type { Multicall } from './multicall.ts';

export interface SnapshotRequest {
  readonly id: MachineId;
  readonly firstEvents: boolean;
  /** Position of the first event of the page. */
  readonly offset: number;
  readonly block: Header;
  readonly deadline: Deadline;
}

export interface SnapshotReader {
  /** Throws `ChainUnreadable`. */
  read(request: SnapshotRequest, multicall: Multicall): Promise<MachineSnapshot>;
  /** Returns the last known limit, whatever its age, because it is a constant of the contract. */
  readPageLimit(block: Header, deadline: Deadline): Promise<number>;
}

/** Page limit until the contract's own limit is known. */
const ASSUMED_PAGE_LIMIT = 100;

export function createSnapshotReader(
  addresses: MainChainAddresses,
  deployment: Pick<DeploymentCache, 'last' | 'read'>,
): SnapshotReader {
  async function readPageLimit(block: Header, deadline: Deadline): Promise<number> {
    return (deployment.last() ?? (await deployment.read(block, deadline))).maxQueryLimit;
  }

  return {
    readPageLimit,
    async read({ id, firstEvents, offset, block, deadline }, multicall) {
      const pageLimit = readPageLimit(block, deadline);
      const limit = deployment.last()?.maxQueryLimit ?? ASSUMED_PAGE_LIMIT;
      const read = { id, block, pages: { offset, limit, firstEvents }, pageLimit, deadline };
      const [snapshot] = await Promise.all([readMachineAt(multicall, addresses, read), pageLimit]);
      return snapshot;
    },
  };
}
