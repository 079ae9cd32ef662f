/**
 * Queue that serves its flows by deficit round-robin, so that each gets an equal share of the cost, however much of it
 * waits. A flow may be divided into flows, which share what it gets.
 */

interface Entry<T> {
  readonly item: T;
  readonly cost: number;
}

/** Cost that a flow may take in one round. */
const QUANTUM = 1;

class Flow<T> {
  readonly name: string;
  deficit = 0;
  /** Waiting items, of a flow that is not divided. */
  readonly items: Entry<T>[] = [];
  /** Flows with waiting items; the first one is served next. */
  readonly flows: Flow<T>[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.flows.length === 0;
  }

  /** Returns the next item; undefined when none waits. Selects the flow that `shift` then takes it from. */
  peek(): Entry<T> | undefined {
    if (this.flows.length === 0) return this.items[0];
    for (;;) {
      const flow = this.flows[0]!;
      const next = flow.peek()!;
      if (next.cost <= flow.deficit) return next;
      // Passed over until its deficit covers the cost.
      flow.deficit += QUANTUM;
      if (next.cost <= flow.deficit) return next;
      this.flows.push(this.flows.shift()!);
    }
  }

  shift(): void {
    const flow = this.flows[0];
    if (flow === undefined) {
      this.items.shift();
      return;
    }
    const { cost } = flow.peek()!;
    flow.deficit -= cost;
    flow.shift();
    if (flow.isEmpty) this.flows.shift();
    else if (flow.deficit <= 0) this.flows.push(this.flows.shift()!);
  }

  find(path: readonly string[], at = 0): Flow<T> {
    const name = path[at];
    if (name === undefined) return this;
    let flow = this.flows.find((each) => each.name === name);
    if (flow === undefined) this.flows.push((flow = new Flow<T>(name)));
    return flow.find(path, at + 1);
  }

  remove(path: readonly string[], item: T, at = 0): void {
    const place = at === path.length ? this.items.findIndex((each) => each.item === item) : -1;
    if (place !== -1) this.items.splice(place, 1);
    const index = this.flows.findIndex((each) => each.name === path[at]);
    if (index === -1) return;
    this.flows[index]!.remove(path, item, at + 1);
    if (this.flows[index]!.isEmpty) this.flows.splice(index, 1);
  }
}

export class FairQueue<T> {
  readonly #root = new Flow<T>('');
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of flows of the first level that have waiting items. */
  get flows(): number {
    return this.#root.flows.length;
  }

  /** Adds an item to the flow of the path, the widest flow first. Items of one level have paths of one length. */
  push(path: readonly string[], item: T, cost: number): void {
    this.#root.find(path).items.push({ item, cost });
    this.#size += 1;
  }

  /** Returns the item that is served next; undefined when none waits. */
  peek(): T | undefined {
    return this.#root.peek()?.item;
  }

  /** Removes the item that `peek` returned last. */
  shift(): void {
    this.#root.shift();
    this.#size -= 1;
  }

  /** Removes a waiting item. */
  remove(path: readonly string[], item: T): void {
    this.#root.remove(path, item);
    this.#size -= 1;
  }
}
