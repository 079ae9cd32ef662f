/**
 * Nodes of the alt chain: the pool with the meaning of this chain's responses. The genesis hash of a node is verified
 * before any other call. A response older than a slot already seen is rejected.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { NodeProfiles } from '../../../ports/node-profiles.ts';
import { MAX_DELAY_MILLISECONDS } from '../../rpc/call-ceiling.ts';
import { REAL_STOPWATCH, withPurpose, type Deadline } from '../../rpc/deadline.ts';
import { openNodePool, type OnIdentityFailure, type PoolNode, type PoolOptions } from '../../rpc/node-pool.ts';
import type { PoolCounters } from '../../rpc/pool-counters.ts';
import { pauseWithin } from '../../rpc/node-rate.ts';
import { isTransientFailure, METHOD_NOT_FOUND, RpcFailure, toUnreadableCause } from '../../rpc/rpc-failure.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { sendAltRpc } from './json-rpc.ts';
import type { AltChainLimits } from '../limits.ts';
import {
  getBlockTime,
  getGenesisHash,
  getMultipleAccounts,
  getSlot,
  MAX_ACCOUNTS,
  type DivisibleItems,
  type RpcMethod,
} from './rpc-methods.ts';
import type { MinContextSlot } from './min-context-slot.ts';
import { createSlotJudgement } from './slot-judgement.ts';

export interface AltNodes {
  /** Calls each healthy node at most once, until one succeeds. Throws `RpcFailure`. */
  call<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /** Like `call`, and retries transient failures within the deadline, up to `maxWaits` times. Throws `RpcFailure`. */
  callWithRetry<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /**
   * Reads the genesis hash of every node again, by position in the configuration; undefined where a node is unreachable. A node
   * with another hash is not used until it reports the configured one.
   */
  readGenesisHashes(deadline: Deadline, onFailure?: OnIdentityFailure): Promise<readonly (string | undefined)[]>;
  /** Number of accounts that the node in use accepts in one call, as far as it is known. */
  readonly accountsPerCall: number;
  /** The nodes in the order of the configuration, each to be used alone. */
  readonly members: readonly AltNode[];
  /** Returns what was learned about each node, to be stored. */
  listProfiles(): NodeProfiles;
  close(): Promise<void>;
}

export interface AltNode {
  /** Calls this node alone, once. Throws `RpcFailure`, after recording the failure. */
  call<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
}

export interface AltNodesOptions extends PoolOptions {
  /** The genesis hash, or as much of its start as is configured. */
  readonly genesisHash: string;
  /** Name of the chain in the log; defaults to `alt`. */
  readonly chain?: string | undefined;
  /** Unix seconds of the newest block of the main chain; 0 while none is known. Without it, blocks of this chain may be old. */
  readonly headSeconds?: (() => number) | undefined;
  readonly minContextSlot: MinContextSlot;
  readonly limits: AltChainLimits;
  readonly counters: PoolCounters;
}

/** Time between two comparisons of a slot that no response reaches with those of the nodes. */
const COMPARISON_MILLISECONDS = 60_000;
/** Newest slot of a node, however old it is. */
const getOwnSlot: RpcMethod<number> = { name: getSlot.name, params: () => getSlot.params(0), parse: getSlot.parse };
/** Rounds in which the parts of a call are read until all are of one slot. */
const MAX_SLOT_ROUNDS = 6;
/** Method whose calls are limited in accounts. */
const ACCOUNTS_METHOD = getMultipleAccounts([]).name;

export function createAltNodes(options: AltNodesOptions): AltNodes {
  const { genesisHash, chain = 'alt', minContextSlot, clock, limits, budget } = options;
  const { stopwatch = REAL_STOPWATCH } = options;
  const pool = openNodePool(options, {
    chain,
    expected: genesisHash,
    readIdentity: async (node, deadline) => (await send(node, getGenesisHash, deadline)).slice(0, genesisHash.length),
  });

  let comparedAtMilliseconds = -Infinity;

  const judgement = createSlotJudgement({
    ...{ minContextSlot, clock, stopwatch, headSeconds: options.headSeconds, unjudgedSlots: limits.unjudgedSlots },
    readBlockSeconds: async (node, slot, deadline) => (await send(node, getBlockTime(slot), deadline)).seconds,
  });
  const { readMoment } = judgement;

  /** Sends the call, in smaller ones where the node refuses its size. */
  async function send<T>(node: PoolNode, method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    const { items } = method;
    if (items === undefined || items.count < 2) return sendWhole(node, method, deadline);
    const limit = node.profile.batchLimit(method.name, items.maxCount);
    if (items.count <= limit.size) {
      try {
        const value = await sendRepeatedly(node, method, items, deadline);
        limit.recordSuccess(items.count);
        return value;
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        const { passed } = limit.bounds;
        // A timeout of a size that passed before, or of any size while none has, says nothing about the size.
        const mayBeTooLarge = passed > 0 && passed < items.count && !deadline.signal.aborted;
        if (error.unreadable === 'deadline' && mayBeTooLarge) limit.recordUnclearRefusal(items.count);
        if (error.kind !== 'refused' || error.code === METHOD_NOT_FOUND) throw error;
        limit.recordRefusal(items.count);
      }
    }
    return sendParts(node, method, items, deadline);
  }

  /**
   * Sends the call in one request. One that fails without a reason is sent again if a single item passes, because the
   * node is not down; a second such failure is a refusal of the size.
   */
  async function sendRepeatedly<T>(
    node: PoolNode,
    method: RpcMethod<T>,
    { slice }: DivisibleItems<T>,
    deadline: Deadline,
  ): Promise<T> {
    try {
      return await sendWhole(node, method, deadline);
    } catch (error) {
      if (!isUnclear(error) || deadline.signal.aborted) throw error;
      await sendWhole(node, slice(0, 1), deadline).catch(() => {
        throw error;
      });
    }
    return sendWhole(node, method, deadline).catch((error: unknown) => {
      throw isUnclear(error) ? new RpcFailure(error.unreadable, 'refused') : error;
    });
  }

  /** Sends the call in parts until all of them are of one slot. */
  async function sendParts<T>(
    node: PoolNode,
    { slotOf }: RpcMethod<T>,
    { count, maxCount, slice, join }: DivisibleItems<T>,
    deadline: Deadline,
  ): Promise<T> {
    const limit = node.profile.batchLimit(slice(0, 1).name, maxCount);
    // One part finds the size that the node accepts.
    if (limit.size > limit.bounds.passed) await send(node, slice(0, limit.size), deadline);
    const { size } = limit;
    const parts = Array.from({ length: Math.ceil(count / size) }, (_, i) =>
      slice(i * size, Math.min((i + 1) * size, count)),
    );
    // Calls of two turns are seldom of one slot.
    const isOneTurn = parts.length <= budget.maxCalls;
    for (let rounds = 0; rounds < (isOneTurn ? MAX_SLOT_ROUNDS : 1); rounds++) {
      // All parts, because a slot may have passed since the last round.
      const inTurn = await takeTurn(parts.length, deadline);
      const values = await Promise.all(parts.map((part) => sendTwice(node, part, inTurn)));
      const slots = values.map((value) => slotOf?.(value) ?? 0);
      if (slots.every((slot) => slot === slots[0])) return join(values);
    }
    throw isOneTurn ? new RpcFailure('block-mismatch', 'behind') : new RpcFailure('rpc-error', 'refused');
  }

  /**
   * Waits for one turn of calls that are sent together, and returns their deadline. Those that can never fit one turn wait
   * for their own.
   */
  async function takeTurn(calls: number, deadline: Deadline): Promise<Deadline> {
    const prepaidCalls = Math.min(calls, budget.maxCalls);
    await budget.admit(prepaidCalls, deadline);
    const untilMilliseconds = stopwatch.nowMilliseconds() + MAX_DELAY_MILLISECONDS;
    return withPurpose(deadline, { ...deadline.purpose, prepaid: { calls: prepaidCalls, untilMilliseconds } });
  }

  /** Sends a part, and once more after a failure that may pass: otherwise the parts that are read already would be lost. */
  async function sendTwice<T>(node: PoolNode, method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    try {
      return await send(node, method, deadline);
    } catch (error) {
      const mayPass = error instanceof RpcFailure && (error.kind === 'behind' || error.kind === 'busy');
      // Several items were sent again already, unless the node is down.
      const isFinal = isUnclear(error) && (method.items?.count ?? 1) > 1;
      if (!mayPass || isFinal || deadline.signal.aborted) throw error;
      return send(node, method, deadline);
    }
  }

  async function sendWhole<T>(node: PoolNode, method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    let sent = judgement.noteRequest();
    const result = await pool.exchange(
      node,
      {
        methods: [method.name],
        send(target, sendOptions) {
          // The newest slot when the request is sent, because it may have waited for the rate.
          sent = judgement.noteRequest();
          return sendAltRpc(target, { method: method.name, params: method.params(sent.minSlot) }, sendOptions);
        },
        outcomes: () => ['answered'],
        countRateLimited: () => 0,
      },
      deadline,
    );
    const value = await parseResult(method, result);
    const slot = method.slotOf?.(value);
    if (slot !== undefined) await judgement.accept(node, slot, sent, deadline);
    return value;
  }

  /**
   * Lowers the newest slot when no response has reached it for a minute and no node whose newest block is current can reach it: one node has
   * sent a slot that the chain does not have, and every correct response would be refused until a restart.
   */
  async function lowerFalseSlot(deadline: Deadline): Promise<void> {
    const began = readMoment();
    const isCompared = began.stopwatchMilliseconds - comparedAtMilliseconds < COMPARISON_MILLISECONDS;
    if (isCompared || !minContextSlot.isUnreached(began)) return;
    comparedAtMilliseconds = began.stopwatchMilliseconds;
    const blocks = (await Promise.all(pool.nodes.map((node) => readCurrentBlock(node, deadline)))).flat();
    const now = readMoment();
    if (blocks.length === 0 || !minContextSlot.isUnreached(now)) return;
    const { slot, ageMilliseconds } = blocks.reduce((one, other) => (other.slot > one.slot ? other : one));
    minContextSlot.lower(slot, ageMilliseconds, now);
  }

  /** Returns the newest block of a node; none when it cannot be read or is not current. */
  async function readCurrentBlock(node: PoolNode, deadline: Deadline) {
    try {
      const slot = await call(getOwnSlot, deadline, [node]);
      const { seconds } = await call(getBlockTime(slot), deadline, [node]);
      const ageMilliseconds = judgement.currentAge(seconds);
      return ageMilliseconds === undefined ? [] : [{ slot, ageMilliseconds }];
    } catch (error) {
      if (error instanceof RpcFailure) return [];
      throw error;
    }
  }

  async function call<T>(method: RpcMethod<T>, deadline: Deadline, order = pool.nodes): Promise<T> {
    try {
      return (await pool.tryNodes(deadline, (node) => send(node, method, deadline), order)).value;
    } catch (error) {
      // Another transient failure may hide that of a node that is behind.
      const mayBeBehind = error instanceof RpcFailure && isTransientFailure(error);
      if (mayBeBehind && !deadline.signal.aborted) await lowerFalseSlot(deadline);
      throw error;
    }
  }

  return {
    call: (method, deadline) => call(method, deadline),
    get accountsPerCall() {
      return pool.firstUsable().profile.batchLimit(ACCOUNTS_METHOD, MAX_ACCOUNTS).size;
    },
    members: pool.nodes.map((node) => ({ call: (method, deadline) => call(method, deadline, [node]) })),
    async callWithRetry(method, deadline) {
      for (let waits = 0; ; waits++) {
        try {
          return await call(method, deadline);
        } catch (error) {
          if (!(error instanceof RpcFailure) || !isTransientFailure(error) || waits === limits.maxWaits) throw error;
          const wait = Math.max(limits.waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
          if (stopwatch.nowMilliseconds() + wait >= deadline.atMilliseconds) throw error;
          await pauseWithin(stopwatch, wait, deadline);
        }
      }
    },
    readGenesisHashes: pool.readIdentities,
    listProfiles: pool.listProfiles,
    close: pool.close,
  };
}

/** Returns whether the failure may be that of the size: some nodes reset the connection, or respond in text or in part. */
function isUnclear(error: unknown): error is RpcFailure {
  if (!(error instanceof RpcFailure) || error.retryAfterSeconds !== undefined) return false;
  const { kind, unreadable } = error;
  return (kind === 'failed' || kind === 'busy') && (unreadable === 'transport' || unreadable === 'malformed');
}

async function parseResult<T>(method: RpcMethod<T>, result: unknown): Promise<T> {
  try {
    return await method.parse(result);
  } catch (error) {
    if (error instanceof Undecodable) throw new RpcFailure('malformed');
    throw error;
  }
}

/** Converts `RpcFailure` to the `ChainUnreadable` fault; returns any other error unchanged. */
export function toAltFault(error: unknown): unknown {
  return error instanceof RpcFailure ? chainUnreadable('alt', toUnreadableCause(error)) : error;
}
