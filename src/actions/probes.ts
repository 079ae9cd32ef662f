/** Is the service fit to answer? (`/ready` of the interface, http-facts 12.) */
import { Fault } from '../domain/faults.ts';
import { judgeIndexFreshness, type IndexReading } from '../domain/index-freshness.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { MainChainReadiness } from '../ports/main-chain.ts';

/** How far the operator index is. What was never read is undefined. */
export interface OperatorIndexReport {
  readonly isReady: boolean;
  readonly indexedBlock: number | undefined;
  readonly headBlock: number | undefined;
  readonly lagBlocks: number | undefined;
  readonly headObservedAgeSeconds: number | undefined;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly mainChain: MainChainReadiness;
  /** Undefined: this server does not run Verify. */
  readonly verify: boolean | undefined;
  /** Informs, does not decide. Undefined: not initialised. */
  readonly operatorIndex: OperatorIndexReport | undefined;
}

const NOTHING_READY: MainChainReadiness = {
  rpcConnected: false,
  machineRegistry: false,
  machineStateAndSync: false,
  machineSubscription: false,
  eventRegistry: false,
  adminFlags: false,
};

const NEVER_READ: IndexReading = {
  indexedBlock: undefined,
  headBlock: undefined,
  headObservedAtMilliseconds: undefined,
};

const INDEX_PATIENCE_MILLISECONDS = 2_000;

/** Throws no fault: what cannot be read is not ready. */
export async function getReadiness(ctx: Ctx): Promise<Readiness> {
  const { main } = ctx;
  if (main === undefined) {
    return { isReady: false, mainChain: NOTHING_READY, verify: false, operatorIndex: undefined };
  }
  const [mainChain, index] = await Promise.all([main.chain.readReadiness(), readIndex(main)]);
  const isReady = Object.values(mainChain).every(Boolean);
  return { isReady, mainChain, verify: undefined, operatorIndex: toReport(ctx, index) };
}

/** The index informs, it does not decide: a database that hangs must not keep the report from its reader. */
async function readIndex(main: MainChainPorts): Promise<IndexReading> {
  try {
    return await Promise.race([main.index.readMainChainIndex(), waitForIndex()]);
  } catch (error) {
    if (error instanceof Fault) return NEVER_READ;
    throw error;
  }
}

function waitForIndex(): Promise<IndexReading> {
  return new Promise((resolve) => setTimeout(resolve, INDEX_PATIENCE_MILLISECONDS, NEVER_READ).unref());
}

function toReport(ctx: Ctx, index: IndexReading): OperatorIndexReport {
  const now = ctx.clock.nowMilliseconds();
  const { indexedBlock, headBlock, headObservedAtMilliseconds } = index;
  return {
    isReady: judgeIndexFreshness(index, now, ctx.pollIntervalSeconds).kind === 'fresh',
    indexedBlock,
    headBlock,
    lagBlocks:
      indexedBlock === undefined || headBlock === undefined ? undefined : Math.max(0, headBlock - indexedBlock),
    headObservedAgeSeconds:
      headObservedAtMilliseconds === undefined
        ? undefined
        : Math.max(0, Math.floor((now - headObservedAtMilliseconds) / 1000)),
  };
}
