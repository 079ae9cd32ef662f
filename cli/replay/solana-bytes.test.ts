/** Encodings of the alt chain against the published vectors: addresses, base58, Borsh. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deriveAddress, formatBase58, MalformedSolana, parseBase58, readBorsh, toWord } from './solana-bytes.ts';

const readVectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/svm/${name}.json`, import.meta.url), 'utf8'));
const { programs } = readVectors('programs') as { readonly programs: Readonly<Record<string, string>> };
const { machines } = readVectors('machines') as {
  readonly machines: readonly {
    readonly name: string;
    readonly machineId: string;
    readonly word: string;
    readonly pdas: Readonly<Record<string, { readonly address: string }>>;
  }[];
};

describe('deriveAddress', () => {
  it.each(machines)('returns the addresses of the vectors: $name', ({ machineId, word, pdas }) => {
    const seed = toWord(BigInt(machineId));
    expect(`0x${Buffer.from(seed).toString('hex')}`).toBe(word);
    expect({
      machine: deriveAddress(programs['machine_registry']!, 'Machine', seed),
      machineState: deriveAddress(programs['state_and_sync']!, 'MachineState', seed),
      subscriptionTerminal: deriveAddress(programs['subscription_terminal']!, 'SubscriptionTerminal', seed),
      machineEventLog: deriveAddress(programs['event_registry']!, 'MachineEventLog', seed),
    }).toEqual(Object.fromEntries(Object.entries(pdas).map(([name, { address }]) => [name, address])));
  });
});

describe('base58', () => {
  it.each([
    ['', ''],
    ['00', '1'],
    ['0000ff', '115Q'],
    ['00'.repeat(32), '1'.repeat(32)],
    ['0102030405', '7bWpTW'],
  ])('encodes and decodes 0x%s', (hex, text) => {
    expect(formatBase58(Buffer.from(hex, 'hex'))).toBe(text);
    expect(Buffer.from(parseBase58(text)).toString('hex')).toBe(hex);
  });

  it.each(['0', 'l', 'O', 'I', ' 1', '1\n'])('rejects %j', (text) => {
    expect(() => parseBase58(text)).toThrow(MalformedSolana);
  });

  it('rejects a result of another size', () => {
    expect(() => parseBase58('1'.repeat(31), 32)).toThrow('base58 of 31 bytes');
  });
});

describe('Borsh', () => {
  it('reads integers little-endian and words big-endian', () => {
    const data = Buffer.from(`0201${'00'.repeat(31)}07`, 'hex');
    const reader = readBorsh(data);
    expect([reader.uint(2), reader.word()]).toEqual([258n, 7n]);
    expect(() => reader.uint(1)).toThrow(MalformedSolana);
  });

  it('rejects a length beyond the end of the data', () => {
    expect(() => readBorsh(Buffer.from('ffffffff00', 'hex')).sized()).toThrow(MalformedSolana);
  });

  it('reads none and some, and rejects another option tag', () => {
    const reader = readBorsh(Buffer.from('00010502', 'hex'));
    const read = () => reader.option(() => reader.uint(1));
    expect([read(), read()]).toEqual([undefined, 5n]);
    expect(read).toThrow(MalformedSolana);
  });
});
