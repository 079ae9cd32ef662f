import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import {
  formatAddress,
  formatAddressDid,
  formatMachineDid,
  MAX_MACHINE_ID,
  parseAddress,
  parseMachineDid,
  parseMachineId,
  toMachineId,
} from './identifiers.ts';
import { DEFAULT_NAMESPACE } from './namespace.ts';

const WRONG_IDS = [
  ['empty', ''],
  ['zero', '0'],
  ['leading zero', '007'],
  ['plus sign', '+5'],
  ['minus sign', '-5'],
  ['fraction', '5.0'],
  ['exponent', '1e3'],
  ['underscore', '1_0'],
  ['hex', '0x2a'],
  ['leading space', ' 5'],
  ['trailing space', '5 '],
  ['trailing line feed', '5\n'],
  ['Arabic-Indic digits', '٥٥'],
  ['full-width digits', '５５'],
  ['2^256', String(MAX_MACHINE_ID + 1n)],
  ['79 digits', '1'.repeat(79)],
  ['5,000 digits', '9'.repeat(5000)],
  ['a DID', 'did:svc:5'],
  ['an address', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'],
  ['NaN', 'NaN'],
  ['a number with a letter', '12a'],
] as const;

describe('machine id: canonical decimal from 1 to 2^256 - 1', () => {
  rule('identifier.canonical-decimal');

  it.each(['1', '42', '9007199254740993', String(MAX_MACHINE_ID)])('parses %s without rounding', (text) => {
    expect(parseMachineId(text)).toBe(BigInt(text));
  });

  it.each(WRONG_IDS)('rejects %s', (_name, text) => {
    expect(parseMachineId(text)).toBeUndefined();
  });

  it('accepts the same range for ids from a chain', () => {
    expect([0n, 1n, MAX_MACHINE_ID, MAX_MACHINE_ID + 1n].map(toMachineId)).toEqual([
      undefined,
      1n,
      MAX_MACHINE_ID,
      undefined,
    ]);
  });
});

describe('machine DID: did:svc:<decimal machine id> and no other form', () => {
  rule('identifier.machine-did');

  it('parses and formats the canonical form', () => {
    const id = parseMachineDid('did:svc:9007199254740993', DEFAULT_NAMESPACE)!;
    expect(id).toBe(9007199254740993n);
    expect(formatMachineDid(id, DEFAULT_NAMESPACE)).toBe('did:svc:9007199254740993');
  });

  it.each<readonly [string, string]>([
    ...WRONG_IDS.filter(([name]) => name !== 'a DID').map(([name, text]) => [name, `did:svc:${text}`] as const),
    ['a bare decimal', '5'],
    ['an upper-case method', 'did:SVC:5'],
    ['an upper-case scheme', 'DID:svc:5'],
    ['another method', 'did:svcx:5'],
    ['a leading space', ' did:svc:5'],
    ['a fragment', 'did:svc:5#key'],
    ['an address DID', 'did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'],
    ['a doubled prefix', 'did:svc:did:svc:5'],
  ])('rejects %s', (_name, text) => {
    expect(parseMachineDid(text, DEFAULT_NAMESPACE)).toBeUndefined();
  });

  it('takes its method from the namespace', () => {
    const namespace = { ...DEFAULT_NAMESPACE, did_method: 'acme' };
    expect(parseMachineDid('did:acme:5', namespace)).toBe(5n);
    expect(parseMachineDid('did:svc:5', namespace)).toBeUndefined();
  });
});

describe('address', () => {
  // The four checksummed examples of EIP-55.
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('parses any letter case and formats EIP-55: %s', (text) => {
    for (const spelling of [text, text.toLowerCase(), `0x${text.slice(2).toUpperCase()}`]) {
      expect(formatAddress(parseAddress(spelling)!)).toBe(text);
    }
  });

  it.each([
    '0x',
    '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    `0x${'1'.repeat(39)}`,
    `0x${'1'.repeat(41)}`,
    `0x${'g'.repeat(40)}`,
  ])('rejects %s', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

it('an address in a DID is spelled with its checksum', () => {
  const address = parseAddress('0x1a642f0e3c3af545e7acbd38b07251b3990914f1')!;
  expect(formatAddressDid(address, DEFAULT_NAMESPACE)).toBe('did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1');
});

it.each(['x0x1a642f0e3c3af545e7acbd38b07251b3990914f1', '0x1a642f0e3c3af545e7acbd38b07251b3990914f1x'])(
  '%s is no address',
  (text) => {
    expect(parseAddress(text)).toBeUndefined();
  },
);
