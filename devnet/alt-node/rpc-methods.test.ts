/** JSON-RPC methods of the local alt chain: responses, limits and errors of mainnet nodes, and reads that never show later slots. */
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callRpc, callRpcError, post, send } from './alt-chain-client.ts';
import { startAltNode } from './alt-node.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { submitEvent, TransactionFailed } from './event-transactions.ts';
import { machineAddresses } from './program-addresses.ts';
import { GENESIS, OWNER_SEED, placeEventRegistry, placeMachine, REVENUE, STRANGER_SEED } from './registered-machine.ts';
import { keyOfSeed, signPlan } from './signed-transaction.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

const DAY = 86_400;
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const OTHER_OWNER = keyOf(200);
const JSON_V0 = { encoding: 'json', maxSupportedTransactionVersion: 0 };

interface Row {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly blockTime: number | null;
  readonly confirmationStatus: string;
}

interface InContext<T> {
  readonly context: { readonly slot: number };
  readonly value: T;
}

interface RpcAccount {
  readonly data: unknown;
  readonly space: number;
}

let node: AltNode;
/** Two in one slot, a failed one the next day, one today. */
let transactions: SubmittedTransaction[];

function keyOf(byte: number): AltKey {
  return formatAltKey(new Uint8Array(32).fill(byte));
}

async function submitToMachine(signer = OWNER_SEED): Promise<SubmittedTransaction> {
  return submitEvent(node, { machineId: 1n, signer, record: REVENUE });
}

beforeAll(async () => {
  node = await startAltNode({ genesisTimestamp: GENESIS });
  await placeEventRegistry(node);
  await placeMachine(node, 1n);
  for (let byte = 1; byte <= 5; byte++) {
    node.setAccount(keyOf(byte), { owner: OTHER_OWNER, data: Uint8Array.from({ length: 10 * byte }, () => byte) });
  }
  const pair = [await submitToMachine(), await submitToMachine()];
  node.advanceTo(GENESIS + DAY);
  const failure = (await submitToMachine(STRANGER_SEED).catch((error: unknown) => error)) as TransactionFailed;
  node.advanceTo(GENESIS + 2 * DAY);
  transactions = [...pair, failure.transaction, await submitToMachine()];
  node.advanceSlots(40);
});
afterAll(() => node.stop());

describe('the chain', () => {
  it('reports genesis hash, health, version and first block', async () => {
    expect(await callRpc(node, 'getGenesisHash')).toBe(node.genesisHash);
    expect(await callRpc(node, 'getHealth')).toBe('ok');
    expect(await callRpc(node, 'getVersion')).toStrictEqual({ 'feature-set': 0, 'solana-core': '3.0.0-devnet' });
    expect(await callRpc(node, 'getFirstAvailableBlock')).toBe(0);
  });

  it('reports a slot for each commitment', async () => {
    const slots = await Promise.all(
      ['processed', 'confirmed', 'finalized', undefined].map((commitment) => callRpc(node, 'getSlot', { commitment })),
    );
    expect(slots).toStrictEqual([node.slot, node.slot - 1, node.slot - 31, node.slot - 31]);
    expect(await callRpcError(node, 'getSlot', { commitment: 'max' })).toMatchObject({ code: -32602 });
  });

  it('reports the times of its slots', async () => {
    const times = transactions.map(({ slot }) => callRpc(node, 'getBlockTime', slot));
    expect(await Promise.all(times)).toStrictEqual([GENESIS, GENESIS, GENESIS + DAY, GENESIS + 2 * DAY]);
    expect(await callRpcError(node, 'getBlockTime', node.slot)).toStrictEqual({
      code: -32004,
      message: `Block not available for slot ${node.slot}`,
    });
  });

  it.each([
    ['getSlot', []],
    ['getAccountInfo', [SYSTEM_PROGRAM]],
    ['getMultipleAccounts', [[]]],
    ['getProgramAccounts', [SYSTEM_PROGRAM]],
    ['getSignaturesForAddress', [SYSTEM_PROGRAM]],
    ['getLatestBlockhash', []],
  ])('rejects %s for a slot that is not reached', async (method, params) => {
    const behind = node.slot - 31;
    expect(await callRpcError(node, method, ...params, { minContextSlot: behind + 1 })).toStrictEqual({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: behind },
    });
    await expect(callRpc(node, method, ...params, { minContextSlot: behind })).resolves.toBeDefined();
  });
});

describe('accounts', () => {
  it('are returned with their rent-exempt balance', async () => {
    expect(await callRpc(node, 'getAccountInfo', keyOf(1), { encoding: 'base64' })).toStrictEqual({
      context: { apiVersion: '3.0.0-devnet', slot: node.slot - 31 },
      value: {
        data: [Buffer.from(new Uint8Array(10).fill(1)).toString('base64'), 'base64'],
        executable: false,
        lamports: (128 + 10) * 6960,
        owner: OTHER_OWNER,
        rentEpoch: Number(2n ** 64n - 1n),
        space: 10,
      },
    });
  });

  it('are encoded in base58 when short, and sliced on request', async () => {
    const read = async (options?: object) =>
      (await callRpc<InContext<RpcAccount>>(node, 'getAccountInfo', keyOf(3), options)).value;
    const bytes = new Uint8Array(30).fill(3);
    const slice = { offset: 28, length: 9 };
    expect(await read()).toMatchObject({ data: formatBase58(bytes) });
    expect(await read({ encoding: 'base58' })).toMatchObject({ data: [formatBase58(bytes), 'base58'] });
    expect(await read({ encoding: 'base64', dataSlice: slice })).toMatchObject({ data: ['AwM=', 'base64'], space: 30 });
    const { machine } = await machineAddresses(1n);
    expect(await callRpcError(node, 'getAccountInfo', machine.address)).toMatchObject({ code: -32600 });
    expect(await callRpcError(node, 'getAccountInfo', keyOf(1), { encoding: 'jsonParsed' })).toMatchObject({
      code: -32602,
    });
    expect(await callRpcError(node, 'getAccountInfo', 'not-a-key')).toMatchObject({ code: -32602 });
  });

  it('are returned in request order, at most 100 at once', async () => {
    const keys = [keyOf(2), keyOf(99), keyOf(1)];
    const { value } = await callRpc<InContext<(RpcAccount | null)[]>>(node, 'getMultipleAccounts', keys, {
      encoding: 'base64',
    });
    expect(value.map((account) => account && account.space)).toStrictEqual([20, null, 10]);
    const most = Array.from({ length: 100 }, () => keyOf(1));
    const all = await callRpc<InContext<unknown[]>>(node, 'getMultipleAccounts', most, { encoding: 'base64' });
    expect(all.value).toHaveLength(100);
    expect(await callRpcError(node, 'getMultipleAccounts', [...most, keyOf(1)])).toStrictEqual({
      code: -32602,
      message: 'Too many inputs provided; max 100',
    });
  });

  it('are never newer than their commitment', async () => {
    const [address, owner, later] = [keyOf(50), keyOf(60), keyOf(61)];
    const lengthAt = async (commitment: string) => {
      const { value } = await callRpc<InContext<RpcAccount | null>>(node, 'getAccountInfo', address, {
        ...{ encoding: 'base64', commitment },
      });
      return value && value.space;
    };
    const ownedBy = async (program: AltKey, commitment: string) =>
      (await callRpc<unknown[]>(node, 'getProgramAccounts', program, { encoding: 'base64', commitment })).length;
    node.setAccount(address, { owner, data: new Uint8Array(1) });
    node.advanceSlots(1);
    node.setAccount(address, { owner: later, data: new Uint8Array(2) });
    node.advanceSlots(1);
    node.removeAccount(address);
    expect([await lengthAt('processed'), await lengthAt('confirmed'), await lengthAt('finalized')]).toStrictEqual([
      null,
      2,
      null,
    ]);
    expect([await ownedBy(owner, 'confirmed'), await ownedBy(later, 'confirmed')]).toStrictEqual([0, 1]);
    node.advanceSlots(29);
    expect([await lengthAt('finalized'), await ownedBy(owner, 'finalized')]).toStrictEqual([1, 1]);
    node.advanceSlots(1);
    expect([await lengthAt('finalized'), await ownedBy(owner, 'finalized')]).toStrictEqual([2, 0]);
    node.advanceSlots(1);
    expect([await lengthAt('finalized'), await ownedBy(later, 'finalized')]).toStrictEqual([null, 0]);
  });

  it('of programs are executable, owned by the upgradeable loader, and immutable', async () => {
    const keys = Object.values(node.programs) as AltKey[];
    const { value } = await callRpc<InContext<object[]>>(node, 'getMultipleAccounts', keys, { encoding: 'base64' });
    const loaded = { executable: true, owner: LOADER, space: 36 };
    expect(value).toMatchObject(keys.map(() => loaded));
    expect(() => node.setAccount(node.programs.binding, { owner: OTHER_OWNER, data: new Uint8Array() })).toThrow();
  });
});

describe("a program's accounts", () => {
  const find = async (...filters: unknown[]) => {
    const rows = await callRpc<{ pubkey: string }[]>(node, 'getProgramAccounts', OTHER_OWNER, {
      ...{ encoding: 'base64', filters },
    });
    return rows.map(({ pubkey }) => pubkey);
  };

  it('are returned completely, with context on request', async () => {
    const bare = await callRpc<{ pubkey: string }[]>(node, 'getProgramAccounts', OTHER_OWNER, { encoding: 'base64' });
    expect(bare.map(({ pubkey }) => pubkey)).toStrictEqual([1, 2, 3, 4, 5].map(keyOf));
    const options = { encoding: 'base64', withContext: true, dataSlice: { offset: 8, length: 2 } };
    const { context, value } = await callRpc<InContext<object[]>>(node, 'getProgramAccounts', OTHER_OWNER, options);
    expect(context.slot).toBe(node.slot - 31);
    expect(value[0]).toMatchObject({ pubkey: keyOf(1), account: { data: ['AQE=', 'base64'], space: 10 } });
  });

  it('are filtered by length and by bytes', async () => {
    const two = Uint8Array.of(2, 2);
    expect(await find({ dataSize: 40 })).toStrictEqual([keyOf(4)]);
    expect(await find({ memcmp: { offset: 18, bytes: formatBase58(two) } })).toStrictEqual([keyOf(2)]);
    const base64 = { offset: 0, bytes: Buffer.from(two).toString('base64'), encoding: 'base64' };
    expect(await find({ memcmp: base64 }, { dataSize: 20 })).toStrictEqual([keyOf(2)]);
    expect(await find({ memcmp: { ...base64, offset: 19 } })).toStrictEqual([]);
  });

  it.each<[name: string, filters: unknown]>([
    ['5 filters', Array.from({ length: 5 }, () => ({ dataSize: 1 }))],
    ['129 bytes', [{ memcmp: { offset: 0, bytes: Buffer.alloc(129).toString('base64'), encoding: 'base64' } }]],
    ['undecodable bytes', [{ memcmp: { offset: 0, bytes: 'O0' } }]],
    ['an empty filter', [{}]],
    ['a value that is not a list', {}],
  ])('are not filtered by %s (invalid params)', async (_name, filters) => {
    expect(await callRpcError(node, 'getProgramAccounts', OTHER_OWNER, { filters })).toMatchObject({ code: -32602 });
  });
});

describe('signatures of an address', () => {
  const list = async (address: AltKey, options?: object) =>
    callRpc<Row[]>(node, 'getSignaturesForAddress', address, options);
  const namesOf = (rows: readonly Row[]) => rows.map(({ signature }) => signature);

  it('are newest first and include failed transactions', async () => {
    const rows = await list(node.programs.eventRegistry);
    const times = [GENESIS, GENESIS, GENESIS + DAY, GENESIS + 2 * DAY];
    expect(rows.toReversed()).toStrictEqual(
      transactions.map(({ err, signature, slot }, index) => ({
        ...{ err, signature, slot, blockTime: times[index], confirmationStatus: 'finalized', memo: null },
      })),
    );
    expect(rows.map(({ err }) => err !== null)).toStrictEqual([false, true, false, false]);
  });

  it('are paged by before, until and limit', async () => {
    const [first, second, third, fourth] = transactions.map(({ signature }) => signature);
    const program = node.programs.eventRegistry;
    expect(namesOf(await list(program, { limit: 2 }))).toStrictEqual([fourth, third]);
    expect(namesOf(await list(program, { before: third }))).toStrictEqual([second, first]);
    expect(namesOf(await list(program, { until: second }))).toStrictEqual([fourth, third]);
    expect(namesOf(await list(program, { before: fourth, until: first }))).toStrictEqual([third, second]);
    const unknown = formatBase58(new Uint8Array(64).fill(9));
    expect(await list(program, { before: unknown })).toStrictEqual([]);
    expect(await list(program, { until: unknown })).toHaveLength(4);
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { before: 'x' }, { commitment: 'processed' }])(
    'are rejected for %j (invalid params)',
    async (options) => {
      expect(await callRpcError(node, 'getSignaturesForAddress', SYSTEM_PROGRAM, options)).toMatchObject({
        code: -32602,
      });
    },
  );

  it('include addresses from a lookup table', async () => {
    await placeMachine(node, 2n);
    const { signature } = await submitEvent(node, {
      ...{ machineId: 2n, signer: OWNER_SEED, record: REVENUE, via: 'v0-lookup-table' },
    });
    const { machine, machineEventLog } = await machineAddresses(2n);
    expect(await list(machineEventLog.address, { commitment: 'confirmed' })).toStrictEqual([]);
    node.advanceSlots(1);
    const rows = await list(machineEventLog.address, { commitment: 'confirmed' });
    expect(rows).toMatchObject([{ signature, confirmationStatus: 'confirmed' }]);
    expect(namesOf(await list(machine.address, { commitment: 'confirmed' }))).toStrictEqual([signature]);
    node.advanceSlots(30);
    expect(await list(machineEventLog.address)).toMatchObject([{ signature, confirmationStatus: 'finalized' }]);
    expect(await callRpcError(node, 'getTransaction', signature, { encoding: 'json' })).toMatchObject({ code: -32015 });
    expect(await callRpc(node, 'getTransaction', signature, JSON_V0)).toMatchObject({ version: 0 });
  });
});

describe('a transaction', () => {
  it('is returned in full', async () => {
    const { logs, signature, slot } = transactions[0]!;
    const { machine, machineEventLog } = await machineAddresses(1n);
    const owner = await keyOfSeed(OWNER_SEED);
    interface RpcTransaction {
      transaction: { message: { accountKeys: string[]; recentBlockhash: string; instructions: unknown[] } };
      meta: { preBalances: number[]; postBalances: number[] };
    }
    const transaction = await callRpc<RpcTransaction>(node, 'getTransaction', signature, JSON_V0);
    expect(transaction).toMatchObject({
      ...{ slot, blockTime: GENESIS, version: 'legacy' },
      transaction: {
        signatures: [signature],
        message: {
          header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 5 },
          instructions: [{ stackHeight: 1 }],
        },
      },
      meta: {
        ...{ err: null, fee: 5000, status: { Ok: null }, logMessages: logs },
        loadedAddresses: { readonly: [], writable: [] },
        // the system program creates the log account
        innerInstructions: [{ index: 0, instructions: [{ stackHeight: 2 }] }],
      },
    });
    const { accountKeys } = transaction.transaction.message;
    expect(accountKeys).toHaveLength(7);
    expect(accountKeys.slice(0, 2)).toStrictEqual([owner, machineEventLog.address]);
    expect(accountKeys).toContain(machine.address);
    expect(transaction.transaction.message).not.toHaveProperty('addressTableLookups');
    const paid = transaction.meta.preBalances.map((before, index) => before - transaction.meta.postBalances[index]!);
    expect(paid).toStrictEqual([5000 + 4_036_800, -4_036_800, 0, 0, 0, 0, 0]);
  });

  it('is returned as its bytes', async () => {
    const { signature } = transactions[0]!;
    const transaction = await callRpc<{ transaction: [string, string] }>(node, 'getTransaction', signature, 'base64');
    expect(transaction.transaction[1]).toBe('base64');
    expect(formatBase58(Buffer.from(transaction.transaction[0], 'base64').subarray(1, 65))).toBe(signature);
    expect(transaction).not.toHaveProperty('version');
  });

  it('is returned when it failed', async () => {
    const { err, signature } = transactions[2]!;
    expect(err).toStrictEqual({ InstructionError: [0, { Custom: 6002 }] });
    expect(await callRpc(node, 'getTransaction', signature, JSON_V0)).toMatchObject({
      meta: { err, status: { Err: err } },
    });
  });

  it('is null before its commitment', async () => {
    const { signature } = await submitToMachine();
    const at = async (commitment: string) => {
      const result = await callRpc(node, 'getTransaction', signature, { ...JSON_V0, commitment });
      return result !== null;
    };
    expect([await at('confirmed'), await at('finalized')]).toStrictEqual([false, false]);
    node.advanceSlots(1);
    expect([await at('confirmed'), await at('finalized')]).toStrictEqual([true, false]);
    node.advanceSlots(30);
    expect([await at('confirmed'), await at('finalized')]).toStrictEqual([true, true]);
    expect(await callRpcError(node, 'getTransaction', signature, { commitment: 'processed' })).toMatchObject({
      code: -32602,
    });
    expect(await callRpcError(node, 'getTransaction', signature, { encoding: 'jsonParsed' })).toMatchObject({
      code: -32602,
    });
    expect(await callRpc(node, 'getTransaction', formatBase58(new Uint8Array(64).fill(9)), JSON_V0)).toBeNull();
  });
});

describe('a block', () => {
  it('lists its signatures in execution order, after that of its vote', async () => {
    const [first, second] = transactions;
    const block = await callRpc<Record<string, unknown>>(node, 'getBlock', first!.slot, {
      ...{ transactionDetails: 'signatures', rewards: false, maxSupportedTransactionVersion: 0 },
    });
    expect(block).toMatchObject({
      ...{ blockHeight: first!.slot, blockTime: GENESIS, parentSlot: first!.slot - 1 },
      signatures: [expect.any(String), first!.signature, second!.signature],
    });
    const next = await callRpc(node, 'getBlock', first!.slot + 1, { transactionDetails: 'signatures' });
    expect(next).toMatchObject({ previousBlockhash: block['blockhash'], signatures: [expect.any(String)] });
    const [vote] = block['signatures'] as string[];
    expect(await callRpc(node, 'getSignatureStatuses', [vote], { searchTransactionHistory: true })).toMatchObject({
      value: [{ slot: first!.slot, err: null, confirmationStatus: 'finalized' }],
    });
    const bare = await callRpc(node, 'getBlock', first!.slot, { transactionDetails: 'none' });
    expect(bare).not.toHaveProperty('signatures');
  });

  it('is unavailable before its commitment and with full details', async () => {
    const details = { transactionDetails: 'signatures' };
    expect(await callRpcError(node, 'getBlock', node.slot - 30, details)).toMatchObject({ code: -32004 });
    expect(await callRpcError(node, 'getBlock', 1)).toMatchObject({ code: -32602 });
    expect(await callRpcError(node, 'getBlock', 1, { ...details, commitment: 'processed' })).toMatchObject({
      code: -32602,
    });
  });
});

describe('a sent transaction', () => {
  const sign = async (blockhash: string, signer = OWNER_SEED) => {
    const data = Uint8Array.of(1, 1); // the caller logs one line
    const wire = await signPlan(
      { instructions: [{ program: node.programs.caller, accounts: [], data }], signers: [signer] },
      blockhash,
    );
    return Buffer.from(wire);
  };
  const latest = async () =>
    (await callRpc<InContext<{ blockhash: string }>>(node, 'getLatestBlockhash', { commitment: 'processed' })).value
      .blockhash;

  it('is executed', async () => {
    const wire = await sign(await latest());
    const signature = await callRpc<string>(node, 'sendTransaction', wire.toString('base64'), { encoding: 'base64' });
    expect(signature).toBe(formatBase58(new Uint8Array(wire.subarray(1, 65))));
    const second = await sign(await latest());
    await callRpc(node, 'sendTransaction', formatBase58(new Uint8Array(second)));
    node.advanceSlots(31);
    expect(await callRpc(node, 'getTransaction', signature, JSON_V0)).toMatchObject({ meta: { err: null } });
  });

  it('is rejected with an unknown or old blockhash, when repeated, unfunded, forged or malformed', async () => {
    const refusal = async (wire: Buffer) => {
      const { code, data } = await callRpcError(node, 'sendTransaction', wire.toString('base64'), {
        encoding: 'base64',
      });
      return [code, (data as { err: string }).err];
    };
    const old = await latest();
    node.advanceSlots(151);
    expect(await refusal(await sign(old))).toStrictEqual([-32002, 'BlockhashNotFound']);
    expect(await refusal(await sign(keyOf(77)))).toStrictEqual([-32002, 'BlockhashNotFound']);
    expect(await refusal(await sign(await latest(), new Uint8Array(32).fill(99)))).toStrictEqual([
      -32002,
      'AccountNotFound',
    ]);
    const wire = await sign(await latest());
    await callRpc(node, 'sendTransaction', wire.toString('base64'), { encoding: 'base64' });
    expect(await refusal(wire)).toStrictEqual([-32002, 'AlreadyProcessed']);
    const forged = await sign(await latest());
    forged[1]! ^= 1;
    expect(await refusal(forged)).toStrictEqual([-32002, 'SignatureFailure']);
    expect(await refusal(Buffer.from('no transaction'))).toStrictEqual([-32002, 'SanitizeFailure']);
  });

  it('is simulated first unless skipPreflight is set', async () => {
    const instructions = [{ program: node.programs.binding, accounts: [], data: new Uint8Array() }];
    const wire = Buffer.from(await signPlan({ instructions, signers: [OWNER_SEED] }, await latest())).toString(
      'base64',
    );
    expect(await callRpcError(node, 'sendTransaction', wire, { encoding: 'base64' })).toMatchObject({
      code: -32002,
      data: { err: '{"InstructionError":[0,{"Custom":1}]}' },
    });
    const options = { encoding: 'base64', skipPreflight: true };
    const signature = await callRpc<string>(node, 'sendTransaction', wire, options);
    node.advanceSlots(31);
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect(await callRpc(node, 'getTransaction', signature, JSON_V0)).toMatchObject({ meta: { err } });
  });

  it('is rejected when too long, empty or in an unknown encoding', async () => {
    const tooLong = Buffer.alloc(1233, 1).toString('base64');
    expect(await callRpcError(node, 'sendTransaction', tooLong, { encoding: 'base64' })).toMatchObject({
      code: -32602,
    });
    expect(await callRpcError(node, 'sendTransaction', '', { encoding: 'base64' })).toMatchObject({ code: -32602 });
    expect(await callRpcError(node, 'sendTransaction', 'AA', { encoding: 'hex' })).toMatchObject({ code: -32602 });
  });
});

describe('a request', () => {
  it('can be a batch', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 7, method: 'getHealth' },
      { jsonrpc: '2.0', id: 'b', method: 'getSlot', params: [{ commitment: 'processed' }] },
      { jsonrpc: '2.0', id: 9, method: 'getEverything' },
      7,
    ];
    expect(await post(node, batch)).toStrictEqual([
      { jsonrpc: '2.0', id: 7, result: 'ok' },
      { jsonrpc: '2.0', id: 'b', result: node.slot },
      { jsonrpc: '2.0', id: 9, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } },
    ]);
    expect(await post(node, [])).toMatchObject({ error: { code: -32600 } });
  });

  it('must be a JSON POST of at most 50 KiB', async () => {
    expect(await (await send(node, '{')).json()).toMatchObject({ id: null, error: { code: -32700 } });
    expect((await fetch(node.rpcUrl)).status).toBe(405);
    expect((await send(node, ' '.repeat(50 * 1024 + 1))).status).toBe(413);
    expect((await send(node, JSON.stringify({ method: 'getHealth' }).padEnd(50 * 1024))).status).toBe(200);
  });

  it.each(['toString', 'constructor'])('does not resolve the inherited method %s', async (method) => {
    expect(await callRpcError(node, method)).toMatchObject({ code: -32601 });
  });
});
