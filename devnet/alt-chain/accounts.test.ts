/**
 * Account encoders, compared with the published vectors: the service's reader decodes each vector, and the encoder must return the same
 * bytes. Fields that the reader skips are taken from the vector.
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

describe.each(vectorMachines)('accounts of machine $name', ({ machineId, accounts, pdas }) => {
  const id = toId(machineId);
  const { machine, machineState, subscriptionTerminal, machineEventLog } = accounts;

  it('include the machine record, encoded byte for byte', () => {
    const facts = valueOf(MACHINE_ACCOUNTS.machine(toReading(machine), id));
    expect(encodeMachine({ machineId: id, bump: pdas.machine.bump }, facts)).toStrictEqual(bytesOf(machine!));
  });

  if (machineState)
    it('include the pause flags, encoded byte for byte', () => {
      const flags = valueOf(MACHINE_ACCOUNTS.machineState(toReading(machineState), id));
      const written = encodeMachineState({ machineId: id, bump: pdas.machineState.bump }, flags);
      const wanted = bytesOf(machineState);
      expect(written).toStrictEqual(wanted.slice(0, written.length));
      expect([45, 448]).toContain(wanted.length);
    });

  if (subscriptionTerminal)
    it('include the mirrored subscription, encoded byte for byte', () => {
      const mirrored = valueOf(MACHINE_ACCOUNTS.subscriptionTerminal(toReading(subscriptionTerminal), id));
      const subject = { machineId: id, bump: pdas.subscriptionTerminal.bump };
      expect(encodeSubscriptionTerminal(subject, mirrored)).toStrictEqual(bytesOf(subscriptionTerminal));
    });

  if (machineEventLog)
    it('include the event log, encoded byte for byte up to its end', () => {
      const log = valueOf(MACHINE_ACCOUNTS.machineEventLog(toReading(machineEventLog), id));
      const written = encodeMachineEventLog({ machineId: id, ...log, bump: pdas.machineEventLog.bump });
      const end = written.findLastIndex((byte) => byte !== 0) + 1; // bytes after the bump are undefined
      const wanted = bytesOf(machineEventLog);
      expect(written.slice(0, end)).toStrictEqual(wanted.slice(0, end));
      expect(written).toHaveLength(wanted.length);
    });
});

/** Encodes the decoded singleton of a vector again. */
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

describe.each(singletonCases)('the singleton $name', ({ name, account }) => {
  it('is encoded byte for byte', () => {
    const wanted = bytesOf(account);
    expect(rewriteSingleton(name, valueOf(decodeSingleton(name, toReading(account))), wanted)).toStrictEqual(wanted);
  });
});

const bindings = bindingsFile.cases.filter(({ outcome }) => outcome === 'bound' || outcome === 'binding_revoked');

describe.each(bindings)('a binding that is $name', ({ account, bump, solanaAddr }) => {
  it('is encoded byte for byte', () => {
    const binding = valueOf<OperatorBinding>(decodeBinding(toReading(account), solanaAddr));
    expect(encodeOperatorBinding(parseAltKey(solanaAddr)!, binding, bump)).toStrictEqual(bytesOf(account!));
  });
});

it('rejects a status without a number', () => {
  const mirrored = { tier: 0, periodEnd: 0n, lastSeq: 0n, lastNonce: 0n, openRequestNonce: 0n, updatedAt: 0n };
  const subject = { machineId: 1n, bump: 255 };
  expect(() => encodeSubscriptionTerminal(subject, { ...mirrored, status: 'Unknown' })).toThrow(RangeError);
});
