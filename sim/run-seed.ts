/** Runs one seed from the first block to the last check. The same seed always gives the same result. */
import type { Store } from '../src/ports/store.ts';
import { ancestorAt } from './chain/virtual-chain.ts';
import { createFigures, type Figures } from './figures.ts';
import { machineOf } from './chain/machine-state.ts';
import { detailOf, judgeMachineResponse, type Span } from './oracle/oracle.ts';
import { judgeAltAwareResponse } from './oracle/alt-oracle.ts';
import { isLeftToAlt, judgeAlt } from './oracle/alt-truth.ts';
import { judgeFleetResponse } from './oracle/fleet.ts';
import { judge, type MachineRoute } from './oracle/truth.ts';
import { findUnproven } from './oracle/proof.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';
import { openDatabase } from './service/database.ts';
import type { IndexProof } from '../src/domain/index-rules/index-proof.ts';
import type { Service, ServiceResponse, InjectClient } from './service/service.ts';

export interface SeedOptions {
  readonly seed: number;
  readonly client: InjectClient;
  /** Retains the whole trace. */
  readonly print?: boolean | undefined;
  readonly alterStore?: ((store: Store) => Store) | undefined;
  readonly indexProof?: IndexProof | undefined;
  /** Starts every process with stored profiles of its nodes that are wrong. */
  readonly poisonsProfiles?: boolean | undefined;
}

export interface SeedResult {
  readonly seed: number;
  readonly hash: string;
  /** What went wrong; undefined when the run holds. */
  readonly failure: string | undefined;
  readonly trace: readonly string[];
  readonly figures: Figures;
}

type Request =
  | { readonly kind: 'machine'; readonly route: MachineRoute; readonly id: bigint }
  | { readonly kind: 'fleet'; readonly account: string };

const PATHS: { readonly [R in MachineRoute]: (id: bigint) => string } = {
  mcr: (id) => `/mcr/did:svc:${id}`,
  explanation: (id) => `/mcr/did:svc:${id}/explanation`,
  profile: (id) => `/machine/did:svc:${id}`,
  card: (id) => `/machines/${id}`,
};

/** Timeout of the HTTP server; later responses reach no client. */
const REQUEST_TIMEOUT_MILLISECONDS = 9_000;
/** Every backoff ends within this time, but that of citations. */
const RECOVERY_MINUTES = 15;
/** A citation that was often unreadable is read again once an hour, and an absent transaction ten minutes after it was first missed. */
const VERDICT_MINUTES = 80;

/** Blocks that are final and not yet indexed, whatever their times. */
const MAX_UNINDEXED_BLOCKS = 20;
/** Time for the calls of a step, each of which may wait for those of the head. */
const STEP_SECONDS = 60;
/** Steps of 5 s in which citations are judged; what fails meanwhile is tried again before the recovery has to end. */
const JUDGING_STEPS = 9;

/** Maximum index lag of a listing; while finality lags further, there is no listing. */
const MAX_LAG_BLOCKS = 100;

class Failed extends Error {}

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const database = await openDatabase();
  const run = new Run({ ...options, database });
  let failure: string | undefined;
  try {
    await run.play();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    failure = error.message;
  } finally {
    run.end();
    await database.close();
  }
  return { seed: options.seed, ...run.result(), failure };
}

function isAltRating({ status, body }: ServiceResponse): boolean {
  return status === 200 && body.includes('"home_chain":') && !body.includes('"rating_unavailable":');
}

class Run {
  readonly #scenario: Scenario;
  readonly #client: InjectClient;
  readonly #figures = createFigures();
  readonly #startedAt: number;
  #failure: string | undefined;

  constructor(options: ScenarioOptions) {
    this.#scenario = new Scenario(options);
    this.#client = options.client;
    this.#startedAt = this.#scenario.time.nowMilliseconds();
  }

  async play(): Promise<void> {
    const scenario = this.#scenario;
    const { random, plan, time } = scenario;
    if (plan.stormRate > 0) scenario.changeFaultRate();
    await scenario.start();
    const steps = random.integer(30, 90);
    for (let step = 0; step < steps; step++) {
      await time.advance(random.chance(0.3) ? random.integer(1, 200) : random.skewed(20_000));
      await scenario.revive();
      scenario.mineIfDue();
      scenario.alt?.act();
      await scenario.actOnPayments();
      if (random.chance(plan.reorgChance)) scenario.reorganize(plan.isPastFinality && random.chance(0.5));
      if (random.chance(plan.deathChance)) scenario.kill();
      if (random.chance(plan.clockJumpChance)) scenario.jumpClock();
      if (plan.stormRate > 0 && random.chance(0.08)) scenario.changeNodes();
      if (plan.stormRate > 0 && random.chance(0.1)) scenario.changeFaultRate();
      if (random.chance(0.5)) for (let i = random.skewed(4); i >= 0; i--) void this.#send(this.#drawRequest());
      this.#check();
    }
    await this.#recover();
  }

  #drawRequest(): Request {
    const { random, actors, alt } = this.#scenario;
    if (random.chance(alt === undefined ? 0.15 : 0.3)) return { kind: 'fleet', account: random.pick(actors.accounts) };
    const route = random.weigh<MachineRoute>({ mcr: 4, explanation: 3, profile: 2, card: 1 });
    return { kind: 'machine', route, id: random.pick(actors.machines) };
  }

  /** Sends a request and judges its response on arrival. Returns undefined when the response is lost. */
  async #send(request: Request): Promise<ServiceResponse | undefined> {
    const { service, time, trace } = this.#scenario;
    if (service === undefined) return undefined;
    const startMilliseconds = time.nowMilliseconds();
    const path = request.kind === 'fleet' ? `/operator/${request.account}/machines` : PATHS[request.route](request.id);
    const number = ++this.#figures.requests;
    trace.line(`${number} GET ${path}`);
    const response = await this.#client.get(path);
    const span = this.#spanFrom(startMilliseconds);
    const isLost = service.life.isOver || span.endMilliseconds - startMilliseconds > REQUEST_TIMEOUT_MILLISECONDS;
    const outcome = isLost ? 'lost' : String(response.status);
    this.#figures.responses[outcome] = (this.#figures.responses[outcome] ?? 0) + 1;
    if (isLost) return undefined;
    if (isAltRating(response)) this.#figures.altRatings += 1;
    const strict = this.#judge(request, response, span);
    const isIndexUnproven = strict !== undefined && (await this.#isUnproven(service));
    const problem = isIndexUnproven ? this.#judge(request, response, { ...span, isIndexUnproven }) : strict;
    const { 'chain-block': block = '-' } = response.headers;
    trace.line(`${number} ${response.status} block ${String(block)} ${response.body}`);
    if (problem !== undefined) this.#failure ??= `request ${number}, ${path}: ${problem}`;
    return response;
  }

  async #isUnproven({ store, life }: Service): Promise<boolean> {
    const checkpoint = await store.readMainChainCheckpoint();
    if (checkpoint === undefined || life.isOver) return false;
    const { indexProof } = this.#scenario;
    return (await findUnproven(indexProof, store, checkpoint.blockNumber, false)) !== undefined;
  }

  #judge(request: Request, response: ServiceResponse, span: Span): string | undefined {
    const { network, alt } = this.#scenario;
    if (request.kind === 'fleet') return judgeFleetResponse(request.account, response, span, network, alt?.network);
    const { route, id } = request;
    return alt === undefined
      ? judgeMachineResponse(route, id, response, span, network)
      : judgeAltAwareResponse(route, id, response, span, network, alt.network);
  }

  #spanFrom(startMilliseconds: number): Span {
    const { time, skews } = this.#scenario;
    const endMilliseconds = time.nowMilliseconds();
    const jumps = skews.filter(({ untilMilliseconds }) => untilMilliseconds >= startMilliseconds);
    const offsets = [...jumps.map(({ skewMilliseconds }) => skewMilliseconds), time.skewMilliseconds];
    const moments = [startMilliseconds, endMilliseconds, ...jumps.map(({ untilMilliseconds }) => untilMilliseconds)];
    const seconds = moments.flatMap((at) => offsets.map((offset) => Math.floor((at + offset) / 1000)));
    const between = Math.floor((endMilliseconds - startMilliseconds) / 1000);
    const inside = Array.from({ length: between }, (_, i) => Math.floor((startMilliseconds + offsets[0]!) / 1000) + i);
    const furthest = Math.max(...skews.map(({ skewMilliseconds }) => skewMilliseconds), time.skewMilliseconds);
    return {
      startMilliseconds,
      endMilliseconds,
      wallSeconds: [...new Set([...seconds, ...inside])],
      hiddenMilliseconds: furthest - Math.min(...offsets),
      areBlocksProven: this.#scenario.indexProof !== 'off',
      payments: this.#scenario.paymentOracle,
    };
  }

  #check(): void {
    const failure = this.#failure ?? this.#scenario.wrongVerdict;
    if (failure !== undefined) throw new Failed(failure);
    const { callsPerSecond = Infinity, network, service } = this.#scenario;
    const calls = network.mostCallsPerSecond;
    if (calls > callsPerSecond) throw new Failed(`${calls} calls in one second instead of ${callsPerSecond} at most`);
    const turns = Object.values(service?.adapter.budget.report().calls ?? {}).reduce((sum, each) => sum + each, 0);
    if (service !== undefined && network.sentCalls > turns) {
      throw new Failed(`${network.sentCalls} calls were sent, and only ${turns} had a turn`);
    }
  }

  /** Ends all faults. Then every response is correct within a bounded time, and the index catches up or is rejected for good. */
  async #recover(): Promise<void> {
    const scenario = this.#scenario;
    scenario.heal();
    await scenario.passPaymentWindows();
    await scenario.revive(true);
    scenario.finalizeAll();
    await this.#judgeWithoutReceipts();
    await this.#waitUntilSolved(RECOVERY_MINUTES, () => this.#findProblem());
    // A rejected index gives no verdicts.
    if (this.#figures.rejectedIndexes === 0)
      await this.#waitUntilSolved(VERDICT_MINUTES, async () => scenario.paymentOracle?.findUndecided());
  }

  async #waitUntilSolved(minutes: number, findProblem: () => Promise<string | undefined>): Promise<void> {
    const { time } = this.#scenario;
    const until = time.nowMilliseconds() + minutes * 60_000;
    let problem: string | undefined = 'not queried yet';
    while (problem !== undefined) {
      if (time.nowMilliseconds() >= until) throw new Failed(`${minutes} minutes after all faults: ${problem}`);
      await this.#advance(5_000);
      problem = await findProblem();
    }
  }

  /** Lets citations whose windows have ended be judged while a node of the payment source lacks receipts. */
  async #judgeWithoutReceipts(): Promise<void> {
    const { payments } = this.#scenario;
    if (payments === undefined) return;
    payments.omitNewestReceipts();
    for (let i = 0; i < JUDGING_STEPS; i++) await this.#advance(5_000);
    payments.heal();
  }

  async #advance(milliseconds: number): Promise<void> {
    const { time } = this.#scenario;
    await time.advance(milliseconds);
    this.#scenario.mineIfDue(true);
    this.#check();
  }

  /** Returns what is not yet correct. */
  async #findProblem(): Promise<string | undefined> {
    const { service, chain, actors } = this.#scenario;
    const { store, indexers } = service!;
    const checkpoint = await store.readMainChainCheckpoint();
    const { finalized, tip } = chain;
    const isLost =
      checkpoint !== undefined &&
      ancestorAt(tip, checkpoint.blockNumber)?.hash !== checkpoint.blockHash &&
      checkpoint.blockNumber <= finalized.number;
    if (isLost) {
      if (indexers.report().refusal !== 'checkpoint-not-on-chain') return 'an index past finality is not rejected';
    } else if (this.#isIndexLate(checkpoint?.blockNumber ?? 0)) {
      return `the index is at ${checkpoint?.blockNumber} of ${finalized.number}`;
    } else if (checkpoint !== undefined) {
      const { indexProof, plan } = this.#scenario;
      const isOdd = plan.receipts === 'odd';
      const unproven = await findUnproven(indexProof, store, checkpoint.blockNumber, isOdd);
      if (unproven !== undefined) return unproven;
    }
    for (const id of actors.machines) {
      for (const route of ['mcr', 'card'] as const) {
        const response = await this.#sendAndWait({ kind: 'machine', route, id });
        const wrong = this.#findProblemOf(id, response, isLost && route === 'mcr');
        if (wrong !== undefined) return `${route} ${id}: ${wrong}`;
      }
    }
    const wanted = isLost || tip.number - finalized.number > MAX_LAG_BLOCKS ? 503 : 200;
    for (const account of actors.accounts) {
      const fleet = await this.#sendAndWait({ kind: 'fleet', account });
      if (fleet?.status !== wanted) return `the listing returns ${fleet?.status} ${fleet?.body}`;
    }
    if (isLost) this.#figures.rejectedIndexes += 1;
    return undefined;
  }

  /** Returns whether a block is not indexed that was final before the last poll and the step after it. */
  #isIndexLate(indexed: number): boolean {
    const { chain, plan } = this.#scenario;
    const { finalized } = chain;
    if (finalized.number - indexed <= MAX_UNINDEXED_BLOCKS) return false;
    const missing = ancestorAt(finalized, indexed + 1)!;
    return finalized.timestamp - missing.timestamp > plan.pollIntervalSeconds + STEP_SECONDS;
  }

  #findProblemOf(id: bigint, response: ServiceResponse | undefined, isRefused: boolean): string | undefined {
    if (response === undefined) return 'no response';
    const { alt, chain, indexProof } = this.#scenario;
    const isLeft = alt !== undefined && isLeftToAlt(id, chain.tip);
    const kind = isLeft ? judgeAlt(id, alt.chain.world) : judge(machineOf(chain.tip.world, id)).kind;
    const status = { here: 200, absent: 404, elsewhere: 409, relocating: 503, contradiction: 503 }[kind];
    if (response.body.includes('indexer_behind')) return 'the index of the alt chain is behind';
    if (response.status === status) return undefined;
    if (isRefused && response.status === 503) return undefined;
    // Machines with prior events wait for a proof, which this mode does not have (docs/operating.md).
    const isUnproven = indexProof === 'off' && machineOf(chain.tip.world, id).prior > 0;
    if (isUnproven && /^Event index is syncing/.test(String(detailOf(response)))) return undefined;
    return `${response.status} instead of ${status}: ${String(detailOf(response))}`;
  }

  async #sendAndWait(request: Request): Promise<ServiceResponse | undefined> {
    const settled: (ServiceResponse | undefined)[] = [];
    void this.#send(request).then((response) => settled.push(response));
    for (let i = 0; i < 100 && settled.length === 0; i++) await this.#scenario.time.advance(100);
    this.#check();
    return settled[0];
  }

  end(): void {
    const { service, network, alt, payments } = this.#scenario;
    if (service !== undefined) service.life.isOver = true;
    for (const each of [network, alt?.network, payments?.network]) each?.close();
  }

  result(): Pick<SeedResult, 'hash' | 'trace' | 'figures'> {
    const { network, alt, trace, time, reorgs, deaths } = this.#scenario;
    const figures = this.#figures;
    figures.nodeRequests = network.nodeRequests + (alt?.network.nodeRequests ?? 0);
    figures.reorgs = reorgs;
    figures.deaths = deaths;
    figures.virtualSeconds = Math.floor((time.nowMilliseconds() - this.#startedAt) / 1000);
    return { hash: trace.digest(), trace: trace.tail(), figures };
  }
}
