/**
 * Evidence that the blooms of a node's headers are real (design/real-chains.md 1). Some chains and some nodes serve zero
 * or synthetic blooms, and some only for a part of their blocks. A bloom settles a block unread only near a block of the
 * same node whose bloom was seen to contain its logs; a zero bloom never does. The evidence is of this process, because
 * a stored profile decides how to ask, never what to accept.
 */
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import {
  findContractsMissingLogs,
  isInBloom,
  type CheckedLog,
  type WatchedContracts,
} from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import { isReadFailure } from './read-failure.ts';

/** Position of a node; undefined for a header of several nodes. */
type NodeOfHeader = Header['node'];

/** Distance in blocks up to which evidence counts. */
export const MAX_EVIDENCE_DISTANCE = 100_000;

export class BloomEvidence {
  readonly #chain: MainChainLog;
  readonly #contracts: WatchedContracts;
  /** Newest block of each node whose bloom was seen to contain its logs. */
  readonly #seenAt = new Map<NodeOfHeader, number>();
  /** Nodes whose blooms lacked proven logs of their blocks. */
  readonly #contradicted = new Set<NodeOfHeader>();

  constructor(chain: MainChainLog, contracts: WatchedContracts) {
    this.#chain = chain;
    this.#contracts = contracts;
  }

  /** Returns whether the block holds no log of the contracts and need not be read. */
  settles(header: Header): boolean {
    if (header.logsBloom === ZERO_BLOOM || !this.isRealNear(header)) return false;
    return findContractsMissingLogs(this.#contracts, header, []).length === 0;
  }

  /** Returns whether the node's bloom of a block near this one was seen to be real, and none was seen not to be. */
  isRealNear({ number, node }: Header): boolean {
    const seenAt = this.#contradicted.has(node) ? undefined : this.#seenAt.get(node);
    return seenAt !== undefined && Math.abs(number - seenAt) <= MAX_EVIDENCE_DISTANCE;
  }

  /** Returns whether the header's bloom is that of all logs of its block. */
  compare({ number, node, logsBloom }: Header, allLogsBloom: string): boolean {
    const isEqual = logsBloom === allLogsBloom;
    if (isEqual && logsBloom !== ZERO_BLOOM) this.#seenAt.set(node, number);
    return isEqual;
  }

  /**
   * Looks for evidence near these headers when there is none: one block is read by hash, of the others where the blooms of these are
   * all zero.
   */
  async seek(headers: readonly Header[], readOthers?: () => Promise<readonly Header[]>): Promise<void> {
    const open = headers.filter((header) => !this.#contradicted.has(header.node) && !this.isRealNear(header));
    if (open.length === 0) return;
    const hasLogs = ({ logsBloom }: Header) => logsBloom !== ZERO_BLOOM;
    const sample = open.findLast(hasLogs) ?? (await readOthers?.())?.findLast(hasLogs);
    if (sample === undefined) return;
    try {
      const [block] = await this.#chain.readBlockLogs([sample]);
      if (block !== undefined) this.compare(sample, block.bloom);
    } catch (error) {
      // A node that does not answer such queries gives no evidence.
      if (!isReadFailure(error)) throw error;
    }
  }

  /** Records what proven logs say about the bloom of their block. Throws `ResponseRejected` when it lacks them. */
  record(header: Header, logs: readonly CheckedLog[]): void {
    if (logs.length === 0 || header.logsBloom === ZERO_BLOOM) return;
    if (logs.every((log) => isInBloom(this.#contracts, header, log))) {
      this.#seenAt.set(header.node, header.number);
      return;
    }
    // Blocks before this one may have been left out for the same reason, so the range is read again.
    const isNew = !this.#contradicted.has(header.node);
    this.#contradicted.add(header.node);
    if (isNew) throw new ResponseRejected('not-in-bloom');
  }
}
