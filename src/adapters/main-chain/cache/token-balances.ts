/**
 * Cache of `balanceOf` by owner (design/real-chains 1). A balance is valid until a `Transfer` names its owner, or its maximum age passes:
 * where new blocks are not proven, a node may have hidden that transfer.
 */
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { HeadStep, Header, TokenBalance } from '../../../ports/main-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { machineRegistryAbi } from '../reads/abis.ts';
import { contractFunction } from '../reads/contract-function.ts';
import { present, unwrap } from '../../../domain/read-result.ts';
import { readValue } from '../reads/machine-calls.ts';
import type { Multicall } from '../reads/multicall.ts';
import { createInFlightReads } from './in-flight-reads.ts';

const balanceOf = contractFunction(machineRegistryAbi, 'balanceOf');

/** About 2 MB. */
const MAX_OWNERS = 10_000;

interface CachedBalance {
  readonly balance: bigint;
  readonly sinceMilliseconds: number;
}

export interface TokenBalances {
  /** Returns the cached balance, which holds at `head`, else reads it at `head`. Throws `ChainUnreadable`. */
  get(owner: Address, head: Header, read: () => Promise<bigint>): Promise<TokenBalance>;
  /** Drops what the step touched. */
  advance(step: HeadStep): void;
  dropAll(): void;
}

export function createTokenBalances(clock: Clock, maxAgeMilliseconds: number): TokenBalances {
  // In order of use: the least recently used first.
  const cached = new Map<Address, CachedBalance>();
  const inFlight = createInFlightReads<Address, bigint, Header>();

  function drop(owner: Address): void {
    inFlight.supersede(owner);
    cached.delete(owner);
  }

  function dropAll(): void {
    inFlight.supersedeAll();
    cached.clear();
  }

  return {
    async get(owner, head, read) {
      const known = cached.get(owner);
      if (known !== undefined && isFresh(clock, known.sinceMilliseconds, maxAgeMilliseconds)) {
        setBounded(cached, owner, known, MAX_OWNERS);
        return { block: head, balance: known.balance };
      }
      const reading = inFlight.get(owner);
      if (reading !== undefined) return { block: reading.info, balance: await reading.result };
      const sinceMilliseconds = clock.nowMilliseconds();
      const result = read();
      inFlight.start(owner, result, head, (balance) =>
        setBounded(cached, owner, { balance, sinceMilliseconds }, MAX_OWNERS),
      );
      return { block: head, balance: await result };
    },
    advance({ touched, deployment, checks }) {
      if (touched === 'all' || deployment || checks) dropAll();
      else for (const holder of touched.holders) drop(holder);
    },
    dropAll,
  };
}

/** Reads `balanceOf` with the other calls of the tick. Throws `ChainUnreadable`. */
export async function readBalance(
  multicall: Multicall,
  machineRegistry: Address,
  owner: Address,
  block: Header,
  deadline: Deadline,
): Promise<bigint> {
  const calls = [{ target: machineRegistry, data: balanceOf.encode([owner]) }];
  const [result] = await multicall.readAt(block, calls, deadline);
  return unwrap(readValue(result, balanceOf, present));
}
