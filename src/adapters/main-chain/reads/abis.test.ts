import { toEventSelector, toFunctionSelector, type Abi, type AbiEvent, type AbiFunction } from 'viem';
import { describe, expect, test } from 'vitest';
import { abiOf, type ContractName } from '../../../../contracts/artifacts.ts';
import * as abis from './abis.ts';

/** The contracts of the local chain are themselves held against the facts of chain-evm 2 (`contracts/interface.test.ts`). */
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

/** A type with the types of its members: `(uint8,uint64)[]`. */
function spell(parameter: {
  readonly type: string;
  readonly components?: readonly { readonly type: string }[];
}): string {
  if (parameter.components === undefined) return parameter.type;
  return `(${parameter.components.map(spell).join(',')})${parameter.type.slice('tuple'.length)}`;
}

const spellFunction = (item: AbiFunction) =>
  `${toFunctionSelector(item)} ${item.name} ${item.outputs.map(spell).join(' ')}`;
const spellEvent = (item: AbiEvent) =>
  `${toEventSelector(item)} ${item.name} ${item.inputs.map((input) => `${spell(input)}:${input.indexed ?? false}`).join(' ')}`;

describe.each(CONTRACTS)('%s', (name, abi) => {
  const compiled = abiOf(name);

  test('has every function that is read, with these outputs', () => {
    const known = new Set(compiled.filter((item) => item.type === 'function').map(spellFunction));
    const missing = abi
      .filter((item) => item.type === 'function')
      .map(spellFunction)
      .filter((each) => !known.has(each));
    expect(missing).toEqual([]);
  });

  test('has every event that is read, with these members indexed', () => {
    const known = new Set(compiled.filter((item) => item.type === 'event').map(spellEvent));
    const missing = abi
      .filter((item) => item.type === 'event')
      .map(spellEvent)
      .filter((each) => !known.has(each));
    expect(missing).toEqual([]);
  });
});
