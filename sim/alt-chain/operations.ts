/** Random operations on the virtual alt chain, with their effects and transactions (chain-svm 3). */
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import { drawEvent, type CitationActor } from '../chain/event-operations.ts';
import { drawEndpoints } from '../chain/operations.ts';
import type { Random } from '../random.ts';
import { WALLETS } from './deployment.ts';
import { altMachineOf, NO_LOG, type AltMachine, type AltSimEvent, type AltWorld } from './machine-state.ts';
import type { EventOperation } from './records.ts';
import type { AltTransaction } from './transactions.ts';

export interface AltActors {
  readonly machines: readonly bigint[];
  readonly accounts: readonly string[];
  /** Adds citations and payout proofs to events. */
  readonly citations?: CitationActor | undefined;
}

const WEIGHTS = {
  submit: 24,
  mint: 10,
  retire: 2,
  operator: 4,
  relocating: 3,
  endpoints: 2,
  close: 3,
  import: 5,
  adopt: 2,
  prefund: 1,
  failed: 4,
  mention: 3,
} as const;

/** Operations on machines whose payments are followed: their owners and event logs stay. */
const PAID_WEIGHTS = { ...WEIGHTS, retire: 0, close: 0, import: 0, adopt: 0 };

type Operation = keyof typeof WEIGHTS;

/** One slot under construction: the world after its transactions so far. */
export class SlotDraft {
  readonly slot: number;
  readonly seconds: number;
  readonly transactions: AltTransaction[] = [];
  readonly #random: Random;
  readonly #citations: CitationActor | undefined;
  #world: AltWorld;
  #events = 0;
  readonly summary: string[] = [];

  constructor(world: AltWorld, slot: number, seconds: number, random: Random, citations?: CitationActor) {
    this.#citations = citations;
    this.#world = world;
    this.slot = slot;
    this.seconds = seconds;
    this.#random = random;
  }

  get world(): AltWorld {
    return this.#world;
  }

  machine(id: bigint): AltMachine {
    return altMachineOf(this.#world, id);
  }

  change(id: bigint, change: Partial<AltMachine>): void {
    const machines = new Map(this.#world.machines);
    machines.set(id, { ...this.machine(id), ...change });
    this.#world = { machines };
  }

  drawEvent(): AltSimEvent {
    const event = { ...drawEvent(this.seconds, this.#random), dataHash: this.#random.hex(32) };
    return { ...event, place: [this.slot, this.#events++] };
  }

  /** Applies the operation to the world and returns it. */
  apply(operation: EventOperation): EventOperation {
    const { log = NO_LOG } = this.machine(operation.id);
    this.summary.push(`${operation.id} ${operation.kind}`);
    if (operation.kind === 'close') this.change(operation.id, { log: undefined });
    else {
      const events = operation.event === undefined ? log.events : [...log.events, operation.event];
      const prior = operation.kind === 'submit' ? log.prior : operation.prior;
      this.change(operation.id, { log: { prior, events, garbage: this.#random.pick([0, 0, 0xff]) } });
    }
    return operation;
  }

  submit(id: bigint): EventOperation {
    const { log, account } = this.machine(id);
    const event = this.drawEvent();
    const cited = this.#citations?.decorate(event, { timestamp: this.seconds }, { id, owner: account?.owner });
    return this.apply({ kind: 'submit', id, index: log?.events.length ?? 0, event: { ...event, ...cited } });
  }

  applyImport(kind: 'import' | 'adopt', id: bigint): EventOperation {
    const random = this.#random;
    const { prior, events } = this.machine(id).log ?? NO_LOG;
    const event = random.chance(0.6) ? this.drawEvent() : undefined;
    const count = events.length + (event === undefined ? 0 : 1);
    return this.apply({ kind, id, prior: prior + random.integer(1, 4), count, event });
  }

  execute(operations: readonly EventOperation[], parts: Partial<AltTransaction> = {}): void {
    const random = this.#random;
    const spoof: EventOperation | undefined =
      random.chance(0.15) && operations.length > 0
        ? { kind: 'submit', id: operations[0]!.id, index: random.integer(0, 5), event: this.drawEvent() }
        : undefined;
    this.transactions.push({
      signature: formatBase58(Uint8Array.from(Buffer.from(random.hex(64), 'hex'))),
      slot: this.slot,
      hasFailed: false,
      operations,
      form: random.pick(['plain', 'plain', 'cpi', 'lookup-table']),
      isTruncated: random.chance(0.15),
      spoof,
      mentions: [],
      ...parts,
    });
  }
}

type Act = (draft: SlotDraft, machine: AltMachine, random: Random, actors: AltActors) => void;

/** Performs one random operation, or none where it is not possible. */
export function operateAlt(draft: SlotDraft, random: Random, actors: AltActors): void {
  const machine = draft.machine(random.pick(actors.machines));
  ACTS[random.weigh<Operation>(actors.citations === undefined ? WEIGHTS : PAID_WEIGHTS)](
    draft,
    machine,
    random,
    actors,
  );
}

const ACTS: { readonly [O in Operation]: Act } = {
  submit: (draft, { id, account }, random) => {
    if (account === undefined || account.relocating) return;
    const count = random.chance(0.2) ? random.integer(2, 4) : 1;
    const operations = Array.from({ length: count }, () => draft.submit(id));
    if (random.chance(0.5)) draft.execute(operations);
    else for (const operation of operations) draft.execute([operation]);
  },
  mint: (draft, { id, account }, random, actors) => {
    if (account === undefined) mintAlt(draft, id, random, actors);
  },
  retire: (draft, { id, account, log }) => {
    if (account === undefined) return;
    if (log !== undefined) draft.execute([draft.apply({ kind: 'close', id, count: log.events.length })]);
    draft.change(id, { account: undefined });
    draft.summary.push(`${id} retired`);
  },
  operator: (draft, { id, account }, random, actors) => {
    if (account === undefined) return;
    draft.change(id, { account: { ...account, operator: drawOperator(random, actors) } });
    draft.summary.push(`${id} has another operator`);
  },
  relocating: (draft, { id, account }) => {
    if (account === undefined) return;
    draft.change(id, { account: { ...account, relocating: !account.relocating } });
    draft.summary.push(`${id} relocating ${!account.relocating}`);
  },
  endpoints: (draft, { id, account }, random) => {
    if (account !== undefined) draft.change(id, { account: { ...account, endpoints: drawEndpoints(random) } });
  },
  close: (draft, { id, log }, random) => {
    if (log === undefined) return;
    const close = draft.apply({ kind: 'close', id, count: log.events.length });
    // In one transaction with the import that follows, or alone.
    if (random.chance(0.3)) draft.execute([close, draft.applyImport('import', id)]);
    else draft.execute([close]);
  },
  import: (draft, { id, account, log }) => {
    if (account !== undefined && log === undefined) draft.execute([draft.applyImport('import', id)]);
  },
  adopt: (draft, { id, log }) => {
    if (log !== undefined) draft.execute([draft.applyImport('adopt', id)]);
  },
  prefund: (draft, { id }) => draft.change(id, { isPrefunded: true }),
  failed: (draft, { id }, random) => {
    const event = draft.drawEvent();
    const submit: EventOperation = { kind: 'submit', id, index: random.integer(0, 3), event };
    draft.execute([random.chance(0.7) ? submit : { kind: 'close', id, count: 0 }], { hasFailed: true });
  },
  mention: (draft, { id }) => draft.execute([], { mentions: [id] }),
};

export function mintAlt(draft: SlotDraft, id: bigint, random: Random, actors: AltActors): void {
  draft.change(id, {
    account: {
      owner: random.pick(WALLETS),
      controller: random.chance(0.5) ? undefined : random.pick(WALLETS),
      operator: drawOperator(random, actors),
      relocating: false,
      endpoints: drawEndpoints(random),
    },
  });
  draft.summary.push(`${id} minted`);
}

function drawOperator(random: Random, actors: AltActors): Address | undefined {
  return random.chance(0.1) ? undefined : (random.pick(actors.accounts) as Address);
}
