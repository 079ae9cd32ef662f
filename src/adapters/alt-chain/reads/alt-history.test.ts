/** Tests the requests of the alt-chain history, validation of responses, and errors that ask the caller to wait. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_STOPWATCH } from '../../rpc/deadline.ts';
import { formatDeploymentProblem } from '../../rpc/deployment-problem.ts';
import { respondWith, PROXY_KEY, rateLimit, type ProxyResponse } from '../../../../testing/harness/rpc-proxy.ts';
import { formatBase58 } from '../../../domain/identifiers/base58.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../../../ports/alt-chain.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
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
import { toVectorReading, type TransactionResponse } from '../../../../testing/fixtures/alt-transactions.ts';

const { eventRegistry, machineRegistry } = vectorPrograms;
const FULL = vectorMachines[0]!;
const FINALIZED = { commitment: 'finalized' };
const AT_SLOT = { minContextSlot: CANNED_SLOT };

let node: CannedNode;
let harness: AltChainHarness;
let adapter: AltChainAdapter;
let history: AltHistory;
beforeEach(async () => {
  node = await startCannedNode();
  harness = createAltChainHarness([node.proxy.url], node.genesisHash);
  adapter = harness.open();
  ({ history } = adapter.machines!);
  await history.readSlot();
  node.proxy.resetCounts();
});
afterEach(async () => {
  await harness.close();
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

function setResult(method: string, result: unknown): void {
  node.responses.set(method, () => ({ result }));
}

describe('a list of signatures', () => {
  it('is returned newest first', async () => {
    setResult('getSignaturesForAddress', [
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

  it('may have 1,000 rows, and is unreadable with more', async () => {
    const rows = Array.from({ length: 1_000 }, (_, k) => wireRow(0, 5_000 - k, { signature: longSignature(k) }));
    setResult('getSignaturesForAddress', rows);
    expect(await history.listSignatures('event-registry', undefined)).toHaveLength(1_000);
    setResult('getSignaturesForAddress', [...rows, wireRow(1, 1)]);
    await expect(history.listSignatures('event-registry', undefined)).rejects.toMatchObject(unreadable('malformed'));
  });

  it.each<[name: string, rows: unknown]>([
    ['null', null],
    ['a null row', [wireRow(2, 5), null]],
    ['rows out of order', [wireRow(2, 5), wireRow(1, 6)]],
    ['a repeated row', [wireRow(2, 5), wireRow(2, 5)]],
    ['the row of the before parameter', [wireRow(9, 5)]],
    ['an invalid signature', [wireRow(2, 5, { signature: sign(2).slice(1) })]],
    ['a slot as text', [wireRow(2, 5, { slot: '5' })]],
    ['a time as text', [wireRow(2, 5, { blockTime: '5' })]],
    ['a row without err', [wireRow(2, 5, { err: undefined })]],
    ['a row that is not finalized', [wireRow(2, 5, { confirmationStatus: 'confirmed' })]],
  ])('is unreadable with %s', async (_name, rows) => {
    setResult('getSignaturesForAddress', rows);
    await expect(history.listSignatures('event-registry', sign(9))).rejects.toMatchObject(unreadable('malformed'));
  });

  function longSignature(k: number): string {
    const bytes = new Uint8Array(64).fill(7);
    new DataView(bytes.buffer).setUint32(0, k);
    return formatBase58(bytes);
  }
});

describe('a transaction', () => {
  const rowOf = (
    { slot, transaction, meta }: TransactionResponse,
    change: Partial<SignatureRow> = {},
  ): SignatureRow => ({
    signature: transaction.signatures[0]!,
    slot,
    blockTime: 1_788_000_100,
    hasFailed: meta.err !== null,
    ...change,
  });

  it.each(transactionCases)('is read as in the vector: $name', async ({ response, expect: expected }) => {
    setResult('getTransaction', response);
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

  it.each<[name: string, given: ProxyResponse, change: Partial<SignatureRow>, state: string]>([
    ['null', { result: null }, {}, 'not-here-yet'],
    ['an unknown block time', { result: sound }, { blockTime: undefined }, 'parked'],
    ['a listed failure', { result: sound }, { hasFailed: true }, 'unreadable'],
    ['another listed slot', { result: sound }, { slot: 1 }, 'unreadable'],
    ['an unsupported version', { error: { code: -32015, message: 'version' } }, {}, 'unreadable'],
    ['a text', { result: 'x' }, {}, 'unreadable'],
  ])('with %s is %s', async (_name, given, change, state) => {
    node.responses.set('getTransaction', () => given);
    expect(await history.readTransaction(rowOf(sound, change))).toStrictEqual({ state });
  });

  it('is read with at most eight concurrent requests', async () => {
    const release = Promise.withResolvers<undefined>();
    setResult('getTransaction', null);
    node.proxy.inject({ kind: 'hold', until: release.promise }, 8);
    const readings = Array.from({ length: 20 }, () => history.readTransaction(rowOf(sound)));
    await node.proxy.waitForRequests(8);
    const other = harness.open().machines!.history.readSlot(); // not held, so a ninth request would have arrived before it
    await other;
    expect(node.proxy.calls.filter(({ method }) => method === 'getTransaction')).toHaveLength(8);
    release.resolve(undefined);
    expect(await Promise.all(readings)).toHaveLength(20);
  });
});

describe('a block', () => {
  it('has a time, or undefined if the node does not know it', async () => {
    setResult('getBlockTime', 1_788_000_100);
    expect(await history.readBlockTime(5)).toBe(1_788_000_100);
    setResult('getBlockTime', null);
    expect(await history.readBlockTime(5)).toBeUndefined();
    for (const code of [-32004, -32007, -32009]) {
      node.responses.set('getBlockTime', () => ({ error: { code, message: 'skipped' } }));
      expect(await history.readBlockTime(5)).toBeUndefined();
    }
    expect(node.proxy.calls[0]).toStrictEqual({ method: 'getBlockTime', params: [5] });
    setResult('getBlockTime', '5');
    await expect(history.readBlockTime(5)).rejects.toMatchObject(unreadable('malformed'));
  });

  it('lists its signatures in order', async () => {
    setResult('getBlock', { signatures: [sign(3), sign(1), sign(2)], blockTime: null });
    expect(await history.readBlockSignatures(5)).toStrictEqual([sign(3), sign(1), sign(2)]);
    const config = { ...FINALIZED, transactionDetails: 'signatures', rewards: false };
    expect(node.proxy.calls).toStrictEqual([
      { method: 'getBlock', params: [5, { ...config, maxSupportedTransactionVersion: 0 }] },
    ]);
  });

  it.each<[name: string, block: unknown]>([
    ['no signatures', {}],
    ['a repeated signature', { signatures: [sign(3), sign(3)] }],
    ['an invalid signature', { signatures: ['x'] }],
  ])('is unreadable with %s', async (_name, block) => {
    setResult('getBlock', block);
    await expect(history.readBlockSignatures(5)).rejects.toMatchObject(unreadable('malformed'));
  });

  it('throws AltNodeBusy when the node does not have it yet', async () => {
    setResult('getBlock', null);
    await expect(history.readBlockSignatures(5)).rejects.toStrictEqual(new AltNodeBusy('behind'));
  });
});

describe('a transient failure', () => {
  it.each<[name: string, retryAfter: number | undefined, seconds: number | undefined]>([
    ['the Retry-After of the node', 10, 10],
    ['at most 30 s', 3_600, 30],
    ['no time without a Retry-After', undefined, undefined],
  ])('throws AltNodeBusy with %s', async (_name, retryAfter, seconds) => {
    node.proxy.inject(rateLimit(retryAfter), 1);
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy('rate', seconds));
  });

  it('asks the only node again after a rate limit, at the learned rate: one refusal pauses no other read', async () => {
    node.proxy.inject(rateLimit(10), 1);
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy('rate', 10));
    expect(await history.readSlot()).toBe(CANNED_SLOT);
  });

  it('throws AltNodeBusy when the node is behind', async () => {
    node.slot = CANNED_SLOT - 1;
    await expect(history.readSlot()).rejects.toStrictEqual(new AltNodeBusy('behind'));
    await expect(history.listSignatures('event-registry', undefined)).rejects.toStrictEqual(new AltNodeBusy('behind'));
    await expect(history.readFleet()).rejects.toStrictEqual(new AltNodeBusy('behind'));
  });

  it('is not a permanent failure, which throws ChainUnreadable', async () => {
    node.proxy.inject(respondWith('getProgramAccounts', { error: { code: -32010, message: PROXY_KEY } }));
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('rpc-error'));
    node.proxy.inject({ kind: 'cut' });
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('transport'));
    expect(JSON.stringify(harness.lines)).not.toContain(PROXY_KEY);
  });
});

describe('the fleet', () => {
  it('is read between two reads of the machine count', async () => {
    const { fleet, ...counts } = await history.readFleet();
    const count = { slot: CANNED_SLOT, machineCount: 7n };
    expect(counts).toStrictEqual({ slot: CANNED_SLOT, before: count, after: count });
    expect(fleet.addresses).toStrictEqual(new Set(snapshotFile.rows.map(({ pubkey }) => pubkey)));
    const singletons = [singletonAccount('config').address, singletonAccount('registry').address];
    const config = { ...FINALIZED, encoding: 'base64', ...AT_SLOT };
    const { config: published } = snapshotFile.request;
    expect(node.proxy.calls).toStrictEqual([
      { method: 'getMultipleAccounts', params: [singletons, config] },
      { method: 'getProgramAccounts', params: [machineRegistry, { ...published, ...AT_SLOT }] },
      { method: 'getMultipleAccounts', params: [singletons, config] },
    ]);
  });

  it.each([
    [0, 10, 'accepted'],
    [0, 11, 'refused as behind'],
    [2_000, 20, 'accepted'],
    [2_000, 21, 'refused as behind'],
    [120_000, 300, 'accepted'],
    [120_000, 301, 'refused as behind'],
  ])('whose counts are %i ms and %i slots apart is %s, and then read from there on', async (time, slots, expected) => {
    let nowMilliseconds = 0;
    const stopwatch = { ...REAL_STOPWATCH, nowMilliseconds: () => nowMilliseconds };
    ({ history } = harness.open({ stopwatch }).machines!);
    // What passes before the first count says nothing about the counts.
    const passTime = (response: ProxyResponse) => {
      nowMilliseconds += 60_000;
      return response;
    };
    node.proxy.inject({ kind: 'answer', change: passTime }, 1);
    node.responses.set('getProgramAccounts', () => {
      nowMilliseconds += time;
      node.slot = CANNED_SLOT + slots;
      return { result: { context: { slot: node.slot }, value: snapshotFile.rows } };
    });
    const outcome = history.readFleet().then(
      () => 'accepted',
      (error: unknown) => (error instanceof AltNodeBusy ? `refused as ${error.reason}` : error),
    );
    expect(await outcome).toBe(expected);
    expect((await history.readFleet()).slot).toBe(CANNED_SLOT + slots);
  });

  it('counts the invalid rows of the vectors among the valid ones', async () => {
    const [first] = snapshotFile.rows;
    const bad = snapshotFile.badRows.map(({ pubkey, data }) => ({ pubkey, account: { ...first!.account, data } }));
    const replaced = new Set(bad.map(({ pubkey }) => pubkey));
    const sound = snapshotFile.rows.filter(({ pubkey }) => !replaced.has(pubkey));
    setResult('getProgramAccounts', { context: { slot: CANNED_SLOT }, value: [...sound, ...bad] });
    const { fleet } = await history.readFleet();
    const flawed = fleet.unattributed + [...fleet.unreadableByOperator.values()].reduce((sum, count) => sum + count, 0);
    expect([fleet.addresses.size, flawed]).toStrictEqual([sound.length + 2, 2]);
  });

  it.each<[name: string, result: unknown]>([
    ['no slot', { value: [] }],
    ['no context', []],
    ['an object for the list', { context: { slot: CANNED_SLOT }, value: {} }],
    ['a repeated row', { context: { slot: CANNED_SLOT }, value: [snapshotFile.rows[0], snapshotFile.rows[0]] }],
  ])('is unreadable with %s', async (_name, result) => {
    setResult('getProgramAccounts', result);
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('malformed'));
  });

  it('is unreadable as wrong-deployment when the registry account is absent', async () => {
    node.accounts.delete(singletonAccount('registry').address);
    await expect(history.readFleet()).rejects.toMatchObject(unreadable('wrong-deployment'));
  });
});

describe('the counts of event logs', () => {
  const logs = vectorMachines.flatMap(({ accounts }) => accounts.machineEventLog ?? []);
  const wireLog = (k: number, change: object = {}, accountChange: object = {}) => {
    const { address, data, ...account } = logs[k]!;
    const sliced = Buffer.from(data, 'base64').subarray(8, 56).toString('base64');
    return { pubkey: address, account: { ...account, data: [sliced, 'base64'], ...accountChange }, ...change };
  };

  it('are requested by size and discriminator', async () => {
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
    ['an object for the list', {}],
    ['a repeated log', [wireLog(0), wireLog(1), wireLog(0)]],
    ['a log at another machine’s address', [wireLog(0, { pubkey: logs[1]!.address })]],
    ['a log of another program', [wireLog(0, {}, { owner: machineRegistry })]],
    ['an executable log', [wireLog(0, {}, { executable: true })]],
    ['a truncated log', [wireLog(0, {}, { data: ['AAAA', 'base64'] })]],
    ['a whole log', [wireLog(0, {}, { data: [logs[0]!.data, 'base64'] })]],
    ['no account', [{ pubkey: logs[0]!.address, account: null }]],
  ])('are unreadable with %s', async (_name, value) => {
    setResult('getProgramAccounts', { context: { slot: CANNED_SLOT }, value });
    await expect(history.readEventLogCounts()).rejects.toMatchObject(unreadable('malformed'));
  });
});

describe('a deployment that contradicts the configuration', () => {
  it('is unreadable until a check passes', async () => {
    const registry = singletonAccount('registry');
    const foreign = singletonAccount('registry of another chain');
    node.accounts.set(foreign.address, foreign);
    expect((await adapter.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
      'ALT_ORDINAL: the machine registry is that of chain 6',
    ]);
    node.accounts.set(registry.address, registry);
    node.proxy.resetCounts();
    await expect(history.readSlot()).rejects.toMatchObject(unreadable('wrong-deployment'));
    await expect(adapter.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject(unreadable('wrong-deployment'));
    expect(node.proxy.requests).toBe(0);
    expect(await adapter.checkDeployment()).toStrictEqual([]);
    expect(await history.readSlot()).toBe(CANNED_SLOT);
  });
});
