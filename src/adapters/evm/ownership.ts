/**
 * Who holds a machine at a block? (chain-evm 4.1: logs choose, reads decide.) Asked for many machines at once by the index, which can
 * take no row without an answer: one that cannot be read makes the whole read fail.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers.ts';
import { needOrAbsent } from '../../domain/machine-home.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import type { OwnershipChange } from '../../ports/ownership-store.ts';
import { crossChainMirrorAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import type { Deadline } from './deadline.ts';
import { decodeHolders, planHolderCalls } from './machine-calls.ts';
import type { MainChainAddresses } from './main-chain-config.ts';
import { valueOf, type CallResult, type ContractCall, type Multicall } from './multicall.ts';

const isHomedLocally = contractFunction(crossChainMirrorAbi, 'isHomedLocally');

/** Machines that can be split off from an eth_call which is too much for a node. */
const GROUP_SIZE = 100;
/** These calls are light: about 1,000 machines fit into one eth_call. */
const WEIGHT = 1 / 3;
const CALLS_PER_MACHINE = 3;

/** In the order of the ids. A token whose home is elsewhere is held by nobody here. Throws `ChainUnreadable`. */
export async function readOwnership(
  multicall: Multicall,
  addresses: MainChainAddresses,
  block: Header,
  ids: readonly MachineId[],
  deadline: Deadline,
): Promise<OwnershipChange[]> {
  const groups: MachineId[][] = [];
  for (let from = 0; from < ids.length; from += GROUP_SIZE) groups.push(ids.slice(from, from + GROUP_SIZE));
  const answers = await Promise.all(
    groups.map(async (group) => {
      const calls = group.flatMap((id) => planCalls(id, addresses));
      const results = await multicall.readAt(block, calls, deadline);
      return group.map((id, i) => decode(id, results.slice(CALLS_PER_MACHINE * i, CALLS_PER_MACHINE * (i + 1))));
    }),
  );
  return answers.flat();
}

function planCalls(id: MachineId, addresses: MainChainAddresses): ContractCall[] {
  const home = { target: addresses.crossChainMirror, data: isHomedLocally.encode([id]) };
  return [...planHolderCalls(id, addresses), home].map((call) => ({ ...call, weight: WEIGHT }));
}

function decode(id: MachineId, [ownerResult, controllerResult, homeResult]: readonly CallResult[]): OwnershipChange {
  const { owner: ownerReading, controller } = decodeHolders(id, ownerResult, controllerResult);
  const owner = needOrAbsent(ownerReading);
  const isHome = valueOf(homeResult, isHomedLocally);
  if (isHome === undefined) throw chainUnreadable('main', 'undecodable');
  if (owner === undefined || !isHome) return { kind: 'gone', id };
  return { kind: 'held', id, owner, controller: needOrAbsent(controller) };
}
