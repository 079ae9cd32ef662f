/** How does one seed end? Runs it from the first block to the last check; the same seed always gives the same result. */
import type { Store } from '../src/ports/store.ts';
import { ancestorAt } from './chain/virtual-chain.ts';
import { createFigures, type Figures } from './figures.ts';
import { machineOf } from './chain/machine-state.ts';
import { detailOf, judgeMachineAnswer, type Span } from './oracle/oracle.ts';
import { judgeAltAwareAnswer } from './oracle/alt-oracle.ts';
import { isLeftToAlt, judgeAlt } from './oracle/alt-truth.ts';
import { judgeFleetAnswer } from './oracle/fleet.ts';
import { judge, type MachineRoute } from './oracle/truth.ts';
import { Scenario } from './scenario.ts';
import { giveDatabaseBack } from './service/database.ts';
import type { Answer, FrontDoor } from './service/service.ts';

export interface SeedOptions {
  readonly seed: number;
  readonly door: FrontDoor;
  /** Keeps the whole trace. */
  readonly print?: boolean | undefined;
  readonly alterStore?: ((store: Store) => Store) | undefined;
}

export interface SeedResult {
  readonly seed: number;
  readonly hash: string;
  /** Undefined: everything was as it should be. */
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

/** The server gives a request up after so long; what comes later reaches nobody. */
const PATIENCE_MILLISECONDS = 9_000;
/** The longest backoffs end within this time, however much went wrong. */
const RECOVERY_MILLISECONDS = 15 * 60_000;

/** A list needs an index that is at most so far behind; where finality itself is further behind, there is none. */
const MAX_LAG_BLOCKS = 100;

class Failed extends Error {}

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const run = new Run(options);
  let failure: string | undefined;
  try {
    await run.play();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    failure = error.message;
  } finally {
    await run.end();
  }
  return { seed: options.seed, ...run.result(), failure };
}

function isAltRating({ status, body }: Answer): boolean {
  return status === 200 && body.includes('"home_chain":') && !body.includes('"rating_unavailable":');
}

class Run {
  readonly #scenario: Scenario;
  readonly #door: FrontDoor;
  readonly #figures = createFigures();
  readonly #startedAt: number;
  #failure: string | undefined;

  constructor(options: SeedOptions) {
    this.#scenario = new Scenario(options);
    this.#door = options.door;
    this.#startedAt = this.#scenario.time.nowMilliseconds();
  }

  async play(): Promise<void> {
    const scenario = this.#scenario;
    const { random, plan, time } = scenario;
    if (plan.stormRate > 0) scenario.changeWeather();
    await scenario.start();
    const steps = random.integer(30, 90);
    for (let step = 0; step < steps; step++) {
      await time.advance(random.chance(0.3) ? random.integer(1, 200) : random.skewed(20_000));
      await scenario.revive();
      scenario.mineIfDue();
      scenario.alt?.act();
      if (random.chance(plan.reorgChance)) scenario.reorganise(plan.isPastFinality && random.chance(0.5));
      if (random.chance(plan.deathChance)) scenario.kill();
      if (random.chance(plan.clockJumpChance)) scenario.jumpClock();
      if (plan.stormRate > 0 && random.chance(0.08)) scenario.changeNodes();
      if (plan.stormRate > 0 && random.chance(0.1)) scenario.changeWeather();
      if (random.chance(0.5)) for (let i = random.skewed(4); i >= 0; i--) this.#ask(this.#drawRequest());
      this.#check();
    }
    await this.#recover();
  }

  #drawRequest(): Request {
    const { random, cast, alt } = this.#scenario;
    if (random.chance(alt === undefined ? 0.15 : 0.3)) return { kind: 'fleet', account: random.pick(cast.accounts) };
    const route = random.weigh<MachineRoute>({ mcr: 4, explanation: 3, profile: 2, card: 1 });
    return { kind: 'machine', route, id: random.pick(cast.machines) };
  }

  /** Asks now; the answer is judged when it comes. Undefined: it reaches nobody. */
  async #ask(request: Request): Promise<Answer | undefined> {
    const { service, time, trace } = this.#scenario;
    if (service === undefined) return undefined;
    const startMilliseconds = time.nowMilliseconds();
    const path = request.kind === 'fleet' ? `/operator/${request.account}/machines` : PATHS[request.route](request.id);
    const number = ++this.#figures.requests;
    trace.line(`${number} GET ${path}`);
    const answer = await this.#door.get(path);
    const span = this.#spanFrom(startMilliseconds);
    const isLost = service.life.isOver || span.endMilliseconds - startMilliseconds > PATIENCE_MILLISECONDS;
    const outcome = isLost ? 'lost' : String(answer.status);
    this.#figures.answers[outcome] = (this.#figures.answers[outcome] ?? 0) + 1;
    if (isLost) return undefined;
    if (isAltRating(answer)) this.#figures.altRatings += 1;
    const problem = this.#judge(request, answer, span);
    const { 'chain-block': block = '-' } = answer.headers;
    trace.line(`${number} ${answer.status} block ${String(block)} ${answer.body}`);
    if (problem !== undefined) this.#failure ??= `request ${number}, ${path}: ${problem}`;
    return answer;
  }

  #judge(request: Request, answer: Answer, span: Span): string | undefined {
    const { network, alt } = this.#scenario;
    if (request.kind === 'fleet') return judgeFleetAnswer(request.account, answer, span, network, alt?.network);
    const { route, id } = request;
    return alt === undefined
      ? judgeMachineAnswer(route, id, answer, span, network)
      : judgeAltAwareAnswer(route, id, answer, span, network, alt.network);
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
      hiddenMilliseconds: furthest - time.skewMilliseconds,
    };
  }

  #check(): void {
    if (this.#failure !== undefined) throw new Failed(this.#failure);
  }

  /** After all faults have ended, the truth is told and the index catches up: within a bounded time, or refused for good. */
  async #recover(): Promise<void> {
    const scenario = this.#scenario;
    const { time } = scenario;
    scenario.heal();
    await scenario.revive(true);
    scenario.finalise();
    const until = time.nowMilliseconds() + RECOVERY_MILLISECONDS;
    let complaint: string | undefined = 'not asked yet';
    while (complaint !== undefined) {
      if (time.nowMilliseconds() >= until) throw new Failed(`15 minutes after all faults: ${complaint}`);
      await this.#pass(5_000);
      complaint = await this.#complain();
    }
    if (scenario.isPeaceful && scenario.network.ranges > 0) throw new Failed('receipts were told, and not believed');
  }

  async #pass(milliseconds: number): Promise<void> {
    const { time } = this.#scenario;
    await time.advance(milliseconds);
    this.#scenario.mineIfDue(true);
    this.#check();
  }

  /** What is not yet as it should be. */
  async #complain(): Promise<string | undefined> {
    const { service, chain, cast } = this.#scenario;
    const { store, indexers } = service!;
    const checkpoint = await store.readMainChainCheckpoint();
    const { finalized, tip } = chain;
    const isLost =
      checkpoint !== undefined &&
      ancestorAt(tip, checkpoint.blockNumber)?.hash !== checkpoint.blockHash &&
      checkpoint.blockNumber <= finalized.number;
    if (isLost) {
      if (indexers.report().refusal !== 'checkpoint-not-on-chain') return 'an index past finality is not refused';
    } else if (finalized.number >= 1 && (checkpoint?.blockNumber ?? 0) < finalized.number - 20) {
      return `the index is at ${checkpoint?.blockNumber} of ${finalized.number}`;
    }
    for (const id of cast.machines) {
      for (const route of ['mcr', 'card'] as const) {
        const answer = await this.#askNow({ kind: 'machine', route, id });
        const wrong = this.#complainOf(id, answer, isLost && route === 'mcr');
        if (wrong !== undefined) return `${route} ${id}: ${wrong}`;
      }
    }
    const wanted = isLost || tip.number - finalized.number > MAX_LAG_BLOCKS ? 503 : 200;
    for (const account of cast.accounts) {
      const fleet = await this.#askNow({ kind: 'fleet', account });
      if (fleet?.status !== wanted) return `the listing answers ${fleet?.status} ${fleet?.body}`;
    }
    if (isLost) this.#figures.refusedIndexes += 1;
    return undefined;
  }

  #complainOf(id: bigint, answer: Answer | undefined, isRefused: boolean): string | undefined {
    if (answer === undefined) return 'no answer';
    const { alt, chain } = this.#scenario;
    const isLeft = alt !== undefined && isLeftToAlt(id, chain.tip);
    const kind = isLeft ? judgeAlt(id, alt.chain.world) : judge(machineOf(chain.tip.world, id)).kind;
    const status = { here: 200, absent: 404, elsewhere: 409, relocating: 503, contradiction: 503 }[kind];
    if (answer.body.includes('indexer_behind')) return 'the index of the alt chain is behind';
    if (answer.status === status) return undefined;
    if (isRefused && answer.status === 503) return undefined;
    return `${answer.status} instead of ${status}: ${String(detailOf(answer))}`;
  }

  async #askNow(request: Request): Promise<Answer | undefined> {
    let answer: Answer | undefined;
    let isAnswered = false;
    void this.#ask(request).then((given) => {
      answer = given;
      isAnswered = true;
    });
    for (let i = 0; i < 100 && !isAnswered; i++) await this.#scenario.time.advance(100);
    this.#check();
    return answer;
  }

  async end(): Promise<void> {
    const { service, database } = this.#scenario;
    if (service !== undefined) service.life.isOver = true;
    await giveDatabaseBack(database);
  }

  result(): Pick<SeedResult, 'hash' | 'trace' | 'figures'> {
    const { network, alt, trace, time, reorgs, deaths } = this.#scenario;
    const figures = this.#figures;
    figures.exchanges = network.exchanges + (alt?.network.exchanges ?? 0);
    figures.reorgs = reorgs;
    figures.deaths = deaths;
    figures.virtualSeconds = Math.floor((time.nowMilliseconds() - this.#startedAt) / 1000);
    return { hash: trace.digest(), trace: trace.tail(), figures };
  }
}
