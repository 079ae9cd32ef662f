/** Rating history and event listing: whole bodies, on both chains. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  eventLog,
  BONDED_LOGS,
  GRACE_SECONDS,
  MACHINE,
  MAIN_FACTS,
  MAIN_MACHINE,
  RUNOFF_SECONDS,
  NOW,
  openAltService,
  OPERATOR,
  revenueAt,
  UNREADABLE,
  type AltService,
  type AltServiceOptions,
  type MachineFixture,
} from '../../../../testing/harness/alt-chain.ts';
import { Fault } from '../../../domain/faults.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import { createFixedRates } from '../../../adapters/fx/feed-rates.ts';
import type { EventRecord, MachineSnapshot, ServiceEndpoint } from '../../../domain/machine/machine-facts.ts';
import { NO_PROVENANCE, type Provenance } from '../../../domain/machine/provenance.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { FactLog } from '../../../domain/machine/fact-log.ts';
import type { EventLogQuery } from '../../../ports/indexes.ts';
import { rateDays } from '../../../domain/rating/daily-rating.ts';
import { AGREEING_COUNTERS } from '../../../../testing/fakes/agreeing-counters.ts';
import { onAllDays, PLAIN_FACTS } from '../../../../testing/fixtures/rating-events.ts';
import { encodeRatingStateDay } from '../../../domain/rating/rating-state-day-codec.ts';
import { foldDays, HISTORY_DAYS, RETAINED_DAYS } from '../../../domain/rating/rating-state-days.ts';
import { emptyRatingState, foldEvents } from '../../../domain/rating/rating-state.ts';
import { encodeRatingState } from '../../../domain/rating/rating-state-codec.ts';
import { rateMachine, type Rating } from '../../../domain/rating/rating.ts';
import { dayOf, formatDay } from '../../../domain/rating/utc-day.ts';
import type { EventLogRow } from '../../../ports/indexes.ts';
import type { Ctx, MainChainPorts } from '../../../ports/ctx.ts';
import type { StoredRatingStateDay, StoredRatingStateDays } from '../../../ports/store.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

async function open(machine: MachineFixture, options: AltServiceOptions = {}): Promise<AltService> {
  service = await openAltService({ machines: [machine], ...options });
  return service;
}

const DAY = 86_400;
/** 2026-09-08 at 10:00; other days have the time of day of `NOW`. */
const ZERO_HASH = `0x${'0'.repeat(64)}`;
const visible = (visibility: string): readonly ServiceEndpoint[] => [
  { id: 'v', serviceType: 'dataVisibility', serviceEndpoint: visibility },
];
const account = present({ ...MACHINE, serviceEndpoints: visible('public') });
const THREE = [
  revenueAt(0, NOW - 3 * DAY, 2_000),
  revenueAt(1, NOW - 3 * DAY + 60, 3_000),
  revenueAt(2, NOW - DAY, 400_000),
];

/** Opens a service with a main-chain machine that has these events. Records the queries to node and store. */
function mainWith(
  events: typeof THREE,
  serviceEndpoints: readonly ServiceEndpoint[],
  { isChipOnRecord = false, provenance = NO_PROVENANCE, logs = BONDED_LOGS } = {},
  facts: Partial<MachineSnapshot> = {},
) {
  const queries: string[] = [];
  /** The stored history; a repair begins another epoch. */
  const history = { epoch: 0 };
  const snapshot = {
    id: 1n as MachineId,
    ...MAIN_FACTS,
    ...MAIN_MACHINE,
    ...facts,
    eventCount: present(BigInt(events.length)),
    document: present({ controller: undefined, verificationMethods: [], authentication: [], serviceEndpoints }),
  } as MachineSnapshot;
  const rows = events.map(({ event }, seq): EventLogRow => {
    const { type: eventType, value, blockTimestamp } = event;
    const evidence = { isChipOnRecord, changedHandsBefore: undefined };
    return { seq, eventIndex: BigInt(seq), eventType, value, blockNumber: 100 + seq, blockTimestamp, ...evidence };
  });
  const main = {
    index: { readMainChainIndex: async () => ({ indexedBlock: 5 }) },
    counters: { ...AGREEING_COUNTERS, checkMachine: async () => ({ outcome: 'agrees', epoch: history.epoch }) },
    eventTimes: {
      readPinnedHistory: async () => ({ epoch: history.epoch, storedEpoch: history.epoch, provenance }),
      readFactLogs: async () => logs,
      readEventLogs: async ({ from, to, epoch = history.epoch }: EventLogQuery) => {
        if (epoch !== history.epoch) throw new Fault('EventIndexSyncing', { indexedBlock: 5, headBlock: 5 });
        queries.push(`logs ${from} to ${to}`);
        return rows.slice(from, to);
      },
    },
    chain: {
      getCached: () => ({
        snapshot,
        deployment: { localOrdinal: 1, graceSeconds: GRACE_SECONDS, runoffSeconds: RUNOFF_SECONDS },
      }),
      readEvents: async (_id: MachineId, _block: object, from: number, to: number) => {
        queries.push(`records ${from} to ${to}`);
        return { offset: from, records: events.slice(from, to).map(({ record }): EventRecord => record) };
      },
    },
  } as unknown as MainChainPorts;
  return { queries, history, ctx: { main } };
}

test.each(['/mcr/did:svc:1/history', '/machines/1/events'])(
  'GET %s joins no rating with the history of a later epoch, and rates again for the next request',
  async (path) => {
    const { history, ctx } = mainWith(THREE, visible('public'));
    await open({}, { ctx });
    await service!.request('/mcr/did:svc:1');
    history.epoch = 1;
    const { status, text } = await service!.request(path);
    expect([status, text]).toEqual([503, expect.stringContaining('Event index is syncing')]);
    expect((await service!.request(path)).status).toBe(200);
  },
);

test('GET /mcr/{did}/history joins no events with the acceptance of a later epoch, and rates again for the next request', async () => {
  const { history, ctx } = mainWith(THREE, []);
  await open({}, { ctx });
  await service!.request('/mcr/did:svc:1');
  const { readEventLogs } = ctx.main.eventTimes;
  // A repair ends after the events were read.
  Object.assign(ctx.main.eventTimes, {
    readEventLogs: async (query: EventLogQuery) => {
      const rows = await readEventLogs(query);
      history.epoch = 1;
      return rows;
    },
  });
  const { status, text } = await service!.request('/mcr/did:svc:1/history');
  expect([status, text]).toEqual([503, expect.stringContaining('Event index is syncing')]);
  expect((await service!.request('/mcr/did:svc:1/history')).status).toBe(200);
});

/** What the history of a machine that was always bonded lists besides points. */
const STARTED = '"changes":[{"at":0,"kind":"bond_started","value":3577800000}],"actions":[]';

describe('GET /mcr/{did}/history', () => {
  const points =
    '"revenue_before":0,"points":[{"day":"2026-09-05","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"total_hundredths":1153,"revenue":5000,"bond_status":"bonded"},' +
    '{"day":"2026-09-06","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"total_hundredths":1153,"revenue":0,"bond_status":"bonded"},' +
    '{"day":"2026-09-07","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"total_hundredths":1383,"revenue":400000,"bond_status":"bonded"},' +
    '{"day":"2026-09-08","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"total_hundredths":1383,"revenue":0,"bond_status":"bonded"}],' +
    '"changes":[{"at":0,"kind":"bond_started","value":3577800000}],"actions":[]';
  const head = (complete: boolean) =>
    `{"did":"did:svc:1","machine_id":"1","model":"mcr/2","complete":${complete},` +
    '"bond":{"status":"Active","period_end":null,"grace_end":null},';

  test('returns one point a day on either chain, without visible events', async () => {
    rule('history.daily-points');
    await open({ log: eventLog(3), indexed: THREE });
    const { status, headers, text } = await service!.request('/mcr/did:svc:1/history');
    expect([status, headers['chain-block'], headers['cache-control']]).toEqual([200, '120340', 'no-cache']);
    expect(text).toBe(`${head(true)}${points},"home_chain":5}`);
    await service!.close();
    await open({}, mainWith(THREE, []));
    expect((await service!.request('/mcr/did:svc:1/history')).text).toBe(`${head(true)}${points}}`);
  });

  test('ends with the rating of /mcr', async () => {
    rule('history.ends-with-current-rating');
    const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));
    await open({}, mainWith(daily, []));
    const { mcr, mcr_score, total_revenue } = JSON.parse((await service!.request('/mcr/did:svc:1')).text);
    const { points } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    expect([mcr, mcr_score, points.length]).toEqual(['BB', 50, 121]);
    expect(points.at(-1)).toMatchObject({ mcr, mcr_score });
    expect(points.reduce((sum: number, { revenue }: { revenue: number }) => sum + revenue, 0)).toBe(total_revenue);
  });

  test('reads all records and logs once per snapshot of the machine', async () => {
    rule('history.bounded-cost');
    const { queries, ctx } = mainWith(THREE, []);
    await open({}, { ctx });
    await service!.request('/mcr/did:svc:1');
    const before = [...queries];
    for (let k = 0; k < 3; k++) await service!.request('/mcr/did:svc:1/history');
    expect(queries.slice(before.length)).toEqual(['records 0 to 3', 'logs 0 to 3']);
  });

  test('returns no points without an event', async () => {
    await open({}, mainWith([], []));
    expect((await service!.request('/mcr/did:svc:1/history')).text).toBe(
      `${head(true)}"revenue_before":0,"points":[],${STARTED}}`,
    );
    await service!.close();
    await open({});
    expect((await service!.request('/mcr/did:svc:1/history')).text).toBe(
      `${head(true)}"revenue_before":0,"points":[],${STARTED},"home_chain":5,"rating_unavailable":"no_events_yet"}`,
    );
  });

  test('needs no KYB record for an alt-chain machine whose rating depends on none', async () => {
    await open({ main: { attestations: UNREADABLE }, log: eventLog(3), indexed: THREE });
    const { mcr } = JSON.parse((await service!.request('/mcr/did:svc:1')).text);
    const { points } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    expect(points.at(-1).mcr).toBe(mcr);
  });

  test('returns no points while the index lacks an event', async () => {
    await open({ log: eventLog(4), indexed: THREE });
    expect((await service!.request('/mcr/did:svc:1/history')).text).toBe(
      `${head(false)}"revenue_before":0,"points":[],"changes":[],"actions":[],"home_chain":5,"rating_unavailable":"indexer_behind"}`,
    );
  });

  test('rates each past day with the facts of that day, and names what changed the rating', async () => {
    rule('history.facts-of-the-day');
    const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));
    const logs: readonly FactLog[] = [
      { kind: 'bond-period', value: BigInt(NOW - 20 * DAY), blockTimestamp: NOW - 130 * DAY },
      // The bond ended with its grace 13 days ago, and was renewed 5 days ago.
      { kind: 'bond-period', value: BigInt(NOW + 100 * DAY), blockTimestamp: NOW - 5 * DAY },
    ];
    await open({}, mainWith(daily, [], { logs }));
    const body = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    const letters = body.points.map(({ mcr }: { mcr: string }) => mcr);
    expect(letters.slice(-16).map((letter: string) => letter === 'NR')).toEqual([
      ...[false, false],
      ...Array.from({ length: 8 }, () => true),
      ...Array.from({ length: 6 }, () => false),
    ]);
    const { actions, changes } = body;
    expect(actions.filter(({ cause }: { cause: string }) => cause === 'bond')).toEqual([
      { day: '2026-08-26', from: 'BB', to: 'NR', cause: 'bond' },
      { day: '2026-09-03', from: 'NR', to: 'BB', cause: 'bond' },
    ]);
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['bond_started', 'bond_in_grace', 'bond_expired', 'bond_renewed'],
    ]);
  });

  test('shows the bond of the current rating while the chain has no block after its end', async () => {
    rule('history.facts-of-the-day');
    const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));
    const periodEnd = BigInt(NOW - 1) - GRACE_SECONDS;
    const logs: readonly FactLog[] = [{ kind: 'bond-period', value: periodEnd, blockTimestamp: NOW - 130 * DAY }];
    await open({}, mainWith(daily, [], { logs }, { subscriptionStatus: present('Grace') }));
    const { points, changes, actions } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    expect(points.at(-1)).toMatchObject({ mcr: 'BB', bond_status: 'bonded' });
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['bond_started', 'bond_in_grace']);
    expect(actions.filter(({ cause }: { cause: string }) => cause === 'bond')).toEqual([]);
  });

  test('names the end of a verification as the cause within the second in which it ends', async () => {
    rule('history.facts-of-the-day');
    const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 3_000_000));
    const kyb = { issuedAt: BigInt(NOW - 100 * DAY), expiresAt: BigInt(NOW + 5), revokedAt: undefined };
    const attestations = present({ operator: OPERATOR, kyb, chip: undefined });
    await open({}, mainWith(daily, [], { isChipOnRecord: true }, { attestations }));
    const readLastAction = async () => {
      const { points, actions } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
      return { point: points.at(-1).mcr, action: actions.at(-1) };
    };
    const verified = await readLastAction();
    service!.ctx.time.milliseconds += 5_000;
    const { point, action } = await readLastAction();
    expect(action).toEqual({
      day: formatDay(dayOf(NOW)),
      from: verified.point,
      to: point,
      cause: 'operator_verification',
    });
  });

  test('does not name a flag as the cause that ends later in the day', async () => {
    rule('history.facts-of-the-day');
    const flaggedAt = NOW - 180 * DAY + 3_600;
    // The tenth event graduates the machine.
    const events = Array.from({ length: 10 }, (_, i) => revenueAt(i, NOW - (9 - i) * 4 * DAY - 60, 100_000));
    const logs: readonly FactLog[] = [
      ...BONDED_LOGS,
      { kind: 'flagged', value: BigInt(flaggedAt), blockTimestamp: flaggedAt },
    ];
    const flags = present({ flaggedAt: BigInt(flaggedAt), trustOverride: undefined });
    await open({}, mainWith(events, [], { logs }, { flags }));
    const { actions } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    expect(actions).toEqual([{ day: '2026-09-08', from: 'Provisioned', to: 'NR', cause: 'events' }]);
  });

  test('shows no day as anchored on which a new owner had not accepted the machine', async () => {
    rule('history.facts-of-the-day');
    const daily = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 300_000));
    const kyb = { issuedAt: BigInt(NOW - 100 * DAY), expiresAt: undefined, revokedAt: undefined };
    const changeOfHands = { at: NOW - 50 * DAY, seq: 70, transactionHash: '0x' };
    const read = async (acceptance: Partial<Provenance>, records: MachineSnapshot['attestations']) => {
      const provenance = { ...NO_PROVENANCE, changeOfHands, ...acceptance };
      await open({}, mainWith(daily, [], { provenance }, { attestations: records }));
      const { complete, points } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
      await service!.close();
      return { complete, totals: points.map((point: { total_hundredths: number }) => point.total_hundredths) };
    };
    const verified = present({ operator: OPERATOR, kyb, chip: undefined });
    const acceptedAt = NOW - 20 * DAY;
    const plain = (await read({ isAccepted: true, acceptedAt }, ABSENT)).totals;
    expect(plain.at(-2)).toBeGreaterThan(5_000);
    expect((await read({ isAccepted: false }, verified)).totals).toEqual(plain);
    const { totals } = await read({ isAccepted: true, acceptedAt }, verified);
    const differing = totals.flatMap((total: number, day: number) =>
      total > plain[day] ? [totals.length - 1 - day] : [],
    );
    expect(differing).toEqual(Array.from({ length: 21 }, (_, day) => 20 - day));
    // An index of an earlier release, and one that waits for the time of a block, hold no time of the acceptance.
    for (const unknown of [undefined, 0]) {
      const history = await read({ isAccepted: true, acceptedAt: unknown }, verified);
      expect(history).toEqual({ complete: false, totals: [] });
    }
  });

  test('shows times beyond 2^53 as 2^53 - 1', async () => {
    const periodEnd = 2n ** 64n - 1n;
    const subscription = present({ tier: 0, periodStart: 1n, periodEnd, bondedAmount: 0n });
    const logs: readonly FactLog[] = [{ kind: 'bond-period', value: periodEnd, blockTimestamp: 0 }];
    await open({}, mainWith(THREE, [], { logs }, { subscription }));
    const { bond, changes } = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
    const most = Number.MAX_SAFE_INTEGER;
    expect([bond.period_end, bond.grace_end, changes[0].value]).toEqual([most, most, most]);
  });

  test('returns no points where the logs do not lead to the present facts', async () => {
    rule('history.facts-of-the-day');
    await open({}, mainWith(THREE, [], { logs: [] }));
    expect(JSON.parse((await service!.request('/mcr/did:svc:1/history')).text)).toMatchObject({
      complete: false,
      points: [],
      changes: [],
    });
  });

  test('replays up to 2,000 events without stored days and reads no more than that', async () => {
    rule('history.bounded-cost');
    const many = (count: number) => Array.from({ length: count }, (_, seq) => revenueAt(seq, NOW - DAY, 2_000));
    const { queries, ctx } = mainWith(many(2_000), []);
    await open({}, { ctx });
    expect(JSON.parse((await service!.request('/mcr/did:svc:1/history')).text)).toMatchObject({
      complete: true,
      points: [{ revenue: 4_000_000 }, { revenue: 0 }],
    });
    expect(queries).toContain('records 0 to 2000');
    await service!.close();
    await open({ log: eventLog(2_001), indexed: many(2_001) });
    expect(JSON.parse((await service!.request('/mcr/did:svc:1/history')).text)).toMatchObject({
      complete: false,
      points: [],
    });
  });

  describe('with more events', () => {
    /** Ten events a day for 300 days, and the stored days of all but the newest of them. */
    const many = Array.from({ length: 3_000 }, (_, seq) =>
      revenueAt(seq, NOW - (300 - Math.floor(seq / 10)) * DAY + (seq % 10), 1_000 + 7 * (seq % 900)),
    );
    const events = many.map(({ event }) => event);
    const table = createFixedRates([]).current().table;
    const stored = (count: number): StoredRatingStateDay[] =>
      foldDays(emptyRatingState(), undefined, events.slice(0, count), table).days.map((day) => ({
        ...{ day: day.day, nextSeq: day.totals.nextSeq, state: encodeRatingStateDay(day) },
      }));
    /** The history computed without stored days and without a limit. */
    const expectedPoints = (rating: Rating, today: number) => {
      const facts = { ...PLAIN_FACTS, operatorVerified: false, rates: table };
      const { days } = rateDays({ stateDays: [], events, changedHandsAfter: undefined }, onAllDays(facts), {
        current: rating,
        today,
        maxDays: HISTORY_DAYS,
      });
      return days.map(({ day, score, letter, totalHundredths, revenueCents }) => ({
        ...{ day: formatDay(day), mcr_score: score, mcr: letter, mcr_degraded: false },
        ...{ total_hundredths: totalHundredths, revenue: revenueCents, bond_status: 'bonded' },
      }));
    };
    const rating = rateMachine({
      ...PLAIN_FACTS,
      operatorVerified: false,
      rates: table,
      now: NOW,
      state: emptyRatingState(),
      tail: events,
    });
    const fold = foldEvents(emptyRatingState(), events.slice(0, 2_950), table).state;

    async function openMain(listed: StoredRatingStateDays, epoch = 0) {
      const { queries, ctx } = mainWith(many, []);
      const limits: number[] = [];
      const store = {
        readRatingState: async () => ({ epoch: 0, nextSeq: fold.nextSeq, state: encodeRatingState(fold) }),
        listRatingStateDays: async (_generation: string, _id: MachineId, _fingerprint: string, limit: number) => {
          limits.push(limit);
          return { ...listed, epoch };
        },
      } as unknown as Ctx['store'];
      await open({}, { ctx: { ...ctx, store } });
      const { status, text } = await service!.request('/mcr/did:svc:1/history');
      return { queries, limits, status, body: JSON.parse(text) };
    }

    test('continues from the stored days and reads only later events', async () => {
      rule('history.bounded-cost');
      const { queries, limits, body } = await openMain({ epoch: 0, days: stored(2_950) });
      expect(body).toMatchObject({ complete: true, revenue_before: 0 });
      expect(body.points).toEqual(expectedPoints(rating, dayOf(NOW)));
      expect([body.points.length, limits]).toEqual([301, [RETAINED_DAYS + 1]]);
      expect([...new Set(queries)].sort()).toEqual(['logs 2950 to 3000', 'records 2950 to 3000']);
    });

    test.each([
      ['no day is stored', [], 0],
      ['too few days are stored', stored(900), 0],
      ['the days are from before an import', stored(2_950), 1],
    ])('returns no points where %s', async (_, days, epoch) => {
      const { body } = await openMain({ epoch: 0, days }, epoch);
      expect(body).toMatchObject({ complete: false, points: [] });
    });

    test.each([
      ['about events that the block does not have', [{ day: 20_700, nextSeq: 3_001, state: '' }]],
      ['damaged', [{ ...stored(2_950).at(-1)!, state: '[]' }]],
    ])('returns 503 where the stored state is %s', async (_, days) => {
      const { status, body } = await openMain({ epoch: 0, days });
      expect([status, body]).toEqual([503, { detail: 'Chain unavailable' }]);
    });

    test('works the same on the alt chain', async () => {
      const days = foldDays(emptyRatingState(), undefined, events.slice(0, 2_800), table).days;
      await open({
        log: eventLog(3_000),
        indexed: many,
        dayHistory: { stateDays: days, events: events.slice(2_800), changedHandsAfter: undefined },
      });
      const body = JSON.parse((await service!.request('/mcr/did:svc:1/history')).text);
      expect([body.complete, body.points]).toEqual([true, expectedPoints(rating, dayOf(NOW))]);
    });
  });

  test('accepts only a DID', async () => {
    await open({});
    expect((await service!.request('/mcr/1/history')).text).toBe('{"detail":"Invalid machine DID format"}');
    expect((await service!.request('/mcr/did:svc:2/history')).text).toBe('{"detail":"Machine not found"}');
  });

  test('returns 304 for its ETag', async () => {
    await open({}, mainWith(THREE, []));
    const { headers } = await service!.request('/mcr/did:svc:1/history');
    const etag = String(headers['etag']);
    const again = await service!.request('/mcr/did:svc:1/history', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('GET /machines/{machine_id}/events', () => {
  const item = (position: number, cents: number, timestamp: number) =>
    `{"position":${position},"event_type":0,"origin_value":${cents},"timestamp":${timestamp},"trust_level":2,"metadata":{},` +
    `"origin_currency":"USD","usd_value":${cents},"origin_subunit":100,"usd_subunit":100,"amount_status":"ok",` +
    `"block_timestamp":${timestamp},"judgement":"sound","data_hash":"${ZERO_HASH}","source_chain_id":"0",` +
    `"source_tx_hash":"${ZERO_HASH}","class":"declared","verdict":"declared","paid_cents":0,"source":null,` +
    '"token":null,"payer":null,"worth_cents":null,"returned_cents":null}';
  const [first, second, third] = [
    item(0, 2_000, NOW - 3 * DAY),
    item(1, 3_000, NOW - 3 * DAY + 60),
    item(2, 400_000, NOW - DAY),
  ];
  const head = (count: number) => `{"did":"did:svc:1","machine_id":"1","event_count":${count},`;

  test.each(['public', 'onchain'])('returns events newest first where they are %s', async (visibility) => {
    await open({}, mainWith(THREE, visible(visibility)));
    const { status, headers, text } = await service!.request('/machines/1/events');
    expect([status, headers['chain-block']]).toEqual([200, '120340']);
    expect(text).toBe(`${head(3)}"events":[${third},${second},${first}],"next_cursor":null}`);
  });

  test('writes values of 256 bits with every digit', async () => {
    rule('documents.openapi-bounds');
    const greatest = 2n ** 256n - 1n;
    const [plain] = THREE;
    const large = {
      event: { ...plain!.event, value: greatest, timestamp: greatest },
      record: { ...plain!.record, value: greatest, timestamp: greatest },
    };
    await open({}, mainWith([large], visible('public')));
    const { status, text } = await service!.request('/machines/1/events');
    expect([status, text]).toEqual([
      200,
      expect.stringContaining(`"origin_value":${greatest},"timestamp":${greatest},`),
    ]);
    expect(text).toContain('"usd_value":1000000000,');
  });

  test('shows the class of each event, which a change of hands ends', async () => {
    const small = revenueAt(3, NOW - DAY + 60, 999);
    const changeOfHands = { at: NOW - 2 * DAY, seq: 2, transactionHash: '0x' };
    const provenance = { ...NO_PROVENANCE, changeOfHands };
    await open({}, mainWith([...THREE, small], visible('public'), { isChipOnRecord: true, provenance }));
    const { events } = JSON.parse((await service!.request('/machines/1/events')).text);
    expect(events.map((event: Record<string, unknown>) => [event['class'], event['verdict']])).toEqual([
      [null, null],
      ['attested', 'declared'],
      ['declared', 'declared'],
      ['declared', 'declared'],
    ]);
  });

  test('names the chain of events of the alt chain', async () => {
    await open({ account, log: eventLog(3), indexed: THREE });
    expect((await service!.request('/machines/1/events')).text).toBe(
      `${head(3)}"events":[${third},${second},${first}],"next_cursor":null,"home_chain":5}`,
    );
  });

  test('returns the indexed events of the alt chain', async () => {
    await open({ account, log: eventLog(5), indexed: THREE });
    expect((await service!.request('/machines/1/events?limit=1')).text).toBe(
      `${head(3)}"events":[${third}],"next_cursor":2,"home_chain":5,"rating_unavailable":"indexer_behind"}`,
    );
  });

  test('returns pages by cursor, each with one chain request and one store query beside the rating', async () => {
    rule('events.rating-events');
    const { queries, ctx } = mainWith(THREE, visible('public'));
    await open({}, { ctx });
    const read = async (query: string) => (await service!.request(`/machines/1/events?${query}`)).text;
    await service!.request('/mcr/did:svc:1');
    queries.length = 0;
    expect(await read('limit=2')).toBe(`${head(3)}"events":[${third},${second}],"next_cursor":1}`);
    expect(queries).toEqual(['records 1 to 3', 'logs 1 to 3']);
    expect(await read('limit=2&cursor=1')).toBe(`${head(3)}"events":[${first}],"next_cursor":null}`);
    expect(await read('limit=2&cursor=0')).toBe(`${head(3)}"events":[],"next_cursor":null}`);
    expect(await read('cursor=2&limit=1')).toBe(`${head(3)}"events":[${second}],"next_cursor":1}`);
  });

  test('is refused like the rating while the logs of the machine do not lead to its owner', async () => {
    const { main } = mainWith(THREE, visible('public'), { isChipOnRecord: true }).ctx;
    const checkMachine = () => Promise.reject(new Fault('EventIndexSyncing', { indexedBlock: 1, headBlock: 2 }));
    const counters = { ...AGREEING_COUNTERS, checkMachine };
    const index = { readMainChainIndex: () => Promise.reject(new Fault('StoreUnavailable', {})) };
    await open({}, { ctx: { main: { ...main, counters, index } } });
    const responses = await Promise.all(['/mcr/did:svc:1', '/machines/1/events'].map((path) => service!.request(path)));
    expect(responses.map(({ status, text }) => [status, text])).toEqual(
      Array(2).fill([503, '{"detail":"Event index is syncing: block 1 of 2"}']),
    );
  });

  test('marks events that the rating does not count', async () => {
    const at = NOW - DAY;
    const plain = revenueAt(0, at, 2_000);
    const odd = [
      { record: { ...plain.record, currency: 'usd' }, event: { ...plain.event, currency: 'usd' } },
      { record: { ...plain.record, timestamp: 1n }, event: { ...plain.event, seq: 1, timestamp: 1n } },
      {
        record: { ...plain.record, timestamp: BigInt(NOW + DAY) },
        event: { ...plain.event, seq: 2, timestamp: BigInt(NOW + DAY) },
      },
    ];
    await open({ account, log: eventLog(3), indexed: odd });
    const { events } = JSON.parse((await service!.request('/machines/1/events')).text);
    expect(
      events.map(({ judgement, usd_value }: { judgement: string; usd_value?: number }) => [judgement, usd_value]),
    ).toEqual([
      ['early', 2_000],
      ['late', 2_000],
      ['malformed', undefined],
    ]);
  });

  test.each([
    ['no visibility is set', []],
    ['the visibility is unknown', visible('everyone')],
    ['the visibility is private', visible('private')],
  ])('returns 403 where %s', async (_name, endpoints) => {
    rule('events.visibility');
    const { queries, ctx } = mainWith(THREE, endpoints);
    await open({}, { ctx });
    const { status, text } = await service!.request('/machines/1/events');
    expect([status, text, queries]).toEqual([403, '{"detail":"Event data is private"}', []]);
    await service!.close();
    await open({ account: present({ ...MACHINE, serviceEndpoints: endpoints }), log: eventLog(3), indexed: THREE });
    expect((await service!.request('/machines/1/events')).status).toBe(403);
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=',
    'cursor=-1',
    'cursor=1.5',
    'cursor=1&cursor=2',
    'cursor=9007199254740993',
  ])('rejects %s', async (query) => {
    await open({ account });
    expect((await service!.request(`/machines/1/events?${query}`)).status).toBe(422);
  });
});

test('are not registered with additions off', async () => {
  rule('additions.off');
  await open({ account }, { ctx: { additions: 'off' } });
  for (const path of ['/mcr/did:svc:1/history', '/machines/1/events']) {
    expect((await service!.request(path)).text).toBe('{"detail":"Not Found"}');
  }
});
