/** Fault switches of the local alt chain: each causes its fault, and clearing them restores normal responses. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callRpc, callRpcError, post, send } from './alt-chain-client.ts';
import { startAltNode } from './alt-node.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { submitEvent } from './event-transactions.ts';
import type { RequestFault } from './node-faults.ts';
import { machineAddresses } from './program-addresses.ts';
import { GENESIS, OWNER_SEED, placeEventRegistry, placeMachine, REVENUE } from './registered-machine.ts';

const REQUEST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
const JSON_V0 = { encoding: 'json', maxSupportedTransactionVersion: 0 };

let node: AltNode;
/** Two in one slot, then one in another. */
let transactions: SubmittedTransaction[];
let names: string[];

beforeAll(async () => {
  node = await startAltNode({ genesisTimestamp: GENESIS });
  await placeEventRegistry(node);
  await placeMachine(node, 1n);
  const submit = async () => submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: REVENUE });
  transactions = [await submit(), await submit()];
  node.advanceSlots(10);
  transactions.push(await submit());
  node.advanceSlots(31);
  names = transactions.map(({ signature }) => signature);
});
afterEach(() => node.faults.clear());
afterAll(() => node.stop());

async function listNames(options?: object): Promise<string[]> {
  const rows = await callRpc<{ signature: string }[]>(
    node,
    'getSignaturesForAddress',
    node.programs.eventRegistry,
    options,
  );
  return rows.map(({ signature }) => signature);
}

async function logsOf(signature: string): Promise<unknown> {
  const { meta } = await callRpc<{ meta: { logMessages: unknown } }>(node, 'getTransaction', signature, JSON_V0);
  return meta.logMessages;
}

function setFault(fault: RequestFault): void {
  node.faults.request = () => fault;
}

describe('a request fault', () => {
  it('returns 429 with and without Retry-After', async () => {
    setFault({ kind: 'too-many-requests', retryAfterSeconds: 10 });
    const response = await send(node, REQUEST);
    expect([response.status, response.headers.get('retry-after')]).toStrictEqual([429, '10']);
    setFault({ kind: 'too-many-requests' });
    expect((await send(node, REQUEST)).headers.get('retry-after')).toBeNull();
  });

  it('returns an HTTP error', async () => {
    setFault({ kind: 'http-error', status: 502 });
    expect((await send(node, REQUEST)).status).toBe(502);
  });

  it('truncates the JSON of a response', async () => {
    setFault({ kind: 'malformed-json' });
    const response = await send(node, REQUEST);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  it('resets the connection', async () => {
    setFault({ kind: 'reset' });
    await expect(send(node, REQUEST)).rejects.toThrow('fetch failed');
  });

  it('leaves the request open until the client aborts', async () => {
    const controller = new AbortController();
    node.faults.request = () => {
      controller.abort();
      return { kind: 'hang' };
    };
    await expect(send(node, REQUEST, controller.signal)).rejects.toThrow('This operation was aborted');
  });

  it('returns a JSON-RPC error', async () => {
    setFault({ kind: 'rpc-error', code: -32005, message: 'Node is behind by 42 slots' });
    expect(await callRpcError(node, 'getHealth')).toStrictEqual({
      code: -32005,
      message: 'Node is behind by 42 slots',
    });
  });

  it('applies by method and by position in a batch', async () => {
    let count = 0;
    node.faults.request = (method, params) => {
      if (method === 'getSlot' && params.length === 0) count += 1;
      return count === 2 ? { kind: 'http-error', status: 503 } : undefined;
    };
    const batch = ['getHealth', 'getSlot'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const statuses: number[] = [];
    for (const body of [REQUEST, JSON.stringify(batch), JSON.stringify(batch)]) {
      statuses.push((await send(node, body)).status);
    }
    expect(statuses).toStrictEqual([200, 200, 503]);
  });
});

describe('a node', () => {
  it('reports the genesis hash of another chain', async () => {
    node.faults.genesisHash = 'another';
    expect(await callRpc(node, 'getGenesisHash')).toBe('another');
  });

  it('lags behind in every response', async () => {
    const { address } = (await machineAddresses(1n)).machineEventLog;
    const read = async () => {
      const response = await callRpc<{ context: { slot: number }; value: { data: [string, string] } }>(
        node,
        'getAccountInfo',
        address,
        { encoding: 'base64', dataSlice: { offset: 40, length: 1 } },
      );
      return [response.context.slot, Buffer.from(response.value.data[0], 'base64')[0]];
    };
    const [slot] = await read();
    node.faults.slotsBehind = 5;
    expect(await read()).toStrictEqual([slot! - 5, 2]);
    expect(await callRpc(node, 'getSlot')).toBe(slot! - 5);
    expect(await listNames()).toStrictEqual([names[1], names[0]]);
    expect(await callRpc(node, 'getTransaction', names[2], JSON_V0)).toBeNull();
    node.faults.clear();
    expect(await read()).toStrictEqual([slot, 3]);
  });

  it('has no data before its first available block', async () => {
    const first = transactions[2]!.slot;
    node.faults.firstAvailableBlock = first;
    expect(await callRpc(node, 'getFirstAvailableBlock')).toBe(first);
    expect(await listNames()).toStrictEqual([names[2]]);
    expect(await callRpc(node, 'getTransaction', names[0], JSON_V0)).toBeNull();
    const pruned = { code: -32001, message: expect.stringContaining(`First available block: ${first}`) as string };
    expect(await callRpcError(node, 'getBlockTime', first - 1)).toStrictEqual(pruned);
    expect(await callRpcError(node, 'getBlock', first - 1, { transactionDetails: 'signatures' })).toStrictEqual(pruned);
  });

  it('returns null for an unknown block time', async () => {
    const { slot } = transactions[0]!;
    node.faults.untimedSlots.add(slot);
    const rows = await callRpc<object[]>(node, 'getSignaturesForAddress', node.programs.eventRegistry, {
      before: names[1],
    });
    expect(rows).toMatchObject([{ signature: names[0], blockTime: null }]);
    expect(await callRpc(node, 'getTransaction', names[0], JSON_V0)).toMatchObject({ blockTime: null });
    expect(await callRpc(node, 'getBlockTime', slot)).toBeNull();
    expect(await callRpc(node, 'getBlock', slot, { transactionDetails: 'none' })).toMatchObject({ blockTime: null });
  });
});

describe('a transaction', () => {
  it('is unknown to getTransaction', async () => {
    node.faults.unknownTransactions.add(names[1]!);
    expect(await callRpc(node, 'getTransaction', names[1], JSON_V0)).toBeNull();
    expect(await callRpc(node, 'getTransaction', names[0], JSON_V0)).not.toBeNull();
  });

  it('has no logs, or truncated logs', async () => {
    const { logs } = transactions[0]!;
    node.faults.logs.set(names[0]!, 'null').set(names[1]!, { keep: 1 });
    expect(await logsOf(names[0]!)).toBeNull();
    expect(await logsOf(names[1]!)).toStrictEqual([logs[0], 'Log truncated']);
    expect(await logsOf(names[2]!)).toStrictEqual(transactions[2]!.logs);
  });
});

describe('a list', () => {
  it('of signatures omits a row', async () => {
    node.faults.missingRows.add(names[1]!);
    expect(await listNames()).toStrictEqual([names[2], names[0]]);
  });

  it('of signatures repeats a row', async () => {
    node.faults.duplicateRows.add(names[1]!);
    expect(await listNames()).toStrictEqual([names[2], names[1], names[1], names[0]]);
  });

  it('of signatures is empty before an unknown signature', async () => {
    node.faults.unknownBefore.add(names[2]!);
    expect(await listNames({ before: names[2] })).toStrictEqual([]);
    expect(await listNames({ before: names[1] })).toStrictEqual([names[0]]);
  });

  it('of signatures reverses the order within a slot', async () => {
    node.faults.oldestFirstInSlot = true;
    expect(await listNames()).toStrictEqual([names[2], names[0], names[1]]);
    expect(await listNames({ before: names[0] })).toStrictEqual([names[1]]);
  });

  it("of a program's accounts omits or repeats a row", async () => {
    await placeMachine(node, 2n);
    node.advanceSlots(31);
    const [one, two] = [(await machineAddresses(1n)).machine.address, (await machineAddresses(2n)).machine.address];
    node.faults.missingRows.add(one);
    node.faults.duplicateRows.add(two);
    const options = { encoding: 'base64' };
    const rows = await callRpc<{ pubkey: string }[]>(
      node,
      'getProgramAccounts',
      node.programs.machineRegistry,
      options,
    );
    expect(rows.map(({ pubkey }) => pubkey)).toStrictEqual([two, two]);
  });
});

it('clears all switches together', async () => {
  setFault({ kind: 'http-error', status: 500 });
  Object.assign(node.faults, { genesisHash: 'x', slotsBehind: 9, firstAvailableBlock: 99, oldestFirstInSlot: true });
  for (const name of names) {
    node.faults.missingRows.add(name);
    node.faults.unknownTransactions.add(name);
    node.faults.logs.set(name, 'null');
  }
  node.faults.clear();
  expect(await post(node, JSON.parse(REQUEST))).toStrictEqual({ jsonrpc: '2.0', id: 1, result: 'ok' });
  expect(await callRpc(node, 'getGenesisHash')).toBe(node.genesisHash);
  expect(await listNames()).toStrictEqual(names.toReversed());
  expect(await logsOf(names[0]!)).toStrictEqual(transactions[0]!.logs);
});
