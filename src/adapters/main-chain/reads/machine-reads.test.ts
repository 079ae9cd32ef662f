/** Complete machine reads against a real node. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeAbiParameters, parseAbiParameters, stringToHex, zeroAddress, type Hex } from 'viem';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import { MAIN_ORDINAL } from '../../../../devnet/main-chain/deploy.ts';
import {
  BUYER,
  CONTROLLER,
  lower,
  OWNER,
  SELECTORS,
  startMachineHarness,
  word,
} from '../../../../testing/fixtures/machines.ts';
import type { MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { respondInner, changeInner, respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { ABSENT, present, unreadable } from '../../../domain/read-result.ts';

let harness: MachineHarness;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.proxy.heal());

describe('a machine of the main chain', () => {
  test('is read completely', async () => {
    const method = { id: '#key', methodType: 'Ed25519', controller: BUYER, publicKeyMultibase: 'zKey' };
    const endpoint = { id: '#docs', serviceType: 'Documentation', serviceEndpoint: 'https://example.org/' };
    const id = await harness.activate({
      controller: CONTROLLER,
      tier: 1,
      authentication: [0n, 7n],
      verificationMethods: [method],
      serviceEndpoints: [endpoint],
    });
    await harness.mine(harness.revenue(id, 2n ** 256n - 1n, { metadata: '{"a":1}' }));
    const { number, hash, timestamp } = await harness.readHead();
    const snapshot = await harness.readMachine(id);
    expect(snapshot).toEqual({
      id,
      block: { number, hash, timestamp },
      owner: present(lower(OWNER)),
      controller: present(lower(CONTROLLER)),
      operator: present(lower(OWNER)),
      document: present({
        controller: lower(CONTROLLER),
        authentication: [0n, 7n],
        verificationMethods: [{ ...method, controller: lower(BUYER) }],
        serviceEndpoints: [endpoint],
      }),
      subscription: present({
        tier: 1,
        periodStart: expect.any(BigInt),
        periodEnd: expect.any(BigInt),
        bondedAmount: expect.any(BigInt),
      }),
      subscriptionStatus: present('Active'),
      available: present(true),
      generalPaused: present(false),
      technicalPaused: present(false),
      operatorPaused: present(false),
      relocating: present(false),
      homeOrdinal: present(MAIN_ORDINAL),
      eventCount: present(1n),
      priorEventCount: present(0n),
      flags: present({ flaggedAt: 0n, trustOverride: undefined }),
      attestations: present({ operator: lower(OWNER), kyb: undefined, chip: undefined }),
      chipLogCount: present(0n),
      events: present({
        offset: 0,
        records: [
          {
            eventType: 0,
            value: 2n ** 256n - 1n,
            timestamp: 1_700_000_000n,
            dataHash: `0x${'0'.repeat(64)}`,
            trustLevel: 1,
            sourceChainId: 0n,
            sourceTxHash: `0x${'0'.repeat(64)}`,
            metadata: stringToHex('{"a":1}'),
            currency: 'USD',
          },
        ],
      }),
      firstEvents: undefined,
    });
  });

  test('retains its controller when sold, and the new owner becomes its operator', async () => {
    const id = await harness.activate({ controller: CONTROLLER });
    await harness.mine(calls.transferMachine(harness.chain.deployment, OWNER, BUYER, id));
    expect(await harness.readMachine(id)).toMatchObject({
      owner: present(lower(BUYER)),
      controller: present(lower(CONTROLLER)),
      operator: present(lower(BUYER)),
    });
  });

  test('may have no controller, its owner as controller, or a contract as controller', async () => {
    const none = await harness.activate();
    const own = await harness.activate({ controller: OWNER });
    const contract = await harness.activate({ controller: harness.addresses.infoDesk });
    expect((await harness.readMachine(none)).controller).toEqual(ABSENT);
    expect((await harness.readMachine(own)).controller).toEqual(present(lower(OWNER)));
    expect((await harness.readMachine(contract)).controller).toEqual(present(harness.addresses.infoDesk));
  });

  test('is read when suspended and resumed in one block, and paused in every way', async () => {
    const { deployment } = harness.chain;
    const id = await harness.activate();
    const suspend = calls.suspendMachine(deployment, OWNER, id);
    await harness.mine(suspend, calls.resumeMachine(deployment, OWNER, id));
    expect((await harness.readMachine(id)).operatorPaused).toEqual(present(false));
    await harness.mine(suspend);
    await harness.administer('machineStateAndSync', 'setGeneralPaused', id, true);
    await harness.administer('machineStateAndSync', 'setTechnicalPaused', id, true);
    expect(await harness.readMachine(id)).toMatchObject({
      available: present(false),
      generalPaused: present(true),
      technicalPaused: present(true),
      operatorPaused: present(true),
      subscriptionStatus: present('Active'),
    });
  });

  test('is read when flagged in 2019 or two days ahead, with a trust override of 0, of 100 or none', async () => {
    const id = await harness.activate();
    for (const [flaggedAt, trustOverride] of [
      [1_560_000_000n, 0],
      [1_900_000_000n, 100],
    ] as const) {
      await harness.administer('adminFlags', 'devFlagMachineAt', id, flaggedAt);
      await harness.administer('adminFlags', 'setTrustOverride', id, trustOverride);
      expect((await harness.readMachine(id)).flags).toEqual(present({ flaggedAt, trustOverride }));
    }
    await harness.administer('adminFlags', 'clearFlag', id);
    await harness.administer('adminFlags', 'clearTrustOverride', id);
    expect((await harness.readMachine(id)).flags).toEqual(present({ flaggedAt: 0n, trustOverride: undefined }));
  });

  test('has unreadable flags for a set override above 100, and ignores an override that is not set', async () => {
    const id = await harness.activate();
    const flags = (isSet: bigint, value: bigint): Hex =>
      `0x${[0n, isSet, value].map((each) => word(each).slice(2)).join('')}`;
    for (const [returnData, expected] of [
      [flags(1n, 101n), unreadable('undecodable')],
      [flags(0n, 101n), present({ flaggedAt: 0n, trustOverride: undefined })],
      [flags(0n, 256n), unreadable('undecodable')],
    ] as const) {
      harness.proxy.heal();
      harness.proxy.inject(
        changeInner((result, { target }) =>
          target.toLowerCase() === harness.addresses.adminFlags ? { success: true, returnData } : result,
        ),
      );
      expect((await harness.readMachine(id)).flags).toEqual(expected);
    }
  });

  test('has absent flags without a configured contract, and unreadable ones when its address has no code', async () => {
    const id = await harness.activate();
    const readFlags = async (adminFlags: typeof harness.addresses.adminFlags) => {
      const { chain } = harness.open({ addresses: { adminFlags } });
      const wants = { eventsFrom: () => Promise.resolve(0), firstEvents: false };
      return (await chain.readMachine(id as Parameters<typeof chain.readMachine>[0], wants)).flags;
    };
    expect(await readFlags(undefined)).toEqual(ABSENT);
    expect(await readFlags(lower(BUYER) as typeof harness.addresses.infoDesk)).toEqual(unreadable('undecodable'));
  });
});

describe('attestations', () => {
  const attest = (functionName: string, ...args: readonly unknown[]) =>
    harness.administer('attestationRegistry', functionName, ...args);
  const attestationsOf = async (id: bigint) => (await harness.readMachine(id)).attestations;

  test('follow the operator and the machine; a new record clears a revocation', async () => {
    const id = await harness.activate();
    await attest('attestKyb', OWNER, 4_000_000_000n, word(1n));
    await attest('attestChip', id, 0n, word(5n), word(2n), word(3n));
    const { timestamp: issuedAt } = await harness.readHead();
    const kyb = { issuedAt: expect.any(BigInt), expiresAt: 4_000_000_000n, revokedAt: undefined };
    const chip = { issuedAt: BigInt(issuedAt), expiresAt: undefined, revokedAt: undefined };
    expect(await attestationsOf(id)).toEqual(present({ operator: lower(OWNER), kyb, chip }));
    await attest('revokeChip', id);
    const { timestamp: revokedAt } = await harness.readHead();
    const revoked = { ...chip, revokedAt: BigInt(revokedAt) };
    expect(await attestationsOf(id)).toEqual(present({ operator: lower(OWNER), kyb, chip: revoked }));
    await attest('reinstateChip', id, 0n, word(6n), word(2n), word(3n), word(4n));
    expect(await attestationsOf(id)).toMatchObject({ value: { chip: { revokedAt: undefined } } });
    await harness.mine(calls.transferMachine(harness.chain.deployment, OWNER, BUYER, id));
    expect(await attestationsOf(id)).toMatchObject({ value: { operator: lower(BUYER), kyb: undefined } });
  });

  test('are empty for an unknown machine, absent without a contract, and unreadable when it does not respond', async () => {
    expect(await attestationsOf(4711n)).toEqual(present({ operator: undefined, kyb: undefined, chip: undefined }));
    const { chain } = harness.open({ addresses: { attestationRegistry: undefined } });
    expect((await chain.readMachine(4711n as MachineId, ALL_EVENTS)).attestations).toEqual(ABSENT);
    harness.proxy.inject(
      changeInner((result, { target }) =>
        target.toLowerCase() === harness.addresses.attestationRegistry ? { success: true, returnData: '0x' } : result,
      ),
    );
    expect(await attestationsOf(4711n)).toEqual(unreadable('undecodable'));
  });
});

describe('documents', () => {
  test('are read when empty and with hundreds of entries', async () => {
    const { deployment } = harness.chain;
    expect((await harness.readMachine(await harness.activate())).document).toEqual(
      present({ controller: undefined, verificationMethods: [], authentication: [], serviceEndpoints: [] }),
    );
    const id = await harness.activate();
    const nodes = Array.from({ length: 150 }, (_, i) => ({
      id: `#${i}`,
      serviceType: 'Many',
      serviceEndpoint: `ftp://${i}`,
    }));
    await harness.mine(calls.contractCall(deployment, 'machineRegistry', OWNER, 'setServiceEndpoints', [id, nodes]));
    expect((await harness.readMachine(id)).document).toMatchObject({ value: { serviceEndpoints: nodes } });
  });

  describe('that are too large for the node', () => {
    const tooLarge = { error: { code: -32000, message: 'response size exceeds the limit' } };
    const holds = (params: readonly unknown[]) => JSON.stringify(params).includes(SELECTORS.didDocument.slice(2));
    /** A node that refuses each list of calls with a document, except those for one machine. */
    const injectRefusal = (served = '-', refusal = tooLarge) =>
      harness.proxy.inject({
        kind: 'answer',
        change: (answer, { params }) => (holds(params) && !JSON.stringify(params).includes(served) ? refusal : answer),
      });

    test.each([
      ['an error that says so', tooLarge],
      ['an unclear error', { error: { code: -32050, message: 'policy 7' } }],
      ['an unclear error that may pass', { error: { code: -32000, message: 'policy 7' } }],
    ])('are one unreadable fact by %s: the others of the machine and its events are read', async (_, refusal) => {
      const id = await harness.activate({ controller: CONTROLLER });
      await harness.mine(harness.revenue(id, 5n));
      const expected = await harness.readMachine(id);
      injectRefusal('-', refusal);
      expect(await harness.readMachine(id)).toEqual({ ...expected, document: unreadable('undecodable') });
    });

    test('do not divide the reads of other machines', async () => {
      const [large, other] = [await harness.activate(), await harness.activate()];
      const { chain } = harness.open();
      await chain.readDeployment();
      injectRefusal(word(other).slice(2));
      const read = (id: bigint) => chain.readMachine(id as MachineId, ALL_EVENTS);
      await read(large);
      harness.proxy.resetCounts();
      expect(await read(other)).toMatchObject({ document: { state: 'present' } });
      expect(harness.proxy.calls.filter(({ method }) => method === 'eth_call')).toHaveLength(1);
    });

    test('do not divide the shared reads of other machines after one that they shared', async () => {
      const [large, ...others] = await Promise.all(Array.from({ length: 8 }, () => harness.activate()));
      const { chain } = harness.open();
      await chain.readDeployment();
      const document = `${SELECTORS.didDocument.slice(2)}${word(large!).slice(2)}`;
      harness.proxy.inject({
        kind: 'answer',
        change: (answer, { params }) => (JSON.stringify(params).includes(document) ? tooLarge : answer),
      });
      const read = (id: bigint) => chain.readMachineUncached(id as MachineId);
      const countCalls = async (ids: readonly bigint[]) => {
        harness.proxy.resetCounts();
        await Promise.all(ids.map(read));
        return harness.proxy.calls.filter(({ method }) => method === 'eth_call').length;
      };
      const whole = await countCalls(others);
      expect(await countCalls([large!, ...others])).toBeGreaterThan(whole);
      expect(await countCalls(others)).toBe(whole);
    });

    test('leave what is not configured absent, and nothing else', async () => {
      const id = (await harness.activate()) as MachineId;
      const { chain } = harness.open({ addresses: { adminFlags: undefined } });
      const configured = harness.open();
      await Promise.all([chain.readDeployment(), configured.chain.readDeployment()]);
      harness.proxy.inject(respondWith('eth_call', tooLarge));
      const failed = unreadable('undecodable');
      expect(await chain.readMachine(id, ALL_EVENTS)).toMatchObject({ owner: failed, flags: ABSENT });
      expect(await configured.chain.readMachine(id, ALL_EVENTS)).toMatchObject({
        flags: failed,
        attestations: failed,
        chipLogCount: failed,
      });
    });
  });

  test('are read with a text of 100 KB, 300 entries, and texts that are not UTF-8, decoded with U+FFFD', async () => {
    const id = await harness.activate();
    const long = 'x'.repeat(100_000);
    const invalid: Hex = '0x61ffc3280062';
    const rows = Array.from({ length: 300 }, (_, i) => [i === 0 ? stringToHex(long) : '0x', invalid, '0x'] as const);
    harness.proxy.inject(respondInner(SELECTORS.didDocument, { success: true, returnData: encodeDocument(rows) }));
    expect((await harness.readMachine(id)).document).toEqual(
      present({
        controller: undefined,
        verificationMethods: [],
        authentication: [],
        serviceEndpoints: rows.map((_, i) => ({
          id: i === 0 ? long : '',
          serviceType: 'a\ufffd\ufffd(\0b',
          serviceEndpoint: '',
        })),
      }),
    );
  });
});

/** Declares texts as bytes, which have the same encoding, so that they need not be UTF-8. */
function encodeDocument(nodes: readonly (readonly [Hex, Hex, Hex])[]): Hex {
  return encodeAbiParameters(
    parseAbiParameters([
      '(bytes id, address controller, Method[] methods, uint256[] authentication, Endpoint[] nodes) document',
      'struct Method { bytes id; bytes methodType; address controller; bytes key; }',
      'struct Endpoint { bytes id; bytes serviceType; bytes serviceEndpoint; }',
    ]),
    [
      {
        id: '0x',
        controller: zeroAddress,
        methods: [],
        authentication: [],
        nodes: nodes.map(([id, serviceType, serviceEndpoint]) => ({ id, serviceType, serviceEndpoint })),
      },
    ],
  );
}
