/** What happens in one run? Everything that a seed decides: the chain, its nodes, the weather, and a virtual time full of incidents. */
import type { SqlDatabase } from '../src/adapters/sql/engine/sql-program.ts';
import type { Store } from '../src/ports/store.ts';
import { ALT_MACHINES, AltScenario } from './alt-scenario.ts';
import { uint } from './chain/abi-words.ts';
import { BlockDraft } from './chain/block-draft.ts';
import { writeHistory } from './chain/history.ts';
import { storeEvent } from './chain/event-operations.ts';
import { homeAbroad, operate, type Cast } from './chain/operations.ts';
import { ancestorAt, emptyContent, VirtualChain, type Block, type Submission } from './chain/virtual-chain.ts';
import { Backend, type Character } from './nodes/backend.ts';
import { MAIN_FAULTS, type Fault } from './nodes/faults.ts';
import { MainNetwork } from './nodes/network.ts';
import { Random } from './random.ts';
import { takeDatabase, type Life } from './service/database.ts';
import { startService, type FrontDoor, type Service } from './service/service.ts';
import { Trace } from './trace.ts';
import { Faults } from './transport/faults.ts';
import type { NodeUrl } from './transport/network.ts';
import { VirtualTime } from './virtual-time.ts';

export interface ScenarioOptions {
  readonly seed: number;
  readonly door: FrontDoor;
  readonly print?: boolean | undefined;
  readonly alterStore?: ((store: Store) => Store) | undefined;
}

const START_MILLISECONDS = 1_790_000_000_000;
const DAY_SECONDS = 86_400;
/** Every third seed has an alt chain. */
const ALT_EVERY = 3;
/** Transactions of so many abandoned blocks wait to be mined again. */
const MAX_WAITING_BLOCKS = 60;

/** How the chain and its nodes are made. */
function drawPlan(random: Random) {
  const isLong = random.chance(0.03);
  return {
    finalityDepth: isLong ? random.integer(300, 1_100) : random.pick([1, 3, 8, 20, 60]),
    emptyBlocks: isLong ? random.integer(1_100, 1_600) : random.pick([0, 0, 10, 120]),
    isPastFinality: random.chance(0.1),
    blockMilliseconds: random.pick([1_000, 3_000, 7_000]),
    /** Blocks come by a timetable, which is left out now and then. */
    isSteady: random.chance(0.4),
    operationsPerBlock: random.pick([1, 2, 4]),
    pollIntervalSeconds: random.pick([3, 10, 60]),
    headIntervalMilliseconds: random.pick([1_000, 1_000, 3_000]),
    stormRate: random.pick([0, 0.05, 0.2, 0.5, 0.9]),
    reorgChance: random.pick([0, 0.03, 0.1]),
    deathChance: random.pick([0, 0, 0.02, 0.06]),
    clockJumpChance: random.pick([0, 0, 0, 0.03]),
    /** What nodes know of receipts; where only some do, which ones changes. */
    receipts: random.weigh({ told: 8, 'by some': 2, unknown: 1, odd: 1 }),
  };
}

export type Plan = ReturnType<typeof drawPlan>;

/** Everything of one run; its methods are the incidents. */
export class Scenario {
  readonly seed: number;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly plan: Plan;
  readonly chain: VirtualChain;
  readonly cast: Cast;
  readonly faults: Faults<Fault>;
  readonly backends: readonly Backend[];
  readonly urls: readonly NodeUrl<Backend>[];
  readonly network: MainNetwork;
  /** Undefined: none is configured. */
  readonly alt: AltScenario | undefined;
  readonly database: SqlDatabase;
  readonly #options: ScenarioOptions;
  #service: Service | undefined;
  #restartAtMilliseconds = 0;
  #nextBlockAtMilliseconds = 0;
  #isQuiet = false;
  #highestFinalized = 0;
  /** Wall-clock offsets, and until when each held. */
  readonly skews: { skewMilliseconds: number; untilMilliseconds: number }[] = [];
  reorgs = 0;
  deaths = 0;

  constructor(options: ScenarioOptions) {
    this.#options = options;
    this.seed = options.seed;
    const random = (this.random = new Random(options.seed));
    this.time = new VirtualTime(START_MILLISECONDS + random.integer(0, DAY_SECONDS) * 1000);
    const now = () => this.time.nowMilliseconds();
    this.trace = new Trace(now, options.print ?? false);
    this.plan = drawPlan(random);
    this.cast = {
      machines: Array.from({ length: random.integer(2, 6) }, (_, i) =>
        i === 0 ? 2n ** 256n - 1n : BigInt(1000 + i) ** BigInt(random.integer(1, 12)),
      ),
      accounts: Array.from({ length: 3 }, () => `0x${random.hex(20)}`),
    };
    const hasAlt = options.seed % ALT_EVERY === 0;
    if (hasAlt) this.cast = { ...this.cast, machines: [...this.cast.machines, ...drawAbroad(random)] };
    const genesisSeconds = Math.floor(now() / 1000) - random.pick([1, 40, 100]) * DAY_SECONDS;
    this.chain = new VirtualChain(random, now, this.plan.finalityDepth, genesisSeconds);
    this.#writePast(hasAlt);
    const faults = (this.faults = new Faults<Fault>(random, MAIN_FAULTS));
    this.urls = Array.from({ length: random.integer(1, 3) }, () => this.#drawUrl());
    this.backends = this.urls.flatMap(({ backends }) => backends);
    const { urls, time, trace } = this;
    this.network = new MainNetwork({ name: 'node', urls, faults, random, time, trace });
    this.alt = hasAlt ? new AltScenario(options.seed, this.cast, this.time, this.trace) : undefined;
    this.database = takeDatabase();
    this.trace.line(JSON.stringify(this.plan));
    if (this.plan.isSteady) this.#keepTimetable();
  }

  get service(): Service | undefined {
    return this.#service?.life.isOver === true ? undefined : this.#service;
  }

  /** Nothing has been wrong with the nodes or the chain, and every node tells receipts. */
  get isPeaceful(): boolean {
    return this.plan.stormRate === 0 && this.plan.receipts === 'told' && this.reorgs === 0;
  }

  #writePast(hasAlt: boolean): void {
    const { random, chain, plan } = this;
    if (hasAlt) {
      const draft = new BlockDraft(chain.tip.world, chain.tip.timestamp + 1);
      for (const id of this.cast.machines.slice(-ALT_MACHINES)) homeAbroad(draft, id, random, this.cast);
      chain.moveTip(chain.build(chain.tip, draft.timestamp, draft.finish()));
    }
    const seconds = Math.floor(this.time.nowMilliseconds() / 1000);
    const emptySeconds = 2 * plan.emptyBlocks;
    writeHistory(chain, random, this.cast, random.integer(4, 25), seconds - emptySeconds - 30);
    for (let i = 0; i < plan.emptyBlocks; i++) {
      const { tip } = chain;
      chain.moveTip(chain.build(tip, tip.timestamp + 2, emptyContent(tip.world)));
    }
    this.#noteFinality();
  }

  #drawUrl(): NodeUrl<Backend> {
    const { random } = this;
    const { receipts } = this.plan;
    const character: Character = {
      maxRange: this.plan.finalityDepth + random.pick([60, 500, 10_000]),
      keptStates: random.pick([this.plan.finalityDepth + 128, 100_000]),
      refusesAboveHead: random.chance(0.3),
      tellsLogTimes: random.chance(0.5),
      hasOddReceipts: receipts === 'odd',
    };
    const backends = Array.from({ length: random.integer(1, 3) }, () => new Backend(this.chain, random, character));
    for (const backend of backends) {
      backend.tellsReceipts = receipts !== 'unknown' && (receipts !== 'by some' || random.chance(0.5));
    }
    return { backends, isDown: false, isForeign: false };
  }

  /** Begins a life of the service, some of which are short. */
  async start(isLasting = false): Promise<void> {
    const { random, plan } = this;
    const isDoomed = !isLasting && plan.deathChance > 0 && random.chance(0.5);
    const life: Life = {
      isOver: false,
      writesLeft: isDoomed ? random.skewed(100) : undefined,
      onEnd: () => this.#bury(),
    };
    for (const url of this.urls) url.isForeign = !isLasting && plan.stormRate > 0 && random.chance(0.05);
    this.alt?.prepareStart(isLasting);
    try {
      this.#service = await startService({
        database: this.database,
        network: this.network,
        altNetwork: this.alt?.network,
        time: this.time,
        trace: this.trace,
        pollIntervalSeconds: plan.pollIntervalSeconds,
        headIntervalMilliseconds: plan.headIntervalMilliseconds,
        startBlock: 1,
        life,
        alterStore: this.#options.alterStore,
      });
      this.#options.door.serve(this.#service.ctx);
      this.trace.line('the service starts');
    } catch (error) {
      if (!life.isOver) throw error;
    }
  }

  #bury(): void {
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

  /** Starts a dead service again when its time has come. */
  async revive(isLasting = false): Promise<void> {
    if (this.service !== undefined) return;
    if (isLasting || this.time.nowMilliseconds() >= this.#restartAtMilliseconds) await this.start(isLasting);
  }

  /** By the way, where blocks come when they like. */
  mineIfDue(isQuiet = false): void {
    this.#isQuiet = isQuiet;
    const now = this.time.nowMilliseconds();
    if (this.plan.isSteady || now < this.#nextBlockAtMilliseconds) return;
    const { plan, random } = this;
    this.#nextBlockAtMilliseconds = now + Math.floor((plan.blockMilliseconds * random.integer(50, 150)) / 100);
    this.#mine();
  }

  /** By a timetable; now and then a turn is left out. */
  #keepTimetable(): void {
    const { time, plan, random } = this;
    const left = plan.blockMilliseconds - (time.nowMilliseconds() % plan.blockMilliseconds);
    time.after(left, () => {
      if (random.chance(0.95)) this.#mine();
      this.#keepTimetable();
    });
  }

  #mine(): void {
    const { chain, plan, random } = this;
    const { tip } = chain;
    const seconds = Math.floor(this.time.nowMilliseconds() / 1000);
    const draft = new BlockDraft(tip.world, chain.freeTime(tip, seconds));
    const operations = this.#isQuiet ? 0 : random.integer(0, plan.operationsPerBlock);
    for (let i = 0; i < operations; i++) operate(draft, random, this.cast);
    chain.moveTip(chain.build(tip, draft.timestamp, draft.finish()));
    this.#noteFinality();
    this.trace.line(`block ${describe(chain.tip)}`);
  }

  /** So many empty blocks at once that everything before them is final. */
  finalise(): void {
    const { chain, plan } = this;
    for (let i = 0; i < plan.finalityDepth; i++) {
      const { tip } = chain;
      chain.moveTip(chain.build(tip, chain.freeTime(tip, 0), emptyContent(tip.world)));
    }
    this.#noteFinality();
    this.trace.line(`block ${describe(chain.tip)}, everything before is final`);
  }

  /** Another way from some block on: longer, as long, or shorter than the one so far. */
  reorganise(isPastFinality: boolean): void {
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

  /** A block beside the one of the same height, with a time of its own; some of what the other way stored is stored here too. */
  #buildRival(parent: Block, oldTip: Block, operationChance: number, waiting: Submission[]): Block {
    const { random, chain } = this;
    const rival = ancestorAt(oldTip, parent.number + 1);
    const timestamp = chain.freeTime(parent, (rival?.timestamp ?? 0) + random.integer(-2, 2));
    const draft = new BlockDraft(parent.world, timestamp);
    for (const { id, event } of waiting.splice(0, random.integer(0, 3))) {
      if (draft.machine(id).owner !== undefined) storeEvent(draft, id, event);
      draft.endTransaction();
    }
    if (random.chance(operationChance)) operate(draft, random, this.cast);
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
    const { random, plan, cast } = this;
    for (const backend of this.backends) {
      if (!random.chance(0.5)) continue;
      backend.lagMilliseconds = random.chance(0.5) ? 0 : random.skewed(60_000);
      backend.lagBlocks = random.chance(0.8) ? 0 : random.skewed(30);
      if (plan.receipts === 'by some') backend.tellsReceipts = random.chance(0.5);
      backend.lostTopic = random.chance(0.8) ? undefined : topicOf(random.pick(cast.machines));
    }
    for (const url of this.urls) url.isDown = random.chance(0.1);
    const lags = this.backends.map(({ lagMilliseconds, lagBlocks }) => `${lagMilliseconds}ms/${lagBlocks}`);
    this.trace.line(
      `nodes: ${this.urls.map(({ isDown }) => (isDown ? 'down' : 'up')).join(' ')}, lags ${lags.join(' ')}`,
    );
  }

  changeWeather(): void {
    const rate = this.random.chance(0.5) ? 0 : this.plan.stormRate;
    this.faults.setRate(rate);
    this.trace.line(`fault rate ${rate}`);
  }

  /** Ends everything that is wrong with the nodes and the clock; what happened to the chain stays. */
  heal(): void {
    this.faults.setRate(0);
    for (const backend of this.backends) {
      backend.lagMilliseconds = backend.lagBlocks = 0;
      backend.lostTopic = undefined;
    }
    for (const url of this.urls) url.isDown = url.isForeign = false;
    this.alt?.heal();
    if (this.service !== undefined) this.service.life.writesLeft = undefined;
    this.trace.line('all faults end');
  }
}

/** How a log names a machine. */
function topicOf(id: bigint): string {
  return `0x${uint(id)}`;
}

/** Machines that live on the alt chain at first. */
function drawAbroad(random: Random): bigint[] {
  return Array.from({ length: ALT_MACHINES }, (_, i) => BigInt(2000 + i) ** BigInt(random.integer(1, 6)));
}

/** What the newest blocks stored, oldest first. */
function listSubmissions(tip: Block, blocks: number): Submission[] {
  const listed: Submission[] = [];
  let block: Block | undefined = tip;
  for (let i = 0; i < blocks && block !== undefined; i++, block = block.parent) listed.unshift(...block.submissions);
  return listed;
}

export function describe({ number, hash, story }: Block): string {
  return `${number} ${hash.slice(0, 8)}${story === '' ? '' : `: ${story}`}`;
}
