/** Interface of the compiled contracts: exactly the functions, events and errors of the specification, and no unknown event. */
import { toEventSelector, toFunctionSelector, toFunctionSignature } from 'viem';
import type { Abi, AbiFunction, AbiParameter } from 'viem';
import { describe, expect, test } from 'vitest';
import { abiOf, CONTRACT_NAMES } from './artifacts.ts';
import type { ContractName } from './artifacts.ts';
import { readInterfaceFacts } from './interface-facts.ts';

/** Events of the libraries: ERC-721, ownership, pausing, proxies. */
const LIBRARY_EVENTS = [
  ...['Approval', 'ApprovalForAll', 'OwnershipTransferred', 'Initialized', 'Upgraded', 'Paused', 'Unpaused'],
];

const facts = readInterfaceFacts();

test('the specification lists all contracts with their functions, events and errors', () => {
  expect(
    facts.map(({ contract, functions, events, errors }) => [contract, functions.length, events.length, errors.length]),
  ).toEqual([
    ['MachineRegistry', 17, 10, 7],
    ['MachineStateAndSync', 16, 14, 5],
    ['MachineSubscription', 10, 8, 6],
    ['EventRegistry', 9, 2, 9],
    ['CrossChainMirror', 3, 7, 0],
    ['InfoDesk', 8, 11, 0],
    ['AdminFlags', 5, 4, 1],
    ['AttestationRegistry', 11, 7, 7],
    ['IdentityRegistry', 5, 0, 0],
    ['IdentityStaking', 1, 0, 0],
    ['DidStore', 1, 0, 0],
  ]);
});

describe.each(facts)('the contract $contract', ({ contract, functions, events, errors }) => {
  const abi = abiOf(toContractName(contract));

  test.each(functions)('declares the function $name', (fact) => {
    const found = selectFunction(abi, fact.name, fact.inputs);
    expect(found && describeFunction(found)).toEqual(
      describeFunction({ ...fact, type: 'function' } as unknown as AbiFunction),
    );
    if (fact.selector !== undefined) expect(toFunctionSelector(found!)).toBe(fact.selector);
  });

  test.each(events)('declares the event $name', (fact) => {
    const found = abi.find((item) => item.type === 'event' && item.name === fact.name);
    expect(found?.type).toBe('event');
    if (found?.type !== 'event') return;
    expect(found.inputs.map((input) => ({ ...describeParameter(input), indexed: input.indexed }))).toEqual(
      fact.inputs.map((input) => ({ ...describeParameter(input), indexed: input.indexed })),
    );
    expect(toEventSelector(found)).toBe(toEventSelector({ type: 'event', name: fact.name, inputs: fact.inputs }));
  });

  test.each(errors)('declares the error $name', (fact) => {
    const found = abi.find((item) => item.type === 'error' && item.name === fact.name);
    expect(found?.type).toBe('error');
    if (found?.type !== 'error') return;
    expect(found.inputs.map(describeParameter)).toEqual(fact.inputs.map(describeParameter));
    const selector = toFunctionSelector({ ...found, type: 'function', outputs: [], stateMutability: 'view' });
    if (fact.selector !== undefined) expect(selector).toBe(fact.selector);
  });

  test('declares no other event', () => {
    const known = [...events.map((event) => event.name), ...LIBRARY_EVENTS];
    const names = abi.flatMap((item) => (item.type === 'event' ? [item.name] : []));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('can be deployed behind a proxy', () => {
    const upgraded = 'Upgraded(address indexed implementation)';
    const topics = abi.flatMap((item) => (item.type === 'event' ? [toEventSelector(item)] : []));
    expect(topics).toContain(toEventSelector(`event ${upgraded}`));
  });
});

function toContractName(name: string): ContractName {
  const found = CONTRACT_NAMES.find((known) => known === name);
  if (found === undefined) throw new Error(`no artifact for ${name}`);
  return found;
}

function selectFunction(abi: Abi, name: string, inputs: readonly AbiParameter[]): AbiFunction | undefined {
  const signature = toFunctionSignature({ type: 'function', name, inputs, outputs: [], stateMutability: 'view' });
  return abi.find((item): item is AbiFunction => item.type === 'function' && toFunctionSignature(item) === signature);
}

/** Returns names, types and order, without compiler metadata. */
function describeFunction({ name, inputs, outputs, stateMutability }: AbiFunction): object {
  return {
    name,
    inputs: inputs.map(describeParameter),
    outputs: outputs.map(describeParameter),
    stateMutability,
  };
}

function describeParameter(parameter: AbiParameter): object {
  const { name, type } = parameter;
  const components = 'components' in parameter ? parameter.components.map(describeParameter) : undefined;
  return { name: name ?? '', type, ...(components && { components }) };
}
