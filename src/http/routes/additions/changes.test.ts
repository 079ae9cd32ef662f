/** Tests the feed of changes over a real store: pages, kinds, cursors and refusals. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAltService, type AltService } from '../../../../testing/harness/alt-chain.ts';
import { createMemoryStore } from '../../../../testing/fixtures/memory-store.ts';
import { ABSENT_VALUES, listMachineChanges } from '../../../domain/changes/machine-change.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Store } from '../../../ports/store.ts';
import { rule } from '../../../../test/conformance/rule.ts';

const ID = 42n as MachineId;
const OWNER = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const RATINGS = ['AA', 'A', 'BBB'];

let service: AltService;
let store: Store;
beforeEach(async () => {
  store = await createMemoryStore();
  await store.openChanges(1_000);
  await store.advanceMainChain(
    undefined,
    { blockNumber: 1, blockHash: `0x${'b'.repeat(64)}` },
    [],
    { readAtBlock: 0, changes: [] },
    undefined,
    { machines: [ID], kybOperators: [] },
  );
  for (const [step, rating] of RATINGS.entries()) {
    const [machine] = await store.listDueMachines(9_000_000_000, 1);
    const values = { ...ABSENT_VALUES, owner: OWNER, operator: OWNER, rating };
    const place = { blockNumber: 100 + step, observedAt: 1_772_452_800 + step };
    const changes = listMachineChanges(ID, machine!.values ?? ABSENT_VALUES, values, place);
    await store.writeObservations([{ machine: machine!, values, isAbsent: false, changes, dueAt: 1 }]);
  }
  service = await openAltService({});
  Object.assign(service.ctx.store, store);
});
afterEach(async () => {
  await service.close();
  await store.close();
});

async function read(query: string): Promise<unknown> {
  const { status, text } = await service.request(`/changes${query}`);
  return [status, JSON.parse(text)];
}

interface Page {
  readonly changes: readonly { readonly cursor: number; readonly kind: string }[];
  readonly next: number;
}

async function readCursors(query: string): Promise<unknown> {
  const { text } = await service.request(`/changes${query}`);
  const { changes, next } = JSON.parse(text) as Page;
  return [changes.map(({ cursor }) => cursor), next];
}

test('lists changes in their order, with whole members', async () => {
  rule('changes.feed');
  const address = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
  const machine = { machine_id: '42', did: 'did:svc:42', operator: address };
  const first = { ...machine, block: 100, observed_at: 1_772_452_800, from: null };
  expect(await read('')).toEqual([
    200,
    {
      changes: [
        { cursor: 1, kind: 'owner', ...first, to: address },
        { cursor: 2, kind: 'operator', ...first, to: address },
        { cursor: 3, kind: 'rating', ...first, to: 'AA' },
        { cursor: 4, kind: 'rating', ...machine, block: 101, observed_at: 1_772_452_801, from: 'AA', to: 'A' },
        { cursor: 5, kind: 'rating', ...machine, block: 102, observed_at: 1_772_452_802, from: 'A', to: 'BBB' },
      ],
      ...{ next: 5, newest: 5, oldest_after: 0, opened_at: 1_000 },
    },
  ]);
});

test('continues after a cursor and returns the same page again', async () => {
  expect(await readCursors('?after=0&limit=2')).toEqual([[1, 2], 2]);
  expect(await readCursors('?after=2&limit=2')).toEqual([[3, 4], 4]);
  expect(await readCursors('?after=2&limit=2')).toEqual([[3, 4], 4]);
  expect(await readCursors('?after=5')).toEqual([[], 5]);
});

test('lists the wanted kinds only, and moves the cursor past the others', async () => {
  expect(await readCursors('?kinds=owner,operator')).toEqual([[1, 2], 5]);
  expect(await readCursors('?kinds=flag')).toEqual([[], 5]);
  expect(await readCursors('?kinds=rating&limit=1')).toEqual([[3], 3]);
  expect(await readCursors('?kinds=')).toEqual([[1, 2, 3, 4, 5], 5]);
});

test('refuses cursors that are not stored any more or lie beyond the newest change (410)', async () => {
  rule('changes.feed');
  const gone = (after: number) => ({
    detail: `Changes after this cursor are not stored, the oldest are after=${after}`,
  });
  expect(await read('?after=6')).toEqual([410, gone(0)]);
  await store.pruneChanges(0, 2);
  expect(await read('?after=2')).toEqual([410, gone(3)]);
  expect(await readCursors('?after=3')).toEqual([[4, 5], 5]);
  expect(await readCursors('')).toEqual([[4, 5], 5]);
});

test.each(['after=-1', 'after=x', 'after=1&after=2', 'after=9007199254740992', 'limit=0', 'limit=501'])(
  'refuses %s (422)',
  async (query) => {
    expect((await service.request(`/changes?${query}`)).status).toBe(422);
  },
);

test.each(['kinds=score', 'kinds=rating,', 'kinds=Rating', 'kinds=rating&kinds=bond'])(
  'refuses %s and names the kinds',
  async (query) => {
    const { status, text } = await service.request(`/changes?${query}`);
    expect(status).toBe(422);
    expect(JSON.parse(text)).toMatchObject({
      detail: [
        { type: 'enum', loc: ['query', 'kinds'], ctx: { expected: expect.stringContaining('rating') as string } },
      ],
    });
  },
);

test('ignores a query parameter that only the pages have, on the stream', async () => {
  const head = (query: string) => service.request(`/changes/stream${query}`, { method: 'HEAD' });
  expect((await head('?limit=x')).status).toBe(200);
  expect((await head('?after=x')).status).toBe(422);
});

test('describes stream and webhooks in the AsyncAPI document', async () => {
  rule('changes.asyncapi');
  const { status, text } = await service.request('/asyncapi.json');
  const document = JSON.parse(text) as { asyncapi: string; channels: Record<string, { address?: string | null }> };
  const addresses = Object.values(document.channels).map(({ address }) => address);
  expect([status, document.asyncapi]).toEqual([200, '3.1.0']);
  expect(addresses).toEqual(expect.arrayContaining([expect.stringContaining('/changes/stream')]));
});
