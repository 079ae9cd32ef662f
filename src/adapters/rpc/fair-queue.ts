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
  readonly #flowsByName = new Map<string, Flow<T>>();
  /** Number of waiting items, also of the flows within. */
  size = 0;

  constructor(name: string) {
    this.name = name;
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
    this.size -= 1;
    const flow = this.flows[0];
    if (flow === undefined) {
      this.items.shift();
      return;
    }
    const { cost } = flow.peek()!;
    flow.deficit -= cost;
    flow.shift();
    if (flow.size === 0) this.#drop(0);
    else if (flow.deficit <= 0) this.flows.push(this.flows.shift()!);
  }

  push(path: readonly string[], entry: Entry<T>, at = 0): void {
    this.size += 1;
    const name = path[at];
    if (name === undefined) {
      this.items.push(entry);
      return;
    }
    let flow = this.#flowsByName.get(name);
    if (flow === undefined) {
      flow = new Flow<T>(name);
      this.flows.push(flow);
      this.#flowsByName.set(name, flow);
    }
    flow.push(path, entry, at + 1);
  }

  remove(path: readonly string[], item: T, at = 0): void {
    this.size -= 1;
    if (at === path.length) {
      const place = this.items.findIndex((each) => each.item === item);
      this.items.splice(place, 1);
      return;
    }
    const flow = this.#flowsByName.get(path[at]!)!;
    flow.remove(path, item, at + 1);
    if (flow.size === 0) this.#drop(this.flows.indexOf(flow));
  }

  findNewestOfLargest(): T | undefined {
    return this.flows.length === 0 ? this.items.at(-1)?.item : this.#findLargest().findNewestOfLargest();
  }

  findNewestOfLarger(path: readonly string[], at = 0): T | undefined {
    if (this.flows.length === 0) return undefined;
    const own = this.#flowsByName.get(path[at]!);
    const largest = this.#findLargest();
    if (largest.size > (own?.size ?? 0) + 1) return largest.findNewestOfLargest();
    return own?.findNewestOfLarger(path, at + 1);
  }

  #drop(index: number): void {
    const [flow] = this.flows.splice(index, 1);
    this.#flowsByName.delete(flow!.name);
  }

  #findLargest(): Flow<T> {
    let largest = this.flows[0]!;
    for (const flow of this.flows) if (flow.size > largest.size) largest = flow;
    return largest;
  }
}

export class FairQueue<T> {
  readonly #root = new Flow<T>('');

  get size(): number {
    return this.#root.size;
  }

  /** Number of flows of the first level that have waiting items. */
  get flows(): number {
    return this.#root.flows.length;
  }

  /** Adds an item to the flow of the path, the widest flow first. Items of one level have paths of one length. */
  push(path: readonly string[], item: T, cost: number): void {
    this.#root.push(path, { item, cost });
  }

  /** Returns the item that is served next; undefined when none waits. */
  peek(): T | undefined {
    return this.#root.peek()?.item;
  }

  /** Removes the item that `peek` returned last. */
  shift(): void {
    this.#root.shift();
  }

  /** Removes a waiting item. */
  remove(path: readonly string[], item: T): void {
    this.#root.remove(path, item);
  }

  /** Returns the newest item of the flow with the most items; undefined when none waits. */
  findNewestOfLargest(): T | undefined {
    return this.#root.findNewestOfLargest();
  }

  /**
   * Returns the newest item of the flow with the most items, if it has more than the flow of the path would have with
   * one more. Otherwise compares the flows within the flow of the path; undefined when none of them has more either.
   */
  findNewestOfLarger(path: readonly string[]): T | undefined {
    return this.#root.findNewestOfLarger(path);
  }
}
