/** Contract calls on the virtual main chain at a block (chain-evm 2). No other address has code. */
import * as abi from '../chain/abi-words.ts';
import { keccakOf } from '../chain/keccak.ts';
import { ADDRESSES, ARB_SYS_ADDRESS, MAX_QUERY_LIMIT } from '../chain/deployment.ts';
import {
  LOCAL_ORDINAL,
  machineOf,
  operatorOf,
  statusAt,
  ZERO,
  NO_RECORD,
  type Machine,
  type SimEvent,
  type SimRecord,
  type World,
} from '../chain/machine-state.ts';
import { ancestorAt, type Block } from '../chain/virtual-chain.ts';

/** Result of a call. */
export interface CallOutcome {
  readonly success: boolean;
  /** Hex without `0x`. */
  readonly data: string;
}

type Function = (args: string, block: Block) => string;

class Reverted extends Error {
  readonly data: string;

  constructor(data: string) {
    super('reverted');
    this.data = data;
  }
}

const NO_CITATION = { chainId: 0n, hash: '0' };
const NONEXISTENT_TOKEN = '7e273289';
const OUT_OF_BOUNDS = '9605a010';
/** Blocks whose hashes a contract can read. */
const KNOWN_HASHES = 256;

const infoDesk: Function = () => abi.address(ADDRESSES.infoDesk);

const ofMachine =
  (read: (machine: Machine, world: World, block: Block) => string): Function =>
  (args, block) =>
    read(machineOf(block.world, abi.readBigint(args, 0)), block.world, block);

/** Reverts for a machine without a token. */
const ofToken = (read: (machine: Machine) => string): Function =>
  ofMachine((machine) => {
    if (machine.owner === undefined) throw new Reverted(NONEXISTENT_TOKEN + abi.uint(machine.id));
    return read(machine);
  });

/** Returns nothing where the address has no code. */
const ofRollup =
  (read: Function): Function =>
  (args, block) =>
    block.world.isRollup ? read(args, block) : '';

const PEERS = new Map(
  (
    [
      ['MACHINE_REGISTRY', ADDRESSES.machineRegistry],
      ['MACHINE_STATE_AND_SYNC', ADDRESSES.machineStateAndSync],
      ['MACHINE_SUBSCRIPTION', ADDRESSES.machineSubscription],
      ['CROSS_CHAIN_MIRROR', ADDRESSES.crossChainMirror],
    ] as const
  ).map(([role, address]) => [keccakOf(role), address]),
);

const CONTRACTS: Readonly<Record<string, Readonly<Record<string, Function>>>> = {
  [ADDRESSES.infoDesk]: {
    'peer(bytes32)': (args) => abi.address(PEERS.get(args.slice(0, 64)) ?? ZERO),
    'localChainId()': () => abi.uint(LOCAL_ORDINAL),
    'graceDuration()': (_, { world }) => abi.uint(world.graceSeconds),
    'runoffDuration()': (_, { world }) => abi.uint(world.runoffSeconds),
    'isMachineRelocationEnabled()': () => abi.bool(true),
    'isMachineDataContract(address)': (args) => abi.bool(args === abi.address(ADDRESSES.eventRegistry)),
  },
  [ADDRESSES.machineRegistry]: {
    'balanceOf(address)': (args, { world }) => abi.uint(countTokens(world, `0x${args.slice(24, 64)}`)),
    'ownerOf(uint256)': ofToken(({ owner }) => abi.address(owner!)),
    'controllerOf(uint256)': ofMachine(({ controller }) => abi.address(controller)),
    'operatorOf(uint256)': ofMachine((machine) => abi.address(operatorOf(machine))),
    'didDocument(uint256)': ofToken(toDocument),
    'infoDesk()': infoDesk,
  },
  [ADDRESSES.machineStateAndSync]: {
    'isMachineAvailable(uint256)': ofMachine((machine, world, block) => abi.bool(isAvailable(machine, world, block))),
    'isGeneralPaused(uint256)': ofMachine(({ generalPaused }) => abi.bool(generalPaused)),
    'isTechnicalPaused(uint256)': ofMachine(({ technicalPaused }) => abi.bool(technicalPaused)),
    'isOperatorPaused(uint256)': ofMachine(({ operatorPaused }) => abi.bool(operatorPaused)),
    'isRelocating(uint256)': ofMachine(({ relocating }) => abi.bool(relocating)),
    'isGeneralPausedGlobal()': (_, { world }) => abi.bool(world.generalPausedGlobal),
    'isTechnicalPausedGlobal()': (_, { world }) => abi.bool(world.technicalPausedGlobal),
    'infoDesk()': infoDesk,
  },
  [ADDRESSES.machineSubscription]: {
    'subscriptions(uint256)': ofMachine(({ subscription: { periodStart, periodEnd } }) =>
      [0, periodStart, periodEnd, periodStart === 0 ? 0 : 1, 0].map(abi.uint).join(''),
    ),
    'subscriptionStatus(uint256)': ofMachine((machine, world, { timestamp }) =>
      abi.uint(statusAt(machine, world, timestamp)),
    ),
    'isEconomicAuthority()': () => abi.bool(true),
    'TIER_COUNT()': () => abi.uint(3),
    'infoDesk()': infoDesk,
  },
  [ADDRESSES.eventRegistry]: {
    'getEventCount(uint256)': ofMachine(({ events }) => abi.uint(events.length)),
    'priorEventCount(uint256)': ofMachine(({ prior }) => abi.uint(prior)),
    'getEvents(uint256,uint256,uint256)': (args, block) =>
      toPage(machineOf(block.world, abi.readBigint(args, 0)), abi.readBigint(args, 32), abi.readBigint(args, 64)),
    'totalEventCount()': (_, { world }) => abi.uint(world.submittedEvents),
    'MAX_QUERY_LIMIT()': () => abi.uint(MAX_QUERY_LIMIT),
    'infoDesk()': infoDesk,
  },
  [ADDRESSES.crossChainMirror]: {
    'homeChainOf(uint256)': ofMachine(({ home }) => abi.uint(home)),
    'isHomedLocally(uint256)': ofMachine(({ home }) => abi.bool(home === LOCAL_ORDINAL)),
    'infoDesk()': infoDesk,
  },
  [ADDRESSES.adminFlags]: {
    'flagsOf(uint256)': ofMachine(
      ({ flaggedAt, override }) => abi.uint(flaggedAt) + abi.bool(override !== undefined) + abi.uint(override ?? 0),
    ),
  },
  [ADDRESSES.attestationRegistry]: {
    'kybOf(address)': (args, { world }) => toRecordWords(world.kyb.get(`0x${args.slice(24, 64)}`)),
    'recordsOf(uint256)': ofMachine((machine, { kyb }) => {
      const operator = operatorOf(machine);
      return abi.address(operator) + toRecordWords(kyb.get(operator)) + toRecordWords(machine.chip);
    }),
    'chipLogCount(uint256)': ofMachine(({ chipLogs }) => abi.uint(chipLogs)),
  },
  [ADDRESSES.multicall3]: {
    'getBlockNumber()': (_, { number, world }) =>
      abi.uint(world.isRollup ? 20_000_000 + Math.floor(number / 6) : number),
    'getCurrentBlockTimestamp()': (_, block) => abi.uint(block.timestamp),
    'getLastBlockHash()': (_, block) => block.parent!.hash.slice(2),
    'aggregate3((address,bool,bytes)[])': (args, block) => abi.uint(32) + aggregate(args, block, undefined),
  },
  [ARB_SYS_ADDRESS]: {
    'arbBlockNumber()': ofRollup((_, { number }) => abi.uint(number)),
    'arbBlockHash(uint256)': ofRollup((args, block) => {
      const number = abi.readUint(args, 0);
      const isKnown = number < block.number && number >= block.number - KNOWN_HASHES;
      if (!isKnown) throw new Reverted('');
      return ancestorAt(block, number)!.hash.slice(2);
    }),
  },
};

const bySelector = new Map(
  Object.entries(CONTRACTS).flatMap(([address, functions]) =>
    Object.entries(functions).map(([signature, read]) => [address + abi.selector(signature).slice(2), read] as const),
  ),
);

const AGGREGATE = abi.selector('aggregate3((address,bool,bytes)[])').slice(2);

/** Changes one result inside an aggregated call; undefined drops it. */
export type ChangeInner = (read: CallOutcome, position: number) => CallOutcome | undefined;

export function hasCode(address: string): boolean {
  return CONTRACTS[address.toLowerCase()] !== undefined;
}

/** Executes a call; `data` is `0x` hex. */
export function callContract(to: string, data: string, block: Block, changeInner?: ChangeInner): CallOutcome {
  if (to === ADDRESSES.multicall3 && changeInner !== undefined && data.slice(2, 10) === AGGREGATE) {
    return { success: true, data: abi.uint(32) + aggregate(data.slice(10), block, changeInner) };
  }
  return call(to, data.slice(2), block);
}

function call(to: string, data: string, block: Block): CallOutcome {
  if (CONTRACTS[to] === undefined) return { success: true, data: '' };
  const read = bySelector.get(to + data.slice(0, 8));
  if (read === undefined) return { success: false, data: '' };
  try {
    return { success: true, data: read(data.slice(8), block) };
  } catch (error) {
    if (error instanceof Reverted) return { success: false, data: error.data };
    throw error;
  }
}

/** Runs the calls of an `aggregate3` and returns its array of results. */
function aggregate(args: string, block: Block, change: ChangeInner | undefined): string {
  const array = abi.readUint(args, 0);
  const count = abi.readUint(args, array);
  const base = array + 32;
  const results: string[] = [];
  for (let i = 0; i < count; i++) {
    const at = base + abi.readUint(args, base + 32 * i);
    const to = `0x${args.slice(2 * at + 24, 2 * at + 64)}`;
    const bytesAt = at + abi.readUint(args, at + 64);
    const length = abi.readUint(args, bytesAt);
    const data = args.slice(2 * (bytesAt + 32), 2 * (bytesAt + 32 + length));
    const given = call(to, data, block);
    const read = change === undefined ? given : change(given, i);
    if (read !== undefined) {
      results.push(abi.tuple([abi.word(abi.bool(read.success)), abi.tail(abi.bytes(read.data))]));
    }
  }
  return abi.array(results);
}

function toRecordWords({ issuedAt, expiresAt, revokedAt }: SimRecord = NO_RECORD): string {
  return [issuedAt, expiresAt, revokedAt].map(abi.uint).join('');
}

function countTokens({ machines }: World, owner: string): number {
  return machines.values().reduce((count, machine) => count + Number(machine.owner === owner), 0);
}

function isAvailable(machine: Machine, world: World, { timestamp }: Block): boolean {
  const { generalPaused, technicalPaused, operatorPaused, relocating } = machine;
  const status = statusAt(machine, world, timestamp);
  const isSubscriptionPaused = status !== 0 && status !== 1;
  const isPaused = generalPaused || technicalPaused || operatorPaused || relocating || isSubscriptionPaused;
  return !isPaused && !world.generalPausedGlobal && !world.technicalPausedGlobal;
}

function toDocument({ id, controller, endpoints }: Machine): string {
  const services = endpoints.map((endpoint) =>
    abi.tuple([endpoint.id, endpoint.type, endpoint.url].map((text) => abi.tail(abi.text(text)))),
  );
  const document = abi.tuple([
    abi.tail(abi.text(`machine ${id}`)),
    abi.word(abi.address(controller)),
    abi.tail(abi.array([])),
    abi.tail(abi.wordArray([abi.uint(7)])),
    abi.tail(abi.array(services)),
  ]);
  return abi.tuple([abi.tail(document)]);
}

/** Returns one page: empty at the very end, reverted beyond it. */
function toPage({ id, events }: Machine, offset: bigint, limit: bigint): string {
  if (offset > BigInt(events.length)) throw new Reverted(OUT_OF_BOUNDS);
  const size = limit < BigInt(MAX_QUERY_LIMIT) ? Number(limit) : MAX_QUERY_LIMIT;
  const from = Number(offset);
  const records = events.slice(from, from + size).map((event) => toRecord(id, event));
  return abi.tuple([abi.tail(abi.array(records))]);
}

function toRecord(
  id: bigint,
  { type, value, timestamp, trust, metadata, currency, citation = NO_CITATION }: SimEvent,
): string {
  const { chainId, hash } = citation;
  const words = [id, type, value, timestamp, 0, trust, chainId, BigInt(`0x${hash}`)].map((each) =>
    abi.word(abi.uint(each)),
  );
  return abi.tuple([...words, abi.tail(abi.bytes(metadata)), abi.tail(abi.text(currency))]);
}
