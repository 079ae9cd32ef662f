/** Everything that the indexers' tests need at once: a fake chain, virtual time, and the parts on top of them. */
import type { MachineId } from '../domain/identifiers.ts';
import { createRateTable, type RateTable } from '../domain/rating/rate-table.ts';
import type { FxConfiguration, FxRates } from '../ports/fx-rates.ts';
import type { HeadStep } from '../ports/head-feed.ts';
import type { Store } from '../ports/store.ts';
import { createEventFolder } from './event-folder.ts';
import { createEventTimes } from './event-times.ts';
import { FakeChain } from './fake-chain.ts';
import { createHeadFollower } from './head-follower.ts';
import { createIndexStanding } from './index-standing.ts';
import { createIndexStatus } from './index-status.ts';
import { createKeptLog } from './kept-log.ts';
import { createMainChainIndex } from './main-chain-index.ts';
import { createBlockReader, type Completeness } from './verified-blocks.ts';
import { VirtualTime } from './virtual-time.ts';

export const IDENTITY = 'layout=1 chain=1 start=0';
export const FINGERPRINT = 'mcr/1 test';
export const NEVER = new AbortController().signal;

export function machine(id: number): MachineId {
  return BigInt(id) as MachineId;
}

export class FixedRates implements FxRates {
  #configuration: FxConfiguration = { table: createRateTable(false), fingerprint: FINGERPRINT };

  current(): FxConfiguration {
    return this.#configuration;
  }

  use(table: RateTable, fingerprint = FINGERPRINT): void {
    this.#configuration = { table, fingerprint };
  }

  refresh(): Promise<{ readonly kind: 'not-due' }> {
    return Promise.resolve({ kind: 'not-due' });
  }
}

export interface BenchOptions {
  readonly chain?: FakeChain;
  /** For steps that can wait. */
  readonly patientChain?: FakeChain;
  readonly store: Store;
  readonly identity?: string;
  readonly startBlock?: number;
  readonly maxWindowBlocks?: number;
  readonly completeness?: Completeness;
  readonly recentLimits?: { readonly blocks: number; readonly events: number };
}

/** One process; a second bench on the same chain and store is another process, or the same after its death. */
export function createBench(options: BenchOptions) {
  const chain = options.chain ?? new FakeChain();
  const { store } = options;
  const time = new VirtualTime();
  const log = createKeptLog();
  const rates = new FixedRates();
  const standing = createIndexStanding(log);
  const reader = createBlockReader(chain, options.completeness ?? 'proven');
  const { identity = IDENTITY, startBlock = 0, maxWindowBlocks, patientChain } = options;
  const patient = patientChain && { chain: patientChain, reader: createBlockReader(patientChain, 'proven') };
  const shared = { chain, reader, store, standing, clock: time, log };
  const index = createMainChainIndex({ ...shared, patient, identity, startBlock, maxWindowBlocks });
  const folder = createEventFolder({ ...shared, fxRates: rates });
  const steps: HeadStep[] = [];
  const follower = createHeadFollower({
    ...shared,
    listeners: [{ advanceHead: (step) => steps.push(step) }],
    limits: options.recentLimits,
  });
  const eventTimes = createEventTimes({ ...shared, recent: follower.recent });
  const status = createIndexStatus(store, standing);
  return { chain, store, time, log, rates, standing, index, folder, follower, steps, eventTimes, status };
}

export type Bench = ReturnType<typeof createBench>;
