/**
 * Search for transactions by which a Solana node shows how far its history reaches back: some of the first block with any, from a block before
 * the time on. Nodes drop their oldest blocks first, so a node that has one of them has every later transaction.
 */
import type { FinalizedHead } from '../../ports/payment-sources.ts';
import type { Clock } from '../../ports/runtime.ts';
import { setBounded } from '../../domain/bounded-map.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { isFresh } from '../rpc/is-fresh.ts';
import { METHOD_NOT_FOUND, RpcFailure } from '../rpc/rpc-failure.ts';
import type { AltNode } from '../alt-chain/rpc/alt-nodes.ts';
import { expectCount, expectObject } from '../alt-chain/rpc/json-shape.ts';
import { getBlock, getBlockTime, type RpcMethod } from '../alt-chain/rpc/rpc-methods.ts';
import { readBlockSignatures } from '../alt-chain/transactions/signature-rows.ts';
import type { TimedBlock } from './block-times.ts';
import { firstOf } from './source-urls.ts';

/** Transactions of one block; no signatures: no block up to the head has a transaction. */
export interface KnownTransactions {
  readonly slot: number;
  readonly signatures: readonly string[];
}

export interface SolanaHistoryOptions {
  readonly urls: readonly AltNode[];
  readonly clock: Clock;
  readonly startRead: () => Deadline;
  /** Throws `RpcFailure` when the URL leads to another cluster. */
  readonly checkCluster: (url: AltNode) => Promise<void>;
}

export interface SolanaHistory {
  /** Returns transactions that each node has whose history reaches back to the time. Throws `RpcFailure`. */
  findKnown(time: number, head: FinalizedHead): Promise<KnownTransactions>;
}

/** Times within an hour share a search. */
const HOUR_SECONDS = 3_600;
const SLOT_SECONDS = 0.4;
/** Times read in one search; the first ones follow the rate of slots, later ones also halve what remains. */
const MAX_PROBES = 40;
const RATE_PROBES = 6;
/** Slots read in one search for a block with transactions. Blocks of public clusters have votes. */
const MAX_SCAN_SLOTS = 1_000;
/** Several, because some archives store no votes. */
const MAX_KNOWN = 64;
/** Code of a node that has dropped the block, and calls after which one is accepted: another node behind the URL may have it. */
const CLEANED_UP = -32_001;
const MAX_CALLS = 4;
/** Results of searches that are cached; failures, for each URL. */
const CACHED_SEARCHES = 512;
/** Time for which a failed search is not repeated at its URL; shorter where another node behind the URL may have the block. */
const REFUSED_MILLISECONDS = 300_000;
const CLEANED_UP_MILLISECONDS = 60_000;
/** Key of a failure that does not depend on the time of the search. */
const ANY_TIME = -1;

interface FailedSearch {
  readonly failure: RpcFailure;
  readonly sinceMilliseconds: number;
}

export function createSolanaHistory({ urls, clock, startRead, checkCluster }: SolanaHistoryOptions): SolanaHistory {
  /** Newest block that each search has read, by the time: all earlier ones from its first on have no transaction. */
  const searches = new Map<number, KnownTransactions>();
  const running = new Map<number, Promise<KnownTransactions>>();
  /** Failed searches at each URL, by the time. */
  const failures = new Map(urls.map((url) => [url, new Map<number, FailedSearch>()] as const));

  const isDone = ({ slot, signatures }: KnownTransactions, head: FinalizedHead) =>
    signatures.length > 0 || slot >= head.block;

  /** Throws `RpcFailure` after many blocks without a transaction; the next search continues there. */
  async function findKnown(time: number, head: FinalizedHead): Promise<KnownTransactions> {
    const hour = Math.floor(time / HOUR_SECONDS) * HOUR_SECONDS;
    const last = searches.get(hour);
    const found = last !== undefined && isDone(last, head) ? last : await advance(hour, head, last);
    if (!isDone(found, head)) throw new RpcFailure('deadline', 'busy');
    return found;
  }

  /** Continues a search; concurrent callers share it. */
  function advance(time: number, head: FinalizedHead, last: KnownTransactions | undefined): Promise<KnownTransactions> {
    const shared = running.get(time);
    if (shared !== undefined) return shared;
    const reading = firstOf(urls, (url) => search(url, time, head, last))
      .then((found) => {
        setBounded(searches, time, found, CACHED_SEARCHES);
        return found;
      })
      .finally(() => running.delete(time));
    running.set(time, reading);
    return reading;
  }

  /** Searches at a URL, unless it refused that a short time ago: each citation of a time needs the same search. */
  async function search(
    url: AltNode,
    time: number,
    head: FinalizedHead,
    last: KnownTransactions | undefined,
  ): Promise<KnownTransactions> {
    const failed = failures.get(url)!;
    const recent = [ANY_TIME, time].map((key) => failed.get(key)).find((each) => each !== undefined && isRecent(each));
    if (recent !== undefined) throw recent.failure;
    try {
      return await scan(url, time, head, last);
    } catch (error) {
      if (error instanceof RpcFailure && isRefusal(error)) {
        const key = error.code === METHOD_NOT_FOUND ? ANY_TIME : time;
        setBounded(failed, key, { failure: error, sinceMilliseconds: clock.nowMilliseconds() }, CACHED_SEARCHES);
      }
      throw error;
    }
  }

  function isRecent({ failure, sinceMilliseconds }: FailedSearch): boolean {
    const isDropped = failure.code === CLEANED_UP;
    return isFresh(clock, sinceMilliseconds, isDropped ? CLEANED_UP_MILLISECONDS : REFUSED_MILLISECONDS);
  }

  /** Reads blocks up to one with transactions. Each names the one before it, so that none is taken for a skipped slot. */
  async function scan(
    url: AltNode,
    time: number,
    head: FinalizedHead,
    last: KnownTransactions | undefined,
  ): Promise<KnownTransactions> {
    let found = last ?? (await readFirst(url, await findBlockBefore(url, time, head)));
    const end = Math.min(head.block, found.slot + MAX_SCAN_SLOTS);
    for (let slot = found.slot + 1; found.signatures.length === 0 && slot <= end; slot += 1) {
      const block = await readBlock(url, slot);
      if (block === undefined) continue;
      if (block.parentSlot !== found.slot) throw new RpcFailure('block-mismatch', 'no-block');
      found = block;
    }
    await checkCluster(url);
    return { slot: found.slot, signatures: pickEvenly(found.signatures, MAX_KNOWN) };
  }

  async function readFirst(url: AltNode, slot: number): Promise<KnownTransactions> {
    const block = await readBlock(url, slot);
    if (block === undefined) throw new RpcFailure('block-mismatch', 'no-block');
    return block;
  }

  /** Returns a block before the time, where possible by an hour at most; slot 0 when the cluster has none. */
  async function findBlockBefore(url: AltNode, time: number, head: FinalizedHead): Promise<number> {
    let later: TimedBlock = head;
    let earlier: TimedBlock | undefined;
    for (let probes = 0; probes < MAX_PROBES; probes += 1) {
      const floor = earlier?.block ?? 0;
      if ((earlier !== undefined && earlier.time >= time - HOUR_SECONDS) || later.block - floor <= 1) break;
      const isHalved = probes >= RATE_PROBES && probes % 2 === 0;
      const aim = isHalved ? (floor + later.block) / 2 : estimateSlot(time - HOUR_SECONDS / 2, earlier, later);
      const slot = Math.min(later.block - 1, Math.max(floor + 1, Math.floor(aim)));
      const found = await readTimedBlock(url, slot, floor);
      if (found === undefined) break;
      if (found.time < time) earlier = found;
      else later = found;
    }
    return earlier?.block ?? 0;
  }

  /** Returns a block at or before the slot, and after the floor; undefined when none of those that were read has a time. */
  async function readTimedBlock(url: AltNode, slot: number, floor: number): Promise<TimedBlock | undefined> {
    for (let [block, step] = [slot, 1]; block > floor; block -= step, step *= 2) {
      const time = await read(url, getBlockTime(block));
      if (time?.seconds !== undefined) return { block, time: time.seconds };
    }
    return undefined;
  }

  /** Returns a block; undefined where the node has none in the slot. */
  function readBlock(url: AltNode, slot: number): Promise<LinkedBlock | undefined> {
    const method = getBlock(slot, (result) => parseBlock(result, slot));
    return read(url, method);
  }

  /** Returns the response; undefined where the slot has no block. */
  async function read<T>(url: AltNode, method: RpcMethod<T>): Promise<T | undefined> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await url.call(method, startRead());
      } catch (error) {
        if (error instanceof RpcFailure && error.kind === 'no-block') return undefined;
        const isDropped = error instanceof RpcFailure && error.code === CLEANED_UP;
        if (!isDropped || calls === MAX_CALLS) throw error;
      }
    }
  }

  return { findKnown };
}

/** Returns whether a node responded that it does not serve the request or does not have the block. */
export function isRefusal({ kind }: RpcFailure): boolean {
  return kind === 'refused' || kind === 'no-block';
}

interface LinkedBlock extends KnownTransactions {
  readonly parentSlot: number;
}

async function parseBlock(result: unknown, slot: number): Promise<LinkedBlock> {
  const parentSlot = expectCount(expectObject(result)['parentSlot']);
  return { slot, parentSlot, signatures: await readBlockSignatures(result) };
}

/** Returns the slot of a time by the rate between two blocks; by the usual one where only the later one is known. */
function estimateSlot(time: number, earlier: TimedBlock | undefined, later: TimedBlock): number {
  const secondsPerSlot =
    earlier === undefined ? SLOT_SECONDS : (later.time - earlier.time) / (later.block - earlier.block);
  return later.block - (later.time - time) / secondsPerSlot;
}

function pickEvenly<T>(items: readonly T[], maxCount: number): readonly T[] {
  const count = Math.min(items.length, maxCount);
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}
