/**
 * Proves the stored index after it was built from logs (design/real-chains.md 1): first the blocks with logs, newest
 * first, by header and receipts; then that no other block holds logs, by the logs of a second host or by a random sample
 * of headers; in the modes `full` and `before` also by every other header. A difference is repaired from the receipts. Progress is stored,
 * so that a restart continues; nothing that fails here stops the index.
 */
import { watchContracts } from '../../domain/index-rules/block-checks.ts';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';
import { createAbsenceProof, hasPassed, type RandomBelow } from './absence-proof.ts';
import { BloomEvidence } from './bloom-evidence.ts';
import { createBlockProof } from './block-proof.ts';

export interface BackgroundProverOptions {
  readonly chain: MainChainLog;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly proof: IndexProof;
  /** First block of the index. */
  readonly startBlock: number;
  readonly random: RandomBelow;
}

export interface BackgroundProver {
  /** Proves for a bounded time. Throws like every chain read, and `ResponseRejected`; what was proven before remains. */
  prove(signal: AbortSignal): Promise<StepOutcome>;
  report(): BackgroundProverReport;
}

export interface BackgroundProverReport {
  /** Blocks whose stored logs were not those of their receipts. */
  readonly differences: number;
  /** Blocks that could not be proven in the last pass. */
  readonly unproven: number;
}

/** Blocks with logs per step. */
const BLOCKS_PER_STEP = 50;
/** Consecutive failures after which receipts are taken to prove nothing here. */
const MAX_FAILURES_IN_ROW = 100;
/** Time after which blocks that could not be proven are tried again; it doubles up to an hour. */
const FIRST_RETRY_MILLISECONDS = 60_000;
const MAX_RETRY_MILLISECONDS = 3_600_000;

export function createBackgroundProver(options: BackgroundProverOptions): BackgroundProver {
  const { chain, store, clock, log, proof, startBlock, random } = options;
  const contracts = watchContracts(chain.addresses);
  const evidence = new BloomEvidence(chain, contracts);
  const blocks = createBlockProof({ chain, store, log, evidence });
  const absence = createAbsenceProof({
    chain,
    store,
    log,
    blocks,
    evidence,
    startBlock,
    random,
    clock,
    isFull: proof === 'full' || proof === 'before',
  });
  /** Blocks from here on were tried in this pass. */
  let below = Infinity;
  /** Where earlier passes ended that failed too often in a row; infinite once one of them tried every block. */
  let triedFrom = Infinity;
  let failed = 0;
  let failedInRow = 0;
  let unproven = 0;
  let passedAt = -Infinity;
  let pauseMilliseconds = PASS_MILLISECONDS;
  let retryMilliseconds = FIRST_RETRY_MILLISECONDS;

  async function prove(signal: AbortSignal): Promise<StepOutcome> {
    const checkpoint = await store.readMainChainCheckpoint();
    if (checkpoint === undefined || signal.aborted) return 'idle';
    if (hasPassed(clock, passedAt, pauseMilliseconds)) return proveLogBlocks();
    return absence.prove(checkpoint);
  }

  /**
   * Proves the next blocks with logs, newest first. A pass ends after too many failures in a row: the next one tries the newest blocks
   * again, and then continues where it ended.
   */
  async function proveLogBlocks(): Promise<StepOutcome> {
    if (failedInRow >= MAX_FAILURES_IN_ROW && below >= triedFrom) {
      below = triedFrom;
      failedInRow = 0;
    }
    const batch = await store.listUnprovenBlocks(Math.min(below, Number.MAX_SAFE_INTEGER), BLOCKS_PER_STEP);
    if (batch.length === 0 || failedInRow >= MAX_FAILURES_IN_ROW) {
      triedFrom = batch.length === 0 ? Infinity : below;
      endPass();
      return 'more';
    }
    const failures = await blocks.proveStored(batch);
    failed += failures;
    failedInRow = failures === batch.length ? failedInRow + failures : 0;
    below = batch.at(-1)!.blockNumber;
    return 'more';
  }

  function endPass(): void {
    if (failed > 0 && unproven === 0)
      log.warn({ blocks: failed }, 'receipts do not prove these blocks; they stay unproven and are tried again');
    unproven = failed;
    // Blocks stored in the meantime are found by the next pass.
    passedAt = clock.nowMilliseconds();
    pauseMilliseconds = failed > 0 ? retryMilliseconds : PASS_MILLISECONDS;
    retryMilliseconds = failed > 0 ? Math.min(MAX_RETRY_MILLISECONDS, 2 * retryMilliseconds) : FIRST_RETRY_MILLISECONDS;
    below = Infinity;
    failed = failedInRow = 0;
  }

  return { prove, report: () => ({ differences: blocks.differences(), unproven }) };
}

/** Time between passes that leave nothing unproven. */
const PASS_MILLISECONDS = 10_000;
