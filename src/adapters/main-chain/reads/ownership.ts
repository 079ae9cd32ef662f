/**
 * Reads the owners of many machines at one block for the ownership index (chain-evm 4.1: logs choose, reads decide).
 * The index needs every row, so one unreadable machine makes the whole read fail.
 */
import { chunk } from '../../../domain/chunk.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { unwrapOptional } from '../../../domain/read-result.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { OwnershipChange } from '../../../ports/store.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { crossChainMirrorAbi, machineRegistryAbi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import type { MainRpcCall, RpcResponse } from '../rpc/json-rpc.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import { decodeHolders, planHolderCalls } from './machine-calls.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import { valueOf, type CallResult, type ContractCall, type Multicall } from './multicall.ts';
import { createOwnershipProgram, decodeHeld, encodeIds, MAX_PROGRAM_MACHINES } from './ownership-program.ts';
import { toQuantity } from '../rpc/quantities.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

const isHomedLocally = contractFunction(crossChainMirrorAbi, 'isHomedLocally');
const SELECTORS = {
  ownerOf: contractFunction(machineRegistryAbi, 'ownerOf').selector,
  controllerOf: contractFunction(machineRegistryAbi, 'controllerOf').selector,
  isHomedLocally: isHomedLocally.selector,
};

/** Machines in a group of calls, the unit by which a too large eth_call is split. */
const GROUP_SIZE = 100;
/** Weight of these light calls: about 1,000 machines fit into one eth_call. */
const WEIGHT = 1 / 3;
const CALLS_PER_MACHINE = 3;

/** Fewer machines are read by multicall, together with the other calls of the tick. */
const MIN_PROGRAM_MACHINES = 200;
/** Programs in one JSON-RPC batch: about 1 MB in each direction. */
const PROGRAMS_PER_BATCH = 25;

type Held = OwnershipChange | undefined;

export interface OwnershipReader {
  /** Returns ownership in the order of the ids. A token of a machine homed elsewhere is `away`. Throws `ChainUnreadable`. */
  read(block: Header, ids: readonly MachineId[], deadline: Deadline): Promise<readonly OwnershipChange[]>;
}

export interface OwnershipReaderOptions {
  readonly addresses: MainChainAddresses;
  readonly nodes: MainNodes;
  readonly multicall: Multicall;
  readonly counters: MainUpstreamCounters;
}

export function createOwnershipReader(options: OwnershipReaderOptions): OwnershipReader {
  const { addresses, nodes, multicall, counters } = options;
  const { machineRegistry, crossChainMirror } = addresses;
  const program = createOwnershipProgram({ machineRegistry, crossChainMirror, selectors: SELECTORS });
  /** Whether a node has run a program. */
  let hasRun = false;

  async function read(block: Header, ids: readonly MachineId[], deadline: Deadline): Promise<OwnershipChange[]> {
    const isProgramUsed = ids.length >= MIN_PROGRAM_MACHINES && !nodes.firstProfile().lacks('deployless-calls');
    const known = isProgramUsed ? await readHeld(block, ids, deadline) : [];
    const others = ids.filter((_, i) => known[i] === undefined);
    const read = (await readCalls(block, others, deadline)).values();
    return ids.map((_, i) => known[i] ?? read.next().value!);
  }

  /** Reads by programs; undefined for machines that a program does not resolve. The first of all shows whether the node runs any. */
  async function readHeld(block: Header, ids: readonly MachineId[], deadline: Deadline): Promise<readonly Held[]> {
    const groups = chunk(ids, MAX_PROGRAM_MACHINES);
    const held = hasRun ? [] : await runPrograms(block, groups.splice(0, 1), deadline);
    if (nodes.firstProfile().lacks('deployless-calls')) return held;
    const parts = chunk(groups, PROGRAMS_PER_BATCH);
    return [...held, ...(await Promise.all(parts.map((part) => runPrograms(block, part, deadline)))).flat()];
  }

  async function runPrograms(
    block: Header,
    groups: readonly (readonly MachineId[])[],
    deadline: Deadline,
  ): Promise<readonly Held[]> {
    const calls = groups.map((ids) => ({
      method: 'eth_call',
      params: [{ data: `0x${program}${encodeIds(ids)}` }, toQuantity(block.number)],
    }));
    counters.contractCalls += CALLS_PER_MACHINE * groups.flat().length;
    const responses = await requestPrograms(calls, deadline);
    if (responses === undefined) {
      hasRun = false;
      return groups.flat().map(() => undefined);
    }
    return responses.flatMap((response, i) => {
      const held = response.ok ? decodeHeld(response.result, groups[i]!, block) : 'unusable';
      hasRun = held !== 'unusable';
      if (held !== 'unusable') return held;
      const isTemporary = !response.ok && (response.hint === 'unknown-block' || response.hint === 'rate');
      if (!isTemporary) nodes.firstProfile().recordFeature('deployless-calls', false);
      return groups[i]!.map(() => undefined);
    });
  }

  /** Returns undefined where nodes of a quorum run no programs, which leaves nothing to vote on. */
  async function requestPrograms(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
  ): Promise<readonly RpcResponse[] | undefined> {
    try {
      return await nodes.request(calls, deadline);
    } catch (error) {
      if (error instanceof RpcFailure && error.unreadable === 'rpc-error') return undefined;
      throw toMainFault(error);
    }
  }

  async function readCalls(
    block: Header,
    ids: readonly MachineId[],
    deadline: Deadline,
  ): Promise<readonly OwnershipChange[]> {
    const responses = await Promise.all(
      chunk(ids, GROUP_SIZE).map(async (group) => {
        const calls = group.flatMap((id) => planCalls(id, addresses));
        const results = await multicall.readAt(block, calls, deadline);
        return group.map((id, i) => decode(id, results.slice(CALLS_PER_MACHINE * i, CALLS_PER_MACHINE * (i + 1))));
      }),
    );
    return responses.flat();
  }

  return { read };
}

function planCalls(id: MachineId, addresses: MainChainAddresses): ContractCall[] {
  const home = { target: addresses.crossChainMirror, data: isHomedLocally.encode([id]) };
  return [...planHolderCalls(id, addresses), home].map((call) => ({ ...call, weight: WEIGHT }));
}

function decode(id: MachineId, [ownerResult, controllerResult, homeResult]: readonly CallResult[]): OwnershipChange {
  const { owner: ownerReading, controller } = decodeHolders(id, ownerResult, controllerResult);
  const owner = unwrapOptional(ownerReading);
  const isHome = valueOf(homeResult, isHomedLocally);
  if (isHome === undefined) throw chainUnreadable('main', 'undecodable');
  if (owner === undefined) return { kind: 'gone', id };
  if (!isHome) return { kind: 'away', id, owner };
  return { kind: 'held', id, owner, controller: unwrapOptional(controller) };
}
