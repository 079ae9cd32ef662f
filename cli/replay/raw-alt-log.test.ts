/** Alt-chain reader of the replay: the log at a slot, and nodes that are behind, incomplete or contradictory. */
import { describe, expect, it } from 'vitest';
import {
  ALT_PROGRAMS,
  createCannedAltRpc,
  MACHINE_ID,
  signatureOf,
  timeOf,
  type AltTamper,
  type CannedAltChain,
  type CannedRecord,
} from '../../testing/fakes/replay-alt-node.ts';
import { RpcRefusal } from './json-rpc.ts';
import { readRawAltLog } from './raw-alt-log.ts';
import { ReplayFailure } from './replay-failure.ts';

const recordOf = (value: bigint): CannedRecord => ({ value, timestamp: 1_699_999_000n });
const ANCHOR = recordOf(1n);

/** A log that was closed and imported again with carried events; two later events share a slot. */
const CHAIN: CannedAltChain = {
  transactions: [
    { name: 'old', slot: 10, does: 'submit', record: recordOf(100n) },
    { name: 'close', slot: 20, does: 'close' },
    { name: 'import', slot: 30, does: 'import', prior: 9n, record: ANCHOR },
    { name: 'failed', slot: 35, does: 'submit', record: recordOf(404n), hasFailed: true },
    { name: 'second', slot: 40, place: 2, does: 'submit', record: recordOf(3n) },
    { name: 'first', slot: 40, place: 1, does: 'submit', record: recordOf(2n) },
    { name: 'newest', slot: 50, does: 'submit', record: recordOf(4n) },
  ],
  shown: { count: 4n, prior: 9n, last: recordOf(4n) },
};

async function read(slot: number, chain = CHAIN, tamper?: AltTamper) {
  const waits: number[] = [];
  const { rpc, requests } = createCannedAltRpc(chain, tamper);
  const log = await readRawAltLog(rpc, ALT_PROGRAMS, MACHINE_ID, slot, async (pause) => void waits.push(pause));
  return { ...log, values: log.events.map(({ value }) => value), waits, requests };
}

async function failureOf(tamper: AltTamper | undefined, chain = CHAIN, slot = 50) {
  const error: unknown = await read(slot, chain, tamper).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ReplayFailure)) throw new Error(`not a ReplayFailure: ${String(error)}`);
  return [error.kind, error.message];
}

const replaceResult =
  (method: string, change: (honest: never, params: readonly never[]) => unknown): AltTamper =>
  ([requested, params], honest) =>
    requested === method ? { result: change(honest as never, params as never[]) } : undefined;

describe('readRawAltLog', () => {
  it.each<[number, bigint, bigint[]]>([
    [9, 0n, []],
    [10, 0n, [100n]],
    [20, 0n, []],
    [30, 9n, [1n]],
    [40, 9n, [1n, 2n, 3n]],
    [50, 9n, [1n, 2n, 3n, 4n]],
  ])('returns the log as of slot %d', async (slot, priorEvents, values) => {
    expect(await read(slot)).toMatchObject({ ordinal: 5n, priorEvents, values, waits: [] });
  });

  it('returns the place in the slot of an event with a payout proof', async () => {
    const metadata = '{"payout":"a","owner":"b","proof":"c"}';
    const transactions = CHAIN.transactions.map((each) =>
      each.name === 'second' ? { ...each, record: { ...recordOf(3n), metadata } } : each,
    );
    const { citing } = await read(50, { ...CHAIN, transactions });
    const places = citing.map(({ place }) => place);
    const [slot, index] = places[2]!;
    expect([slot, index / 65_536n]).toEqual([40n, 2n]);
    expect(places.toSpliced(2, 1).map(([, other]) => other)).toEqual([0n, 0n, 0n]);
  });

  it('returns complete events with their block time', async () => {
    expect((await read(30)).events).toStrictEqual([
      {
        ...{ seq: 0n, type: 0n, value: 1n, timestamp: 1_699_999_000n, trust: 1n, currency: 'USD' },
        blockTimestamp: BigInt(timeOf(30)),
        ...{ attested: false, paidCents: 0n },
      },
    ]);
  });

  it('returns an empty log without an account', async () => {
    const { values, priorEvents } = await read(50, { transactions: [], shown: undefined });
    expect([values, priorEvents]).toEqual([[], 0n]);
  });

  it('requests the time of a slot that the list omits', async () => {
    const untimed = replaceResult('getSignaturesForAddress', (rows: object[]) =>
      rows.map((row) => ({ ...row, blockTime: null })),
    );
    expect(await read(50, CHAIN, untimed)).toMatchObject({ events: (await read(50)).events });
  });

  it('accepts a row that is listed twice', async () => {
    const twice = replaceResult('getSignaturesForAddress', (rows: object[]) => rows.flatMap((row) => [row, row]));
    expect(await read(50, CHAIN, twice)).toMatchObject({ events: (await read(50)).events });
  });

  it('waits for a transaction that is not available yet', async () => {
    let missing = 1;
    const late = replaceResult('getTransaction', (honest: object) => ((missing -= 1) === 0 ? null : honest));
    expect(await read(50, CHAIN, late)).toMatchObject({ values: [1n, 2n, 3n, 4n], waits: [2000] });
  });

  it('waits for a node that is behind', async () => {
    let behind = 2;
    const late = replaceResult('getMultipleAccounts', (honest: object) =>
      (behind -= 1) < 0 ? honest : { ...honest, context: { slot: 49 } },
    );
    expect(await read(50, CHAIN, late)).toMatchObject({ values: [1n, 2n, 3n, 4n], waits: [2000, 4000] });
  });
});

describe('readRawAltLog rejects a node that', () => {
  const withAccount = (index: number, change: (account: { data: [string, string] }) => object | null) =>
    replaceResult('getMultipleAccounts', (honest: { value: { data: [string, string] }[] }) => ({
      ...honest,
      value: honest.value.map((account, at) => (at === index ? change(account) : account)),
    }));
  const without = (name: string) =>
    replaceResult('getSignaturesForAddress', (rows: { signature: string }[]) =>
      rows.filter(({ signature }) => signature !== signatureOf(name)),
    );

  it.each<[string, AltTamper, string, string]>([
    ['serves another chain', replaceResult('getGenesisHash', () => 'x'), 'contradictory', 'serves another alt chain'],
    [
      'stays behind',
      replaceResult('getMultipleAccounts', (h: object) => ({ ...h, context: { slot: 49 } })),
      'unreachable',
      'the node is at slot 49, but the service read 50',
    ],
    ['omits an event', without('first'), 'unreachable', 'the node returns 3 of 4 events'],
    ['omits the close', without('close'), 'contradictory', 'the event log and the transactions that wrote it differ'],
    [
      'lists a transaction that it does not have',
      replaceResult('getTransaction', () => null),
      'unreachable',
      'lists a transaction that it does not have',
    ],
    [
      'returns a transaction of another slot',
      replaceResult('getTransaction', (h: object) => ({ ...h, slot: 1 })),
      'contradictory',
      'a transaction of another slot',
    ],
    [
      'lists a transaction that is not in its block',
      replaceResult('getBlock', () => ({ signatures: [] })),
      'contradictory',
      'a transaction that is not in its block',
    ],
    [
      'never ends a list',
      replaceResult('getSignaturesForAddress', () => [{ signature: 'x', slot: 1, err: {} }]),
      'contradictory',
      'without an end',
    ],
    ['has no machine', withAccount(0, () => null), 'contradictory', 'has no such machine'],
    [
      'has a machine of another program',
      withAccount(0, (a) => ({ ...a, owner: 'x' })),
      'contradictory',
      'of another program',
    ],
    [
      'has another kind of log',
      withAccount(1, (a) => ({ ...a, data: [Buffer.alloc(452).toString('base64'), 'base64'] })),
      'contradictory',
      'of another kind',
    ],
    ['has no registry', withAccount(2, () => null), 'contradictory', 'no registry of machines'],
  ])('%s', async (_, tamper, kind, message) => {
    expect(await failureOf(tamper)).toEqual([kind, expect.stringContaining(message)]);
  });

  it('has another last record in the account (contradictory)', async () => {
    const shown = { ...CHAIN.shown!, last: recordOf(5n) };
    expect(await failureOf(undefined, { ...CHAIN, shown })).toEqual([
      'contradictory',
      'the event log and the transactions that wrote it differ',
    ]);
  });

  it('does not know the time of a block (unreachable)', async () => {
    const timeless: AltTamper = (request, honest) =>
      replaceResult('getBlockTime', () => null)(request, honest) ??
      replaceResult('getSignaturesForAddress', (rows: object[]) => rows.map((row) => ({ ...row, blockTime: null })))(
        request,
        honest,
      );
    expect(await failureOf(timeless)).toEqual(['unreachable', 'the node does not know the time of slot 30']);
  });

  it('refuses a call (unreachable)', async () => {
    const refusing = replaceResult('getTransaction', () => {
      throw new RpcRefusal('getTransaction', -32_015);
    });
    expect(await failureOf(refusing)).toEqual(['unreachable', 'the node refused getTransaction (-32015)']);
  });
});
