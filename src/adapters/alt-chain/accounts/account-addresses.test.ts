/** Tests address derivation and discriminators against the published vectors. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import {
  deriveEventLogAddress,
  deriveMachineAddresses,
  deriveOperatorBindingAddress,
  deriveSingletonAddresses,
  machineSeeds,
  memoizeById,
} from './account-addresses.ts';
import { configLayout } from './config.ts';
import { eventRegistryLayout } from '../../../../testing/fixtures/event-registry-account.ts';
import { machineEventLogLayout } from './machine-event-log.ts';
import { machineStateLayout } from './machine-state.ts';
import { machineLayout } from './machine.ts';
import { DEFAULT_BINDING_DISCRIMINATOR } from '../../../config/alt-chain-settings.ts';
import { registryLayout } from './registry.ts';
import { subscriptionTerminalLayout } from './subscription-terminal.ts';
import { technicalPauseLayout } from '../../../../testing/fixtures/technical-pause-account.ts';
import { deriveProgramAddress, isOnCurve, isProgramAddress } from './program-address.ts';
import {
  bindingsFile,
  programOf,
  programsFile,
  toId,
  vectorMachines,
  vectorPrograms,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';

describe.each(vectorMachines)('machine $name', ({ machineId, word, pdas }) => {
  const id = toId(machineId);

  it('derives the addresses of the four accounts', () => {
    expect(deriveMachineAddresses(vectorPrograms, id)).toStrictEqual({
      machine: pdas.machine.address,
      machineState: pdas.machineState.address,
      subscriptionTerminal: pdas.subscriptionTerminal.address,
      machineEventLog: pdas.machineEventLog.address,
    });
    expect(deriveEventLogAddress(vectorPrograms.eventRegistry, id)).toBe(pdas.machineEventLog.address);
  });

  it('matches its own bump and no other', () => {
    const { address, bump } = pdas.machine;
    const matches = (at: number) =>
      isProgramAddress(address as AltKey, vectorPrograms.machineRegistry, machineSeeds(id), at);
    expect(matches(bump)).toBe(true);
    expect(matches(bump - 1)).toBe(false);
    expect(bytesToHex(machineSeeds(id)[1]!)).toBe(word.slice(2));
  });
});

describe('singletons', () => {
  it.each(Object.entries(programsFile.singletonPdas))(
    'derives the address and bump of %s',
    (_name, { program, seedsUtf8, address, bump }) => {
      expect(deriveProgramAddress(programOf(program), seedsUtf8.map(utf8ToBytes))).toStrictEqual({ address, bump });
    },
  );

  it('derives every singleton of the served programs from its role', () => {
    const { registry, stateConfig, eventRegistry } = programsFile.singletonPdas;
    expect(deriveSingletonAddresses(vectorPrograms)).toStrictEqual({
      registry: registry!.address,
      config: stateConfig!.address,
      eventRegistry: eventRegistry!.address,
    });
  });
});

it.each(bindingsFile.cases)('derives the address of the binding: $name', ({ solanaAddr, pda }) => {
  rule('address-keyed.one-account-read');
  const wallet = parseAltKey(solanaAddr)!;
  expect(deriveOperatorBindingAddress(programOf('address_binding'), bindingsFile.seedPrefix, wallet)).toBe(pda);
});

describe('memoizeById', () => {
  it('evicts the least recently used id', () => {
    const derived: bigint[] = [];
    const addressOf = memoizeById((id) => derived.push(id), 2);
    for (const id of ['1', '2', '1', '3', '1', '2']) addressOf(toId(id));
    expect(derived).toStrictEqual([1n, 2n, 3n, 2n]);
  });
});

describe('invalid seeds', () => {
  it.each([
    ['a seed of 33 bytes', [new Uint8Array(33)]],
    ['16 seeds besides the bump', Array.from({ length: 16 }, () => new Uint8Array(1))],
  ])('throws RangeError for %s', (_name, seeds) => {
    expect(() => deriveProgramAddress(vectorPrograms.machineRegistry, seeds)).toThrow(RangeError);
  });
});

describe('isOnCurve', () => {
  const P = 2n ** 255n - 19n;
  const littleEndian = (value: bigint) =>
    Uint8Array.from({ length: 32 }, (_, k) => Number((value >> BigInt(8 * k)) & 255n));

  it.each([
    ['its base point', ed25519.Point.BASE.toBytes(), true],
    ['y = 1 with a sign that x = 0 does not have', littleEndian(1n + 2n ** 255n), true],
    ['y = 1, encoded as p + 1', littleEndian(P + 1n), true],
    ['y = 2, which no point has', littleEndian(2n), false],
  ])('decides as the validators do: %s', (_name, bytes, expected) => {
    expect(isOnCurve(bytes)).toBe(expected);
  });
});

describe('discriminators', () => {
  const layouts = {
    Machine: machineLayout.discriminator,
    Registry: registryLayout.discriminator,
    MachineState: machineStateLayout.discriminator,
    Config: configLayout.discriminator,
    SubscriptionTerminal: subscriptionTerminalLayout.discriminator,
    MachineEventLog: machineEventLogLayout.discriminator,
    EventRegistry: eventRegistryLayout.discriminator,
    TechnicalPause: technicalPauseLayout.discriminator,
    OperatorBinding: DEFAULT_BINDING_DISCRIMINATOR,
  };

  it('equal the account discriminators of the vectors', () => {
    expect(layouts).toStrictEqual(programsFile.discriminators.account);
  });

  it.each(Object.entries(layouts))('equal the hash of the account name: %s', (name, discriminator) => {
    expect(bytesToHex(sha256(utf8ToBytes(`account:${name}`))).slice(0, 16)).toBe(discriminator);
  });
});
