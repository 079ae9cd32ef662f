/** Counters of the event registry (design/real-chains 1): all events, and those of machines. */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { eventRegistryAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import { valueOf, type Multicall } from './multicall.ts';

const totalEventCount = contractFunction(eventRegistryAbi, 'totalEventCount');
const getEventCount = contractFunction(eventRegistryAbi, 'getEventCount');

/** Weight of these light calls. */
const WEIGHT = 1 / 3;

/** Throws `ChainUnreadable`. */
export async function readEventTotal(
  multicall: Multicall,
  registry: Address,
  block: Header,
  deadline: Deadline,
): Promise<bigint> {
  const [result] = await multicall.readAt(block, [{ target: registry, data: totalEventCount.encode([]) }], deadline);
  return requireCount(valueOf(result, totalEventCount));
}

/** Returns the number of readable records of each machine, in the order of the ids. Throws `ChainUnreadable`. */
export async function readEventCounts(
  multicall: Multicall,
  registry: Address,
  ids: readonly MachineId[],
  block: Header,
  deadline: Deadline,
): Promise<bigint[]> {
  const calls = ids.map((id) => ({ target: registry, data: getEventCount.encode([id]), weight: WEIGHT }));
  const results = await multicall.readAt(block, calls, deadline);
  return results.map((result) => requireCount(valueOf(result, getEventCount)));
}

function requireCount(count: bigint | undefined): bigint {
  if (count === undefined) throw chainUnreadable('main', 'undecodable');
  return count;
}
