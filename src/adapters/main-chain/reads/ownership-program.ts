/**
 * Reads the owners and controllers of hundreds of machines with one short `eth_call` (chain-evm 5.4): creation code
 * that calls the contracts and returns packed results. An id costs 32 bytes in the request and 41 in the response, a
 * fifth of the cost through Multicall3. Nothing is deployed, and neither an account nor a state override is needed. It
 * resolves only machines with an owner that are homed here; `ownership.ts` reads the others call by call.
 */
import type { Hex } from 'viem';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { OwnershipChange } from '../../../ports/store.ts';
import { isHexData } from '../rpc/quantities.ts';

export interface OwnershipTargets {
  readonly machineRegistry: Address;
  readonly crossChainMirror: Address;
  /** 4 bytes each. */
  readonly selectors: { readonly ownerOf: Hex; readonly controllerOf: Hex; readonly isHomedLocally: Hex };
}

/** Number, timestamp and parent hash of the block at which the program ran. */
const PROOF_BYTES = 3 * 32;
/** One byte that is 1 for a machine held here, then owner and controller. */
const RECORD_BYTES = 1 + 20 + 20;
/** Largest return data of creation code (EIP-170). */
const MAX_RETURN_BYTES = 24_576;
export const MAX_PROGRAM_MACHINES = Math.floor((MAX_RETURN_BYTES - PROOF_BYTES) / RECORD_BYTES);

/** Assembles the creation code; the ids are appended to it, one word each. */
export function createOwnershipProgram({ machineRegistry, crossChainMirror, selectors }: OwnershipTargets): string {
  const prepare = [
    ...[selectors.ownerOf, selectors.controllerOf, selectors.isHomedLocally].map((selector, i) =>
      assemble(push(selector.slice(2)), push('e0'), 'SHL', push(CALL_SLOTS[i]!), 'MSTORE'),
    ),
    assemble('NUMBER', push('0120'), 'MSTORE', 'TIMESTAMP', push('0140'), 'MSTORE'),
    assemble(push('01'), 'NUMBER', 'SUB', 'BLOCKHASH', push('0160'), 'MSTORE'),
  ].join('');
  const loopAt = prepare.length / 2 + 6;
  const readId = [
    ...['04', '44', '84'].map((at) => assemble(push('20'), 'DUP2', push(at), 'CODECOPY')),
    call(machineRegistry, CALL_SLOTS[0], '00c0'),
    call(machineRegistry, CALL_SLOTS[1], '00e0') + assemble('AND'),
    call(crossChainMirror, CALL_SLOTS[2], '0100') + assemble('AND'),
    assemble(push('0100'), 'MLOAD', push('01'), 'EQ', 'AND'),
    assemble(push('c0'), 'MLOAD', push('e0'), 'MLOAD', 'OR', push('a0'), 'SHR', 'ISZERO', 'AND'),
    assemble(push('c0'), 'MLOAD', 'ISZERO', 'ISZERO', 'AND'),
  ].join('');
  const record = [
    assemble(push('c0'), 'MLOAD', push('58'), 'SHL', 'DUP4', 'MSTORE'),
    assemble(push('e0'), 'MLOAD', push('60'), 'SHL', 'DUP4', push('15'), 'ADD', 'MSTORE'),
    // Written last, because a word that is not an address overflows into this byte.
    assemble('DUP3', 'MSTORE8'),
    assemble(push('20'), 'ADD', 'SWAP1', push('29'), 'ADD', 'SWAP1', push(word16(loopAt)), 'JUMP'),
  ].join('');
  const test = (endAt: number) => assemble('JUMPDEST', 'DUP1', 'CODESIZE', 'EQ', push(word16(endAt)), 'JUMPI');
  const endAt = loopAt + (test(0).length + readId.length + record.length) / 2;
  const end = assemble('JUMPDEST', 'POP', push('0120'), 'SWAP1', 'SUB', push('0120'), 'RETURN');
  const idsAt = endAt + end.length / 2;
  return prepare + assemble(push('0180'), push(word16(idsAt))) + test(endAt) + readId + record + end;
}

/** Memory offsets of the call data of the three calls: a selector and an id each. */
const CALL_SLOTS = ['00', '40', '80'] as const;

const OPCODES = {
  ADD: '01',
  SUB: '03',
  EQ: '14',
  ISZERO: '15',
  AND: '16',
  OR: '17',
  SHL: '1b',
  SHR: '1c',
  CODESIZE: '38',
  CODECOPY: '39',
  RETURNDATASIZE: '3d',
  BLOCKHASH: '40',
  TIMESTAMP: '42',
  NUMBER: '43',
  POP: '50',
  MLOAD: '51',
  MSTORE: '52',
  MSTORE8: '53',
  JUMP: '56',
  JUMPI: '57',
  GAS: '5a',
  JUMPDEST: '5b',
  DUP1: '80',
  DUP2: '81',
  DUP3: '82',
  DUP4: '83',
  SWAP1: '90',
  RETURN: 'f3',
  STATICCALL: 'fa',
} as const;

type Operation = keyof typeof OPCODES | { readonly push: string };

function push(digits: string): Operation {
  return { push: digits };
}

function assemble(...operations: readonly Operation[]): string {
  return operations
    .map((each) =>
      typeof each === 'string'
        ? OPCODES[each]
        : (0x5f + each.push.length / 2).toString(16).padStart(2, '0') + each.push,
    )
    .join('');
}

/** Assembles a call that leaves 1 when it returned exactly one word, which it stores in memory, else 0. */
function call(target: Address, callSlot: string, resultSlot: string): string {
  return assemble(
    ...[push('20'), push(resultSlot), push('24'), push(callSlot), push(target.slice(2))],
    ...(['GAS', 'STATICCALL', 'RETURNDATASIZE'] as const),
    ...([push('20'), 'EQ', 'AND'] as const),
  );
}

function word16(value: number): string {
  return value.toString(16).padStart(4, '0');
}

export function encodeIds(ids: readonly MachineId[]): string {
  return ids.map((id) => id.toString(16).padStart(64, '0')).join('');
}

/**
 * Decodes the program's result; undefined for a machine that it does not resolve. Returns `unusable` when the data is
 * not a result of this program at this block.
 */
export function decodeHeld(
  result: unknown,
  ids: readonly MachineId[],
  block: Header,
): readonly (OwnershipChange | undefined)[] | 'unusable' {
  if (!isHexData(result) || result.length !== 2 + 2 * (PROOF_BYTES + ids.length * RECORD_BYTES)) return 'unusable';
  const hex = result.toLowerCase();
  const proof = `0x${[block.number, block.timestamp].map((value) => value.toString(16).padStart(64, '0')).join('')}`;
  if (!hex.startsWith(proof + block.parentHash.slice(2))) return 'unusable';
  return ids.map((id, i) => {
    const at = 2 + 2 * (PROOF_BYTES + i * RECORD_BYTES);
    if (!hex.startsWith('01', at)) return undefined;
    const [owner, controller] = [at + 2, at + 42].map((from) => `0x${hex.slice(from, from + 40)}` as Address);
    return { kind: 'held', id, owner: owner!, controller: controller === ZERO_ADDRESS ? undefined : controller };
  });
}
