/** Fuzzes account decoding: only whole accounts are accepted, and values stay proportional to the input size. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { present, type ReadResult } from '../../../domain/read-result.ts';
import { toId, toReading, vectorMachines, vectorPrograms } from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { listSoundAccounts, MACHINE_ACCOUNTS, UNDECODABLE } from '../../../../testing/fixtures/alt-account-parsers.ts';

describe('every valid account', () => {
  const sound = listSoundAccounts();

  it.each(sound)('is unreadable when cut at any byte: $name', ({ account, decode }) => {
    for (let length = 0; length < account.data.length; length++) {
      const cut = present({ ...account, data: account.data.subarray(0, length) });
      expect(decode(cut).state, `cut to ${length} bytes`).toBe('unreadable');
    }
  });

  it.each(sound)('is unreadable with one extra byte: $name', ({ account, decode }) => {
    expect(decode(present({ ...account, data: Uint8Array.of(...account.data, 0) }))).toStrictEqual(UNDECODABLE);
  });

  it.each(sound)('decodes or is unreadable after any change of bytes: $name', ({ account, decode }) => {
    const changes = fc.array(fc.tuple(fc.nat(account.data.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const data = Uint8Array.from(account.data);
        for (const [at, byte] of list) data[at] = byte;
        expectBoundedVerdict(decode(present({ ...account, data })), data.length);
      }),
    );
  });

  it.each(sound)('decodes or is unreadable with any bytes after the discriminator: $name', ({ account, decode }) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (noise) => {
        const data = Uint8Array.of(...account.data.subarray(0, 8), ...noise);
        expectBoundedVerdict(decode(present({ ...account, data })), data.length);
      }),
    );
  });
});

it('rejects a machine longer than the maximum size', () => {
  const { machineId, accounts } = vectorMachines.find(({ name }) => name === 'largest')!;
  const largest = toReading(accounts.machine);
  if (largest.state !== 'present') throw new Error('not there');
  const { data, ...rest } = largest.value;
  const longer = Uint8Array.of(...data, 'u'.charCodeAt(0));
  longer[data.length - 128 - 4]! += 1; // the length of the last text
  expect(data).toHaveLength(7_386);
  expect(MACHINE_ACCOUNTS.machine(present({ ...rest, data: longer }), toId(machineId))).toStrictEqual(UNDECODABLE);
});

describe('a list with a wrong count', () => {
  const full = toReading(vectorMachines[0]!.accounts.machine);
  const data = full.state === 'present' ? full.value.data : new Uint8Array();
  const listAt = 166 + 4 + 'Sensor'.length + 4 + 4;

  it.each([3, 100, 2 ** 16, 2 ** 31, 2 ** 32 - 1])('is undecodable: %i methods', (count) => {
    const lying = Uint8Array.from(data);
    new DataView(lying.buffer).setUint32(listAt, count, true);
    const account = present({ owner: vectorPrograms.machineRegistry, executable: false, data: lying });
    expect(MACHINE_ACCOUNTS.machine(account, toId(vectorMachines[0]!.machineId))).toStrictEqual(UNDECODABLE);
  });
});

/** Asserts that the value is at most a small multiple of the input size. */
function expectBoundedVerdict(reading: ReadResult<unknown>, bytes: number): void {
  expect(['present', 'unreadable']).toContain(reading.state);
  const text = JSON.stringify(reading, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  expect(text.length).toBeLessThan(1_000 + 12 * bytes);
}
