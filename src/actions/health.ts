/** Health checks: readiness and index freshness (`/ready` of the interface, http-facts 12). */
import { formatAltFleetIdentity } from '../domain/alt-chain/alt-fleet.ts';
import { isUsable, type ClockState } from '../domain/clock/clock-judgement.ts';
import { Fault } from '../domain/faults.ts';
import { explainCause, SLOWING_CAUSES, type ExplainedCause } from '../domain/index-rules/index-cause.ts';
import {
  isObservationFresh,
  isServing,
  judgeIndexFreshness,
  judgeObservationAge,
  MAX_LAG_BLOCKS,
  measureIndexProgress,
} from '../domain/index-rules/index-freshness.ts';
import type { HomeChain } from '../domain/rating/paid/claims.ts';
import type { AltIndexStatus, AltWalkProgress, IndexProofStatus, MainChainIndexStatus } from '../ports/indexes.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { MainChainReadiness } from '../ports/main-chain.ts';
import { nowSeconds, type CallBudgetState, type PaymentSourceState } from '../ports/runtime.ts';
import { raceTimeout } from './race-timeout.ts';
import { countRefusedMachines } from './refused-ratings.ts';
import { readTrustedSeconds } from './trusted-clock.ts';

/** Progress of the operator index; undefined where never read. */
export interface OperatorIndexReport {
  readonly isReady: boolean;
  readonly indexedBlock: number | undefined;
  readonly headBlock: number | undefined;
  readonly lagBlocks: number | undefined;
  readonly headObservedAgeSeconds: number | undefined;
  readonly proof: IndexProofStatus | undefined;
}

/** Progress of the alt chain's event index. It is not ready either while this process cannot read the accounts of machines. */
export interface AltIndexReport {
  readonly isReady: boolean;
  readonly slot: number | undefined;
  readonly ageSeconds: number | undefined;
  readonly progress: AltWalkProgress | undefined;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly mainChain: MainChainReadiness;
  /** Undefined: this server does not run Verify. */
  readonly verify: boolean | undefined;
  /** The service is not ready while its clock is behind or doubtful. Undefined: not initialized. */
  readonly clock: ClockState | undefined;
  /** Informational; does not affect readiness. Undefined: not initialized. */
  readonly operatorIndex: OperatorIndexReport | undefined;
  /** Informational; does not affect readiness. Undefined: not initialized, or no alt chain is configured. */
  readonly altIndex: AltIndexReport | undefined;
  /** Informational; does not affect readiness. Undefined: distributed rate limiting is not configured. */
  readonly isRateLimitDistributed: boolean | undefined;
}

const NOTHING_READY: MainChainReadiness = {
  rpcConnected: false,
  machineRegistry: false,
  machineStateAndSync: false,
  machineSubscription: false,
  eventRegistry: false,
  adminFlags: false,
};

const NEVER_READ: MainChainIndexStatus = {
  indexedBlock: undefined,
  headBlock: undefined,
  headObservedAtMilliseconds: undefined,
};

const ALT_NEVER_READ: AltIndexStatus = {
  isReady: false,
  slot: undefined,
  observedAtMilliseconds: undefined,
  progress: undefined,
};

const READ_TIMEOUT_MILLISECONDS = 2_000;

const UNINITIALIZED = {
  isReady: false,
  mainChain: NOTHING_READY,
  verify: false,
  clock: undefined,
  operatorIndex: undefined,
  altIndex: undefined,
};

/** Reports readiness. Throws no fault: what cannot be read is not ready, and neither is a draining process. */
export async function getReadiness(ctx: Ctx): Promise<Readiness> {
  const { main, process } = ctx;
  const isRateLimitDistributed = process?.isRateLimitDistributed();
  if (main === undefined) return { ...UNINITIALIZED, isRateLimitDistributed };
  const { state: clock } = ctx.trustedClock.judge();
  const [mainChain, verify, { index, altIndex }] = await Promise.all([
    main.chain.readReadiness(),
    readVerify(ctx),
    readIndexes(ctx, main),
  ]);
  return {
    isReady: isReadable(mainChain) && verify !== false && isUsable(clock) && process?.isStopping() !== true,
    mainChain,
    verify,
    clock,
    operatorIndex: toReport(ctx, index),
    altIndex,
    isRateLimitDistributed,
  };
}

/** Progress of both indexes; undefined as in `Readiness`. */
export type IndexReports = Pick<Readiness, 'operatorIndex' | 'altIndex'>;

/** Freshness of the indexes. */
export interface Freshness extends IndexReports {
  readonly isFresh: boolean;
  /** What stops or slows the indexes, as far as this process knows. */
  readonly causes: readonly ExplainedCause[];
  /** Informational; undefined where the process does not report them. */
  readonly callBudgets: readonly CallBudgetState[] | undefined;
  readonly paymentSources: readonly PaymentSourceState[] | undefined;
  /** Informational; undefined as `getPaymentSearches` says. */
  readonly paymentSearches: readonly PaymentSearch[] | undefined;
}

/** How far the events of a home chain are searched for payments. Verdicts on later events are pending. */
export interface PaymentSearch {
  readonly home: HomeChain;
  /** Unix seconds; undefined before the first pass. */
  readonly throughTime: number | undefined;
  /** Age of that time. */
  readonly ageSeconds: number | undefined;
}

/**
 * Reports whether both indexes are fresh, the clock can be used, the contracts can be read and no machine is refused for long. Throws no
 * fault: what cannot be read is not fresh.
 */
export async function getFreshness(ctx: Ctx, maxLagBlocks: number): Promise<Freshness> {
  const { main, clock, pollIntervalSeconds } = ctx;
  const callBudgets = ctx.process?.callBudgets?.();
  const paymentSources = ctx.process?.paymentSources?.();
  const ofProcess = { callBudgets, paymentSources };
  if (main === undefined) {
    const unread = { operatorIndex: undefined, altIndex: undefined, paymentSearches: undefined };
    return { isFresh: false, causes: [], ...unread, ...ofProcess };
  }
  const [{ index, altIndex }, hasFleets, contracts, paymentSearches] = await Promise.all([
    readIndexes(ctx, main),
    readAltFleets(ctx),
    readInTime(ctx, () => main.chain.readReadiness(), NOTHING_READY),
    getPaymentSearches(ctx),
  ]);
  const { kind } = judgeIndexFreshness(index, clock.nowMilliseconds(), pollIntervalSeconds, maxLagBlocks);
  const isAltContradicted = [ctx.alt, ctx.bindings].some((port) => port?.isContradicted?.() === true);
  const isClockUsable = isUsable(ctx.trustedClock.judge().state);
  const isFresh =
    kind === 'fresh' &&
    isClockUsable &&
    index.servesRatings !== false &&
    isReadable(contracts) &&
    altIndex?.isReady !== false &&
    !isAltContradicted &&
    hasFleets;
  const refused = countRefusedMachines(ctx);
  const mainCauses = main.indexHealth?.listCauses() ?? [];
  const altCauses = listAltCauses(ctx, isAltContradicted);
  const isUnexplained = kind === 'fresh' && mainCauses.every((cause) => SLOWING_CAUSES.includes(cause.kind));
  const clockCauses = isClockUsable ? [] : [explainCause({ kind: 'clock-unusable' })];
  return {
    isFresh: isFresh && refused.main === 0 && refused.alt === 0,
    operatorIndex: toReport(ctx, index),
    altIndex,
    causes: [
      ...clockCauses,
      ...mainCauses,
      ...(index.isHeldBack === true ? [explainCause({ kind: 'proof-pending' })] : []),
      ...(isUnexplained ? explainRefusals(index, contracts) : []),
      ...explainRefused('machines-refused', refused.main),
      ...altCauses,
      ...explainRefused('alt-machines-refused', refused.alt),
    ],
    paymentSearches,
    ...ofProcess,
  };
}

/** Returns the causes that only this report finds; the loops log their own. */
export async function findUnloggedCauses(ctx: Ctx): Promise<readonly ExplainedCause[]> {
  const { causes } = await getFreshness(ctx, MAX_LAG_BLOCKS);
  const logged = [ctx.main, ctx.alt].flatMap((chain) => chain?.indexHealth?.listCauses() ?? []);
  return causes.filter(({ kind }) => logged.every((cause) => cause.kind !== kind));
}

/** Returns the search of each home chain, main chain first; undefined without payment sources or home chain, or when the store cannot be read. */
export async function getPaymentSearches(ctx: Ctx): Promise<readonly PaymentSearch[] | undefined> {
  const { main, alt, paymentSources } = ctx;
  if (main === undefined || paymentSources === undefined || paymentSources.list.length === 0) return undefined;
  const homes: readonly HomeChain[] = alt === undefined ? ['main'] : ['main', 'alt'];
  return readInTime(ctx, () => Promise.all(homes.map((home) => readPaymentSearch(ctx, home))), undefined);
}

async function readPaymentSearch({ store, clock }: Ctx, home: HomeChain): Promise<PaymentSearch> {
  const time = await store.readScannedThrough(home);
  return time < 0
    ? { home, throughTime: undefined, ageSeconds: undefined }
    : { home, throughTime: time, ageSeconds: Math.max(0, nowSeconds(clock) - time) };
}

function isReadable(contracts: MainChainReadiness): boolean {
  return Object.values(contracts).every(Boolean);
}

/** Explains why ratings are refused while the index reports no cause. */
function explainRefusals(
  { servesRatings, proof }: MainChainIndexStatus,
  contracts: MainChainReadiness,
): ExplainedCause[] {
  if (servesRatings === false)
    return [explainCause({ kind: proof?.isBackfilled === false ? 'first-index-unfinished' : 'head-unconnected' })];
  if (isReadable(contracts)) return [];
  const { machineRegistry, machineStateAndSync, machineSubscription, eventRegistry } = contracts;
  const isRead = machineRegistry || machineStateAndSync || machineSubscription || eventRegistry;
  return [explainCause({ kind: isRead ? 'contracts-differ' : 'state-missing' })];
}

/** Lists the causes of the alt chain. A process without its indexes knows a contradiction from its own checks. */
function listAltCauses({ alt }: Ctx, isContradicted: boolean): readonly ExplainedCause[] {
  const causes = alt?.indexHealth?.listCauses() ?? [];
  const isNamed = causes.some(({ kind }) => kind === 'alt-other-deployment');
  return isContradicted && !isNamed ? [explainCause({ kind: 'alt-other-deployment' }), ...causes] : causes;
}

function explainRefused(kind: 'machines-refused' | 'alt-machines-refused', machines: number): ExplainedCause[] {
  return machines === 0 ? [] : [explainCause({ kind, machines })];
}

/** Reports progress for responses from the index. Throws `StoreUnavailable`, and `ChainUnreadable` where the stored index is of another chain. */
export async function getIndexReports(ctx: Ctx, main: MainChainPorts): Promise<IndexReports> {
  const [index, altIndex] = await Promise.all([main.index.readMainChainIndex(), readAltIndex(ctx)]);
  return { operatorIndex: toReport(ctx, index), altIndex };
}

interface IndexReadings {
  readonly index: MainChainIndexStatus;
  readonly altIndex: AltIndexReport | undefined;
}

async function readIndexes(ctx: Ctx, main: MainChainPorts): Promise<IndexReadings> {
  const [index, altIndex] = await Promise.all([
    readInTime(ctx, () => main.index.readMainChainIndex(), NEVER_READ),
    readAltIndex(ctx),
  ]);
  return { index, altIndex };
}

async function readAltIndex(ctx: Ctx): Promise<AltIndexReport | undefined> {
  const { alt } = ctx;
  if (alt === undefined) return undefined;
  const report = toAltReport(ctx, await readInTime(ctx, () => alt.index.readStatus(), ALT_NEVER_READ));
  return { ...report, isReady: report.isReady && alt.isReadable?.() !== false };
}

/** Returns whether operator listings have a snapshot of the alt chain that is recent enough. */
async function readAltFleets(ctx: Ctx): Promise<boolean> {
  const { alt, store, clock, pollIntervalSeconds } = ctx;
  if (alt === undefined) return true;
  const observation = await readInTime(
    ctx,
    () => store.readAltFleetObservation(formatAltFleetIdentity(alt.chain)),
    undefined,
  );
  const ageSeconds = judgeObservationAge(observation?.observedAtMilliseconds, clock.nowMilliseconds());
  return isObservationFresh(ageSeconds, pollIntervalSeconds);
}

const WRITE_CHECK_TTL_MILLISECONDS = 1_000;

interface WriteCheck {
  readonly atMilliseconds: number;
  readonly isReady: Promise<boolean>;
}

const createLatestWriteCheck = (): { current: WriteCheck | undefined } => ({ current: undefined });

/** Undefined: this server does not run Verify. */
async function readVerify(ctx: Ctx): Promise<boolean | undefined> {
  if (ctx.isOnboardingRefused === true) return false;
  if (ctx.onboarding === undefined) return undefined;
  return readTrustedSeconds(ctx) !== undefined && (await readWritable(ctx));
}

/** Checks that the database accepts a write, at most once a second. */
function readWritable(ctx: Ctx): Promise<boolean> {
  const now = ctx.clock.nowMilliseconds();
  const latest = ctx.actionState.of(createLatestWriteCheck);
  const { current } = latest;
  if (current !== undefined && Math.abs(now - current.atMilliseconds) < WRITE_CHECK_TTL_MILLISECONDS) {
    return current.isReady;
  }
  const isReady = readInTime(ctx, () => ctx.store.checkWritable().then(() => true), false);
  latest.current = { atMilliseconds: now, isReady };
  return isReady;
}

/** Returns `fallback` where the read fails or takes too long: a database that hangs must not hold up the report. */
async function readInTime<T>({ timers }: Ctx, read: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await raceTimeout(timers, READ_TIMEOUT_MILLISECONDS, read(), fallback);
  } catch (error) {
    if (error instanceof Fault) return fallback;
    throw error;
  }
}

/** Reports an index as not ready when its observation is too old: its worker may have stopped. */
function toAltReport(ctx: Ctx, status: AltIndexStatus): AltIndexReport {
  const { isReady, slot, observedAtMilliseconds, progress } = status;
  const ageSeconds = judgeObservationAge(observedAtMilliseconds, ctx.clock.nowMilliseconds());
  return { isReady: isReady && isObservationFresh(ageSeconds, ctx.pollIntervalSeconds), slot, ageSeconds, progress };
}

function toReport(ctx: Ctx, index: MainChainIndexStatus): OperatorIndexReport {
  const now = ctx.clock.nowMilliseconds();
  const { indexedBlock, headBlock, proof } = index;
  return {
    isReady: isServing(index, now, ctx.pollIntervalSeconds),
    proof,
    indexedBlock,
    headBlock,
    ...measureIndexProgress(index, now),
  };
}
