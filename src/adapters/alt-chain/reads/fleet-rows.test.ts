/** Tests parsing of valid and invalid fleet rows and of malformed responses. */
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress, type Address } from '../../../domain/identifiers/identifiers.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import { createTickCounter } from '../../../../testing/harness/tick-counter.ts';
import { FLEET_SLICE, readFleetRows } from './fleet-rows.ts';
import {
  programOf,
  snapshotFile,
  vectorMachines,
  vectorPrograms,
  type SnapshotRow,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';

const { machineRegistry } = vectorPrograms;
const { rows, badRows, machineCount } = snapshotFile;
const expected = snapshotFile.expect;
const [first] = rows as [SnapshotRow];
const firstOperator = parseAddress(vectorMachines[0]!.decoded.machine.operator!)!;

const fleetOfVectors = await readFleetRows(rows, machineRegistry);

describe('the rows of the vectors', () => {
  it('cover the head of every machine', () => {
    expect(FLEET_SLICE).toStrictEqual({ offset: 8, length: 158 });
  });

  it('are grouped by operator in order of id', () => {
    rule('listing.alt-operator');
    expect(toIds(fleetOfVectors.machinesByOperator)).toStrictEqual(expected.byOperator);
    expect(fleetOfVectors.addresses.size).toBe(machineCount);
    expect([...fleetOfVectors.unreadableByOperator, fleetOfVectors.unattributed]).toStrictEqual([0]);
  });

  it('list every machine under the operator of its account, also while it is relocating', () => {
    for (const { machineId, decoded } of vectorMachines) {
      if (expected.unlisted.includes(machineId)) continue;
      const operator = parseAddress(decoded.machine.operator!)!;
      expect(fleetOfVectors.machinesByOperator.get(operator)).toContain(BigInt(machineId));
    }
    const relocating = vectorMachines.filter(({ verdict }) => verdict === 'relocating');
    expect(relocating.map(({ machineId }) => machineId)).toStrictEqual(expected.relocating);
  });
});

describe('invalid rows', () => {
  it.each(badRows)('are counted and not listed: $why', async ({ pubkey, data }) => {
    const fleet = await readFleetRows([{ pubkey, account: { ...first.account, data } }], machineRegistry);
    expect(fleet.machinesByOperator.size).toBe(0);
    const isNamed = data[0] === first.account.data[0];
    expect([...fleet.unreadableByOperator]).toStrictEqual(isNamed ? [[firstOperator, 1]] : []);
    expect(fleet.unattributed).toBe(isNamed ? 0 : 1);
    expect(fleet.addresses.size).toBe(1);
  });

  it.each<[name: string, row: unknown]>([
    ['another program', { ...first, account: { ...first.account, owner: programOf('stranger') } }],
    ['an executable account', { ...first, account: { ...first.account, executable: true } }],
    ['an invalid address', { ...first, pubkey: 'x' }],
    ['the address of another row', { ...first, pubkey: rows[1]!.pubkey }],
    ['a wrong bump', withByte(137, (bump) => bump - 1)],
    ['a bool of 2', withByte(128, () => 2)],
  ])('are counted under the operator that they name: %s', async (_name, row) => {
    const fleet = await readFleetRows([row, ...rows.slice(2)], machineRegistry);
    expect([...fleet.unreadableByOperator]).toStrictEqual([[firstOperator, 1]]);
    expect(fleet.machinesByOperator.get(firstOperator)).toHaveLength(3);
    expect([fleet.unattributed, fleet.addresses.size]).toStrictEqual([0, rows.length - 1]);
  });

  it.each<[name: string, row: unknown]>([
    ['no data', { ...first, account: { ...first.account, data: ['', 'base64'] } }],
    ['data of another encoding', { ...first, account: { ...first.account, data: first.account.data[0] } }],
    ['one extra byte', withData((data) => Uint8Array.of(...data, 0))],
    [
      'the whole account, as of a node that ignores the slice',
      withData((data) => Uint8Array.of(...new Uint8Array(8), ...data, 7, 7)),
    ],
    ['no account', { pubkey: first.pubkey, account: null }],
    ['machine 0 without an operator', withData(() => new Uint8Array(158))],
  ])('are counted as unattributed: %s', async (_name, row) => {
    const fleet = await readFleetRows([row], machineRegistry);
    expect([fleet.unattributed, fleet.unreadableByOperator.size, fleet.machinesByOperator.size]).toStrictEqual([
      1, 0, 0,
    ]);
  });
});

describe('a malformed response', () => {
  it.each<[name: string, response: unknown]>([
    ['an object', { rows }],
    ['null', null],
    ['a repeated row', [...rows, first]],
    ['a null row', [...rows, null]],
  ])('is rejected: %s', async (_name, response) => {
    await expect(readFleetRows(response, machineRegistry)).rejects.toThrow(Undecodable);
  });

  it('is not an empty list', async () => {
    expect(await readFleetRows([], machineRegistry)).toMatchObject({ addresses: new Set(), unattributed: 0 });
  });
});

it('a long list is read in several ticks', async () => {
  const counter = createTickCounter();
  const long = Array.from({ length: 1_000 }, (_, k) => ({
    pubkey: `${first.pubkey}${k}`,
    get account() {
      counter.count();
      return first.account;
    },
  }));
  expect((await readFleetRows(long, machineRegistry)).addresses.size).toBe(1_000);
  expect(counter.most).toBeLessThanOrEqual(100);
});

function toIds(fleet: ReadonlyMap<Address, readonly bigint[]>): Record<string, string[]> {
  return Object.fromEntries([...fleet].map(([operator, machines]) => [formatAddress(operator), machines.map(String)]));
}

function withByte(at: number, change: (byte: number) => number): unknown {
  return withData((data) => {
    data[at] = change(data[at]!);
    return data;
  });
}

function withData(change: (data: Uint8Array) => Uint8Array): unknown {
  const data = change(new Uint8Array(Buffer.from(first.account.data[0], 'base64')));
  return { ...first, account: { ...first.account, data: [Buffer.from(data).toString('base64'), 'base64'] } };
}
