/**
 * Nodes of the alt chain: the pool with the meaning of this chain's responses. The genesis hash of a node is verified
 * before any other call. A response older than a slot already seen is rejected.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import { REAL_STOPWATCH, type Deadline } from '../../rpc/deadline.ts';
import { openNodePool, type PoolNode, type PoolOptions } from '../../rpc/node-pool.ts';
import { pauseWithin } from '../../rpc/node-rate.ts';
import { isTransientFailure, RpcFailure } from '../../rpc/rpc-failure.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { sendAltRpc } from './json-rpc.ts';
import type { AltChainLimits } from '../limits.ts';
import { getBlockTime, getGenesisHash, type RpcMethod } from './rpc-methods.ts';
import type { MinContextSlot } from './min-context-slot.ts';
import type { AltUpstreamCounters } from './upstream-counters.ts';

export interface AltNodes {
  /** Calls each healthy node at most once, until one succeeds. Throws `RpcFailure`. */
  call<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /** Like `call`, and retries transient failures within the deadline, up to `maxWaits` times. Throws `RpcFailure`. */
  callWithRetry<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /**
   * Reads the genesis hash of every node again, by position in the configuration; undefined where a node is unreachable. A node
   * with another hash is not used until it reports the configured one.
   */
  readGenesisHashes(deadline: Deadline): Promise<readonly (AltKey | undefined)[]>;
  close(): Promise<void>;
}

export interface AltNodesOptions extends PoolOptions {
  readonly genesisHash: AltKey;
  readonly minContextSlot: MinContextSlot;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
}

/** A finalized block is seconds old; clock and chain may differ by minutes. */
const MAX_BLOCK_AGE_MILLISECONDS = 300_000;

export function createAltNodes(options: AltNodesOptions): AltNodes {
  const { genesisHash, minContextSlot, clock, limits, counters, stopwatch = REAL_STOPWATCH } = options;
  const pool = openNodePool(options, {
    chain: 'alt',
    expected: genesisHash,
    readIdentity: (node, deadline) => send(node, getGenesisHash, deadline),
  });

  async function send<T>(node: PoolNode, method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    let seen = 0;
    const result = await pool.exchange(
      node,
      {
        methods: [method.name],
        send(target, sendOptions) {
          // The newest slot when the request is sent, because it may have waited for the rate.
          seen = minContextSlot.slot;
          return sendAltRpc(target, { method: method.name, params: method.params(seen) }, sendOptions);
        },
        outcomes: () => ['answered'],
        countRateLimited: () => 0,
      },
      deadline,
    );
    const value = parseResult(method, result);
    const slot = method.slotOf?.(value);
    if (slot === undefined) return value;
    if (slot < seen) throw new RpcFailure('block-mismatch', 'behind');
    const now = { stopwatchMilliseconds: stopwatch.nowMilliseconds(), clockMilliseconds: clock.nowMilliseconds() };
    const plausibility = minContextSlot.judge(slot, now);
    if (plausibility === 'impossible') throw new RpcFailure('malformed');
    if (plausibility === 'unexplained' && !(await isCurrent(node, slot, deadline))) throw new RpcFailure('malformed');
    minContextSlot.observe(slot, now);
    return value;
  }

  /** Returns whether the block of the slot is as old as the wall clock says. */
  async function isCurrent(node: PoolNode, slot: number, deadline: Deadline): Promise<boolean> {
    const { seconds } = await send(node, getBlockTime(slot), deadline);
    return seconds !== undefined && Math.abs(clock.nowMilliseconds() - seconds * 1000) <= MAX_BLOCK_AGE_MILLISECONDS;
  }

  async function call<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    return (await pool.tryNodes(deadline, (node) => send(node, method, deadline))).value;
  }

  return {
    call,
    async callWithRetry(method, deadline) {
      for (let waits = 0; ; waits++) {
        try {
          return await call(method, deadline);
        } catch (error) {
          if (!(error instanceof RpcFailure) || !isTransientFailure(error) || waits === limits.maxWaits) throw error;
          const wait = Math.max(limits.waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
          if (stopwatch.nowMilliseconds() + wait >= deadline.atMilliseconds) throw error;
          counters.waits += 1;
          await pauseWithin(stopwatch, wait, deadline);
        }
      }
    },
    readGenesisHashes: pool.readIdentities,
    close: pool.close,
  };
}

function parseResult<T>(method: RpcMethod<T>, result: unknown): T {
  try {
    return method.parse(result);
  } catch (error) {
    if (error instanceof Undecodable) throw new RpcFailure('malformed');
    throw error;
  }
}

/** Converts `RpcFailure` to the `ChainUnreadable` fault; returns any other error unchanged. */
export function toAltFault(error: unknown): unknown {
  return error instanceof RpcFailure ? chainUnreadable('alt', error.unreadable) : error;
}
