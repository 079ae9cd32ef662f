/** Transactions that change a machine on the main chain: one function per write of chain-evm 2. Each returns the call and sends nothing. */
import { encodeAbiParameters, encodeFunctionData, keccak256, stringToHex, zeroAddress, zeroHash } from 'viem';
import type { Address, Hex } from 'viem';
import { abiOf } from '../../contracts/artifacts.ts';
import type { Call } from './chain-writer.ts';
import { CONTRACT_BEHIND } from './deploy.ts';
import type { Deployment, MainChainAddresses } from './deploy.ts';

export interface VerificationMethodInput {
  readonly id: string;
  readonly methodType: string;
  readonly controller: Address;
  readonly publicKeyMultibase: string;
}

export interface ServiceEndpointInput {
  readonly id: string;
  readonly serviceType: string;
  readonly serviceEndpoint: string;
}

/** Credentials from which the machine id is derived. */
export interface MachineCredentials {
  readonly machineType: string;
  readonly credentialSubject: Hex;
}

export interface ActivationInput extends MachineCredentials {
  /** Sender, who becomes the owner. */
  readonly from: Address;
  readonly controller?: Address;
  readonly manufacturer?: Address;
  readonly tier?: number;
  readonly verificationMethods?: readonly VerificationMethodInput[];
  readonly authentication?: readonly bigint[];
  readonly serviceEndpoints?: readonly ServiceEndpointInput[];
}

export interface EventInput {
  readonly from: Address;
  readonly machineId: bigint;
  /** 0 revenue, 1 activity. */
  readonly eventType: number;
  readonly value: bigint;
  /** Absent for activity. */
  readonly currency?: string;
  /** Unix seconds, not after the block. */
  readonly timestamp: number;
  readonly trustLevel: number;
  readonly dataHash?: Hex;
  readonly sourceChainId?: bigint;
  readonly sourceTxHash?: Hex;
  /** Raw bytes as `0x` hex, or text that is stored as UTF-8. */
  readonly metadata?: string;
}

/** Returns the machine id: keccak256(abi.encode(type, subject)) as a number (chain-evm 3.1). */
export function machineIdOf({ machineType, credentialSubject }: MachineCredentials): bigint {
  const types = [{ type: 'string' }, { type: 'bytes' }] as const;
  return BigInt(keccak256(encodeAbiParameters(types, [machineType, credentialSubject])));
}

/** Returns a call of any function of a deployed contract. */
export function contractCall(
  { addresses }: Deployment,
  contract: keyof MainChainAddresses,
  from: Address,
  functionName: string,
  args: readonly unknown[],
): Call {
  const data = encodeFunctionData({ abi: abiOf(CONTRACT_BEHIND[contract]), functionName, args });
  return { label: `${functionName}(${args.length > 0 ? String(args[0]) : ''})`, from, to: addresses[contract], data };
}

export function activateMachine(deployment: Deployment, input: ActivationInput): Call {
  const document = {
    id: 'ignored by the contract',
    controller: input.controller ?? zeroAddress,
    verificationMethods: input.verificationMethods ?? [],
    authentication: input.authentication ?? [],
    serviceEndpoints: input.serviceEndpoints ?? [],
  };
  const args = [
    document,
    input.machineType,
    input.credentialSubject,
    input.manufacturer ?? zeroAddress,
    input.tier ?? 0,
  ];
  return contractCall(deployment, 'machineStateAndSync', input.from, 'activateMachine', args);
}

/** Returns an event submission; `registry` selects current or legacy machines. */
export function submitEvent(
  deployment: Deployment,
  input: EventInput,
  registry: 'eventRegistry' | 'legacyEventRegistry' = 'eventRegistry',
): Call {
  const { from, machineId, eventType, value, currency, timestamp, dataHash, trustLevel } = input;
  const { sourceChainId, sourceTxHash, metadata } = input;
  return contractCall(deployment, registry, from, 'submitEvent', [
    ...[machineId, eventType, value, currency ?? '', BigInt(timestamp), dataHash ?? zeroHash, trustLevel],
    ...[sourceChainId ?? 0n, sourceTxHash ?? zeroHash, toHex(metadata ?? '')],
  ]);
}

export function transferMachine(deployment: Deployment, from: Address, to: Address, machineId: bigint): Call {
  return contractCall(deployment, 'machineRegistry', from, 'transferFrom', [from, to, machineId]);
}

export function setController(deployment: Deployment, from: Address, machineId: bigint, controller: Address): Call {
  return contractCall(deployment, 'machineRegistry', from, 'setController', [machineId, controller]);
}

export function suspendMachine(deployment: Deployment, from: Address, machineId: bigint): Call {
  return contractCall(deployment, 'machineStateAndSync', from, 'suspend', [machineId]);
}

export function resumeMachine(deployment: Deployment, from: Address, machineId: bigint): Call {
  return contractCall(deployment, 'machineStateAndSync', from, 'resume', [machineId]);
}

export function retireMachine(deployment: Deployment, from: Address, machineId: bigint): Call {
  return contractCall(deployment, 'machineStateAndSync', from, 'retireMachine', [machineId]);
}

export function renewSubscription(deployment: Deployment, from: Address, machineId: bigint): Call {
  const data = encodeFunctionData({ abi: RENEW_ABI, functionName: 'renew', args: [machineId] });
  return { label: `renew(${machineId})`, from, to: deployment.addresses.machineSubscription, data };
}

/** Returns a call by the protocol owner. */
export function adminCall(
  deployment: Deployment,
  contract: keyof MainChainAddresses,
  functionName: string,
  args: readonly unknown[],
): Call {
  return contractCall(deployment, contract, deployment.admin, functionName, args);
}

/** The overload of `renew` without a tier. */
const RENEW_ABI = [
  {
    type: 'function',
    name: 'renew',
    stateMutability: 'nonpayable',
    inputs: [{ name: 'machineId', type: 'uint256' }],
    outputs: [],
  },
] as const;

function toHex(text: string): Hex {
  return text.startsWith('0x') ? (text as Hex) : stringToHex(text);
}
