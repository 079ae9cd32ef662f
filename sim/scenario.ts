/** Scenario of one run: everything that a seed decides. Draws the chain, its nodes, their faults and the incidents. */
import { nowSeconds } from '../src/ports/runtime.ts';
import type { SqlDatabase } from '../src/adapters/sql/engine/sql-program.ts';
import type { IndexProof } from '../src/domain/index-rules/index-proof.ts';
import type { Store } from '../src/ports/store.ts';
import { ALT_MACHINES, AltScenario } from './alt-scenario.ts';
import { uint } from './chain/abi-words.ts';
import type { AltActors } from './alt-chain/operations.ts';
import { BlockDraft } from './chain/block-draft.ts';
import { writeHistory } from './chain/history.ts';
import { storeEvent, submitEvent } from './chain/event-operations.ts';
import { registerOnAltChain, operate, type Actors } from './chain/operations.ts';
import { ancestorAt, emptyContent, VirtualChain, type Block, type Submission } from './chain/virtual-chain.ts';
import { Backend, type NodeProperties } from './nodes/backend.ts';
import { MAIN_FAULTS, type Fault } from './nodes/faults.ts';
import { MainNetwork } from './nodes/network.ts';
import { PaymentOracle } from './oracle/payment-oracle.ts';
import { configureSources, EVM_SOURCE, SOLANA_SOURCE } from './payments/deployment.ts';
import { PaymentScenario } from './payments/payment-scenario.ts';
import { Random } from './random.ts';
import type { Life } from './service/database.ts';
import { drawPoisonedProfiles } from './service/poisoned-profiles.ts';
import { startService, type InjectClient, type Service } from './service/service.ts';
import { Trace } from './trace.ts';
import { Faults } from './transport/faults.ts';
import type { NodeUrl } from './transport/network.ts';
import { VirtualTime } from './virtual-time.ts';

export interface ScenarioOptions {
  readonly seed: number;
  readonly client: InjectClient;
  readonly database: SqlDatabase;
  readonly print?: boolean | undefined;
  readonly alterStore?: ((store: Store) => Store) | undefined;
  /** `background` where it is not given, as in the service. */
  readonly indexProof?: IndexProof | undefined;
  readonly poisonsProfiles?: boolean | undefined;
}

const START_MILLISECONDS = 1_790_000_000_000;
const DAY_SECONDS = 86_400;
/** Of eleven seeds, the one whose service has a ceiling of calls per second. */
const CEILING_EVERY = 11;
/** Beyond this many unfinalized blocks the service names the cause `finality-distant`, and a small ceiling is used up by the follower. */
const MAX_DEPTH_OF_CEILING = 100;
/** Every fourth seed has an attestation registry. */
const REGISTRY_EVERY = 4;
/** Of seventeen seeds, the one whose chain is a rollup. */
const ROLLUP_EVERY = 17;
const SEED_IN_TURN = 4;
/** Every second rollup has nodes that ignore the hash of a call. */
const HASHLESS_EVERY = 2 * ROLLUP_EVERY;
const HASHLESS_IN_TURN = ROLLUP_EVERY + SEED_IN_TURN;
/** Of thirteen seeds, the one whose nodes index the logs of new blocks late. */
const LATE_LOGS_EVERY = 13;
const LATE_LOGS_IN_TURN = 11;
/** Every third seed has an alt chain. */
const ALT_EVERY = 3;
/** Of seven seeds, the one whose machines are paid on a source. */
const SOURCE_EVERY = 7;
const SOURCE_IN_TURN = 5;
/** Of 21 seeds, the one whose machines are paid on a Solana cluster. */
const CLUSTER_EVERY = 21;
const CLUSTER_IN_TURN = 13;
/** As before, also machines of the alt chain. */
const ALT_CLUSTER_IN_TURN = 18;
/** Few unfinalized blocks, so that the events of a run are final soon. */
const MAX_DEPTH_OF_SOURCE = 8;
/** Time before the start whose citations are judged during the run. */
const RECENT_SECONDS = 2_400;
/** Time without the service that ends every window and every backoff of a citation. */
const PAYMENT_PAUSE_MILLISECONDS = 3_700_000;
/** Number of abandoned blocks whose transactions wait to be mined again. */
const MAX_WAITING_BLOCKS = 60;

/** Draws the properties of the chain and its nodes. */
function drawPlan(random: Random) {
  const isLong = random.chance(0.03);
  return {
    finalityDepth: isLong ? random.integer(300, 1_100) : random.pick([1, 3, 8, 20, 60]),
    emptyBlocks: isLong ? random.integer(1_100, 1_600) : random.pick([0, 0, 10, 120]),
    isPastFinality: random.chance(0.1),
    blockMilliseconds: random.pick([1_000, 3_000, 7_000]),
    /** Whether blocks follow a schedule, with some of them missed. */
    isSteady: random.chance(0.4),
    operationsPerBlock: random.pick([1, 2, 4]),
    pollIntervalSeconds: random.pick([3, 10, 60]),
    headIntervalMilliseconds: random.pick([1_000, 1_000, 3_000]),
    stormRate: random.pick([0, 0.05, 0.2, 0.5, 0.9]),
    reorgChance: random.pick([0, 0.03, 0.1]),
    deathChance: random.pick([0, 0, 0.02, 0.06]),
    clockJumpChance: random.pick([0, 0, 0, 0.03]),
    /** Which nodes serve receipts; with `by some`, the selection changes. */
    receipts: random.weigh({ served: 8, 'by some': 2, unknown: 1, odd: 1 }),
  };
}

export type Plan = ReturnType<typeof drawPlan>;

/** State of one run; its methods are the incidents. */
export class Scenario {
  readonly seed: number;
  readonly indexProof: IndexProof;
  /** Ceiling of calls per second to the main chain; undefined: learned. */
  readonly callsPerSecond: number | undefined;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly plan: Plan;
  readonly chain: VirtualChain;
  readonly actors: Actors;
  readonly faults: Faults<Fault>;
  readonly backends: readonly Backend[];
  readonly urls: readonly NodeUrl<Backend>[];
  readonly network: MainNetwork;
  /** Undefined: none is configured. */
  readonly alt: AltScenario | undefined;
  /** Undefined: no payment source is configured. */
  readonly payments: PaymentScenario | undefined;
  readonly paymentOracle: PaymentOracle | undefined;
  /** What is wrong with a verdict of the service. */
  wrongVerdict: string | undefined;
  readonly #options: ScenarioOptions;
  /** Separate, so that the mode of the proof changes nothing else. */
  readonly #samples: Random;
  /** Draws wrong profiles of the nodes; undefined where none is stored. */
  readonly #poison: Random | undefined;
  /** Draws what only some seeds' nodes do, so that it changes nothing in the others. */
  readonly #habits: Random;
  #service: Service | undefined;
  #restartAtMilliseconds = 0;
  #nextBlockAtMilliseconds = 0;
  #isQuiet = false;
  #highestFinalized = 0;
  /** Earlier wall-clock offsets, each with its end. */
  readonly skews: { skewMilliseconds: number; untilMilliseconds: number }[] = [];
  reorgs = 0;
  deaths = 0;

  constructor(options: ScenarioOptions) {
    this.#options = options;
    this.indexProof = options.indexProof ?? 'background';
    this.seed = options.seed;
    this.#samples = new Random(options.seed + 1);
    this.#poison = options.poisonsProfiles === true ? new Random(options.seed + 2) : undefined;
    this.#habits = new Random(options.seed + 4);
    const random = (this.random = new Random(options.seed));
    this.time = new VirtualTime(START_MILLISECONDS + random.integer(0, DAY_SECONDS) * 1000);
    const now = () => this.time.nowMilliseconds();
    this.trace = new Trace(now, options.print ?? false);
    const plan = drawPlan(random);
    // Mode `before` refuses chains whose receipts do not match their headers.
    const hasCeiling = options.seed % CEILING_EVERY === SEED_IN_TURN && plan.finalityDepth <= MAX_DEPTH_OF_CEILING;
    if (hasCeiling) this.callsPerSecond = this.#samples.pick([15, 25, 100]);
    const isRefused = this.indexProof === 'before' && plan.receipts === 'odd';
    const hasCluster = [CLUSTER_IN_TURN, ALT_CLUSTER_IN_TURN].includes(options.seed % CLUSTER_EVERY);
    const hasSource = hasCluster || options.seed % SOURCE_EVERY === SOURCE_IN_TURN;
    this.plan = {
      ...plan,
      ...(isRefused && { receipts: 'unknown' }),
      // Verdicts belong to final blocks. A backoff that a clock has moved into the future lasts until then.
      ...(hasSource && { isPastFinality: false, clockJumpChance: 0, isSteady: false }),
      ...(hasSource && { finalityDepth: Math.min(plan.finalityDepth, MAX_DEPTH_OF_SOURCE) }),
    };
    this.actors = {
      machines: Array.from({ length: random.integer(2, 6) }, (_, i) =>
        i === 0 ? 2n ** 256n - 1n : BigInt(1000 + i) ** BigInt(random.integer(1, 12)),
      ),
      accounts: Array.from({ length: 3 }, () => `0x${random.hex(20)}`),
    };
    const hasAlt = options.seed % ALT_EVERY === 0;
    if (hasAlt) this.actors = { ...this.actors, machines: [...this.actors.machines, ...drawAltMachines(random)] };
    if (this.#hasRegistry) this.actors = { ...this.actors, attester: new Random(options.seed + 3) };
    const isRollup = options.seed % ROLLUP_EVERY === SEED_IN_TURN;
    const genesisSeconds = Math.floor(now() / 1000) - random.pick([1, 40, 100]) * DAY_SECONDS;
    this.chain = new VirtualChain(random, now, this.plan.finalityDepth, genesisSeconds, isRollup);
    if (hasSource) {
      const { accounts } = this.actors;
      const deployment = hasCluster ? SOLANA_SOURCE : EVM_SOURCE;
      this.payments = new PaymentScenario(options.seed, deployment, accounts, genesisSeconds, this.time, this.trace);
      this.actors = { ...this.actors, citations: this.payments };
    }
    this.#writePast(hasAlt);
    const faults = (this.faults = new Faults<Fault>(random, MAIN_FAULTS));
    this.urls = Array.from({ length: random.integer(1, 3) }, () => this.#drawUrl());
    this.backends = this.urls.flatMap(({ backends }) => backends);
    this.#changeHabits();
    const { urls, time, trace } = this;
    this.network = new MainNetwork({ name: 'node', urls, faults, random, time, trace });
    this.alt = hasAlt
      ? new AltScenario(options.seed, hasCluster ? this.actors : withoutCitations(this.actors), this.time, this.trace)
      : undefined;
    if (this.payments !== undefined) {
      const { deployment, network, chain } = this.payments;
      const { hash } = configureSources(deployment, network.rpcUrls);
      const homes = { main: this.chain, alt: hasCluster ? this.alt?.chain : undefined };
      this.paymentOracle = new PaymentOracle(homes, deployment, chain, `0x${hash!}`, this.indexProof !== 'off');
    }
    this.trace.line(JSON.stringify(this.plan));
    if (this.plan.isSteady) this.#scheduleBlocks();
  }

  get #hasRegistry(): boolean {
    return this.seed % REGISTRY_EVERY === 0;
  }

  get service(): Service | undefined {
    return this.#service?.life.isOver === true ? undefined : this.#service;
  }

  #writePast(hasAlt: boolean): void {
    const { random, chain, plan } = this;
    if (hasAlt) {
      const draft = new BlockDraft(chain.tip.world, chain.tip.timestamp + 1);
      for (const id of this.actors.machines.slice(-ALT_MACHINES)) registerOnAltChain(draft, id, random, this.actors);
      chain.moveTip(chain.build(chain.tip, draft.timestamp, draft.finish()));
    }
    const seconds = Math.floor(this.time.nowMilliseconds() / 1000);
    const emptySeconds = 2 * plan.emptyBlocks;
    const recentSeconds = this.payments === undefined ? 0 : RECENT_SECONDS;
    writeHistory(chain, random, this.actors, random.integer(4, 25), seconds - emptySeconds - recentSeconds - 30);
    if (recentSeconds > 0) this.#writeRecent(seconds - emptySeconds - recentSeconds - 30, seconds - emptySeconds - 30);
    for (let i = 0; i < plan.emptyBlocks; i++) {
      const { tip } = chain;
      chain.moveTip(chain.build(tip, tip.timestamp + 2, emptyContent(tip.world)));
    }
    this.#noteFinality();
  }

  /** Adds blocks with citations whose windows end before and during the run. */
  #writeRecent(fromSeconds: number, untilSeconds: number): void {
    const { chain, random, actors } = this;
    for (let at = fromSeconds; at < untilSeconds; at += random.integer(100, 400)) {
      const draft = new BlockDraft(chain.tip.world, chain.freeTime(chain.tip, at));
      for (const id of actors.machines) {
        const machine = draft.machine(id);
        if (machine.owner !== undefined && random.chance(0.4)) submitEvent(draft, machine, random, actors.citations);
      }
      chain.moveTip(chain.build(chain.tip, draft.timestamp, draft.finish()));
    }
  }

  #drawUrl(): NodeUrl<Backend> {
    const { random } = this;
    const { receipts } = this.plan;
    const properties: NodeProperties = {
      maxRange: this.plan.finalityDepth + random.pick([60, 500, 10_000]),
      retainedStates: random.pick([this.plan.finalityDepth + 128, 100_000]),
      rejectsAboveHead: random.chance(0.3),
      servesLogTimes: random.chance(0.5),
      hasOddReceipts: receipts === 'odd',
    };
    const backends = Array.from({ length: random.integer(1, 3) }, () => new Backend(this.chain, random, properties));
    for (const backend of backends) {
      backend.servesReceipts = receipts !== 'unknown' && (receipts !== 'by some' || random.chance(0.5));
    }
    return { backends, isDown: false, isForeign: false };
  }

  /** Starts the service; some of its processes are drawn to die early. */
  async start(isLasting = false): Promise<void> {
    const { random, plan } = this;
    const isDoomed = !isLasting && plan.deathChance > 0 && random.chance(0.5);
    const life: Life = {
      isOver: false,
      writesLeft: isDoomed ? random.skewed(100) : undefined,
      onEnd: () => this.#recordDeath(),
    };
    for (const url of this.urls) url.isForeign = !isLasting && plan.stormRate > 0 && random.chance(0.05);
    this.alt?.prepareStart(isLasting);
    try {
      this.#service = await startService({
        database: this.#options.database,
        network: this.network,
        hasAttestationRegistry: this.#hasRegistry,
        altNetwork: this.alt?.network,
        paymentNetwork: this.payments?.network,
        time: this.time,
        trace: this.trace,
        pollIntervalSeconds: plan.pollIntervalSeconds,
        headIntervalMilliseconds: plan.headIntervalMilliseconds,
        callsPerSecond: this.callsPerSecond,
        life,
        alterStore: (store) => this.#watchVerdicts(this.#options.alterStore?.(store) ?? store),
        indexProof: this.indexProof,
        randomBelow: (bound) => this.#samples.integer(0, bound - 1),
        profiles:
          this.#poison && drawPoisonedProfiles(this.#poison, this.network.rpcUrls, nowSeconds(this.time.wallClock)),
      });
      this.#options.client.serve(this.#service.ctx);
      this.trace.line('the service starts');
    } catch (error) {
      if (!life.isOver) throw error;
    }
  }

  /** Judges each verdict when it is stored. */
  #watchVerdicts(store: Store): Store {
    const { paymentOracle } = this;
    if (paymentOracle === undefined) return store;
    return {
      ...store,
      decideCitation: (citation, decided) => {
        this.wrongVerdict ??= paymentOracle.judgeVerdict(citation, decided);
        this.trace.line(`  ${citation.id} ${citation.seq}: ${decided.verdict.code}`);
        return store.decideCitation(citation, decided);
      },
    };
  }

  /** Advances the payments, sometimes by a time without the service. */
  async actOnPayments(): Promise<void> {
    const { payments } = this;
    if (payments === undefined) return;
    payments.act();
    const pause = payments.drawPauseMilliseconds();
    if (pause > 0) await this.#pause(pause);
  }

  /** Lets time pass without the service. */
  async #pause(milliseconds: number): Promise<void> {
    this.kill();
    await this.time.advance(milliseconds);
    this.#restartAtMilliseconds = 0;
  }

  /** Lets time pass without the service until every citation can be judged, on chains that are final since then. */
  async passPaymentWindows(): Promise<void> {
    const { payments } = this;
    if (payments === undefined) return;
    await this.#pause(PAYMENT_PAUSE_MILLISECONDS);
    payments.mineUntilNow();
    this.mineIfDue(true);
  }

  #recordDeath(): void {
    this.deaths += 1;
    this.trace.line('the process dies');
    const { random } = this;
    const pause = random.chance(0.02) ? random.integer(1, 40) * DAY_SECONDS * 1000 : random.skewed(20_000);
    this.#restartAtMilliseconds = this.time.nowMilliseconds() + pause;
  }

  kill(): void {
    const { service } = this;
    if (service === undefined) return;
    service.life.isOver = true;
    service.life.onEnd();
  }

  /** Restarts a dead service when its restart is due. */
  async revive(isLasting = false): Promise<void> {
    if (this.service !== undefined) return;
    if (isLasting || this.time.nowMilliseconds() >= this.#restartAtMilliseconds) await this.start(isLasting);
  }

  /** Mines a block when one is due on a chain without a schedule. */
  mineIfDue(isQuiet = false): void {
    this.#isQuiet = isQuiet;
    const now = this.time.nowMilliseconds();
    if (this.plan.isSteady || now < this.#nextBlockAtMilliseconds) return;
    const { plan, random } = this;
    this.#nextBlockAtMilliseconds = now + Math.floor((plan.blockMilliseconds * random.integer(50, 150)) / 100);
    this.#mine();
  }

  /** Mines blocks on a schedule, with some of them missed. */
  #scheduleBlocks(): void {
    const { time, plan, random } = this;
    const left = plan.blockMilliseconds - (time.nowMilliseconds() % plan.blockMilliseconds);
    time.after(left, () => {
      if (random.chance(0.95)) this.#mine();
      this.#scheduleBlocks();
    });
  }

  #mine(): void {
    const { chain, plan, random } = this;
    const { tip } = chain;
    const seconds = Math.floor(this.time.nowMilliseconds() / 1000);
    const draft = new BlockDraft(tip.world, chain.freeTime(tip, seconds));
    const operations = this.#isQuiet ? 0 : random.integer(0, plan.operationsPerBlock);
    for (let i = 0; i < operations; i++) operate(draft, random, this.actors);
    chain.moveTip(chain.build(tip, draft.timestamp, draft.finish()));
    this.#noteFinality();
    this.trace.line(`block ${describe(chain.tip)}`);
  }

  /** Mines enough empty blocks to finalize everything before them. */
  finalizeAll(): void {
    const { chain, plan } = this;
    for (let i = 0; i < plan.finalityDepth; i++) {
      const { tip } = chain;
      chain.moveTip(chain.build(tip, chain.freeTime(tip, 0), emptyContent(tip.world)));
    }
    this.#noteFinality();
    this.trace.line(`block ${describe(chain.tip)}, everything before is final`);
  }

  /** Moves the tip to a fork that is longer, as long, or shorter than the current chain. */
  reorganize(isPastFinality: boolean): void {
    const { chain, random } = this;
    const { tip } = chain;
    const floor = isPastFinality ? 1 : this.#highestFinalized;
    const depth = Math.min(random.chance(0.1) ? tip.number - floor : 1 + random.skewed(1_000), tip.number - floor);
    if (depth < 1) return;
    this.reorgs += 1;
    let block = ancestorAt(tip, tip.number - depth)!;
    const length = Math.max(0, depth + random.integer(-3, 3));
    const operationChance = depth > 50 ? 0.03 : 0.7;
    const waiting = random.chance(0.6) ? listSubmissions(tip, Math.min(depth, MAX_WAITING_BLOCKS)) : [];
    for (let i = 0; i < length; i++) block = this.#buildRival(block, tip, operationChance, waiting);
    chain.moveTip(block);
    this.#noteFinality();
    this.trace.line(`reorg ${depth} deep to ${describe(block)}${isPastFinality ? ', past finality' : ''}`);
  }

  /** Builds a rival of the block at the same height, with another time; it stores some of the abandoned submissions. */
  #buildRival(parent: Block, oldTip: Block, operationChance: number, waiting: Submission[]): Block {
    const { random, chain } = this;
    const rival = ancestorAt(oldTip, parent.number + 1);
    const timestamp = chain.freeTime(parent, (rival?.timestamp ?? 0) + random.integer(-2, 2));
    const draft = new BlockDraft(parent.world, timestamp);
    for (const { id, event } of waiting.splice(0, random.integer(0, 3))) {
      if (draft.machine(id).owner !== undefined) storeEvent(draft, id, event);
      draft.endTransaction();
    }
    if (random.chance(operationChance)) operate(draft, random, this.actors);
    return chain.build(parent, draft.timestamp, draft.finish());
  }

  #noteFinality(): void {
    this.#highestFinalized = Math.max(this.#highestFinalized, this.chain.finalized.number);
  }

  jumpClock(): void {
    const { time, random } = this;
    this.skews.push({ skewMilliseconds: time.skewMilliseconds, untilMilliseconds: time.nowMilliseconds() });
    const span = random.pick([2_000, 60_000, 3_600_000, 2 * DAY_SECONDS * 1000]);
    time.setSkew(random.chance(0.3) ? 0 : random.integer(-span, span));
    this.trace.line(`the clock is off by ${time.skewMilliseconds} ms`);
  }

  changeNodes(): void {
    const { random, plan, actors } = this;
    for (const backend of this.backends) {
      if (!random.chance(0.5)) continue;
      backend.lagMilliseconds = random.chance(0.5) ? 0 : random.skewed(60_000);
      backend.lagBlocks = random.chance(0.8) ? 0 : random.skewed(30);
      if (plan.receipts === 'by some') backend.servesReceipts = random.chance(0.5);
      backend.lostTopic = random.chance(0.8) ? undefined : topicOf(random.pick(actors.machines));
    }
    this.#changeHabits();
    for (const url of this.urls) url.isDown = random.chance(0.1);
    const lags = this.backends.map(({ lagMilliseconds, lagBlocks }) => `${lagMilliseconds}ms/${lagBlocks}`);
    this.trace.line(
      `nodes: ${this.urls.map(({ isDown }) => (isDown ? 'down' : 'up')).join(' ')}, lags ${lags.join(' ')}`,
    );
  }

  #changeHabits(): void {
    const { seed, backends } = this;
    const isLate = seed % LATE_LOGS_EVERY === LATE_LOGS_IN_TURN;
    const isHashless = seed % HASHLESS_EVERY === HASHLESS_IN_TURN;
    for (const backend of backends) {
      backend.unindexedBlocks = isLate && this.#habits.chance(0.5) ? this.#habits.integer(1, 3) : 0;
      backend.ignoresHashes = isHashless && this.#habits.chance(0.5);
    }
  }

  changeFaultRate(): void {
    const rate = this.random.chance(0.5) ? 0 : this.plan.stormRate;
    this.faults.setRate(rate);
    this.trace.line(`fault rate ${rate}`);
  }

  /** Ends every fault of the nodes and of the process; the history of the chain stays. */
  heal(): void {
    this.faults.setRate(0);
    for (const backend of this.backends) {
      backend.lagMilliseconds = backend.lagBlocks = backend.unindexedBlocks = 0;
      backend.lostTopic = undefined;
      backend.ignoresHashes = false;
    }
    for (const url of this.urls) url.isDown = url.isForeign = false;
    this.alt?.heal();
    this.payments?.heal();
    if (this.service !== undefined) this.service.life.writesLeft = undefined;
    this.trace.line('all faults end');
  }
}

function withoutCitations({ machines, accounts }: Actors): AltActors {
  return { machines, accounts };
}

/** Returns the topic by which a log names a machine. */
function topicOf(id: bigint): string {
  return `0x${uint(id)}`;
}

/** Draws the machines that live on the alt chain at first. */
function drawAltMachines(random: Random): bigint[] {
  return Array.from({ length: ALT_MACHINES }, (_, i) => BigInt(2000 + i) ** BigInt(random.integer(1, 6)));
}

/** Returns the submissions of the newest blocks, oldest first. */
function listSubmissions(tip: Block, blocks: number): Submission[] {
  const listed: Submission[] = [];
  let block: Block | undefined = tip;
  for (let i = 0; i < blocks && block !== undefined; i++, block = block.parent) listed.unshift(...block.submissions);
  return listed;
}

export function describe({ number, hash, summary }: Block): string {
  return `${number} ${hash.slice(0, 8)}${summary === '' ? '' : `: ${summary}`}`;
}
