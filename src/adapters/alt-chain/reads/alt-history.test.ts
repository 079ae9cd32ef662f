/** What is asked of the history, word for word; what is an answer to it; and who is told to wait. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDeploymentProblem } from '../../rpc/deployment-problem.ts';
import { answerWith, PROXY_KEY, rateLimit, type ProxyAnswer } from '../../../../testing/harness/rpc-proxy.ts';
import { formatBase58 } from '../../../domain/identifiers/base58.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../../../ports/alt-chain.ts';
import { createAltScene, type AltScene } from '../../../../testing/fixtures/alt-chain-adapter.ts';
import {
  CANNED_SLOT,
  singletonAccount,
  startCannedNode,
  type CannedNode,
} from '../../../../testing/fakes/canned-alt-node.ts';
import type { AltChainAdapter } from '../create-alt-chain.ts';
import {
  snapshotFile,
  toId,
  transactionCases,
  vectorMachines,
  vectorPrograms,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { toVectorReading, type Answer } from '../../../../testing/fixtures/alt-transactions.ts';

const { eventRegistry, machineRegistry } = vectorPrograms;
const FULL = vectorMachines[0]!;
const FINALIZED = { commitment: 'finalized' };
const AT_SLOT = { minContextSlot: CANNED_SLOT };

let node: CannedNode;
let scene: AltScene;
let adapter: AltChainAdapter;
let history: AltHistory;
beforeEach(async () => {
  node = await startCannedNode();
  scene = createAltScene([node.proxy.url], node.genesisHash);
  adapter = scene.open();
  ({ history } = adapter.machines!);
  await history.readSlot();
  node.proxy.resetCounts();
});
afterEach(async () => {
  await scene.close();
  await node.close();
});

const unreadable = (cause: string) => ({ kind: 'ChainUnreadable', context: { chain: 'alt', cause } });
const sign = (k: number) => formatBase58(new Uint8Array(64).fill(k));
const wireRow = (k: number, slot: number, change: object = {}) => ({
  ...{ signature: sign(k), slot, blockTime: 1_788_000_000 + k, err: null, memo: null },
  ...{ confirmationStatus: 'finalized', ...change },
});
const row = (k: number, slot: number, change: Partial<SignatureRow> = {}): SignatureRow => ({
  ...{ signature: sign(k), slot, blockTime: 1_788_000_000 + k, hasFailed: false },
  ...change,
});

function answer(method: string, result: unknown): void {
  node.answers.set(method, () => ({ result }));
}

describe('a list of signatures', () => {
  it('is read as it is, newest first', async () => {
    answer('getSignaturesForAddress', [
      wireRow(9, 50),
      wireRow(8, 50, { err: { InstructionError: [0, { Custom: 6000 }] } }),
      wireRow(7, 49, { blockTime: null, confirmationStatus: undefined }),
    ]);
    expect(await history.listSignatures('event-registry', sign(1))).toStrictEqual([
      row(9, 50),
      row(8, 50, { hasFailed: true }),
      row(7, 49, { blockTime: undefined }),
    ]);
    await history.listSignatures(toId(FULL.machineId), undefined);
    expect(node.proxy.calls).toStrictEqual([
      {
        method: 'getSignaturesForAddress',
        params: [eventRegistry, { ...FINALIZED, ...AT_SLOT, limit: 1_000, before: sign(1) }],
      },
      {
        method: 'getSignaturesForAddress',
        params: [FULL.pdas.machineEventLog.address, { ...FINALIZED, ...AT_SLOT, limit: 1_000 }],
      },
    ]);
  });

  it('may be full', async () => {
    const rows = Array.from({ length: 1_000 }, (_, k) => wireRow(0, 5_000 - k, { signature: longSignature(k) }));
    answer('getSignaturesForAddress', rows);
    expect(await history.listSignatures('event-registry', undefined)).toHaveLength(1_000);
    answer('getSignaturesForAddress', [...rows, wireRow(1, 1)]);
    await expect(history.listSignatures('event-registry', undefined)).rejects.toMatchObject(unreadable('malformed'));
  });

  it.each<[name: string, rows: unknown]>([
    ['null', null],
    ['with a row that is none', [wireRow(2, 5), null]],
    ['out of order', [wireRow(2, 5), wireRow(1, 6)]],
    ['with a row twice', [wireRow(2, 5), wireRow(2, 5)]],
    ['with the row that it should be before', [wireRow(9, 5)]],
    ['with a signature that is none', [wireRow(2, 5, { signature: sign(2).slice(1) })]],
    ['with a slot as text', [wireRow(2, 5, { slot: '5' })]],
    ['with a time as text', [wireRow(2, 5, { blockTime: '5' })]],
    ['that does not say what failed', [wireRow(2, 5, { err: undefined })]],
    ['of a fork', [wireRow(2, 5, { confirmationStatus: 'confirmed' })]],
  ])('%s is unreadable', async (_name, rows) => {
    answer('getSignaturesForAddress', rows);
    await expect(history.listSignatures('event-registry', sign(9))).rejects.toMatchObject(unreadable('malformed'));
  });

  function longSignature(k: number): string {
    const bytes = new Uint8Array(64).fill(7);
    new DataView(bytes.buffer).setUint32(0, k);
    return formatBase58(bytes);
  }
});

describe('a transaction', () => {
  const rowOf = ({ slot, transaction, meta }: Answer, change: Partial<SignatureRow> = {}): SignatureRow => ({
    signature: transaction.signatures[0]!,
    slot,
    blockTime: 1_788_000_100,
    hasFailed: meta.err !== null,
    ...change,
  });

  it.each(transactionCases)('$name', async ({ response, expect: expected }) => {
    answer('getTransaction', response);
    expect(toVectorReading(await history.readTransaction(rowOf(response)))).toStrictEqual(expected);
    expect(node.proxy.calls).toStrictEqual([
      {
        method: 'getTransaction',
        params: [
          response.transaction.signatures[0],
          { ...FINALIZED, encoding: 'json', maxSupportedTransactionVersion: 0 },
        ],
      },
    ]);
  });

  const [{ response: sound }] = transactionCases as [(typeof transactionCases)[0]];

  it.each<[name: string, given: ProxyAnswer, change: Partial<SignatureRow>, state: string]>([
    ['that the node has not got', { result: null }, {}, 'not-here-yet'],
    ['whose time nobody knows', { result: sound }, { blockTime: undefined }, 'parked'],
    ['that failed after all', { result: sound }, { hasFailed: true }, 'unreadable'],
    ['of another slot', { result: sound }, { slot: 1 }, 'unreadable'],
    ['of a newer version', { error: { code: -32015, message: 'version' } }, {}, 'unreadable'],
    ['that is a text', { result: 'x' }, {}, 'unreadable'],
  ])('%s is %s', async (_name, given, change, state) => {
    node.answers.set('getTransaction', () => given);
    expect(await history.readTransaction(rowOf(sound, change))).toStrictEqual({ state });
  });

  it('is one of at most eight that are asked for at one time', async () => {
    const release = Promise.withResolvers<undefined>();
    answer('getTransaction', null);
    node.proxy.inject({ kind: 'hold', until: release.promise }, 8);
    const readings = Array.from({ length: 20 }, () => history.readTransaction(rowOf(sound)));
    await node.proxy.waitForRequests(8);
    const other = scene.open().machines!.history.readSlot(); // not held, so a ninth would have been seen by then
    await other;
    expect(node.proxy.calls.filter(({ method }) => method === 'getTransaction')).toHaveLength(8);
    release.resolve(undefined);
    expect(await Promise.all(readings)).toHaveLength(20);
  });
});

describe('a block', () => {
  it('has a time, or nobody knows it', async () => {
    answer('getBlockTime', 1_788_000_100);
    expect(await history.readBlockTime(5)).toBe(1_788_000_100);
    answer('getBlockTime', null);
    expect(await history.readBlockTime(5)).toBeUndefined();
    for (const code of [-32004, -32007, -32009]) {
      node.answers.set('getBlockTime', () => ({ error: { code, message: 'skipped' } }));
      expect(await history.readBlockTime(5)).toBeUndefined();
    }
    expect(node.proxy.calls[0]).toStrictEqual({ method: 'getBlockTime', params: [5] });
    answer('getBlockTime', '5');
    await expect(history.readBlockTime(5)).rejects.toMatchObject(unreadable('malformed'));
  });

  it('has signatures in order', async () => {
    answer('getBlock', { signatures: [sign(3), sign(1), sign(2)], blockTime: null });
    expect(await history.readBlockSignatures(5)).toStrictEqual([sign(3), sign(1), sign(2)]);
    const config = { ...FINALIZED, transactionDetails: 'signatures', rewards: false };
    expect(node.proxy.calls).toStrictEqual([
      { method: 'getBlock', params: [5, { ...config, maxSupportedTransactionVersion: 0 }] },
    ]);
  });

  it.each<[name: string, block: unknown]>([
    ['without signatures', {}],
    ['with one twice', { signatures: [sign(3), sign(3)] }],
    ['with one that is none', { signatures: ['x'] }],
  ])('%s is unreadable', async (_name, block) => {
    answer('getBlock', block);
    await expect(history.readBlockSignatures(5)).rejects.toMatchObject(unreadable('malformed'));
  });

  it('that is not there yet is worth a wait', async () => {
    answer('getBlock', null);
    await expect(history.readBlockSignatures(5)).rejects.toStrictEqual(new AltNodeBusy());
  });
});

describe('who asks is told to wait', () => {
  it.each<[name: string, retryAfter: number | undefined, seconds: number | undefined]>([
    ['as long as the node says', 10, 10],
    ['at most 30 s', 3_600, 30],
    ['as long as it likes', undefined, undefined],
  ])('%s', async (_name, retryAfter, seconds) => {
    node.proxy.inject(rateLimit(retryAfter), 1);
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy(seconds));
  });

  it('for the rest of the pause', async () => {
    node.proxy.inject(rateLimit(10), 1);
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy(10));
    scene.time.milliseconds += 4_000;
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy(6));
    scene.time.milliseconds += 6_000;
    expect(await history.readSlot()).toBe(CANNED_SLOT);
    expect(node.proxy.requests).toBe(2);
  });

  it('by a node that is behind', async () => {
    node.slot = CANNED_SLOT - 1;
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy());
    await expect(history.listSignatures('event-registry', undefined)).rejects.toStrictEqual(new AltNodeBusy());
    await expect(history.readFleet()).rejects.toStrictEqual(new AltNodeBusy());
  });

  it('but not where waiting does not help', async () => {
    node.proxy.inject(answerWith('getProgramAccounts', { error: { code: -32010, message: PROXY_KEY } }));
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('rpc-error'));
    node.proxy.inject({ kind: 'cut' });
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('transport'));
    expect(JSON.stringify(scene.lines)).not.toContain(PROXY_KEY);
  });
});

describe('the fleet', () => {
  it('is asked for between two looks at the count', async () => {
    const { fleet, ...counts } = await history.readFleet();
    expect(counts).toStrictEqual({ slot: CANNED_SLOT, countBefore: 7n, countAfter: 7n });
    expect(fleet.rowCount).toBe(7);
    const singletons = [singletonAccount('config').address, singletonAccount('registry').address];
    const config = { ...FINALIZED, encoding: 'base64', ...AT_SLOT };
    const { config: published } = snapshotFile.request;
    expect(node.proxy.calls).toStrictEqual([
      { method: 'getMultipleAccounts', params: [singletons, config] },
      { method: 'getProgramAccounts', params: [machineRegistry, { ...published, ...AT_SLOT }] },
      { method: 'getMultipleAccounts', params: [singletons, config] },
    ]);
  });

  it('shows the rows of the vectors, bad ones in the place of sound ones', async () => {
    const [first] = snapshotFile.rows;
    const bad = snapshotFile.badRows.map(({ pubkey, data }) => ({ pubkey, account: { ...first!.account, data } }));
    const replaced = new Set(bad.map(({ pubkey }) => pubkey));
    const sound = snapshotFile.rows.filter(({ pubkey }) => !replaced.has(pubkey));
    answer('getProgramAccounts', { context: { slot: CANNED_SLOT }, value: [...sound, ...bad] });
    const { fleet } = await history.readFleet();
    const flawed = fleet.unattributed + [...fleet.unreadableByOperator.values()].reduce((sum, count) => sum + count, 0);
    expect([fleet.rowCount, flawed]).toStrictEqual([sound.length + 2, 2]);
  });

  it.each<[name: string, result: unknown]>([
    ['without a slot', { value: [] }],
    ['without context', []],
    ['that is no list', { context: { slot: CANNED_SLOT }, value: {} }],
    ['with a row twice', { context: { slot: CANNED_SLOT }, value: [snapshotFile.rows[0], snapshotFile.rows[0]] }],
  ])('%s is unreadable', async (_name, result) => {
    answer('getProgramAccounts', result);
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('malformed'));
  });

  it('of a registry that is gone is that of another deployment', async () => {
    node.accounts.delete(singletonAccount('registry').address);
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('wrong-chain'));
  });
});

describe('the counts of event logs', () => {
  const logs = vectorMachines.flatMap(({ accounts }) => accounts.machineEventLog ?? []);
  const wireLog = (k: number, change: object = {}, accountChange: object = {}) => {
    const { address, data, ...account } = logs[k]!;
    const sliced = Buffer.from(data, 'base64').subarray(8, 56).toString('base64');
    return { pubkey: address, account: { ...account, data: [sliced, 'base64'], ...accountChange }, ...change };
  };

  it('are asked for by size and kind', async () => {
    await history.readEventLogCounts();
    expect(node.proxy.calls).toStrictEqual([
      {
        method: 'getProgramAccounts',
        params: [
          eventRegistry,
          {
            ...{ ...FINALIZED, encoding: 'base64', withContext: true, dataSlice: { offset: 8, length: 48 } },
            filters: [
              { dataSize: 452 },
              {
                memcmp: { offset: 0, encoding: 'base58', bytes: formatBase58(Buffer.from('7a8ada9cb47241f8', 'hex')) },
              },
            ],
            ...AT_SLOT,
          },
        ],
      },
    ]);
  });

  it.each<[name: string, rows: unknown]>([
    ['no list', {}],
    ['a log twice', [wireLog(0), wireLog(1), wireLog(0)]],
    ['the log of a machine at the address of another', [wireLog(0, { pubkey: logs[1]!.address })]],
    ['a log of another program', [wireLog(0, {}, { owner: machineRegistry })]],
    ['an executable log', [wireLog(0, {}, { executable: true })]],
    ['a log cut short', [wireLog(0, {}, { data: ['AAAA', 'base64'] })]],
    ['a whole log', [wireLog(0, {}, { data: [logs[0]!.data, 'base64'] })]],
    ['no account', [{ pubkey: logs[0]!.address, account: null }]],
  ])('with %s are unreadable', async (_name, value) => {
    answer('getProgramAccounts', { context: { slot: CANNED_SLOT }, value });
    await expect(history.readEventLogCounts()).rejects.toMatchObject(unreadable('malformed'));
  });
});

describe('a deployment that contradicts the configuration', () => {
  it('is read again only when a check has found it sound', async () => {
    const registry = singletonAccount('registry');
    const foreign = singletonAccount('registry of another chain');
    node.accounts.set(foreign.address, foreign);
    expect((await adapter.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
      'ALT_ORDINAL: the machine registry is that of chain 6',
    ]);
    node.accounts.set(registry.address, registry);
    node.proxy.resetCounts();
    await expect(history.readSlot()).rejects.toMatchObject(unreadable('wrong-chain'));
    await expect(adapter.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject(unreadable('wrong-chain'));
    expect(node.proxy.requests).toBe(0);
    expect(await adapter.checkDeployment()).toStrictEqual([]);
    expect(await history.readSlot()).toBe(CANNED_SLOT);
  });
});
