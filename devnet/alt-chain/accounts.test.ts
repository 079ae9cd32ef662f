/**
 * Are the accounts written as the published vectors have them? Each vector is read by the service's reader, written by ours, and
 * must be the same bytes again; what the reader skips is taken from the vector's own bytes.
 */
import { describe, expect, it } from 'vitest';
import { decodeBinding, decodeSingleton, MACHINE_ACCOUNTS } from '../../testing/fixtures/alt-account-parsers.ts';
import {
  bindingsFile,
  singletonCases,
  toId,
  toReading,
  vectorMachines,
} from '../../testing/fixtures/alt-chain-vectors.ts';
import { formatAltKey, parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type {
  AltConfig,
  AltEventRegistry,
  AltRegistry,
  AltTechnicalPause,
} from '../../src/domain/alt-chain/alt-deployment.ts';
import type { OperatorBinding } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { ReadResult } from '../../src/domain/read-result.ts';
import {
  encodeConfig,
  encodeMachine,
  encodeMachineState,
  encodeOperatorBinding,
  encodeRegistry,
  encodeSubscriptionTerminal,
  encodeTechnicalPause,
} from './accounts.ts';
import { encodeEventRegistry, encodeMachineEventLog } from '../alt-node/event-accounts.ts';

function valueOf<T>(reading: ReadResult<T>): T {
  if (reading.state !== 'present') throw new Error(`the vector is ${reading.state}`);
  return reading.value;
}

function bytesOf(account: { readonly data: string }): Uint8Array {
  return new Uint8Array(Buffer.from(account.data, 'base64'));
}

function keyAt(bytes: Uint8Array, offset: number) {
  return formatAltKey(bytes.slice(offset, offset + 32));
}

describe.each(vectorMachines)('machine $name', ({ machineId, accounts, pdas }) => {
  const id = toId(machineId);
  const { machine, machineState, subscriptionTerminal, machineEventLog } = accounts;

  it('is written as it is', () => {
    const facts = valueOf(MACHINE_ACCOUNTS.machine(toReading(machine), id));
    expect(encodeMachine({ machineId: id, bump: pdas.machine.bump }, facts)).toStrictEqual(bytesOf(machine!));
  });

  if (machineState)
    it('has its pause flags', () => {
      const flags = valueOf(MACHINE_ACCOUNTS.machineState(toReading(machineState), id));
      const written = encodeMachineState({ machineId: id, bump: pdas.machineState.bump }, flags);
      const wanted = bytesOf(machineState!);
      expect(written).toStrictEqual(wanted.slice(0, written.length));
      expect([45, 448]).toContain(wanted.length);
    });

  if (subscriptionTerminal)
    it('has its mirrored subscription', () => {
      const mirrored = valueOf(MACHINE_ACCOUNTS.subscriptionTerminal(toReading(subscriptionTerminal), id));
      const subject = { machineId: id, bump: pdas.subscriptionTerminal.bump };
      expect(encodeSubscriptionTerminal(subject, mirrored)).toStrictEqual(bytesOf(subscriptionTerminal!));
    });

  if (machineEventLog)
    it('has its log, as far as it goes', () => {
      const log = valueOf(MACHINE_ACCOUNTS.machineEventLog(toReading(machineEventLog), id));
      const written = encodeMachineEventLog({ machineId: id, ...log, bump: pdas.machineEventLog.bump });
      const end = written.findLastIndex((byte) => byte !== 0) + 1; // what follows the bump is garbage
      const wanted = bytesOf(machineEventLog!);
      expect(written.slice(0, end)).toStrictEqual(wanted.slice(0, end));
      expect(written).toHaveLength(wanted.length);
    });
});

/** The singleton of a vector, written again. */
function rewriteSingleton(name: string, value: unknown, bytes: Uint8Array): Uint8Array {
  const bump = bytes.at(-1)!;
  if (name.startsWith('upgrade lock')) return encodeTechnicalPause(value as AltTechnicalPause, bump);
  const [admin, second] = [keyAt(bytes, 8), keyAt(bytes, 40)];
  if (name.startsWith('config')) {
    return encodeConfig({ ...(value as AltConfig), admin, adapterStore: second, bump: bytes[166]! });
  }
  const authorities = { admin, lifecycleAuthority: second, bump };
  return name.startsWith('registry')
    ? encodeRegistry({ ...(value as AltRegistry), ...authorities })
    : encodeEventRegistry({ ...(value as AltEventRegistry), ...authorities });
}

describe.each(singletonCases)('$name', ({ name, account }) => {
  it('is written as it is', () => {
    const wanted = bytesOf(account);
    expect(rewriteSingleton(name, valueOf(decodeSingleton(name, toReading(account))), wanted)).toStrictEqual(wanted);
  });
});

const bindings = bindingsFile.cases.filter(({ outcome }) => outcome === 'bound' || outcome === 'binding_revoked');

describe.each(bindings)('a binding that is $name', ({ account, bump, solanaAddr }) => {
  it('is written as it is', () => {
    const binding = valueOf(decodeBinding(toReading(account), solanaAddr)) as OperatorBinding;
    expect(encodeOperatorBinding(parseAltKey(solanaAddr)!, binding, bump)).toStrictEqual(bytesOf(account!));
  });
});

it('a status without a name has no number', () => {
  const mirrored = { tier: 0, periodEnd: 0n, lastSeq: 0n, lastNonce: 0n, openRequestNonce: 0n, updatedAt: 0n };
  const subject = { machineId: 1n, bump: 255 };
  expect(() => encodeSubscriptionTerminal(subject, { ...mirrored, status: 'Unknown' })).toThrow(RangeError);
});
