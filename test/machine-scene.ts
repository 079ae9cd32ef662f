/** What does a test do with machines of the scene? Makes them, changes them, and reads them with an adapter that keeps nothing. */
import { encodeErrorResult, parseAbi, stringToHex, type Hex } from 'viem';
import { accountOf } from '../devnet/accounts.ts';
import type { BareChainOptions } from '../devnet/bare-chain.ts';
import * as calls from '../devnet/main-chain-calls.ts';
import type { MainChainAdapter } from '../src/adapters/evm/create-main-chain.ts';
import type { MachineId } from '../src/domain/identifiers.ts';
import type { MachineSnapshot } from '../src/domain/machine-facts.ts';
import type { MachineWants } from '../src/ports/main-chain.ts';
import { ALL_EVENTS, startEvmScene, type EvmScene } from './evm-scene.ts';

export const OWNER = accountOf('owner').address;
export const CONTROLLER = accountOf('controller').address;
export const BUYER = accountOf('buyer').address;

/** 4-byte selectors of chain-evm 2. */
export const SELECTORS = {
  ownerOf: '0x6352211e',
  controllerOf: '0x5dd8f6aa',
  operatorOf: '0xf41875e1',
  didDocument: '0xec3be542',
  subscriptionStatus: '0x492f8724',
  isRelocating: '0xda205249',
  homeChainOf: '0x5bc23b9d',
  getEventCount: '0x1c2eaa9c',
  getEvents: '0x0ea4e6a0',
  priorEventCount: '0x706304ef',
  maxQueryLimit: '0x23beb3dd',
} as const;

export const ABSENT = { state: 'absent' };
export const UNDECODABLE = { state: 'unreadable', cause: 'undecodable' };
export const CONTRADICTION = { state: 'unreadable', cause: 'contradiction' };

export interface MachineScene extends EvmScene {
  /** One machine, by an adapter that has nothing kept and reads the head first. */
  readMachine(id: bigint, wants?: MachineWants): Promise<MachineSnapshot>;
  openForgetful(): MainChainAdapter;
  /** A new machine of OWNER. */
  activate(input?: Partial<calls.ActivationInput>): Promise<bigint>;
  /** What only the protocol owner may do. */
  administer(
    contract: Parameters<typeof calls.adminCall>[1],
    functionName: string,
    ...args: readonly unknown[]
  ): Promise<void>;
  /** A call that submits revenue in US cents. */
  revenue(machineId: bigint, value: bigint, rest?: Partial<calls.EventInput>): ReturnType<typeof calls.submitEvent>;
}

export async function startMachineScene(options: BareChainOptions = {}): Promise<MachineScene> {
  const scene = await startEvmScene(options);
  const { deployment } = scene.chain;
  const openForgetful = () => scene.open({ limits: { maxHeadAgeMilliseconds: -1 } });
  let serial = 0;
  return {
    ...scene,
    openForgetful,
    readMachine: (id, wants = ALL_EVENTS) => openForgetful().chain.readMachine(id as MachineId, wants),
    async activate(input = {}) {
      const credentials = { machineType: 'Sensor', credentialSubject: stringToHex(`machine ${++serial}`) };
      await scene.mine(calls.activateMachine(deployment, { from: OWNER, ...credentials, ...input }));
      return calls.machineIdOf({ ...credentials, ...input });
    },
    administer: (contract, functionName, ...args) =>
      scene.mine(calls.adminCall(deployment, contract, functionName, args)),
    revenue(machineId, value, rest = {}) {
      const money = { eventType: 0, value, currency: 'USD', timestamp: 1_700_000_000, trustLevel: 1 };
      return calls.submitEvent(deployment, { from: OWNER, machineId, ...money, ...rest });
    },
  };
}

export function present<T>(value: T): { readonly state: 'present'; readonly value: T } {
  return { state: 'present', value };
}

export function lower(address: string): string {
  return address.toLowerCase();
}

export function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** What MachineRegistry reverts with for a token that does not exist. */
export function nonexistentToken(id: bigint): Hex {
  const abi = parseAbi(['error ERC721NonexistentToken(uint256 tokenId)']);
  return encodeErrorResult({ abi, errorName: 'ERC721NonexistentToken', args: [id] });
}
