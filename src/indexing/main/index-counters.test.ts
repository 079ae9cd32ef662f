/** Counters of the index over a fake chain whose node can withhold logs: ownership compared with `balanceOf`, and its repair. */
import { expect, test } from 'vitest';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { OWNER, submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import { machine, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';
import { advance, openHarness } from '../../../testing/fixtures/main-index-harness.ts';
import { Fault } from '../../domain/faults.ts';
import { ZERO_ADDRESS, type Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';

const BUYER = `0x${'bb'.repeat(20)}` as Address;
const STRANGER = `0x${'cc'.repeat(20)}` as Address;
const [A, B, C] = [machine(11), machine(12), machine(13)];

/** Checks the tokens of an owner; returns the kind of the fault, or `agrees`. */
async function check({ store, counters }: IndexerHarness, owner: Address): Promise<string> {
  const { tokens } = await store.listOwnership(owner, 0, 20);
  try {
    await counters.checkTokens(owner, tokens!);
    return 'agrees';
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

async function listIds({ store }: IndexerHarness, owner: Address) {
  return (await store.listOwnership(owner, 0, 20)).ids;
}

/** Mines A, B and C for the owner in blocks 1 to 3. */
function createMints(): FakeChain {
  const chain = new FakeChain();
  for (const id of [A, B, C]) chain.mine([transferred(id)]);
  return chain;
}

/**
 * Indexes the mints, sells B to the buyer in block 6, and indexes that; the node withholds the logs of some blocks. Then
 * follows the head.
 */
async function openIndexed(chain: FakeChain, withheld: readonly number[] = []): Promise<IndexerHarness> {
  const harness = await openHarness({ chain, completeness: 'trusted' });
  chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => !withheld.includes(blockNumber));
  chain.mineMany(2);
  expect(await advance(harness)).toBe('caught-up');
  chain.mine([transferred(B, OWNER, BUYER)]);
  chain.mineMany(2);
  expect(await advance(harness)).toBe('caught-up');
  chain.faults = {};
  await harness.follower.poll();
  return harness;
}

test('agrees for owners of all tokens, of some, and of none', async () => {
  const harness = await openIndexed(createMints());
  expect([await check(harness, OWNER), await check(harness, BUYER)]).toEqual(['agrees', 'agrees']);
  expect(await check(harness, STRANGER)).toBe('agrees');
  expect(await check(harness, ZERO_ADDRESS)).toBe('agrees');
  expect(harness.repair.report().started).toBe(0);
});

test('counts a token of a machine homed elsewhere, which is not listed', async () => {
  const chain = createMints();
  chain.away.add(A);
  const harness = await openIndexed(chain);
  expect([await listIds(harness, OWNER), await check(harness, OWNER)]).toEqual([[C], 'agrees']);
});

test('adds the followed transfers since the checkpoint, in both directions', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain);
  chain.mine([transferred(A, OWNER, BUYER), transferred(B, BUYER, OWNER), transferred(C, OWNER, BUYER)]);
  await harness.follower.poll();
  chain.requests.length = 0;
  expect([await check(harness, OWNER), await check(harness, BUYER)]).toEqual(['agrees', 'agrees']);
  // One read per owner, at the head only.
  expect(chain.requests).toEqual(['balance', 'balance']);
});

test('subtracts transfers when the checkpoint is newer than the block of the balance', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain);
  chain.mine([transferred(A, OWNER, BUYER)]);
  chain.mineMany(2);
  await harness.follower.poll();
  expect(await advance(harness)).toBe('caught-up');
  chain.behind = 3;
  chain.requests.length = 0;
  expect([await check(harness, OWNER), await check(harness, BUYER)]).toEqual(['agrees', 'agrees']);
  expect(chain.requests).toEqual(['balance', 'balance']);
});

test('compares at the checkpoint, once, while the head is not connected to it', async () => {
  const chain = createMints();
  const harness = await openHarness({ chain });
  expect(await advance(harness)).toBe('caught-up');
  expect([await check(harness, OWNER), await check(harness, OWNER)]).toEqual(['agrees', 'agrees']);
  // Two at the head and one at the checkpoint.
  expect(chain.requests.filter((name) => name === 'balance')).toHaveLength(3);
});

test.each([
  ['a mint', [1], OWNER],
  ['a sale, for the buyer', [6], BUYER],
  ['a sale, for the seller', [6], OWNER],
  ['every transfer', [1, 2, 3, 6], OWNER],
])('refuses a listing that lacks %s, and repairs exactly it', async (_name, withheld, owner) => {
  const chain = createMints();
  const harness = await openIndexed(chain, withheld);
  expect(await check(harness, owner)).toBe('OwnershipIndexRepairing');
  await harness.repair.idle();
  expect(await check(harness, owner)).toBe('agrees');
  expect(await listIds(harness, owner)).toEqual(owner === BUYER ? [B] : [A, C]);
  expect(harness.repair.report()).toEqual({ started: 1, succeeded: 1 });
});

test('never serves a listing that lacks a transfer while the node withholds it', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain, [6]);
  chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber !== 6);
  for (let minute = 0; minute < 3; minute++) {
    expect(await check(harness, BUYER)).toBe('OwnershipIndexRepairing');
    await harness.repair.idle();
    await harness.time.advance(60_000);
  }
  expect(harness.repair.report()).toEqual({ started: 3, succeeded: 0 });
});

test('queries at most once per holder and minute, and reads no balance for repeated checks', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain, [6]);
  chain.faults.logs = () => [];
  await check(harness, BUYER);
  await harness.repair.idle();
  chain.requests.length = 0;
  expect(await check(harness, BUYER)).toBe('OwnershipIndexRepairing');
  await harness.repair.idle();
  expect(chain.requests).toEqual(['balance']);
});

test('continues with smaller ranges where the node refuses one', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain, [1]);
  chain.faults.before = (name, [from, to]) => {
    if (name === 'logs' && to! - from! > 1) throw new LogQueryRefused('range-too-large');
  };
  await check(harness, OWNER);
  await harness.repair.idle();
  expect([await check(harness, OWNER), await listIds(harness, OWNER)]).toEqual(['agrees', [A, C]]);
});

test('repairs at the new checkpoint when the index advances meanwhile', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain, [1]);
  const read = chain.readOwnership.bind(chain);
  chain.readOwnership = async (block, ids) => {
    chain.readOwnership = read;
    const changes = await read(block, ids);
    chain.mine([submitted(A)]);
    expect(await advance(harness)).toBe('caught-up');
    return changes;
  };
  await check(harness, OWNER);
  await harness.repair.idle();
  expect([await check(harness, OWNER), await listIds(harness, OWNER)]).toEqual(['agrees', [A, C]]);
});

test('stores nothing when a node returns transfers of others', async () => {
  const chain = createMints();
  const harness = await openIndexed(chain, [6]);
  chain.faults.logs = () => [...chain.logsAt(1)];
  await check(harness, BUYER);
  await harness.repair.idle();
  expect(await check(harness, BUYER)).toBe('OwnershipIndexRepairing');
  expect(harness.log.lines.map(({ message }) => message)).toContain('ownership could not be repaired');
});
