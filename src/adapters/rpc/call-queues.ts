/**
 * Queues of a call budget: the requests that wait for a turn, and which of them is next. The order of the shares is the
 * head follower and health checks, a fifth for the index, callers by deficit round-robin with known machines first, the
 * index again, and proof last. The places of callers are bounded; when all are taken, the network with most requests
 * loses its newest one to a network with fewer.
 */
import type { CallerWork } from '../../ports/runtime.ts';
import type { CallPurpose, TurnListener } from './call-budget.ts';
import type { CallRoom } from './call-ledger.ts';
import { FairQueue } from './fair-queue.ts';

export interface WaitingTurn {
  readonly calls: number;
  readonly purpose: CallPurpose;
  readonly networks: readonly string[];
  readonly sinceMilliseconds: number;
  readonly listener: TurnListener;
}

/** Returns whether what is left of the day admits a request. */
type IsAllowed = (waiting: WaitingTurn) => boolean;

const MAX_WAIT_MILLISECONDS = 2_000;
export const INDEX_SHARE = 0.2;
/** Seconds of its share that the index may save; more for a larger request. */
const MAX_INDEX_CREDIT_SECONDS = 2;
/** Part of the ceiling that proof leaves unused, so that a caller seldom waits for it. */
const PROOF_RESERVE = 0.25;
/** Requests that wait of one address or /64, and of one /48. */
const MAX_WAITING_OF_NETWORK = 64;
const MAX_WAITING_OF_WIDE_NETWORK = 256;
/** Times as many wait for a connection where no rate is known: as many as the HTTP server reads requests of a network at once. */
const FACTOR_WITHOUT_RATE = 4;
const MAX_WAITING = 4_096;

export class CallQueues {
  readonly #head: WaitingTurn[] = [];
  readonly #index: WaitingTurn[] = [];
  readonly #proof: WaitingTurn[] = [];
  readonly #known = new FairQueue<WaitingTurn>();
  readonly #unknown = new FairQueue<WaitingTurn>();
  /** Requests of callers in the order of their arrival. */
  readonly #arrivals = new Set<WaitingTurn>();
  readonly #waitingOfNetwork = new Map<string, number>();
  #indexCredit = 0;
  #creditedAtMilliseconds = 0;

  get size(): number {
    return this.#head.length + this.#index.length + this.#proof.length + this.#known.size + this.#unknown.size;
  }

  add(waiting: WaitingTurn): void {
    const queue = this.#queueOf(waiting.purpose);
    if (queue instanceof FairQueue) {
      this.#arrivals.add(waiting);
      for (const network of waiting.networks) this.#countNetwork(network, 1);
      queue.push(waiting.networks, waiting, waiting.calls);
    } else queue.push(waiting);
  }

  /** Removes a request that still waits; does nothing for any other. */
  withdraw(waiting: WaitingTurn): void {
    const queue = this.#queueOf(waiting.purpose);
    if (queue instanceof FairQueue) {
      if (this.#arrivals.has(waiting)) queue.remove(waiting.networks, waiting);
    } else if (queue.includes(waiting)) queue.splice(queue.indexOf(waiting), 1);
    this.#leave(waiting);
  }

  /** Takes the next request of the highest class that waits and that `isAllowed` admits today, if it fits the room. */
  takeNext(room: CallRoom, rate: number, isAllowed: IsAllowed): WaitingTurn | undefined {
    const found = this.#findNext(room, rate, isAllowed);
    if (found === undefined) return undefined;
    found.take();
    this.#leave(found.next);
    const { calls, purpose } = found.next;
    if (purpose.work.kind === 'index') this.#indexCredit = Math.max(0, this.#indexCredit - calls);
    // Without a ceiling, the share is earned by what others get while the day holds the index back.
    else if (rate === Infinity && this.#index.length > 0)
      this.#indexCredit += (calls * INDEX_SHARE) / (1 - INDEX_SHARE);
    return found.next;
  }

  #findNext(
    { limit, free, freeOfHead, limitOfHead }: CallRoom,
    rate: number,
    isAllowed: IsAllowed,
  ): { readonly next: WaitingTurn; readonly take: () => void } | undefined {
    const takeFrom = (queue: WaitingTurn[], room: number, cap: number) => {
      const next = queue[0];
      const isNext = next !== undefined && isAllowed(next) && fits(next.calls, room, cap);
      return isNext ? { next, take: () => void queue.shift() } : undefined;
    };
    const maxCredit = rate * INDEX_SHARE * MAX_INDEX_CREDIT_SECONDS;
    const [ofIndex] = this.#index;
    const hasCredit =
      ofIndex !== undefined && this.#indexCredit >= Math.min(ofIndex.calls, maxCredit) && isAllowed(ofIndex);
    // A head that always needs more than its share would leave the index room for small requests only.
    const isHeadBeyondShare = rate < Infinity && freeOfHead === free;
    const isSaved = hasCredit && this.#indexCredit >= Math.min(ofIndex.calls, limitOfHead);
    if (this.#head.length > 0 && !(isHeadBeyondShare && isSaved)) return takeFrom(this.#head, free, limit);
    if (hasCredit) return takeFrom(this.#index, freeOfHead, limitOfHead);
    for (const queue of [this.#known, this.#unknown]) {
      const next = queue.peek();
      if (next === undefined || !isAllowed(next)) continue;
      return fits(next.calls, freeOfHead, limitOfHead) ? { next, take: () => queue.shift() } : undefined;
    }
    if (this.#index.length > 0) return takeFrom(this.#index, freeOfHead, limitOfHead);
    const reserve = limit === Infinity ? 0 : Math.floor(limit * PROOF_RESERVE);
    return takeFrom(this.#proof, freeOfHead - reserve, limitOfHead - reserve);
  }

  /** Adds the share that the index has earned since the last time; it needs none without a ceiling. */
  creditIndex(now: number, rate: number): void {
    if (rate === Infinity) return;
    const share = rate * INDEX_SHARE;
    const earned = (share * (now - this.#creditedAtMilliseconds)) / 1000;
    this.#creditedAtMilliseconds = now;
    const largest = Math.min(this.#index[0]?.calls ?? 0, rate);
    this.#indexCredit = Math.min(Math.max(share * MAX_INDEX_CREDIT_SECONDS, largest), this.#indexCredit + earned);
  }

  /** Time at which the oldest request of a caller has waited too long. */
  get nextOverdueMilliseconds(): number | undefined {
    const [first] = this.#arrivals;
    return first === undefined ? undefined : first.sinceMilliseconds + MAX_WAIT_MILLISECONDS;
  }

  /** Returns the requests of callers that have waited too long. */
  listOverdue(now: number): WaitingTurn[] {
    const found: WaitingTurn[] = [];
    for (const waiting of this.#arrivals) {
      if (now - waiting.sinceMilliseconds < MAX_WAIT_MILLISECONDS) break;
      found.push(waiting);
    }
    return found;
  }

  /** Whether all places of callers are taken, so that a new request displaces another one. */
  get isFull(): boolean {
    return this.#arrivals.size >= MAX_WAITING;
  }

  /** Returns whether a caller of these networks may have no other request waiting. */
  isFullOf(networks: readonly string[], rate: number): boolean {
    const [wide, narrow] = [networks[0]!, networks.at(-1)!].map((each) => this.#waitingOfNetwork.get(each) ?? 0);
    const factor = rate === Infinity ? FACTOR_WITHOUT_RATE : 1;
    return wide! >= MAX_WAITING_OF_WIDE_NETWORK * factor || narrow! >= MAX_WAITING_OF_NETWORK * factor;
  }

  /**
   * Returns the request that a new one of a caller displaces: the newest one of the network with most requests, unknown
   * machines first. Undefined when the new one is to be refused: its network has as many, or only known machines wait.
   */
  findDisplaced({ work, isKnown }: CallPurpose): WaitingTurn | undefined {
    if (isKnown && this.#unknown.size > 0) return this.#unknown.findNewestOfLargest();
    return (isKnown ? this.#known : this.#unknown).findNewestOfLarger((work as CallerWork).networks);
  }

  /** Returns the turns that are served before a new read of this caller. */
  countAhead({ work, isKnown }: CallPurpose): number {
    const own = this.#waitingOfNetwork.get((work as CallerWork).networks[0]!) ?? 0;
    const flows = isKnown ? this.#known.flows : this.#known.size + this.#unknown.flows;
    return own * Math.max(1, flows);
  }

  #queueOf({ work, isKnown }: CallPurpose): WaitingTurn[] | FairQueue<WaitingTurn> {
    if (work.kind === 'caller') return isKnown ? this.#known : this.#unknown;
    return { head: this.#head, index: this.#index, proof: this.#proof }[work.kind];
  }

  /** Ends the waiting of a request that has left its queue. */
  #leave(waiting: WaitingTurn): void {
    if (this.#arrivals.delete(waiting)) for (const network of waiting.networks) this.#countNetwork(network, -1);
  }

  #countNetwork(network: string, change: 1 | -1): void {
    const count = (this.#waitingOfNetwork.get(network) ?? 0) + change;
    if (count === 0) this.#waitingOfNetwork.delete(network);
    else this.#waitingOfNetwork.set(network, count);
  }
}

/** Returns whether the calls fit the room; calls that can never fit the cap take all of it. */
function fits(count: number, room: number, cap: number): boolean {
  return room >= Math.min(count, Math.max(1, cap));
}
