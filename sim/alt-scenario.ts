/** Alt-chain part of a run: its chain, nodes and faults. It has a separate random source, so that main-chain draws do not change. */
import { FIRST_SLOT } from './alt-chain/deployment.ts';
import { mintAlt, operateAlt, SlotDraft, type AltActors } from './alt-chain/operations.ts';
import { VirtualAltChain } from './alt-chain/virtual-alt-chain.ts';
import { AltBackend, type AltNodeProperties } from './alt-nodes/backend.ts';
import { ALT_FAULTS, type AltFault } from './alt-nodes/faults.ts';
import { AltNetwork } from './alt-nodes/network.ts';
import { Random } from './random.ts';
import type { Trace } from './trace.ts';
import { Faults } from './transport/faults.ts';
import type { NodeUrl } from './transport/network.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Offset that separates its seeds from those of the main chain. */
const OWN_SEEDS = 2 ** 40;
const DAY_SECONDS = 86_400;
/** Number of actors, the last ones, that live on the alt chain at first. */
export const ALT_MACHINES = 3;

function drawPlan(random: Random) {
  return {
    actChance: random.pick([0.05, 0.2, 0.5]),
    stormRate: random.pick([0, 0.05, 0.15, 0.4, 0.8]),
    pruneChance: random.pick([0, 0, 0.02]),
    pastSlots: random.integer(3, 20),
  };
}

export class AltScenario {
  readonly chain: VirtualAltChain;
  readonly network: AltNetwork;
  readonly #random: Random;
  /** Draws which nodes stop; apart, so that no other draw changes. */
  readonly #stops: Random;
  readonly #stopChance: number;
  readonly #plan: ReturnType<typeof drawPlan>;
  readonly #actors: AltActors;
  readonly #trace: Trace;
  readonly #faults: Faults<AltFault>;
  readonly #urls: readonly NodeUrl<AltBackend>[];
  readonly #backends: readonly AltBackend[];

  constructor(seed: number, actors: AltActors, time: VirtualTime, trace: Trace) {
    const random = (this.#random = new Random(seed + OWN_SEEDS));
    this.#plan = drawPlan(random);
    this.#stops = new Random(seed + 2 * OWN_SEEDS);
    this.#stopChance = this.#stops.pick([0, 0, 0.3]);
    this.#actors = actors;
    this.#trace = trace;
    const now = () => time.nowMilliseconds();
    this.chain = new VirtualAltChain(now, now() - random.pick([1, 40, 100]) * DAY_SECONDS * 1000);
    this.#writePast();
    const faults = (this.#faults = new Faults<AltFault>(random, ALT_FAULTS));
    this.#changeFaultRate();
    this.#urls = Array.from({ length: random.integer(1, 2) }, () => this.#drawUrl());
    this.#backends = this.#urls.flatMap(({ backends }) => backends);
    const parts = { name: 'alt-node', urls: this.#urls, faults, random, time, trace };
    this.network = new AltNetwork(this.chain, parts);
    trace.line(`alt ${JSON.stringify(this.#plan)}`);
  }

  #writePast(): void {
    const { slot } = this.chain;
    const step = Math.floor((slot - FIRST_SLOT) / (this.#plan.pastSlots + 1));
    for (let i = 1; i <= this.#plan.pastSlots; i++) {
      this.#finalize(FIRST_SLOT + i * step - this.#random.integer(0, step - 2), (draft) => {
        if (i === 1)
          for (const id of this.#actors.machines.slice(-ALT_MACHINES)) mintAlt(draft, id, this.#random, this.#actors);
        for (const id of this.#actors.machines) {
          if (draft.machine(id).account !== undefined && this.#random.chance(0.4)) draft.execute([draft.submit(id)]);
        }
      });
    }
  }

  #drawUrl(): NodeUrl<AltBackend> {
    const random = this.#random;
    const properties: AltNodeProperties = { pageRows: random.pick([3, 10, 1_000]), retainsLogs: random.chance(0.8) };
    const backends = Array.from({ length: random.integer(1, 3) }, () => new AltBackend(this.chain, random, properties));
    return { backends, isDown: false, isForeign: false };
  }

  /** Draws which URLs serve a foreign chain before the service starts. */
  prepareStart(isLasting: boolean): void {
    const { stormRate } = this.#plan;
    for (const url of this.#urls) url.isForeign = !isLasting && stormRate > 0 && this.#random.chance(0.05);
  }

  /** Advances the chain and changes its nodes, each by chance. */
  act(): void {
    const random = this.#random;
    const { actChance, stormRate } = this.#plan;
    if (random.chance(actChance)) this.#advance();
    if (stormRate > 0 && random.chance(0.1)) this.#changeNodes();
    if (stormRate > 0 && random.chance(0.15)) this.#changeFaultRate();
  }

  #changeFaultRate(): void {
    this.#faults.setRate(this.#random.chance(0.5) ? 0 : this.#plan.stormRate);
  }

  /** Finalizes the next slot, which no node has served yet. */
  #advance(): void {
    this.#finalize(this.chain.slot + 1, (draft) => {
      for (let i = this.#random.skewed(6); i >= 0; i--) operateAlt(draft, this.#random, this.#actors);
    });
  }

  /** Finalizes a slot, unless it or a later one is used. */
  #finalize(slot: number, fill: (draft: SlotDraft) => void): void {
    const { chain } = this;
    if (slot <= chain.lastUsedSlot) return;
    const draft = new SlotDraft(chain.world, slot, chain.timeOf(slot), this.#random, this.#actors.citations);
    fill(draft);
    chain.finalize(slot, draft.world, draft.transactions);
    this.#trace.line(`alt slot ${slot}: ${draft.summary.join('; ')}`);
  }

  #changeNodes(): void {
    const random = this.#random;
    for (const backend of this.#backends) {
      backend.lagMilliseconds = random.chance(0.5) ? 0 : random.skewed(120_000);
      backend.stoppedAtSlot = this.#stops.chance(this.#stopChance) ? backend.slot : undefined;
      const isPruned = random.chance(this.#plan.pruneChance);
      backend.firstSlot = isPruned ? random.integer(FIRST_SLOT, this.chain.slot) : 0;
      backend.lostMachine = random.chance(0.8) ? undefined : random.pick(this.#actors.machines.slice(-ALT_MACHINES));
    }
    for (const url of this.#urls) url.isDown = random.chance(0.1);
    const nodes = this.#backends.map(({ lagMilliseconds, firstSlot, stoppedAtSlot }) =>
      [`${lagMilliseconds}ms from ${firstSlot}`, ...(stoppedAtSlot === undefined ? [] : [`to ${stoppedAtSlot}`])].join(
        ' ',
      ),
    );
    this.#trace.line(`alt nodes: ${nodes.join(', ')}`);
  }

  /** Ends every fault of the nodes. */
  heal(): void {
    this.#faults.setRate(0);
    for (const backend of this.#backends) {
      backend.lagMilliseconds = backend.firstSlot = 0;
      backend.stoppedAtSlot = backend.lostMachine = undefined;
    }
    for (const url of this.#urls) url.isDown = url.isForeign = false;
  }
}
