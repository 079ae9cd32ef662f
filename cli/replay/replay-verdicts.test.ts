/** Recomputed verdicts of one machine over a source node in memory, compared with those that a service lists. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { createMainChainKey } from '../../testing/fixtures/signing-keys.ts';
import { encodeWord, topicOf } from './abi.ts';
import type { RawEvent } from './model/raw-events.ts';
import type { CitingRecord } from './payout-claims.ts';
import { ReplayFailure } from './replay-failure.ts';
import { replayVerdicts, type FleetClaim, type VerdictReplayInput } from './replay-verdicts.ts';
import type { ServedVerdict } from './served-verdicts.ts';
import type { ReplaySource } from './verdict-model.ts';

const NOW = 1_772_452_800;
const DAY = 86_400;
const ACCOUNT = createMainChainKey(new Uint8Array(32).fill(7));
const OWNER = `0x${'0a'.repeat(20)}`;
const PAYER = `0x${'0c'.repeat(20)}`;
const USDC = `0x${'ee'.repeat(20)}`;
const TEXT = { did: 'did:svc:7', header: 'svc payout account/1' };
const SOURCE: ReplaySource = {
  ...{ name: 'eip155:8453', id: 8453n, rpcUrls: ['http://source.test'], tokens: new Map([['USDC', USDC]]) },
};
const RATES = {
  feed: false,
  through: '1970-01-01',
  tokens: { USDC: 6 },
  fixed: { USDC: String(10n ** 12n) },
  rates: {},
};
const PAID: ServedVerdict = {
  ...{ code: 'paid', paidCents: 10_000n, token: 'USDC', payer: PAYER, worthCents: 10_000n, returnedCents: 0n },
};
const [CLAIMED, REPORTED] = [NOW - 10 * DAY, NOW - 9 * DAY];

const quantity = (value: number) => `0x${value.toString(16)}`;
const hashOf = (value: number) => encodeWord(BigInt(value));

/** Blocks of a day; payments are in the blocks at the times, by default in that of the event. */
function respond(method: string, [first]: readonly unknown[], found: boolean, times: PaymentTimes): unknown {
  const block = (times.get(first as string) ?? REPORTED) / DAY;
  if (method === 'eth_getBlockByNumber') {
    const number = first === 'finalized' ? NOW / DAY : Number(first);
    const at = Math.floor(number);
    return { number: quantity(at), timestamp: quantity(at * DAY), hash: hashOf(at), transactions: [hashOf(9)] };
  }
  if (method === 'eth_getLogs') return [];
  if (!found && first === hashOf(1)) return null;
  const topics = [
    topicOf('Transfer(address,address,uint256)'),
    encodeWord(BigInt(PAYER)),
    encodeWord(BigInt(ACCOUNT.address)),
  ];
  return {
    ...{ transactionHash: first, blockNumber: quantity(Math.floor(block)), blockHash: hashOf(Math.floor(block)) },
    ...{ status: '0x1', from: PAYER, logs: [{ address: USDC, topics, data: encodeWord(100_000_000n) }] },
  };
}

type PaymentTimes = ReadonlyMap<string, number>;

function nodeThat(found: boolean, times: PaymentTimes = new Map()): typeof fetch {
  return (async (_url: string, init?: RequestInit) => {
    const { method, params } = JSON.parse(init?.body as string) as { method: string; params: unknown[] };
    return Response.json({ jsonrpc: '2.0', id: 1, result: respond(method, params, found, times) });
  }) as typeof fetch;
}

const silent = (async () => {
  throw new TypeError('fetch failed');
}) as typeof fetch;

function toRecord(seq: number, at: number, more: Partial<CitingRecord> = {}): CitingRecord {
  return {
    ...{ seq: BigInt(seq), blockTimestamp: BigInt(at), place: [BigInt(seq), 0n], trust: 1n, owner: OWNER },
    ...{ sourceChainId: 0n, sourceTxHash: hashOf(0), metadata: new Uint8Array() },
    ...more,
  };
}

function toEvent(seq: number, at: number): RawEvent {
  return {
    ...{ seq: BigInt(seq), type: 0n, value: 10_000n, currency: 'USD', timestamp: BigInt(at), trust: 1n },
    ...{ blockTimestamp: BigInt(at), attested: false, paidCents: 0n },
  };
}

/** Record of the first event, which claims the account. */
function toClaim(at: number): CitingRecord {
  const text = [TEXT.header, `machine: ${TEXT.did}`, `owner: ${OWNER}`, `account: ${ACCOUNT.address}`].join('\n');
  const proof = { payout: ACCOUNT.address, owner: OWNER, proof: ACCOUNT.sign(utf8ToBytes(text)) };
  return toRecord(0, at, { metadata: utf8ToBytes(JSON.stringify(proof)) });
}

const toCitation = (seq: number, at: number) => toRecord(seq, at, { sourceChainId: 8453n, sourceTxHash: hashOf(seq) });

/** Replays a claim and one event that cites a payment of USD 100. */
function replayOne(served: ServedVerdict | undefined, more: Partial<VerdictReplayInput> = {}, send = nodeThat(true)) {
  const declared = { ...PAID, code: 'declared' as const, paidCents: 0n, token: null, payer: null };
  const listed = new Map([
    [0n, { ...declared, worthCents: null, returnedCents: null }],
    ...(served === undefined ? [] : [[1n, served] as const]),
  ]);
  return replayVerdicts({
    ...{ text: TEXT, home: 'main', now: BigInt(NOW), homeHead: BigInt(NOW), rates: RATES, sources: [SOURCE] },
    events: [toEvent(0, CLAIMED), toEvent(1, REPORTED)],
    citing: [toClaim(CLAIMED), toCitation(1, REPORTED)],
    ...{ claimEnds: [], fleet: [], readsFlows: true, served: served === undefined ? undefined : listed },
    transport: { fetch: send, wait: async () => undefined },
    ...more,
  });
}

const failureOf = async (replayed: Promise<unknown>) => {
  const error: unknown = await replayed.catch((reason: unknown) => reason);
  return error instanceof ReplayFailure ? [error.kind, error.message] : error;
};
const nothing = { paidCents: 0n, token: null, payer: null, worthCents: null, returnedCents: null };

describe('replayVerdicts', () => {
  it('makes the verdict of a payment again, with its claim', async () => {
    const { verdicts, claims, differences, compared, ahead, takenReturned } = await replayOne(PAID);
    expect(verdicts.get(1n)).toEqual(PAID);
    expect(claims).toMatchObject([{ account: ACCOUNT.address, owner: OWNER, seq: 0n, end: undefined }]);
    expect({ differences, compared, ahead, takenReturned }).toEqual({
      ...{ differences: [], compared: 2, ahead: [], takenReturned: 0 },
    });
  });

  it('reports each member that the service lists differently', async () => {
    const { differences } = await replayOne({ ...PAID, paidCents: 20_000n, payer: OWNER });
    expect(differences).toEqual([
      { path: 'events[1].paid_cents', served: 20_000, recomputed: 10_000 },
      { path: 'events[1].payer', served: OWNER, recomputed: PAYER },
    ]);
  });

  it('is ahead of a verdict that is pending at the service, and rates without it', async () => {
    const { verdicts, differences, ahead } = await replayOne({ ...nothing, code: 'pending' });
    expect([verdicts.get(1n)?.code, verdicts.get(1n)?.paidCents]).toEqual(['pending', 0n]);
    expect([differences, ahead]).toEqual([[], [1n]]);
  });

  it('makes the verdict wrong_time on a transaction of before Byzantium, whose receipt has no status', async () => {
    const send = (async (_url: string, init?: RequestInit) => {
      const { method, params } = JSON.parse(init?.body as string) as { method: string; params: unknown[] };
      const result = respond(method, params, true, new Map([[hashOf(1), REPORTED - 8 * DAY]]));
      const isReceipt = method === 'eth_getTransactionReceipt';
      const changed = isReceipt ? { ...(result as object), status: undefined, root: hashOf(3) } : result;
      return Response.json({ jsonrpc: '2.0', id: 1, result: changed });
    }) as typeof fetch;
    const { verdicts } = await replayOne(undefined, {}, send);
    expect(verdicts.get(1n)?.code).toBe('wrong_time');
  });

  it('does not wait for the amount of a malformed event', async () => {
    const feed = { ...RATES, feed: true, through: '1970-01-01' };
    const malformed = { ...toEvent(0, CLAIMED), currency: 'eur' };
    const events = [malformed, toEvent(1, REPORTED)];
    const { verdicts } = await replayOne(PAID, { rates: feed, events });
    expect(verdicts.get(1n)).toEqual(PAID);
  });

  it('takes wrong_payee only while the claims of other machines are not read', async () => {
    const served: ServedVerdict = { ...nothing, code: 'wrong_payee' };
    const without = await replayOne(served, { fleet: undefined });
    expect([without.differences, without.takenFromClaims]).toEqual([[], [1n]]);
    const other: FleetClaim = {
      ...{ home: 'main', account: ACCOUNT.address, owner: OWNER, since: BigInt(CLAIMED + 1), seq: 0n },
      ...{ place: [1n, 0n], end: undefined },
    };
    const fleet = await replayOne(served, { fleet: [other] });
    expect([fleet.differences, fleet.takenFromClaims]).toEqual([[], []]);
    const { differences } = await replayOne(served);
    expect(differences[0]).toEqual({ path: 'events[1].verdict', served: 'wrong_payee', recomputed: 'paid' });
  });

  it('reads the oldest payment on which a compared verdict depends', async () => {
    const compared = NOW - (NOW % DAY) - 199 * DAY;
    const paidAt = compared - 14 * DAY;
    const earlierPaidAt = paidAt - 180 * DAY;
    const earlier = earlierPaidAt - 900;
    const claimed = earlier - DAY;
    const served = new Map([[2n, { ...PAID, returnedCents: 6_000n }]]);
    const times = new Map([
      [hashOf(1), earlierPaidAt],
      [hashOf(2), paidAt],
    ]);
    const last = { ...toEvent(2, compared), timestamp: BigInt(paidAt + 7 * DAY) };
    const events = [toEvent(0, claimed), toEvent(1, earlier), last];
    const citing = [toClaim(claimed), toCitation(1, earlier), toCitation(2, compared)];
    const more = { events, citing, served, readsFlows: false };
    const { differences, compared: count } = await replayOne(PAID, more, nodeThat(true, times));
    expect([differences, count]).toEqual([[], 1]);
  });

  it('takes the returned cents unless it reads the transfers', async () => {
    const served: ServedVerdict = { ...PAID, code: 'circular', paidCents: 0n, returnedCents: 5_000n };
    const taken = await replayOne(served, { readsFlows: false });
    expect([taken.differences, taken.takenReturned]).toEqual([[], 1]);
    expect((await replayOne(served)).differences.map(({ path }) => path)).toEqual(
      ['verdict', 'paid_cents', 'returned_cents'].map((name) => `events[1].${name}`),
    );
  });

  it('refuses private events without their transfers', async () => {
    expect(await failureOf(replayOne(undefined, { readsFlows: false }))).toEqual([
      'refused',
      expect.stringContaining('--flows'),
    ]);
    expect((await replayOne(undefined)).verdicts.get(1n)).toEqual(PAID);
  });

  it('finds no payment where a node with the history has no such transaction', async () => {
    const { differences } = await replayOne({ ...nothing, code: 'not_found' }, {}, nodeThat(false));
    expect(differences).toEqual([]);
  });

  it('fails as unreachable when no node of the source responds', async () => {
    expect(await failureOf(replayOne(PAID, {}, silent))).toEqual([
      'unreachable',
      'no node of the source eip155:8453 responds',
    ]);
  });
});
