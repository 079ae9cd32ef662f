/** Tests decoding of every account of the published vectors. */
import { describe, expect, it } from 'vitest';
import { parseAltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { NO_EVENTS, NO_PAUSE_FLAGS } from '../../../domain/alt-chain/alt-machine-facts.ts';
import { unwrapOptional, type ReadResult } from '../../../domain/read-result.ts';
import { judgeBond } from '../../../domain/machine/bond.ts';
import { formatAddress } from '../../../domain/identifiers/identifiers.ts';
import type { SubscriptionStatus } from '../../../domain/machine/machine-facts.ts';
import { decodeAccount } from './account-decoder.ts';
import { ByteReader } from './byte-reader.ts';
import {
  bindingsFile,
  malformedCases,
  programOf,
  singletonCases,
  toEventRecord,
  toId,
  toReading,
  vectorMachines,
  vectorPrograms,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';
import {
  decodeBinding,
  decodeSingleton,
  MACHINE_ACCOUNTS,
  toExpected,
  UNDECODABLE,
} from '../../../../testing/fixtures/alt-account-parsers.ts';
import { readMachineHead } from './machine.ts';
import { createOperatorBindingLayout } from './operator-binding.ts';

describe.each(vectorMachines)('machine $name', ({ machineId, accounts, decoded }) => {
  const id = toId(machineId);
  it('decodes every field', () => {
    const account = toReading(accounts.machine);
    const machine = valueOf(MACHINE_ACCOUNTS.machine(account, id));
    const head = readMachineHead(new ByteReader(valueOf(account).data.subarray(8)));
    const { controller, manufacturer, onboardedAt, operator, ...rest } = machine;
    expect({
      ...rest,
      machineId: String(head.id),
      bump: head.bump,
      controller: controller ?? null,
      manufacturer: manufacturer ?? null,
      onboardedAt: String(onboardedAt),
      operator: operator === undefined ? null : formatAddress(operator),
    }).toStrictEqual(decoded.machine);
  });

  it('decodes its pause flags', () => {
    const reading = MACHINE_ACCOUNTS.machineState(toReading(accounts.machineState), id);
    expect(reading).toStrictEqual(toExpected(decoded.machineState));
  });

  it('decodes its mirrored subscription', () => {
    const expected = decoded.subscriptionTerminal;
    const reading = MACHINE_ACCOUNTS.subscriptionTerminal(toReading(accounts.subscriptionTerminal), id);
    expect(reading).toStrictEqual(
      toExpected(
        expected && {
          tier: expected['tier'],
          status: expected['statusName'],
          periodEnd: BigInt(expected['periodEnd'] as string),
          lastSeq: BigInt(expected['lastSeq'] as string),
          lastNonce: BigInt(expected['lastNonce'] as string),
          openRequestNonce: BigInt(expected['openRequestNonce'] as string),
          updatedAt: BigInt(expected['updatedAt'] as string),
        },
      ),
    );
    if (reading.state === 'present') {
      expect(judgeBond(reading.value.status as SubscriptionStatus) === 'bonded').toBe(expected!['eventEligible']);
    }
  });

  it('decodes its event log', () => {
    const expected = decoded.machineEventLog;
    expect(MACHINE_ACCOUNTS.machineEventLog(toReading(accounts.machineEventLog), id)).toStrictEqual(
      toExpected(
        expected && {
          count: BigInt(expected.count),
          priorEventCount: BigInt(expected.priorEventCount),
          lastEvent: expected.lastEvent === null ? undefined : toEventRecord(expected.lastEvent),
        },
      ),
    );
  });
});

describe('malformed accounts', () => {
  it('cover 29 cases', () => {
    expect(malformedCases).toHaveLength(29);
  });

  it.each(malformedCases)('give the verdict of the vector: $name', ({ accountType, readFor, account, verdict }) => {
    const reading = MACHINE_ACCOUNTS[accountType](toReading(account), toId(readFor));
    switch (verdict) {
      case 'absent':
        return expect(reading).toStrictEqual({ state: 'absent' });
      case 'unreadable':
        return expect(reading.state).toBe('unreadable');
      case 'relocating':
        return expect(reading).toMatchObject({ state: 'present', value: { relocating: true } });
      case 'present: all four flags false, presence false':
        expect(reading).toStrictEqual({ state: 'absent' });
        return expect(unwrapOptional<unknown>(reading, 'alt') ?? NO_PAUSE_FLAGS).toStrictEqual({
          operatorPaused: false,
          generalPaused: false,
          technicalPaused: false,
          subscriptionPaused: false,
        });
      case 'present: operatorPaused true':
        return expect(reading).toStrictEqual(toExpected({ ...NO_PAUSE_FLAGS, operatorPaused: true }));
      case 'present: no subscription':
        return expect(reading).toStrictEqual({ state: 'absent' });
      case 'present: status unknown, not eligible':
        return expect(reading).toMatchObject({ state: 'present', value: { status: 'Unknown' } });
      case 'present: count 0':
        expect(reading).toStrictEqual({ state: 'absent' });
        return expect(unwrapOptional<unknown>(reading, 'alt') ?? NO_EVENTS).toMatchObject({ count: 0n });
      default:
        throw new Error(`no test for the verdict ${verdict}`);
    }
  });

  it('distinguish an account of another machine from an undecodable one', () => {
    const causes = malformedCases
      .filter(({ verdict }) => verdict === 'unreadable')
      .map(({ name, accountType, readFor, account }) => [
        name,
        MACHINE_ACCOUNTS[accountType](toReading(account), toId(readFor)),
      ]);
    const contradicting = causes.filter(([, reading]) => (reading as { cause?: string }).cause === 'contradiction');
    expect(contradicting.map(([name]) => name)).toStrictEqual(["another machine's record", 'log of another machine']);
  });
});

describe('singletons', () => {
  it.each(singletonCases)('decode as in the vector: $name', ({ name, account, decoded }) => {
    const { localChainId, machineCount, setAt, paused, generalPausedGlobal, technicalPausedGlobal } = decoded;
    expect(decodeSingleton(name, toReading(account))).toStrictEqual(
      toExpected({
        ...(paused === undefined ? {} : { paused }),
        ...(generalPausedGlobal === undefined ? {} : { generalPausedGlobal, technicalPausedGlobal }),
        ...(localChainId === undefined ? {} : { localOrdinal: localChainId }),
        ...(machineCount === undefined ? {} : { machineCount: BigInt(machineCount as string) }),
        ...(setAt === undefined ? {} : { setAt: BigInt(setAt as string) }),
        ...(name.startsWith('config') ? { registryProgram: vectorPrograms.machineRegistry } : {}),
      }),
    );
  });
});

describe('bindings', () => {
  it.each(bindingsFile.cases)(
    'give the outcome of the vector: $name',
    ({ account, solanaAddr, outcome, evmAddress }) => {
      const reading = decodeBinding(toReading(account), solanaAddr);
      const operator = reading.state === 'present' ? reading.value.operator : undefined;
      const judged = { absent: 'not_bound', unreadable: 'unreadable', present: operator ? 'bound' : 'binding_revoked' };
      expect(judged[reading.state]).toBe(outcome);
      expect(operator === undefined ? null : formatAddress(operator)).toBe(evmAddress);
      if (reading.state === 'present') expect(reading.value).toMatchObject({ lastSeq: 4n, updatedAt: 1_788_000_000n });
    },
  );

  it('require the configured discriminator', () => {
    const { account, solanaAddr } = bindingsFile.cases[0]!;
    const other = createOperatorBindingLayout('0011223344556677');
    const expected = { program: programOf('address_binding'), subject: parseAltKey(solanaAddr)! };
    expect(decodeAccount(toReading(account), other, expected)).toStrictEqual(UNDECODABLE);
  });
});

function valueOf<T>(reading: ReadResult<T>): T {
  if (reading.state !== 'present') throw new Error(`${reading.state} instead of present`);
  return reading.value;
}
