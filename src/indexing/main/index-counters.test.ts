/** Counters of the index over a fake chain whose node can withhold logs: ownership compared with `balanceOf`, and its repair. */
import { describe, expect, test } from 'vitest';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import {
  chipAttested,
  chipRevoked,
  controlled,
  minted,
  OWNER,
  submitted,
  transferred,
  type FakeLog,
} from '../../../testing/fakes/fake-logs.ts';
import { controlledTooOften } from '../../../testing/contracts/store/samples.ts';
import { machine, type IndexerHarness } from '../../../testing/fixtures/indexer-harness.ts';
import { createWorkScope } from '../../adapters/rpc/work-scope.ts';
import { advance, openHarness } from '../../../testing/fixtures/main-index-harness.ts';
import type { AttestationRecord } from '../../domain/evidence/verify-status.ts';
import { chainUnreadable, Fault } from '../../domain/faults.ts';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../domain/identifiers/identifiers.ts';
import type { MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { WorkScope } from '../../ports/runtime.ts';
import { LogQueryRefused, type ChainLog, type RegistryLogBody } from '../../ports/main-chain.ts';
import { ABSENT, present, unreadable } from '../../domain/read-result.ts';
import { replaceEventLogs, replaceRegistryLogs } from '../../../testing/fixtures/replace-logs.ts';

const BUYER = `0x${'bb'.repeat(20)}` as Address;
const STRANGER = `0x${'cc'.repeat(20)}` as Address;
const [A, B, C, D] = [machine(11), machine(12), machine(13), machine(14)];

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
  expect(harness.log.lines.map(({ message }) => message)).toContain('the index could not be repaired');
});

describe('a machine', () => {
  const read = <T>(value: T | undefined) => (value === undefined ? ABSENT : present(value));

  /** Returns the facts of a machine at a block, with the chip record that its registry logs lead to. */
  function readFacts(chain: FakeChain, id: MachineId, block = chain.head): MachineSnapshot {
    const logs = chain.registryLogsOf(id, block.number).filter(({ kind }) => kind.startsWith('chip-'));
    let chip: AttestationRecord | undefined;
    for (const log of logs) {
      if (log.kind === 'chip-attested') {
        chip = { issuedAt: log.issuedAt, expiresAt: log.expiresAt || undefined, revokedAt: undefined };
      }
      if (log.kind === 'chip-revoked') chip = { ...chip!, revokedAt: log.revokedAt };
    }
    return {
      id,
      block,
      owner: read(chain.ownerOf(id, block.number)),
      controller: read(chain.controllerOf(id, block.number)),
      attestations: present({ operator: undefined, kyb: undefined, chip }),
      chipLogCount: present(BigInt(logs.length)),
    } as unknown as MachineSnapshot;
  }

  async function checkMachine({ counters }: IndexerHarness, facts: MachineSnapshot): Promise<string> {
    try {
      return (await counters.checkMachine(facts)).outcome;
    } catch (error) {
      if (error instanceof Fault) return error.kind;
      throw error;
    }
  }

  test('is refused as syncing, without a repair, with more logs than are read', async () => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    const { store, eventTimes, repair } = harness;
    const facts = readFacts(chain, B);
    expect(await checkMachine(harness, facts)).toBe('agrees');
    await replaceRegistryLogs(store, 'controllers', B, 1, controlledTooOften(B));
    const { blockNumber: indexedBlock } = (await store.readMainChainCheckpoint())!;
    const syncing = new Fault('EventIndexSyncing', { indexedBlock, headBlock: facts.block.number });
    await expect(harness.counters.checkMachine(facts)).rejects.toEqual(syncing);
    const pinned = { generation: 'current', id: B, block: facts.block, hasPriorEvents: false, count: 0 } as const;
    await expect(eventTimes.readPinnedHistory(pinned)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    expect(await eventTimes.readFactLogs(B, facts.block)).toBeUndefined();
    expect(await checkMachine(harness, readFacts(chain, A))).toBe('agrees');
    expect(repair.report().started).toBe(0);
  });

  const CHANGES: [string, FakeLog][] = [
    ['a sale', transferred(B, BUYER, OWNER)],
    ['a new controller', controlled(B, undefined, BUYER)],
    ['an attested chip', chipAttested(B, 1_000n, 2_000n)],
  ];

  test.each(CHANGES)('agrees with its stored and followed logs, %s included', async (_name, log) => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    const before = chain.head;
    chain.mine([log]);
    await harness.follower.poll();
    chain.requests.length = 0;
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
    expect(await checkMachine(harness, readFacts(chain, B, before))).toBe('agrees');
    chain.mineMany(2);
    await harness.follower.poll();
    expect(await advance(harness)).toBe('caught-up');
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
    expect(await checkMachine(harness, readFacts(chain, B, before))).toBe('agrees');
    // The rows decide: no read of the chain.
    expect(chain.requests.filter((name) => name === 'ownership')).toHaveLength(
      log.registry!.kind.startsWith('chip') ? 0 : 1,
    );
  });

  test('agrees when it was minted after the checkpoint', async () => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    chain.mine([transferred(machine(14))]);
    await harness.follower.poll();
    expect(await checkMachine(harness, readFacts(chain, machine(14)))).toBe('agrees');
  });

  test.each(CHANGES)('is refused at once when the follower missed %s', async (_name, log) => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    chain.mine([log]);
    chain.faults.logs = () => [];
    await harness.follower.poll();
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    expect(await checkMachine(harness, readFacts(chain, A))).toBe('agrees');
  });

  /** Indexes the mints and then the logs, one a block; the node withholds the first of these. */
  async function openWithout(chain: FakeChain, logs: readonly FakeLog[]): Promise<IndexerHarness> {
    const harness = await openHarness({ chain, completeness: 'trusted' });
    chain.mineMany(2);
    await advance(harness);
    const [withheld] = logs.map((log) => chain.mine([log]).number);
    chain.mineMany(2);
    chain.faults.logs = (found) => found.filter(({ blockNumber }) => blockNumber !== withheld);
    await advance(harness);
    await harness.follower.poll();
    chain.requests.length = 0;
    return harness;
  }

  test.each([
    ['the newest transfer', [transferred(B, OWNER, BUYER)]],
    ['an older transfer', [transferred(B, OWNER, BUYER), transferred(B, BUYER, STRANGER)]],
    ['the mint', [transferred(machine(14)), transferred(machine(14), OWNER, BUYER)]],
  ])('is refused until %s was found, because events are judged by changes of hands', async (_name, logs) => {
    const chain = createMints();
    const harness = await openWithout(chain, logs);
    const id = logs[0]!.machineId;
    for (let minute = 0; minute < 2; minute++) {
      expect(await checkMachine(harness, readFacts(chain, id))).toBe('EventIndexSyncing');
      await harness.repair.idle();
      await harness.time.advance(60_000);
    }
    chain.faults = {};
    expect(await checkMachine(harness, readFacts(chain, id))).toBe('EventIndexSyncing');
    await harness.repair.idle();
    expect(await checkMachine(harness, readFacts(chain, id))).toBe('agrees');
    expect(harness.repair.report()).toEqual({ started: 3, succeeded: 1 });
    const { transfers } = (await harness.store.readIndexedMachine(id))!;
    expect(transfers).toMatchObject(chain.registryLogsOf(id, chain.head.number));
    expect(await harness.store.readProvenance(id)).toMatchObject({ owner: transfers.at(-1)!.to });
  });

  test('is not repaired by what a scan read before its logs were replaced', async () => {
    const chain = createMints();
    const harness = await openWithout(chain, [transferred(B, OWNER, BUYER)]);
    const { store, repair } = harness;
    chain.faults = {
      before: (request) => {
        if (request !== 'logs') return;
        chain.faults = {};
        const later = store.replaceRegistryLogs.bind(store);
        store.replaceRegistryLogs = async (...args) => {
          await replaceRegistryLogs({ ...store, replaceRegistryLogs: later }, 'transfers', B, 1, []);
          return later(...args);
        };
      },
    };
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    await repair.idle();
    expect(repair.report()).toEqual({ started: 1, succeeded: 0 });
    const { transfers } = (await store.readIndexedMachine(B))!;
    expect(transfers).not.toMatchObject(chain.registryLogsOf(B, chain.head.number));
  });

  test.each([
    ['newest', [controlled(D, OWNER, BUYER)]],
    ['older', [controlled(D, OWNER, BUYER), controlled(D, BUYER, STRANGER)]],
  ])(
    'is refused until the %s controller was found, which accepts a change of hands',
    async (_name, logs: readonly FakeLog[]) => {
      const chain = createMints();
      chain.mine([transferred(D), minted(D, OWNER)]);
      chain.mine([transferred(D, OWNER, BUYER)]);
      const harness = await openWithout(chain, logs);
      const provenance = () => harness.store.readProvenance(D);
      for (let minute = 0; minute < 2; minute++) {
        expect(await checkMachine(harness, readFacts(chain, D))).toBe('EventIndexSyncing');
        await harness.repair.idle();
        await harness.time.advance(60_000);
      }
      const before = await provenance();
      chain.faults = {};
      expect(await checkMachine(harness, readFacts(chain, D))).toBe('EventIndexSyncing');
      await harness.repair.idle();
      expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
      expect(harness.repair.report()).toEqual({ started: 3, succeeded: 1 });
      const { acceptedAt } = (await provenance())!;
      expect(acceptedAt).toBe(chain.headerAt(chain.head.number - 1 - logs.length).timestamp);
      expect(before!.acceptedAt).not.toBe(acceptedAt);
    },
  );

  test.each([
    ['arrived from another chain', [transferred(D, OWNER, 'zero'), transferred(D)], [controlled(D, OWNER, BUYER)]],
    ['was minted without a log of its controller', [], [controlled(B, OWNER, BUYER)]],
  ])('with a hidden controller is served when it %s, which may set one', async (_name, logs, hidden) => {
    const chain = createMints();
    chain.mine([transferred(D), minted(D, OWNER), ...logs]);
    const harness = await openWithout(chain, hidden);
    expect(await checkMachine(harness, readFacts(chain, hidden[0]!.machineId))).toBe('corrected');
  });

  test('is refused until its departure and return were found, where its controllers do not follow from each other', async () => {
    const chain = createMints();
    chain.mine([transferred(D), minted(D, OWNER)]);
    const harness = await openHarness({ chain, completeness: 'trusted' });
    chain.mineMany(2);
    await advance(harness);
    const { number: withheld } = chain.mine([transferred(D, OWNER, 'zero'), transferred(D)]);
    // The return set the buyer as controller, without a log.
    chain.mine([controlled(D, BUYER, STRANGER)]);
    chain.mineMany(2);
    chain.faults.logs = (found) => found.filter(({ blockNumber }) => blockNumber !== withheld);
    await advance(harness);
    await harness.follower.poll();
    for (let minute = 0; minute < 2; minute++) {
      expect(await checkMachine(harness, readFacts(chain, D))).toBe('EventIndexSyncing');
      await harness.repair.idle();
      await harness.time.advance(60_000);
      chain.faults = {};
    }
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
    expect(harness.repair.report()).toEqual({ started: 2, succeeded: 1 });
  });

  test('agrees when its mint sets the controller that it names with a log of its own', async () => {
    const chain = createMints();
    chain.mine([transferred(D), minted(D, BUYER), controlled(D, undefined, BUYER)]);
    const harness = await openIndexed(chain);
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
  });

  test('agrees when it was burned and minted again since its controller was set, in both directions', async () => {
    const chain = createMints();
    chain.mine([transferred(D), minted(D, OWNER)]);
    const harness = await openIndexed(chain);
    const before = chain.head;
    for (const log of [controlled(D, OWNER, BUYER), transferred(D, OWNER, 'zero')]) chain.mine([log]);
    chain.mine([transferred(D), minted(D, STRANGER)]);
    await harness.follower.poll();
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
    chain.mineMany(2);
    await harness.follower.poll();
    expect(await advance(harness)).toBe('caught-up');
    expect(await checkMachine(harness, readFacts(chain, D, before))).toBe('agrees');
  });

  test('is refused when the followed transfers begin at another owner than the stored one', async () => {
    const chain = createMints();
    const harness = await openWithout(chain, [transferred(D)]);
    chain.mine([transferred(D, OWNER, BUYER)]);
    chain.faults = {};
    await harness.follower.poll();
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('EventIndexSyncing');
    await harness.repair.idle();
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
    expect((await harness.store.readIndexedMachine(D))!.transfers).toHaveLength(1);
  });

  test('is refused when it is gone and no log shows it leave, until its row and its transfers are repaired', async () => {
    const chain = createMints();
    const harness = await openWithout(chain, [transferred(B, OWNER, 'zero')]);
    chain.faults = {};
    expect(await listIds(harness, OWNER)).toEqual([A, B, C]);
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    await harness.repair.idle();
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
    expect(await listIds(harness, OWNER)).toEqual([A, C]);
  });

  test('is refused at a block before its mint while the follower has missed the mint', async () => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    const before = chain.head;
    chain.faults.logs = () => [];
    chain.mine([transferred(D)]);
    await harness.follower.poll();
    chain.faults = {};
    chain.mineMany(2);
    await harness.follower.poll();
    expect(await advance(harness)).toBe('caught-up');
    const facts: MachineSnapshot = { ...readFacts(chain, D, before), owner: ABSENT };
    expect(await checkMachine(harness, facts)).toBe('EventIndexSyncing');
    expect(await checkMachine(harness, readFacts(chain, D))).toBe('agrees');
  });

  test('is refused when its owner changed between a checkpoint and a head that are not connected', async () => {
    const chain = createMints();
    const harness = await openHarness({ chain });
    chain.mineMany(2);
    expect(await advance(harness)).toBe('caught-up');
    chain.mine([transferred(B, OWNER, BUYER)]);
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    expect(await checkMachine(harness, readFacts(chain, A))).toBe('agrees');
  });

  test('stores nothing when a node returns transfers of another machine', async () => {
    const chain = createMints();
    const harness = await openWithout(chain, [transferred(B, OWNER, BUYER)]);
    chain.faults = {};
    const ofOthers = await chain.readLogs({ fromBlock: 1, toBlock: 3 });
    chain.faults.logs = () => ofOthers;
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    await harness.repair.idle();
    expect((await harness.store.readIndexedMachine(B))!.transfers).toHaveLength(1);
    expect(harness.repair.report()).toEqual({ started: 1, succeeded: 0 });
  });

  test('is read again and corrected where the index missed a new controller', async () => {
    const chain = createMints();
    const harness = await openWithout(chain, [controlled(B, undefined, BUYER)]);
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('corrected');
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
    expect(chain.requests).toEqual(['ownership']);
  });

  test.each([
    ['unnoticed by the index', true, ['corrected', 'agrees']],
    ['after the checkpoint', false, ['agrees', 'agrees']],
  ])('is read again once where its home changed %s', async (_name, isMissed, checks) => {
    const chain = createMints();
    const harness = await openIndexed(chain);
    // No log: the node withholds it, or the index has not reached it.
    if (isMissed) chain.away.add(B);
    const facts = { ...readFacts(chain, B), homeOrdinal: present(5) };
    chain.requests.length = 0;
    expect((await harness.counters.checkMachine(facts, 1)).outcome).toBe(checks[0]);
    expect((await harness.counters.checkMachine(facts, 1)).outcome).toBe(checks[1]);
    expect(chain.requests).toEqual(['ownership']);
    expect((await harness.store.readIndexedMachine(B))!.ownership.kind).toBe(isMissed ? 'away' : 'held');
  });

  test('is refused until the missing logs of its chip were found', async () => {
    const chain = createMints();
    chain.mine([chipAttested(B, 1_000n)]);
    chain.mine([chipRevoked(B, 1_500n)]);
    chain.mine([chipAttested(B, 2_000n, 9_000n), chipAttested(A, 7n)]);
    const harness = await openIndexed(chain, [4]);
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
    expect(await checkMachine(harness, readFacts(chain, A))).toBe('agrees');
    await harness.repair.idle();
    expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
    expect(harness.repair.report()).toEqual({ started: 1, succeeded: 1 });
  });

  test.each<[string, FakeLog, RegistryLogBody]>([
    [
      'chip',
      chipAttested(B, 2_000n, 9_000n),
      { kind: 'chip-attested', machineId: B, issuedAt: 1_999n, expiresAt: 9_000n },
    ],
    ['transfer', transferred(B, OWNER, BUYER), { kind: 'transfer', machineId: B, from: OWNER, to: STRANGER }],
  ])(
    'is refused until a %s log of another fork was replaced, which is one as well',
    async (_name, log, ofOtherFork) => {
      const chain = createMints();
      const harness = await openHarness({ chain, completeness: 'trusted' });
      const { number } = chain.mine([log]);
      chain.mineMany(2);
      chain.faults.logs = (found) =>
        found.map((each) => (each.blockNumber === number ? { ...each, registry: ofOtherFork } : each));
      await advance(harness);
      await harness.follower.poll();
      chain.faults = {};
      expect(await checkMachine(harness, readFacts(chain, B))).toBe('EventIndexSyncing');
      await harness.repair.idle();
      expect(await checkMachine(harness, readFacts(chain, B))).toBe('agrees');
      expect(harness.repair.report()).toEqual({ started: 1, succeeded: 1 });
    },
  );

  test('is refused while a forged event follows its sale, until its events were replaced', async () => {
    const chain = createMints();
    chain.mine([submitted(B)]);
    chain.mine([transferred(B, OWNER, BUYER)]);
    const { number } = chain.mine([submitted(A)]);
    chain.mineMany(2);
    const forge = (log: ChainLog): ChainLog => ({
      ...log,
      logIndex: log.logIndex + 1,
      event: { ...log.event!, machineId: B },
    });
    chain.faults.logs = (found) => found.flatMap((log) => (log.blockNumber === number ? [log, forge(log)] : [log]));
    const harness = await openHarness({ chain, completeness: 'trusted' });
    await advance(harness);
    await harness.follower.poll();
    chain.faults = {};
    const pinned = { generation: 'current', id: B, block: chain.head, hasPriorEvents: false, count: 1 } as const;
    const readPinned = () => harness.eventTimes.readPinnedHistory(pinned);
    await expect(readPinned()).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await harness.repair.idle();
    expect((await readPinned()).provenance.changedHandsAfter).toEqual(expect.any(Number));
    expect(harness.repair.report()).toEqual({ started: 1, succeeded: 1 });
  });

  test('is not checked for logs that the registry does not count', async () => {
    const chain = createMints();
    chain.mine([chipAttested(B, 1_000n)]);
    const harness = await openIndexed(chain, [4]);
    const facts = { ...readFacts(chain, B), chipLogCount: ABSENT };
    expect(await checkMachine(harness, facts)).toBe('agrees');
  });

  test('is not served while the count of its chip logs cannot be read', async () => {
    const chain = createMints();
    const harness = await openIndexed(chain, [4]);
    const facts = { ...readFacts(chain, B), chipLogCount: unreadable('rpc-error') };
    await expect(harness.counters.checkMachine(facts)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
  });

  test('is served as soon as its own logs are indexed, long before all are', async () => {
    const chain = createMints();
    chain.mine([submitted(A)]);
    chain.mineMany(200);
    chain.mine([transferred(machine(14)), submitted(machine(14))]);
    chain.mineMany(2);
    const harness = await openHarness({ chain, maxWindowBlocks: 10 });
    await harness.follower.poll();
    let isNodeFailing = true;
    chain.faults.before = (name, [from]) => {
      // The node fails after the first windows.
      if (name === 'headers' && from! >= 30 && isNodeFailing) throw chainUnreadable('main', 'transport');
    };
    await advance(harness);
    const block = chain.head;
    const readTimes = (id: MachineId) =>
      harness.eventTimes.readEventLogs({ generation: 'current', id, from: 0, to: 1, block, hasPriorEvents: false });
    expect(await checkMachine(harness, readFacts(chain, A))).toBe('agrees');
    expect(await readTimes(A)).toMatchObject([{ blockNumber: 4 }]);
    expect(await checkMachine(harness, readFacts(chain, machine(14)))).toBe('EventIndexSyncing');
    isNodeFailing = false;
    expect(await advance(harness)).toBe('caught-up');
    await harness.follower.poll();
    expect(await checkMachine(harness, readFacts(chain, machine(14)))).toBe('agrees');
    expect(await readTimes(machine(14))).toMatchObject([{ blockNumber: 205 }]);
  });
});

describe('the events of a machine', () => {
  const readTimes = ({ chain, eventTimes }: IndexerHarness, id: MachineId, to: number) =>
    eventTimes.readEventLogs({ generation: 'current', id, from: 0, to, block: chain.head, hasPriorEvents: false });

  /** Events of A in blocks 4, 5 and 6 and of B in 6; the node withholds block 5 from the index. */
  async function openLacking(workScope?: WorkScope): Promise<IndexerHarness> {
    const chain = createMints();
    chain.mine([submitted(A, { value: 1n })]);
    chain.mine([submitted(A, { value: 2n })]);
    chain.mine([submitted(A, { value: 3n }), submitted(B)]);
    chain.mineMany(2);
    const harness = await openHarness({ chain, completeness: 'trusted', ...(workScope && { workScope }) });
    chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber !== 5);
    expect(await advance(harness)).toBe('caught-up');
    chain.faults = {};
    await harness.follower.poll();
    return harness;
  }

  test('are refused until those missing below the checkpoint were found', async () => {
    const harness = await openLacking();
    const { epoch } = await harness.store.readEventLogCount('current', A);
    await expect(readTimes(harness, A, 3)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await harness.repair.idle();
    expect((await readTimes(harness, A, 3)).map(({ blockNumber, value }) => [blockNumber, value])).toEqual([
      [4, 1n],
      [5, 2n],
      [6, 3n],
    ]);
    // Rating states of the logs that were replaced are never used.
    expect((await harness.store.readEventLogCount('current', A)).epoch).not.toBe(epoch);
    expect(await readTimes(harness, B, 1)).toHaveLength(1);
  });

  test('are not replaced by logs that the node repeats', async () => {
    const harness = await openLacking();
    const repeatFirst = (log: ChainLog) => (log.blockNumber === 4 ? [log, log] : [log]);
    harness.chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber !== 5).flatMap(repeatFirst);
    await expect(readTimes(harness, A, 3)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await harness.repair.idle();
    expect(harness.repair.report()).toEqual({ started: 1, succeeded: 0 });
    expect((await harness.store.readEventLogCount('current', A)).count).toBe(2);
  });

  test('are not replaced by what a scan read before they were replaced', async () => {
    const harness = await openLacking();
    const { chain, store, repair } = harness;
    const { epoch } = await store.readEventLogCount('current', A);
    const checkpoint = (await store.readMainChainCheckpoint())!;
    const readHeaders = chain.readHeaders.bind(chain);
    chain.readHeaders = async (numbers) => {
      chain.readHeaders = readHeaders;
      await replaceEventLogs(store, checkpoint, 'current', A, []);
      return readHeaders(numbers);
    };
    await expect(readTimes(harness, A, 3)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await repair.idle();
    expect(repair.report()).toEqual({ started: 1, succeeded: 0 });
    expect(await store.readEventLogCount('current', A)).toEqual({ count: 0, epoch: epoch + 1 });
  });

  test('are searched for as work of the index, also for a request', async () => {
    const workScope = createWorkScope();
    const { chain, ...harness } = await openLacking(workScope);
    const readLogs = chain.readLogs.bind(chain);
    const works = new Set<string | undefined>();
    chain.readLogs = (query) => {
      works.add(workScope.current()?.kind);
      return readLogs(query);
    };
    await workScope.run({ kind: 'caller', networks: ['192.0.2.1'] }, () =>
      expect(readTimes({ chain, ...harness }, A, 3)).rejects.toMatchObject({ kind: 'EventIndexSyncing' }),
    );
    await harness.repair.idle();
    expect([...works]).toEqual(['index']);
  });

  test('are not repaired from more logs than one machine has', async () => {
    const harness = await openLacking();
    const [first] = harness.chain.logsAt(4);
    harness.chain.faults.logs = () => Array.from({ length: 100_001 }, (_, logIndex) => ({ ...first!, logIndex }));
    await expect(readTimes(harness, A, 3)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await harness.repair.idle();
    expect(harness.log.lines).toContainEqual(
      expect.objectContaining({
        message: 'the index could not be repaired',
        fields: expect.objectContaining({ cause: 'too-many-logs' }),
      }),
    );
    expect((await harness.store.readEventLogCount('current', A)).count).toBe(2);
  });

  test('are compared in total at the checkpoint, which starts a repair and refuses nothing', async () => {
    const harness = await openLacking();
    expect(harness.eventTotal.missing()).toBeUndefined();
    await harness.eventTotal.compare(harness.chain);
    expect([harness.eventTotal.missing(), harness.log.lines.map(({ message }) => message)]).toEqual([
      1,
      expect.arrayContaining(['the event index disagrees with totalEventCount']),
    ]);
    expect(await readTimes(harness, B, 1)).toHaveLength(1);
    await harness.repair.idle();
    await harness.eventTotal.compare(harness.chain);
    expect([harness.eventTotal.missing(), harness.repair.report()]).toEqual([0, { started: 1, succeeded: 1 }]);
    expect(await readTimes(harness, A, 3)).toHaveLength(3);
  });

  /** D was minted, had two events, and was burned; the node withholds the blocks from the index. The counter disagrees afterwards. */
  async function openBurned(withheld: readonly number[]): Promise<IndexerHarness> {
    const chain = new FakeChain();
    chain.mine([transferred(D)]);
    chain.mine([submitted(D, { value: 1n })]);
    chain.mine([submitted(D, { value: 2n })]);
    chain.mine([transferred(D, OWNER, 'zero')]);
    for (const id of [A, B, C]) chain.mine([transferred(id), submitted(id)]);
    chain.mineMany(2);
    const harness = await openHarness({ chain, completeness: 'trusted' });
    chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => !withheld.includes(blockNumber));
    expect(await advance(harness)).toBe('caught-up');
    await harness.eventTotal.compare(chain);
    await harness.repair.idle();
    expect(harness.eventTotal.missing()).toBe(withheld.includes(2) ? 2 : 1);
    return harness;
  }

  /** Compares the total again after a time; returns the events that the index lacks after the repair. */
  async function compareLater({ time, chain, eventTotal, repair }: IndexerHarness, milliseconds: number) {
    await time.advance(milliseconds);
    await eventTotal.compare(chain);
    await repair.idle();
    await eventTotal.compare(chain);
    return eventTotal.missing();
  }

  test.each([
    ['an event', [3]],
    ['every log', [1, 2, 3, 4]],
  ])('are found by the comparison in total for a burned machine of which the index lacks %s', async (_, withheld) => {
    const harness = await openBurned(withheld);
    const { store, repair, chain } = harness;
    chain.faults = {};
    expect(await compareLater(harness, 1_200_000)).toBe(0);
    expect((await store.listEventLogs('current', D, 0, 9)).map(({ value }) => value)).toEqual([1n, 2n]);
    expect(repair.report()).toEqual({ started: 2, succeeded: 1 });
  });

  test('are searched for in mints only while the total differs', async () => {
    const harness = await openBurned([3]);
    const { chain } = harness;
    chain.faults = {};
    chain.requests.length = 0;
    expect(await compareLater(harness, 1_200_000)).toBe(0);
    // The events of the machine, and no mints.
    expect(chain.requests.filter((name) => name === 'logs')).toHaveLength(1);
  });

  test('are searched for half as often after each repair that found nothing, down to once a day', async () => {
    const harness = await openBurned([1, 2, 3, 4]);
    const startedAt: number[] = [];
    for (let minute = 10; minute <= 4 * 24 * 60; minute += 10) {
      const { started } = harness.repair.report();
      expect(await compareLater(harness, 600_000)).toBe(2);
      if (harness.repair.report().started > started) startedAt.push(minute);
    }
    expect(startedAt.map((at, i) => at - (startedAt[i - 1] ?? 0))).toEqual([
      20, 40, 80, 160, 320, 640, 1280, 1440, 1440,
    ]);
  });

  test('are compared once per checkpoint while they agree', async () => {
    const { chain, eventTotal } = await openIndexed(createMints());
    await eventTotal.compare(chain);
    await eventTotal.compare(chain);
    expect([eventTotal.missing(), chain.requests.filter((name) => name === 'counts')]).toEqual([0, ['counts']]);
  });

  test('are compared again later when the counter cannot be read', async () => {
    const { chain, eventTotal } = await openIndexed(createMints());
    chain.faults.before = (name) => {
      if (name === 'counts') throw chainUnreadable('main', 'transport');
    };
    await eventTotal.compare(chain);
    expect(eventTotal.missing()).toBeUndefined();
    chain.faults = {};
    await eventTotal.compare(chain);
    expect(eventTotal.missing()).toBe(0);
  });
});
