/** Effects of logs on caches and indexes, against a real node (chain-evm 6). */
import { encodeEventTopics, parseAbi, stringToHex, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import {
  BUYER,
  lower,
  OWNER,
  startMachineHarness,
  word,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import { isFactKind } from '../../../domain/machine/fact-log.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { checkBlockComplete, watchContracts } from '../../../domain/index-rules/block-checks.ts';
import type { ChainLog, MainChainLog } from '../../../ports/main-chain.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { hashSignature } from '../reads/contract-function.ts';
import { createLogEffects } from './log-effects.ts';
import { rule } from '../../../../test/conformance/rule.ts';

let harness: MachineHarness;
let adapter: MainChainAdapter;
let log: MainChainLog;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.proxy.heal();
  adapter = harness.open();
  log = adapter.log;
});

const latestLogs = async () => {
  const { number } = await harness.readHead();
  return log.readLogs({ fromBlock: number, toBlock: number });
};
const toEffect = ({ address, effect, ownershipOf, event }: ChainLog) => ({ address, effect, ownershipOf, event });
const machines = (...ids: readonly bigint[]) => ({ kind: 'machines', ids });

describe('decoding of contract logs', () => {
  test('returns the effects of an activation in order', async () => {
    const id = await harness.activate();
    const { machineRegistry, machineSubscription, crossChainMirror, machineStateAndSync } = harness.addresses;
    const head = await harness.readHead();
    const logs = await latestLogs();
    const of = (address: string, ownershipOf: readonly bigint[]) => ({
      address,
      effect: machines(id),
      ownershipOf,
      event: undefined,
    });
    expect(logs.map(toEffect)).toEqual([
      of(machineRegistry, [id]),
      of(machineRegistry, [id]),
      of(machineSubscription, []),
      of(machineSubscription, []),
      of(crossChainMirror, [id]),
      of(machineStateAndSync, []),
    ]);
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const each of logs) expect(each).toMatchObject({ blockNumber: head.number, blockHash: head.hash });
  });

  test('returns the facts of a bond, a flag and an override', async () => {
    rule('history.facts-of-the-day');
    const listFacts = async () =>
      (await latestLogs()).flatMap(({ registry }) =>
        registry !== undefined && isFactKind(registry.kind) ? [registry] : [],
      );
    const id = await harness.activate();
    const [activated, status] = await listFacts();
    expect(activated).toMatchObject({ kind: 'bond-period', machineId: id });
    expect(status).toEqual(activated);
    const { timestamp } = await harness.readHead();
    expect((activated as { value: bigint }).value).toBeGreaterThan(BigInt(timestamp));
    const { deployment } = harness.chain;
    await harness.mine(
      calls.adminCall(deployment, 'adminFlags', 'flagMachine', [id]),
      calls.adminCall(deployment, 'adminFlags', 'setTrustOverride', [id, 70]),
      calls.adminCall(deployment, 'adminFlags', 'clearFlag', [id]),
      calls.adminCall(deployment, 'adminFlags', 'clearTrustOverride', [id]),
    );
    const head = await harness.readHead();
    expect(await listFacts()).toEqual([
      { kind: 'flagged', machineId: id, value: BigInt(head.timestamp) },
      { kind: 'override-set', machineId: id, value: 70n },
      { kind: 'flag-cleared', machineId: id, value: undefined },
      { kind: 'override-cleared', machineId: id, value: undefined },
    ]);
  });

  test('returns the effects of a transfer, a pause, a flag, attestations and deployment changes', async () => {
    const id = await harness.activate();
    const { deployment } = harness.chain;
    await harness.mine(
      calls.transferMachine(deployment, OWNER, BUYER, id),
      calls.suspendMachine(deployment, BUYER, id),
      calls.adminCall(deployment, 'adminFlags', 'flagMachine', [id]),
      calls.adminCall(deployment, 'attestationRegistry', 'attestKyb', [BUYER, 0n, word(4n)]),
      calls.adminCall(deployment, 'attestationRegistry', 'attestChip', [id, 0n, word(5n), word(6n), word(7n)]),
      calls.adminCall(deployment, 'machineStateAndSync', 'devSetChainFlag', [3, word(1n), true]),
      calls.adminCall(deployment, 'infoDesk', 'setGraceDuration', [2_592_000n]),
      calls.adminCall(deployment, 'crossChainMirror', 'devSetMirroredChainData', [word(1n), 3, word(2n)]),
      calls.adminCall(deployment, 'crossChainMirror', 'devSetMirroredData', [id, word(2n)]),
      calls.contractCall(deployment, 'machineRegistry', BUYER, 'approve', [OWNER, id]),
      calls.adminCall(deployment, 'machineRegistry', 'transferOwnership', [deployment.admin]),
    );
    const logs = await latestLogs();
    expect(logs.map(({ effect, ownershipOf }) => [effect, ownershipOf])).toEqual([
      [machines(id), [id]],
      [machines(id), []],
      [machines(id), []],
      [{ kind: 'operator-kyb', operator: lower(BUYER) }, []],
      [{ kind: 'nothing' }, []],
      [machines(id), []],
      [{ kind: 'nothing' }, []],
      [{ kind: 'deployment' }, []],
      [{ kind: 'deployment' }, []],
      [{ kind: 'all' }, []],
      [machines(id), []],
      [{ kind: 'nothing' }, []],
      [{ kind: 'checks' }, []],
    ]);
  });

  test('returns both ids of a reissue as touched and as possibly transferred', async () => {
    const id = await harness.activate();
    const credentialSubject = stringToHex('logs reissued');
    await harness.administer('machineStateAndSync', 'devReissue', id, 'Sensor', credentialSubject);
    const next = calls.machineIdOf({ machineType: 'Sensor', credentialSubject });
    const logs = await latestLogs();
    const reissues = logs.filter(({ effect }) => effect.kind === 'machines' && effect.ids.length === 2);
    expect(reissues.map(toEffect)).toEqual([
      {
        address: harness.addresses.machineRegistry,
        effect: machines(id, next),
        ownershipOf: [id, next],
        event: undefined,
      },
      { address: harness.addresses.machineSubscription, effect: machines(id, next), ownershipOf: [], event: undefined },
      {
        address: harness.addresses.crossChainMirror,
        effect: machines(id, next),
        ownershipOf: [id, next],
        event: undefined,
      },
    ]);
  });

  test('distinguishes events of both generations, whose ids are unrelated', async () => {
    const id = await harness.activate();
    const { deployment } = harness.chain;
    const machine = `0x${'3'.repeat(40)}`;
    await harness.mine(
      calls.adminCall(deployment, 'legacyIdentityRegistry', 'registerMachine', [machine, OWNER]),
      harness.revenue(id, 2n ** 255n),
      calls.submitEvent(
        deployment,
        { from: OWNER, machineId: 1n, eventType: 1, value: 7n, timestamp: 1_700_000_000, trustLevel: 0 },
        'legacyEventRegistry',
      ),
    );
    const logs = await latestLogs();
    expect(logs.map(toEffect)).toEqual([
      {
        address: harness.addresses.eventRegistry,
        effect: machines(id),
        ownershipOf: [],
        event: {
          kind: 'submitted',
          generation: 'current',
          machineId: id,
          eventIndex: 0n,
          eventType: 0,
          value: 2n ** 255n,
        },
      },
      {
        address: harness.addresses.legacy!.eventRegistry,
        effect: { kind: 'nothing' },
        ownershipOf: [],
        event: { kind: 'submitted', generation: 'legacy', machineId: 1n, eventIndex: 0n, eventType: 1, value: 7n },
      },
    ]);
    const { number } = await harness.readHead();
    const query = { fromBlock: 0, toBlock: number };
    const own = await log.readLogs({ ...query, eventsOf: { generation: 'current', machineId: id as MachineId } });
    expect(own.map(({ event }) => event)).toEqual([logs[0]!.event]);
    const legacy = await log.readLogs({ ...query, eventsOf: { generation: 'legacy', machineId: 1n as MachineId } });
    expect(legacy.map(({ event }) => event)).toEqual([logs[1]!.event]);
    const head = await log.readHeader('latest');
    const wanted = [
      { generation: 'legacy', id: 1n as MachineId, from: 0, to: 1 },
      { generation: 'current', id: id as MachineId, from: 0, to: 1 },
      { generation: 'current', id: id as MachineId, from: 0, to: 3 },
      { generation: 'current', id: 4711n as MachineId, from: 0, to: 1 },
    ] as const;
    const records = await log.readEventRecords(head, wanted);
    expect(records.map((each) => each.map(({ value }) => value))).toEqual([[7n], [2n ** 255n], [2n ** 255n], []]);
  });

  test('returns complete logs for every block of the deployment', async () => {
    const headers = await log.readHeaders([1, 2, 3]);
    const blocks = await log.readBlockLogs(headers);
    const contracts = watchContracts(log.addresses);
    headers.forEach((header, i) => {
      const { logs, bloom } = blocks[i]!;
      expect(() => checkBlockComplete(contracts, header, logs, bloom)).not.toThrow();
    });
    expect(blocks[0]!.logs.some(({ effect }) => effect.kind === 'checks')).toBe(true);
  });
});

describe('decoding of a log with an unusual form', () => {
  const transferTopics = encodeEventTopics({
    abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']),
    args: { from: OWNER, to: BUYER, tokenId: 9n },
  });
  const entry = (rest: object) => ({
    address: harness.addresses.machineRegistry,
    blockNumber: '0x1',
    blockHash: word(1n),
    logIndex: '0x0',
    transactionHash: word(2n),
    topics: transferTopics,
    data: '0x',
    removed: false,
    ...rest,
  });
  const answerLogs = (result: unknown) => harness.proxy.inject(respondWith('eth_getLogs', { result }));

  test('rejects an event with a malformed body', async () => {
    const topics = encodeEventTopics({
      abi: parseAbi([
        'event EventSubmitted(uint256 indexed machineId, uint256 indexed eventIndex, uint8 eventType, uint256 value, string indexed currency)',
      ]),
      args: { machineId: 1n, eventIndex: 0n, currency: 'USD' },
    });
    const { eventRegistry } = harness.addresses;
    const body = (type: bigint): Hex => `${word(type)}${word(1n).slice(2)}`;
    for (const data of ['0x', word(1n), body(256n), `${body(0n)}00`]) {
      harness.proxy.heal();
      answerLogs([entry({ address: eventRegistry, topics, data })]);
      await expect(log.readLogs({ fromBlock: 1, toBlock: 1 })).rejects.toMatchObject({
        context: { cause: 'malformed' },
      });
    }
    harness.proxy.heal();
    answerLogs([entry({ address: eventRegistry, topics, data: body(255n) })]);
    expect((await log.readLogs({ fromBlock: 1, toBlock: 1 }))[0]!.event).toMatchObject({ eventType: 255, value: 1n });
  });

  test('touches the machine of a metadata update, and all machines for a range', async () => {
    rule('metadata.erc-4906');
    const abi = parseAbi([
      'event MetadataUpdate(uint256 _tokenId)',
      'event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId)',
    ]);
    const [one, range] = (['MetadataUpdate', 'BatchMetadataUpdate'] as const).map((eventName) =>
      encodeEventTopics({ abi, eventName }),
    );
    const words = (...ids: readonly bigint[]): Hex => `0x${ids.map((id) => word(id).slice(2)).join('')}`;
    const rows: readonly (readonly [object, object])[] = [
      [{ topics: one, data: words(7n) }, machines(7n)],
      [{ topics: one, data: words(0n) }, machines()],
      [{ topics: range, data: words(7n, 7n) }, machines(7n)],
      [{ topics: range, data: words(7n, 8n) }, { kind: 'all' }],
      [{ topics: one, data: '0x' }, { kind: 'unknown' }],
      [{ topics: one, data: `${words(7n)}00` }, { kind: 'unknown' }],
      [{ topics: one, data: words(7n, 8n) }, { kind: 'unknown' }],
      [{ topics: range, data: words(7n) }, { kind: 'unknown' }],
      [{ topics: [...one!, word(7n)], data: '0x' }, { kind: 'unknown' }],
      [{ topics: one, data: words(7n), address: harness.addresses.infoDesk }, { kind: 'nothing' }],
    ];
    answerLogs(rows.map(([parts], logIndex) => entry({ ...parts, logIndex: `0x${logIndex.toString(16)}` })));
    const logs = await log.readLogs({ fromBlock: 1, toBlock: 1 });
    expect(logs.map(({ effect }) => effect)).toEqual(rows.map(([, effect]) => effect));
  });

  test('does not read data that is longer than its event allows', () => {
    const effects = createLogEffects(harness.addresses);
    const unreadable = (length: number) => ({ length }) as unknown as Hex;
    const { machineRegistry, eventRegistry } = harness.addresses;
    const updates = ['MetadataUpdate(uint256)', 'BatchMetadataUpdate(uint256,uint256)'].map(hashSignature);
    for (const topic of [word(1n), ...updates]) {
      for (const words of [3, 1_000_000]) {
        const decoded = effects.decode(machineRegistry, [topic], unreadable(2 + 64 * words));
        expect(decoded).toMatchObject({ effect: { kind: 'unknown' } });
      }
    }
    const submitted = hashSignature('EventSubmitted(uint256,uint256,uint8,uint256,string)');
    const topics = [submitted, word(1n), word(0n), word(2n)];
    expect(effects.decode(eventRegistry, topics, unreadable(2 + 64 * 1_000_000))).toBeUndefined();
  });

  test('returns `unknown` for a log with an unlisted topic or without topics', async () => {
    answerLogs([entry({ topics: [word(1n)] }), entry({ topics: [] })]);
    const logs = await log.readLogs({ fromBlock: 1, toBlock: 1 });
    expect(logs.map(({ effect }) => effect)).toEqual([{ kind: 'unknown' }, { kind: 'unknown' }]);
    harness.proxy.heal();
    const { machineSubscription, infoDesk, crossChainMirror } = harness.addresses;
    answerLogs(
      [machineSubscription, infoDesk, crossChainMirror].map((address) => entry({ address, topics: [word(1n)] })),
    );
    const ignored = await log.readLogs({ fromBlock: 1, toBlock: 1 });
    expect(ignored.map(({ effect }) => effect)).toEqual(Array(3).fill({ kind: 'nothing' }));
  });
});
