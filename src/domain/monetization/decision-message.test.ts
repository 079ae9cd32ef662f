/** Canonical messages as complete texts, and every invalid field. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { MAX_MACHINE_ID } from '../identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../identifiers/namespace.ts';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../testing/arbitraries/property-runs.ts';
import { IMPLEMENTATIONS } from '../../../testing/fixtures/signing-keys.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { formatDecisionMessage } from './decision-message.ts';
import {
  ALT,
  ALT_OWNER,
  DEPLOYMENT,
  MAIN,
  OPT_IN,
  OPT_OUT,
  OWNER,
} from '../../../testing/fixtures/deciding-machines.ts';
import type { Decision, DecisionHome, PublishedDeployment } from './decision.ts';

const MAIN_TEXT = `\
svc-mcr monetization
registry: 0x00000000000000000000000000000000000000aa
chain_id: 31337
machine_id: 42
opted_in: true
timestamp: 1788900000`;

const ALT_TEXT = `\
svc-mcr monetization
audience: 31337
home_chain: 5
machine_id: 42
opted_in: false
timestamp: 1788900000`;

describe('the main-chain message of the specification', () => {
  rule('monetization.main-message');
  const message = utf8ToBytes(formatDecisionMessage(OPT_IN, MAIN, DEPLOYMENT, DEFAULT_NAMESPACE));
  const signature =
    '0x601f9a7f25c756d37132371e2d3d3aa36d871cc3946b8b42aac039f0aadc9f717bc0e5a5d86fd41ab79cdeedb630ad380f8b42259c96fb4e195a1d327c658a691c';

  it('is encoded to the published bytes', () => {
    expect(formatDecisionMessage(OPT_IN, MAIN, DEPLOYMENT, DEFAULT_NAMESPACE)).toBe(MAIN_TEXT);
    expect(message).toStrictEqual(utf8ToBytes(MAIN_TEXT));
    expect(message).toHaveLength(141);
    expect(bytesToHex(sha256(message))).toBe('f813d54a72d19c8633ba66008fcb7335c06da4cd36a7709cb5f45ad7169ae35f');
  });

  it.each(IMPLEMENTATIONS)('has the published signature (%s)', (_name, checks) => {
    expect(OWNER.sign(message)).toBe(signature);
    expect(checks.recoverSigner(message, OWNER.sign(message))).toBe('0x1a642f0e3c3af545e7acbd38b07251b3990914f1');
  });
});

describe('the alt-chain message of the specification', () => {
  rule('monetization.alt-message');
  const message = utf8ToBytes(formatDecisionMessage(OPT_OUT, ALT, DEPLOYMENT, DEFAULT_NAMESPACE));
  const signature = 'nGUMFqsGgYCJZU3xqRA5heVdyRwhckAYbgYa2HdWw4gzXkpTvbCH8CbC5KWTUiRe8166PXN1BJJq9G19MKo9FCu';

  it('is encoded to the published bytes', () => {
    expect(formatDecisionMessage(OPT_OUT, ALT, DEPLOYMENT, DEFAULT_NAMESPACE)).toBe(ALT_TEXT);
    expect(message).toStrictEqual(utf8ToBytes(ALT_TEXT));
    expect(message).toHaveLength(103);
    expect(bytesToHex(sha256(message))).toBe('30b6c229d4ca74f7023e6175f4e0359bc4028a754e34dd2231902e96a3922501');
  });

  it.each(IMPLEMENTATIONS)('has the published signature (%s)', (_name, checks) => {
    expect(ALT_OWNER.key).toBe('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB');
    expect(ALT_OWNER.sign(message)).toBe(signature);
    expect(checks.isSignedBy(ALT_OWNER.key, message, ALT_OWNER.sign(message))).toBe(true);
  });
});

it('starts with the header of the namespace', () => {
  const namespace = { ...DEFAULT_NAMESPACE, message_header: 'Another Name' };
  const text = formatDecisionMessage(OPT_IN, MAIN, DEPLOYMENT, namespace);
  expect(text).toBe(MAIN_TEXT.replace('svc-mcr monetization', 'Another Name'));
});

it('accepts a header of one character', () => {
  const text = formatDecisionMessage(OPT_IN, MAIN, DEPLOYMENT, { message_header: 'x' });
  expect(text).toBe(MAIN_TEXT.replace('svc-mcr monetization', 'x'));
});

it('accepts the maximum of every field', () => {
  const decision = { machineId: MAX_MACHINE_ID as MachineId, optedIn: true, timestamp: Number.MAX_SAFE_INTEGER };
  const deployment = { chainId: '9'.repeat(78), registry: `0x${'f'.repeat(40)}` as Address };
  expect(formatDecisionMessage(decision, { chain: 'alt', ordinal: 65_535 }, deployment, DEFAULT_NAMESPACE)).toBe(`\
svc-mcr monetization
audience: ${'9'.repeat(78)}
home_chain: 65535
machine_id: 115792089237316195423570985008687907853269984665640564039457584007913129639935
opted_in: true
timestamp: 9007199254740991`);
});

describe('formatDecisionMessage', () => {
  type Fields = { decision: Decision; home: DecisionHome; deployment: PublishedDeployment; header: string };
  const fields: Fields = {
    decision: OPT_IN,
    home: ALT,
    deployment: DEPLOYMENT,
    header: DEFAULT_NAMESPACE.message_header,
  };
  const format = ({ decision, home, deployment, header }: Fields) =>
    formatDecisionMessage(decision, home, deployment, { message_header: header });

  const rejects = (problem: string, partsOf: (value: never) => Partial<Fields>, values: readonly unknown[]) =>
    it.each(values.map((value) => [value]))(`throws "${problem}" for %j`, (value) => {
      expect(() => format({ ...fields, ...partsOf(value as never) })).toThrow(new RangeError(problem));
    });

  const NOT_TEXT = [undefined, null, 1, true, {}, []];
  const NOT_INTEGERS = [undefined, null, '5', true, 1.5, -1, 0, NaN, Infinity, 2 ** 53];

  rejects('message_header is not one line of printable ASCII', (header) => ({ header }), [
    ...NOT_TEXT,
    '',
    ' a',
    'a ',
    'a\nb',
    'a\n',
    'a\rb',
    'a\tb',
    'é',
    'a\u2028b',
    'a\u0000',
  ]);
  rejects(
    'registry is not 0x and 40 lower-case hex digits',
    (registry) => ({ deployment: { ...DEPLOYMENT, registry } }),
    [
      ...NOT_TEXT,
      '',
      '0x',
      DEPLOYMENT.registry.toUpperCase(),
      DEPLOYMENT.registry.replace('aa', 'AA'),
      DEPLOYMENT.registry.slice(2),
      `${DEPLOYMENT.registry}0`,
      `x${DEPLOYMENT.registry}`,
      `${DEPLOYMENT.registry}\n`,
    ],
  );
  rejects('chain_id is not a canonical decimal', (chainId) => ({ deployment: { ...DEPLOYMENT, chainId } }), [
    ...NOT_TEXT,
    31337,
    '',
    '0',
    '031337',
    '+1',
    '-1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1\n',
    '1'.repeat(79),
  ]);
  rejects(
    'home_chain is neither the main chain nor a protocol chain ordinal',
    (ordinal) => ({ home: { chain: 'alt', ordinal } }),
    [...NOT_INTEGERS, 65_536],
  );
  rejects(
    'home_chain is neither the main chain nor a protocol chain ordinal',
    (chain) => ({ home: { chain, ordinal: 5 } }),
    [undefined, null, '', 'Main', 'svm', 5],
  );
  rejects('machine_id is not a bigint in 1 to 2^256 - 1', (machineId) => ({ decision: { ...OPT_IN, machineId } }), [
    undefined,
    null,
    42,
    '42',
    true,
  ]);
  for (const id of [0n, -1n, MAX_MACHINE_ID + 1n]) {
    it(`throws "machine_id is not a bigint in 1 to 2^256 - 1" for ${id}`, () => {
      expect(() => format({ ...fields, decision: { ...OPT_IN, machineId: id as MachineId } })).toThrow(
        new RangeError('machine_id is not a bigint in 1 to 2^256 - 1'),
      );
    });
  }
  rejects('opted_in is not a boolean', (optedIn) => ({ decision: { ...OPT_IN, optedIn } }), [
    undefined,
    null,
    0,
    1,
    'true',
    '',
  ]);
  rejects(
    'timestamp is not an integer in 1 to 2^53 - 1',
    (timestamp) => ({ decision: { ...OPT_IN, timestamp } }),
    NOT_INTEGERS,
  );
});

it(`formats different decisions, homes and deployments as different messages (${SEED_TITLE})`, () => {
  const small = fc.integer({ min: 1, max: 3 });
  const parts = fc.record({
    decision: fc.record({
      machineId: small.map((id) => BigInt(id) as MachineId),
      optedIn: fc.boolean(),
      timestamp: small,
    }),
    home: fc.oneof(fc.constant(MAIN), fc.record({ chain: fc.constant('alt' as const), ordinal: small })),
    deployment: fc.record({ chainId: small.map(String), registry: fc.constant(DEPLOYMENT.registry) }),
  });
  const stringify = (value: unknown) =>
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each));
  const property = fc.property(parts, parts, (a, b) => {
    const [first, second] = [a, b].map(({ decision, home, deployment }) =>
      formatDecisionMessage(decision, home, deployment, DEFAULT_NAMESPACE),
    );
    expect(first === second).toBe(stringify(a) === stringify(b));
    expect(first!.split('\n')).toHaveLength(6);
  });
  fc.assert(property, PROPERTY_RUNS);
});
