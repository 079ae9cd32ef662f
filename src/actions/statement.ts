/**
 * Rating statements: the rating of a machine at the newest finalized block whose logs are proven, signed (design/provable 1). A statement is
 * made for the start of a minute, so that every replica signs the same bytes: there is one signature per machine, block and minute.
 */
import { setBounded } from '../domain/bounded-map.ts';
import { judgeAltAvailability, judgeAvailability } from '../domain/machine/availability.ts';
import { judgeIndexFreshness } from '../domain/index-rules/index-freshness.ts';
import { judgeVerifyStatus, type VerifyStatus } from '../domain/evidence/verify-status.ts';
import { Fault, type StatementRefusal } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { JsonTree } from '../domain/json/canonical-json.ts';
import type { BlockId, BlockRef } from '../domain/machine/machine-facts.ts';
import { findOperator, readAttestations } from '../domain/machine/operator-kyb.ts';
import type { Rating } from '../domain/rating/rating.ts';
import {
  hashExplanation,
  signStatement,
  STATEMENT_PERIOD_SECONDS,
  statementDomain,
  type RatingStatement,
  type SignedStatement,
  type StatementDomain,
} from '../domain/statements/rating-statement.ts';
import { isKeyValidAt, type StatementKey } from '../domain/statements/statement-keys.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { StatementConfig } from '../ports/statements.ts';
import { toBlockId } from '../ports/store.ts';
import { rateAltMachine, readAltKyb } from './alt-machine-rating.ts';
import { findMachine, judgeFacts, requireMain } from './find-machine.ts';
import { rateSnapshot, type RatedSnapshot } from './machine-rating.ts';
import type { MachineExplanation } from './machines.ts';
import { chain, type MaybePromise } from './maybe-async.ts';

/** Signed rating with the explanation that it carries the hash of. */
export interface RatingStatementDocument extends SignedStatement {
  readonly explanation: JsonTree;
}

/** For one machine, block and minute it is the same object. */
export interface IssuedStatement {
  readonly document: RatingStatementDocument;
  readonly block: BlockRef;
}

/** Converts an explanation to the JSON that its route sends. */
export type FormatExplanation = (explanation: MachineExplanation) => JsonTree;

/** Published keys and the domain that statements are signed for. */
export interface StatementDirectory {
  readonly keys: readonly StatementKey[];
  readonly domain: StatementDomain;
}

/** Statements and refusals that are cached, the longest unused evicted first; about 10 KB each. */
const MAX_CACHED = 4_000;
/** Age at which the newest finalized block is read again. */
const BLOCK_AGE_SECONDS = 1;
/** Age at which the times of the signing key are read again. */
const KEY_AGE_SECONDS = 60;

/**
 * Returns the machine's statement, synchronously when it is cached. Throws what every read of the rating throws, and
 * `StatementUnavailable`. Requires statements to be configured.
 */
export function getStatement(
  ctx: Ctx,
  config: StatementConfig,
  id: MachineId,
  format: FormatExplanation,
): MaybePromise<IssuedStatement> {
  const main = requireMain(ctx);
  const now = requireConfirmedSecond(ctx);
  const { finalized, issued } = ctx.actionState.of(createState);
  return chain(readPublishedKeys(ctx, now), (keys) => {
    if (!maySign(config, keys, now)) throw refusal('key');
    return chain(
      finalized.get(now, BLOCK_AGE_SECONDS, () => readProvenBlock(ctx, main)),
      (block) => {
        const start = now - (now % STATEMENT_PERIOD_SECONDS);
        const version = `${block.hash} ${start}`;
        return issued.get(id, version, async () => {
          const rated = await rateAt(ctx, id, block, start);
          // A repair may have stored other logs while they were read.
          await requireProven(ctx, block.number);
          return sign(ctx, main, config, rated, format);
        });
      },
    );
  });
}

/** Key that may sign now, and the domain that it signs for. */
export interface StatementSigner extends Pick<StatementConfig, 'key'> {
  readonly domain: StatementDomain;
}

/** Returns the configured key; undefined without one, while it may not sign, and while no head has confirmed the clock. */
export async function findStatementSigner(ctx: Ctx): Promise<StatementSigner | undefined> {
  const { statements } = ctx;
  const { state, milliseconds } = ctx.trustedClock.judge();
  if (statements === undefined || state !== 'good') return undefined;
  const now = Math.floor(milliseconds / 1000);
  const keys = await readPublishedKeys(ctx, now);
  if (!maySign(statements, keys, now)) return undefined;
  return { key: statements.key, domain: domainOf(ctx, requireMain(ctx)) };
}

function readPublishedKeys(ctx: Ctx, now: number): MaybePromise<readonly StatementKey[]> {
  const { published } = ctx.actionState.of(createState);
  return published.get(now, KEY_AGE_SECONDS, () => ctx.store.listStatementKeys());
}

function maySign({ key }: StatementConfig, published: readonly StatementKey[], now: number): boolean {
  return published.some((each) => each.address === key.address && isKeyValidAt(each, now));
}

/** Returns every key that ever signed or was announced. Throws `ServiceNotInitialised`, `StoreUnavailable`. */
export async function getStatementDirectory(ctx: Ctx): Promise<StatementDirectory> {
  const main = requireMain(ctx);
  return { keys: await ctx.store.listStatementKeys(), domain: domainOf(ctx, main) };
}

/** Returns the current Unix second. A clock that no head has confirmed signs nothing. */
function requireConfirmedSecond({ trustedClock }: Ctx): number {
  const { state, milliseconds } = trustedClock.judge();
  if (state !== 'good') throw refusal('clock');
  return Math.floor(milliseconds / 1000);
}

function refusal(cause: StatementRefusal): Fault<'StatementUnavailable'> {
  return new Fault('StatementUnavailable', { cause });
}

/** Returns the block up to which the index is stored, once all logs up to it are proven. */
async function readProvenBlock(ctx: Ctx, main: MainChainPorts): Promise<BlockId> {
  const checkpoint = await ctx.store.readMainChainCheckpoint();
  const status = await main.index.readMainChainIndex();
  const freshness = judgeIndexFreshness(status, ctx.clock.nowMilliseconds(), ctx.pollIntervalSeconds);
  if (freshness.kind === 'syncing') throw new Fault('EventIndexSyncing', freshness);
  if (freshness.kind === 'stale' || checkpoint === undefined) throw refusal('index');
  // Without a proof, further logs may be hidden.
  if (status.proof?.mode === 'off') throw refusal('unproven');
  await requireProven(ctx, checkpoint.blockNumber);
  return toBlockId(checkpoint);
}

async function requireProven(ctx: Ctx, blockNumber: number): Promise<void> {
  if (!(await ctx.store.areBlocksProven(0, blockNumber))) throw refusal('unproven');
}

interface StatementRating {
  readonly explanation: MachineExplanation;
  readonly homeChain: number;
  readonly kyb: VerifyStatus;
  readonly chip: VerifyStatus;
}

/** Rates the machine with the facts of the block, at the second `start` or at that of the block, whichever is later. */
async function rateAt(ctx: Ctx, id: MachineId, block: BlockId, start: number): Promise<StatementRating> {
  // Reports an absent or relocating machine as every route does, and finds the account of the alt chain.
  const { main, alt } = await findMachine(ctx, id, { firstEvents: false });
  const facts = await main.chain.readMachineAt(id, block);
  const { snapshot, deployment } = facts;
  if ((judgeFacts(ctx, facts) === 'main') !== (alt === undefined)) throw refusal('not-final');
  const second = Math.max(start, snapshot.block.timestamp);
  const milliseconds = second * 1000;
  const then: Ctx = {
    ...ctx,
    clock: { nowMilliseconds: () => milliseconds },
    trustedClock: { judge: () => ({ state: 'good', milliseconds }) },
  };
  if (alt === undefined) {
    const attested = readAttestations(snapshot, findOperator(snapshot));
    return {
      explanation: {
        rated: requireSignable(await rateSnapshot(then, main, snapshot)),
        availability: judgeAvailability(snapshot, deployment),
      },
      homeChain: deployment.localOrdinal,
      kyb: judgeVerifyStatus(attested?.kyb, second),
      chip: judgeVerifyStatus(attested?.chip, second),
    };
  }
  return {
    explanation: {
      rated: requireSignable(await rateAltMachine(then, alt, snapshot)),
      availability: judgeAltAvailability(alt.snapshot, alt.deployment),
    },
    homeChain: alt.chain.ordinal,
    kyb: judgeVerifyStatus(await readAltKyb(then, alt, snapshot), second),
    chip: 'unverified',
  };
}

/** Signs no rating that another table of rates or a later index would change. */
function requireSignable(rated: RatedSnapshot): RatedSnapshot {
  if (rated.alt?.unavailable !== undefined) throw refusal('unrated');
  if (rated.rating.hasPending) throw refusal('pending');
  if (rated.rating.isDegraded) throw refusal('degraded');
  return rated;
}

function sign(
  ctx: Ctx,
  main: MainChainPorts,
  { key, lifetimeSeconds }: StatementConfig,
  { explanation, homeChain, kyb, chip }: StatementRating,
  format: FormatExplanation,
): IssuedStatement {
  const { snapshot, rating, inputs, alt } = explanation.rated;
  const { block } = snapshot;
  const body = format(explanation);
  const statement: RatingStatement = {
    machineId: String(snapshot.id),
    homeChain,
    model: rating.model,
    rating: rating.letter,
    scoreHundredths: signedScore(rating),
    bonded: rating.bondStatus === 'bonded',
    negativeFlag: rating.hasNegativeFlag,
    kyb,
    chip,
    blockNumber: String(block.number),
    blockHash: block.hash,
    altSlot: String(alt?.slot ?? 0),
    ratedAt: inputs.now,
    validUntil: inputs.now + lifetimeSeconds,
    explanationHash: hashExplanation(body),
  };
  return { document: { ...signStatement(statement, domainOf(ctx, main), key), explanation: body }, block };
}

/** Returns 0 where the letter is no rating: a machine whose bond lapsed may have points. */
function signedScore({ score, totalHundredths }: Rating): number {
  return score === 0 ? 0 : (totalHundredths ?? 0);
}

function domainOf({ namespace }: Ctx, { chain: { chainId, machineRegistry } }: MainChainPorts): StatementDomain {
  return statementDomain(chainId, machineRegistry, namespace);
}

const createState = () => ({
  published: new TimedValue<readonly StatementKey[]>(),
  finalized: new TimedValue<BlockId>(),
  issued: new IssuedStatements(),
});

/** One value that is read again when it is too old. Concurrent callers share the read, and a failure is not cached. */
class TimedValue<T> {
  #entry: { readonly second: number; value: MaybePromise<T> } | undefined;

  get(now: number, maxAgeSeconds: number, read: () => Promise<T>): MaybePromise<T> {
    const known = this.#entry;
    if (known !== undefined && Math.abs(now - known.second) < maxAgeSeconds) return known.value;
    const entry: { readonly second: number; value: MaybePromise<T> } = { second: now, value: read() };
    this.#entry = entry;
    Promise.resolve(entry.value).then(
      (value) => (entry.value = value),
      () => {
        if (this.#entry === entry) this.#entry = undefined;
      },
    );
    return entry.value;
  }
}

/** LRU cache of statements, and of refusals that hold for their block and minute. */
class IssuedStatements {
  readonly #entries = new Map<
    MachineId,
    { readonly version: string; value: MaybePromise<IssuedStatement>; refusal?: Fault }
  >();

  get(id: MachineId, version: string, issue: () => Promise<IssuedStatement>): MaybePromise<IssuedStatement> {
    const known = this.#entries.get(id);
    if (known?.version === version) {
      setBounded(this.#entries, id, known, MAX_CACHED);
      if (known.refusal !== undefined) throw known.refusal;
      return known.value;
    }
    return this.#start(id, version, issue());
  }

  #start(id: MachineId, version: string, value: Promise<IssuedStatement>): Promise<IssuedStatement> {
    const entry: { readonly version: string; value: MaybePromise<IssuedStatement>; refusal?: Fault } = {
      version,
      value,
    };
    setBounded(this.#entries, id, entry, MAX_CACHED);
    value.then(
      (issued) => (entry.value = issued),
      (error: unknown) => {
        if (error instanceof Fault && error.kind === 'StatementUnavailable') entry.refusal = error;
        else if (this.#entries.get(id) === entry) this.#entries.delete(id);
      },
    );
    return value;
  }
}
