/** Alt-chain adapter against the local alt chain: the contract suite with its vectors, and a history of real transactions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAltNode, type AltNode } from '../devnet/alt-node/alt-node.ts';
import { importMachine, submitEvent } from '../devnet/alt-node/event-transactions.ts';
import {
  ACTIVITY,
  GENESIS,
  LIFECYCLE_SEED,
  OWNER_SEED,
  placeEventRegistry,
  placeMachine,
  REVENUE,
} from '../devnet/alt-node/registered-machine.ts';
import { describeAltChain } from '../testing/contracts/alt-chain-contract.ts';
import { createAltChainHarness, type AltChainHarness } from '../testing/fixtures/alt-chain-harness.ts';
import { listVectorAccounts } from '../testing/fakes/canned-alt-node.ts';
import type { VectorAccount } from '../testing/fixtures/alt-chain-vectors.ts';
import { parseAltKey } from '../src/domain/identifiers/alt-identifiers.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../src/ports/alt-chain.ts';

/** Number of slots between the newest and the finalized one. */
const LAG_SLOTS = 31;

function place(node: AltNode, { address, owner, lamports, data }: VectorAccount): void {
  const bytes = new Uint8Array(Buffer.from(data, 'base64'));
  node.setAccount(parseAltKey(address)!, { owner: parseAltKey(owner)!, data: bytes, lamports: BigInt(lamports) });
}

// The only executable accounts of the local chain are its own programs.
describeAltChain('the local alt chain', { except: ['executable'], checksProgramAccounts: false }, async () => {
  const node = await startAltNode({ genesisTimestamp: GENESIS });
  for (const account of listVectorAccounts()) if (!account.executable) place(node, account);
  node.advanceSlots(LAG_SLOTS + 1);
  return {
    rpcUrl: node.rpcUrl,
    genesisHash: node.genesisHash,
    readSlots: async () => ({ first: 0, finalized: node.slot - LAG_SLOTS }),
    async setAccount(address, account) {
      if (account === null) node.removeAccount(parseAltKey(address)!);
      else place(node, { ...account, address });
      node.advanceSlots(LAG_SLOTS + 1);
    },
    close: () => node.stop(),
  };
});

describe('a history of real transactions', () => {
  const PLAIN = 1n as MachineId;
  const ARRIVED = 2n as MachineId;
  let node: AltNode;
  let harness: AltChainHarness;
  let history: AltHistory;
  const submitted: { readonly signature: string; readonly slot: number }[] = [];

  beforeAll(async () => {
    node = await startAltNode({ genesisTimestamp: GENESIS });
    await placeEventRegistry(node);
    for (const id of [PLAIN, ARRIVED]) await placeMachine(node, id);
    const event = { machineId: PLAIN, signer: OWNER_SEED };
    submitted.push(await submitEvent(node, { ...event, record: REVENUE }));
    node.advanceTo(GENESIS + 86_400);
    submitted.push(await submitEvent(node, { ...event, record: ACTIVITY, via: 'v0-lookup-table' }));
    submitted.push(await submitEvent(node, { ...event, record: REVENUE, via: 'cpi' }));
    const carried = { machineId: ARRIVED, priorEventCount: 5n, record: ACTIVITY };
    submitted.push(await importMachine(node, { ...carried, authority: LIFECYCLE_SEED }));
    node.advanceTo(GENESIS + 2 * 86_400);
    submitted.push(await submitEvent(node, { ...event, record: ACTIVITY, noisyLogs: true }));
    node.advanceSlots(LAG_SLOTS + 1);
    harness = createAltChainHarness([node.rpcUrl], node.genesisHash);
    history = harness.open({ programs: node.programs, binding: undefined }).machines!.history;
  });
  afterAll(async () => {
    await harness.close();
    await node.stop();
  });

  const listAll = () => history.listSignatures('event-registry', undefined);
  const newestFirst = () => submitted.toReversed().map(({ signature, slot }) => [signature, slot]);
  const toPairs = (rows: readonly SignatureRow[]) => rows.map(({ signature, slot }) => [signature, slot]);

  it('is listed newest first, by program and by machine, with times', async () => {
    const rows = await listAll();
    expect(toPairs(rows)).toStrictEqual(newestFirst());
    expect(rows.map(({ blockTime }) => blockTime)).toStrictEqual(
      [2, 1, 1, 1, 0].map((days) => GENESIS + days * 86_400),
    );
    expect(rows.some(({ hasFailed }) => hasFailed)).toBe(false);
    expect(toPairs(await history.listSignatures(ARRIVED, undefined))).toStrictEqual(newestFirst().slice(1, 2));
    expect(toPairs(await history.listSignatures('event-registry', rows[1]!.signature))).toStrictEqual(
      newestFirst().slice(2),
    );
    expect(await history.listSignatures('event-registry', rows.at(-1)!.signature)).toStrictEqual([]);
  });

  it('decodes the operation of each transaction', async () => {
    const readings = await Promise.all((await listAll()).map((row) => history.readTransaction(row)));
    const event = { kind: 'submitted', machineId: PLAIN };
    expect(readings.toReversed()).toStrictEqual(
      [
        { ...event, eventIndex: 0n, record: REVENUE },
        { ...event, eventIndex: 1n, record: ACTIVITY },
        { ...event, eventIndex: 2n, record: REVENUE },
        { kind: 'imported', machineId: ARRIVED, priorEventCount: 5n, record: ACTIVITY },
        { ...event, eventIndex: undefined, record: ACTIVITY },
      ].map((operation) => ({ state: 'read', operations: [operation] })),
    );
  });

  it('returns block times, and the signatures of a block in order after its vote', async () => {
    const [, second, third, fourth] = submitted;
    expect(await history.readBlockTime(second!.slot)).toBe(GENESIS + 86_400);
    const inBlock = [second, third, fourth].filter((each) => each!.slot === second!.slot);
    expect(await history.readBlockSignatures(second!.slot)).toStrictEqual([
      expect.any(String),
      ...inBlock.map((each) => each!.signature),
    ]);
  });

  it('counts the listed events', async () => {
    const { counts, slot } = await history.readEventLogCounts();
    expect(slot).toBe(node.slot - LAG_SLOTS);
    expect([...counts].sort(([a], [b]) => Number(a - b))).toStrictEqual([
      [PLAIN, { count: 4n, priorEventCount: 0n }],
      [ARRIVED, { count: 1n, priorEventCount: 5n }],
    ]);
  });

  it('returns no transaction before it is final', async () => {
    const before = await listAll();
    const late = await submitEvent(node, { machineId: PLAIN, signer: OWNER_SEED, record: REVENUE });
    expect(await listAll()).toStrictEqual(before);
    const row = { signature: late.signature, slot: late.slot, blockTime: node.unixTime, hasFailed: false };
    expect(await history.readTransaction(row)).toStrictEqual({ state: 'not-here-yet' });
    expect((await history.readEventLogCounts()).counts.get(PLAIN)).toStrictEqual({ count: 4n, priorEventCount: 0n });
    node.advanceSlots(LAG_SLOTS + 1);
    expect((await listAll()).length).toBe(before.length + 1);
    expect((await history.readTransaction(row)).state).toBe('read');
    submitted.push(late);
  });

  describe('of a faulty node', () => {
    afterAll(() => node.faults.clear());

    it.each<[name: string, spoil: () => void, read: () => Promise<unknown>, outcome: object]>([
      ['lags', () => (node.faults.slotsBehind = 50), () => listAll(), new AltNodeBusy('behind')],
      [
        'requests a wait',
        () => (node.faults.request = () => ({ kind: 'too-many-requests', retryAfterSeconds: 7 })),
        () => history.readSlot(),
        new AltNodeBusy('rate', 7),
      ],
      [
        'requests a wait, also of the first call',
        () => (node.faults.request = () => ({ kind: 'too-many-requests', retryAfterSeconds: 7 })),
        () => history.checkGenesis(),
        new AltNodeBusy('rate', 7),
      ],
      [
        'returns a row twice',
        () => node.faults.duplicateRows.add(submitted[1]!.signature),
        () => listAll(),
        expect.objectContaining({ context: { chain: 'alt', cause: 'malformed' } }) as object,
      ],
      [
        'truncates a response',
        () => (node.faults.request = () => ({ kind: 'malformed-json' })),
        () => listAll(),
        expect.objectContaining({ context: { chain: 'alt', cause: 'malformed' } }) as object,
      ],
      [
        'has another genesis hash',
        () => (node.faults.genesisHash = '1'.repeat(32)),
        () => history.checkGenesis(),
        expect.objectContaining({ context: { chain: 'alt', cause: 'wrong-chain' } }) as object,
      ],
    ])('throws when the node %s', async (_name, spoil, read, outcome) => {
      harness.time.milliseconds += 60_000;
      node.faults.clear();
      await history.checkGenesis();
      await history.readSlot();
      spoil();
      await expect(read()).rejects.toEqual(outcome);
    });

    it.each<[name: string, spoil: (signature: string) => void, reading: object]>([
      [
        'has lost a transaction',
        (signature) => node.faults.unknownTransactions.add(signature),
        { state: 'not-here-yet' },
      ],
      [
        'stores no logs',
        (signature) => node.faults.logs.set(signature, 'null'),
        {
          state: 'read',
          operations: [{ kind: 'submitted', machineId: PLAIN, eventIndex: undefined, record: REVENUE }],
        },
      ],
    ])('returns what is readable when the node %s', async (_name, spoil, reading) => {
      harness.time.milliseconds += 60_000;
      node.faults.clear();
      const { signature, slot } = submitted[0]!;
      spoil(signature);
      expect(await history.readTransaction({ signature, slot, blockTime: GENESIS, hasFailed: false })).toStrictEqual(
        reading,
      );
    });
  });
});
