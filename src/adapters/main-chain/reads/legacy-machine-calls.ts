/**
 * Contract calls for a legacy machine and their decoding (chain-evm 2.9). A failed call makes only its own fact
 * unreadable, never absent: these contracts are not known to revert for unknown machines.
 */
import { stringToHex } from 'viem/utils';
import { judgeClaim, parseClaimedMachines } from '../../../domain/machine/legacy-machine.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import { toMachineId, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import * as abis from './abis.ts';
import { contractFunction } from './contract-function.ts';
import { eventPageCall } from './event-pages.ts';
import { noneIfZero, readValue, toAddress } from './machine-calls.ts';
import type { LegacyContracts } from '../main-chain-config.ts';
import { valueOf, type CallResult, type ContractCall } from './multicall.ts';
import { present } from '../../../domain/read-result.ts';

const machineIdOf = contractFunction(abis.identityRegistryAbi, 'machineIdOf');
const machineExists = contractFunction(abis.identityRegistryAbi, 'machineExists');
const operatorOf = contractFunction(abis.identityRegistryAbi, 'operatorOf');
const machineAddressOf = contractFunction(abis.identityRegistryAbi, 'machineAddressOf');
const isStaked = contractFunction(abis.identityStakingAbi, 'isStaked');
const getEventCount = contractFunction(abis.eventRegistryAbi, 'getEventCount');
const maxQueryLimit = contractFunction(abis.eventRegistryAbi, 'MAX_QUERY_LIMIT');
const readAttribute = contractFunction(abis.didStoreAbi, 'readAttribute');

/** DID attribute in which an operator lists its machines. */
const MACHINES_ATTRIBUTE = stringToHex('machines');

export function planMachineIdCall(address: Address, { identityRegistry }: LegacyContracts): ContractCall {
  return { target: identityRegistry, data: machineIdOf.encode([address]) };
}

/** Decodes a machine id; undefined when no machine has the address. Throws `ChainUnreadable`. */
export function decodeMachineId(result: CallResult | undefined): MachineId | undefined {
  const id = valueOf(result, machineIdOf);
  if (id === undefined) throw chainUnreadable('main', 'undecodable');
  return toMachineId(id);
}

export function planClaimsCall(operator: Address, didStore: Address): ContractCall {
  return { target: didStore, data: readAttribute.encode([operator, MACHINES_ATTRIBUTE]) };
}

/**
 * Decodes the machines that an operator claims. Throws `ChainUnreadable`, also when the attribute does not list
 * machines.
 */
export function decodeClaims(result: CallResult | undefined): readonly MachineId[] {
  const attribute = valueOf(result, readAttribute);
  const ids = attribute && parseClaimedMachines(Buffer.from(attribute.value.slice(2), 'hex'));
  if (ids === undefined) throw chainUnreadable('main', 'undecodable');
  return ids;
}

/** Returns the calls for a machine's operator in the order of the results that `decodeClaim` takes. */
export function planClaimCalls(id: MachineId, { identityRegistry: target }: LegacyContracts): ContractCall[] {
  return [machineExists, operatorOf].map((called) => ({ target, data: called.encode([id]) }));
}

/** Number of results that `decodeClaim` takes. */
export const CALLS_OF_CLAIM = 2;

export function decodeClaim(results: readonly CallResult[], claimant: Address): ReturnType<typeof judgeClaim> {
  const [exists, operator] = results;
  return judgeClaim(
    {
      exists: readValue(exists, machineExists, present),
      operator: noneIfZero(readValue(operator, operatorOf, toAddress)),
    },
    claimant,
  );
}

/**
 * Returns the calls for all facts of a machine, and for its records with `page`, in the order of the results that
 * `decodeLegacyMachine` takes.
 */
export function planLegacyMachineCalls(
  id: MachineId,
  { identityRegistry, staking, eventRegistry }: LegacyContracts,
  page: { readonly offset: number; readonly limit: number } | undefined,
): ContractCall[] {
  return [
    { target: identityRegistry, data: machineExists.encode([id]) },
    { target: identityRegistry, data: machineAddressOf.encode([id]) },
    { target: staking, data: isStaked.encode([id]) },
    { target: eventRegistry, data: getEventCount.encode([id]) },
    { target: eventRegistry, data: maxQueryLimit.encode([]) },
    ...(page === undefined ? [] : [eventPageCall(eventRegistry, id, page.offset, page.limit)]),
  ];
}

/** Decodes the facts and the contract's page limit; `page` is the undecoded result of the page. */
export function decodeLegacyMachine(results: readonly CallResult[]) {
  const [exists, address, staked, eventCount, limit, page] = results;
  return {
    facts: {
      exists: readValue(exists, machineExists, present),
      address: noneIfZero(readValue(address, machineAddressOf, toAddress)),
      staked: readValue(staked, isStaked, present),
      eventCount: readValue(eventCount, getEventCount, present),
    },
    queryLimit: valueOf(limit, maxQueryLimit),
    page,
  };
}
