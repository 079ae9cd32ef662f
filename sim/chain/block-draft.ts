/** Block under construction: the world after its transactions so far, their logs, and a summary. */
import { makeForeignLog, makeLog, type LogContent, type SimLog } from './logs.ts';
import { machineOf, type Machine, type SimEvent, type World } from './machine-state.ts';
import type { BlockContent, Submission } from './virtual-chain.ts';

export class BlockDraft {
  readonly timestamp: number;
  #world: World;
  readonly #logs: SimLog[] = [];
  readonly #summary: string[] = [];
  readonly #submissions: Submission[] = [];
  #transaction = 0;
  /** Identity of the transaction under construction. */
  transactionKey: object = {};

  constructor(world: World, timestamp: number) {
    this.#world = world;
    this.timestamp = timestamp;
  }

  get world(): World {
    return this.#world;
  }

  machine(id: bigint): Machine {
    return machineOf(this.#world, id);
  }

  change(id: bigint, change: Partial<Machine>): void {
    const machines = new Map(this.#world.machines);
    machines.set(id, { ...this.machine(id), ...change });
    this.#world = { ...this.#world, machines };
  }

  changeWorld(change: Partial<Omit<World, 'machines'>>): void {
    this.#world = { ...this.#world, ...change };
  }

  /** Index of the next log in the block. */
  get nextLogIndex(): number {
    return this.#logs.length;
  }

  log(...parts: Parameters<typeof makeLog>): void {
    this.#push(makeLog(...parts));
  }

  logForeign(address: string, salt: string): void {
    this.#push(makeForeignLog(address, salt));
  }

  #push(log: LogContent): void {
    this.#logs.push({ ...log, transaction: this.#transaction });
  }

  /** Ends the transaction: later logs belong to the next one. */
  endTransaction(): void {
    this.#transaction += 1;
    this.transactionKey = {};
  }

  note(text: string): void {
    this.#summary.push(text);
  }

  noteSubmission(id: bigint, event: SimEvent): void {
    this.#submissions.push({ id, event });
    this.changeWorld({ submittedEvents: this.#world.submittedEvents + 1 });
  }

  finish(): BlockContent {
    return { world: this.#world, logs: this.#logs, summary: this.#summary.join('; '), submissions: this.#submissions };
  }
}
