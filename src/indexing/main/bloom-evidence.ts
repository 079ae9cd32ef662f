/**
 * Evidence that the blooms of a node's headers are real (design/real-chains.md 1). Some chains serve zero or synthetic
 * blooms, and some only for a part of their blocks. A bloom settles a block unread only near a block whose bloom was
 * seen to contain its logs; a zero bloom never does.
 */
import { Fault } from '../../domain/faults.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import {
  findContractsMissingLogs,
  isInBloom,
  type CheckedLog,
  type WatchedContracts,
} from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { LogQueryRefused, type Header, type MainChainLog } from '../../ports/main-chain.ts';

/** Distance in blocks up to which evidence counts. */
const MAX_DISTANCE = 100_000;

export class BloomEvidence {
  readonly #chain: MainChainLog;
  readonly #contracts: WatchedContracts;
  /** Newest block whose bloom was seen to contain its logs. */
  #seenAt: number | undefined;
  /** Whether proven logs were missing in their block's bloom. */
  #isContradicted = false;

  constructor(chain: MainChainLog, contracts: WatchedContracts) {
    this.#chain = chain;
    this.#contracts = contracts;
  }

  /** Returns whether the block holds no log of the contracts and need not be read. */
  settles(header: Header): boolean {
    if (header.logsBloom === ZERO_BLOOM || this.#isContradicted || this.#seenAt === undefined) return false;
    if (Math.abs(header.number - this.#seenAt) > MAX_DISTANCE) return false;
    return findContractsMissingLogs(this.#contracts, header, []).length === 0;
  }

  /** Looks for evidence near these headers when there is none: one block is read by hash. */
  async seek(headers: readonly Header[]): Promise<void> {
    const sample = headers.findLast(({ logsBloom }) => logsBloom !== ZERO_BLOOM);
    if (sample === undefined || this.#isContradicted) return;
    if (this.#seenAt !== undefined && Math.abs(sample.number - this.#seenAt) <= MAX_DISTANCE) return;
    try {
      const [block] = await this.#chain.readBlockLogs([sample]);
      if (block?.bloom === sample.logsBloom) this.#seenAt = sample.number;
    } catch (error) {
      // A node that does not answer such queries gives no evidence.
      if (!(error instanceof Fault || error instanceof LogQueryRefused || error instanceof ResponseRejected))
        throw error;
    }
  }

  /** Records what proven logs say about the bloom of their block. Throws `ResponseRejected` when it lacks them. */
  record(header: Header, logs: readonly CheckedLog[]): void {
    if (logs.length === 0 || header.logsBloom === ZERO_BLOOM) return;
    if (logs.every((log) => isInBloom(this.#contracts, header, log))) {
      this.#seenAt = header.number;
      return;
    }
    // Blocks before this one may have been left out for the same reason, so the range is read again.
    const isNew = !this.#isContradicted;
    this.#isContradicted = true;
    if (isNew) throw new ResponseRejected('not-in-bloom');
  }
}
