/**
 * Reads the legacy machines that an operator claims and checks each claim against the registry (chain-evm 2.9). The
 * checks are sent together with the list, predicted from the last one, and repeated only when the list changed.
 */
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createBlockCache } from '../cache/block-cache.ts';
import type { MainChainLimits } from '../limits.ts';
import type { LegacyContracts } from '../main-chain-config.ts';
import * as calls from './legacy-machine-calls.ts';
import type { Multicall } from './multicall.ts';

/** A read pinned to one block. */
export interface PinnedRead {
  readonly block: Header;
  readonly deadline: Deadline;
}

/** Claimed machines that do not belong to another operator, ascending. `isKnown`: the registry could be read. */
export type ClaimedMembers = readonly { readonly id: MachineId; readonly isKnown: boolean }[];

/** Machines that an operator claims, and the registry's verdict on each. */
interface Claims {
  readonly claimed: readonly MachineId[];
  readonly members: ClaimedMembers;
}

export interface LegacyClaims {
  /** Returns the claims at this block, cached. Throws `ChainUnreadable`. */
  read(pinned: PinnedRead, operator: Address, didStore: Address): Promise<Claims>;
  /** Returns the last claims read at any block. */
  predict(operator: Address): Claims | undefined;
}

export interface LegacyClaimsOptions {
  readonly addresses: LegacyContracts;
  readonly multicall: Multicall;
  readonly clock: Clock;
  readonly limits: MainChainLimits;
}

/** Claims in one group of calls, which is never split. */
const CLAIMS_PER_GROUP = 250;

const MAX_CACHED_OPERATORS = 64;

export function createLegacyClaims({ addresses, multicall, clock, limits }: LegacyClaimsOptions): LegacyClaims {
  const cache = createBlockCache<Address, Claims>({
    clock,
    maxEntries: MAX_CACHED_OPERATORS,
    maxAgeMilliseconds: ({ members }) =>
      members.every(({ isKnown }) => isKnown)
        ? limits.maxSnapshotAgeMilliseconds
        : limits.maxFlawedSnapshotAgeMilliseconds,
  });
  const lastClaims = new Map<Address, Claims>();

  async function readMembers(
    { block, deadline }: PinnedRead,
    operator: Address,
    claimed: readonly MachineId[],
  ): Promise<ClaimedMembers> {
    const groups: Promise<ClaimedMembers>[] = [];
    for (let from = 0; from < claimed.length; from += CLAIMS_PER_GROUP) {
      const group = claimed.slice(from, from + CLAIMS_PER_GROUP);
      const plan = group.flatMap((id) => calls.planClaimCalls(id, addresses));
      groups.push(
        multicall.readAt(block, plan, deadline).then((results) =>
          group.flatMap((id, i) => {
            const own = results.slice(i * calls.CALLS_OF_CLAIM, (i + 1) * calls.CALLS_OF_CLAIM);
            const verdict = calls.decodeClaim(own, operator);
            return verdict === 'foreign' ? [] : [{ id, isKnown: verdict === 'held' }];
          }),
        ),
      );
    }
    return (await Promise.all(groups)).flat();
  }

  function read(pinned: PinnedRead, operator: Address, didStore: Address): Promise<Claims> {
    const { block, deadline } = pinned;
    return cache.get(block, operator, async () => {
      const predicted = lastClaims.get(operator)?.claimed ?? [];
      const [results, prefetched] = await Promise.all([
        multicall.readAt(block, [calls.planClaimsCall(operator, didStore)], deadline),
        readMembers(pinned, operator, predicted),
      ]);
      const claimed = calls.decodeClaims(results[0]);
      const members = isSameList(claimed, predicted) ? prefetched : await readMembers(pinned, operator, claimed);
      const claims = { claimed, members };
      setBounded(lastClaims, operator, claims, MAX_CACHED_OPERATORS);
      return claims;
    });
  }

  return { read, predict: (operator) => lastClaims.get(operator) };
}

function isSameList(a: readonly MachineId[], b: readonly MachineId[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
