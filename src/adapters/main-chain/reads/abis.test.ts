/** ABIs that the service reads, compared with the compiled contracts. */
import { toEventSelector, toFunctionSelector, type Abi, type AbiEvent, type AbiFunction } from 'viem';
import { describe, expect, test } from 'vitest';
import { abiOf, type ContractName } from '../../../../contracts/artifacts.ts';
import * as abis from './abis.ts';

/** `contracts/interface.test.ts` compares these compiled contracts with the facts of chain-evm 2. */
const CONTRACTS: readonly (readonly [ContractName, Abi])[] = [
  ['InfoDesk', abis.infoDeskAbi],
  ['MachineRegistry', abis.machineRegistryAbi],
  ['MachineStateAndSync', abis.machineStateAndSyncAbi],
  ['MachineSubscription', abis.machineSubscriptionAbi],
  ['EventRegistry', abis.eventRegistryAbi],
  ['LegacyEventRegistry', abis.eventRegistryAbi],
  ['CrossChainMirror', abis.crossChainMirrorAbi],
  ['AdminFlags', abis.adminFlagsAbi],
  ['AttestationRegistry', abis.attestationRegistryAbi],
  ['IdentityRegistry', abis.identityRegistryAbi],
  ['IdentityStaking', abis.identityStakingAbi],
  ['DidStore', abis.didStoreAbi],
  ['Multicall3', abis.multicall3Abi],
  ['MachineRegistry', abis.governedEvents],
];

/** Formats a type with the types of its members, such as `(uint8,uint64)[]`. */
function format(parameter: {
  readonly type: string;
  readonly components?: readonly { readonly type: string }[];
}): string {
  if (parameter.components === undefined) return parameter.type;
  return `(${parameter.components.map(format).join(',')})${parameter.type.slice('tuple'.length)}`;
}

const formatFunction = (item: AbiFunction) =>
  `${toFunctionSelector(item)} ${item.name} ${item.outputs.map(format).join(' ')}`;
const formatEvent = (item: AbiEvent) =>
  `${toEventSelector(item)} ${item.name} ${item.inputs.map((input) => `${format(input)}:${input.indexed ?? false}`).join(' ')}`;

describe.each(CONTRACTS)('%s', (name, abi) => {
  const compiled = abiOf(name);

  test('has every function that the service reads, with its outputs', () => {
    const known = new Set(compiled.filter((item) => item.type === 'function').map(formatFunction));
    const missing = abi
      .filter((item) => item.type === 'function')
      .map(formatFunction)
      .filter((each) => !known.has(each));
    expect(missing).toEqual([]);
  });

  test('has every event that the service reads, with its indexed members', () => {
    const known = new Set(compiled.filter((item) => item.type === 'event').map(formatEvent));
    const missing = abi
      .filter((item) => item.type === 'event')
      .map(formatEvent)
      .filter((each) => !known.has(each));
    expect(missing).toEqual([]);
  });
});
