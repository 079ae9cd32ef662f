/** Replay of served ratings from the vectors: equal, different and impossible comparisons, and the text output. */
import { describe, expect, it } from 'vitest';
import {
  ADDRESSES,
  blockHashOf,
  createCannedNode,
  NODE_URL,
  type CannedChain,
} from '../../testing/fakes/replay-main-node.ts';
import type { RateTable } from './model/conversion.ts';
import { listJudged } from './model/qualifying.ts';
import { ratingVectors as vectors, toModelInput, type RatingCase } from '../../testing/fixtures/replay-vectors.ts';
import { ReplayFailure } from './replay-failure.ts';
import type { Json, JsonObject } from './replay-json.ts';
import { formatReplay } from './replay-report.ts';
import { replay } from './replay.ts';

/** The served side is the expected result of the vectors in the form of the explanation, computed by neither side. */
const isPaid = (vector: RatingCase) => vector.events.some(([, , , , , , , , verdict]) => verdict === 'paid');
/** Without a payment source nothing is ever paid. */
const rated = vectors.cases.filter((vector) => vector.rating_unavailable === null && !isPaid(vector));
const paid = vectors.cases.filter((vector) => vector.rating_unavailable === null && isPaid(vector));
const STEADY = rated.find(({ name }) => name === 'steady machine, bond in grace')!;
const EUROS = rated.find(({ name }) => name === 'EUR, converted at a rate before its day')!;

const STATUSES = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];
const DID = 'did:svc:42';
const HEAD = 100_000;

/** Creates one block per block time, and an empty head block. */
function toChain(vector: RatingCase): CannedChain {
  const times = [...new Set(vector.events.map(([, , , , , , blockTimestamp]) => blockTimestamp))];
  return {
    chainId: 31337n,
    machineId: 42n,
    head: HEAD,
    timestampOf: (block) => times[block - 1] ?? vector.now,
    events: vector.events.map(([, type, value, currency, timestamp, trust, blockTimestamp, attested]) => ({
      block: 1 + times.indexOf(blockTimestamp),
      type,
      value: BigInt(value),
      currency,
      timestamp: BigInt(timestamp),
      trust,
      ...(trust === 2 && { isChipOnRecord: attested === 1 }),
    })),
    status: STATUSES.indexOf(vector.subscription),
    // The contract stores a uint64: a larger flag of the vectors is implausible either way.
    flaggedAt: BigInt.asUintN(64, BigInt(vector.negative_flag_at)),
    trustOverride: vector.trust_override,
    priorEvents: BigInt(vector.prior_events),
    maxQueryLimit: 100,
    hands: vector.hands,
    isControllerSet: vector.operator_verified,
    ...(vector.operator_verified && { kyb: { expiresAt: 0, revokedAt: 0 } }),
  };
}

function toExplanation(vector: RatingCase): Record<string, Json> {
  const { average_hundredths: averageHundredths, ...rating } = vector.expected;
  const { feed, through } = vectors.fx_tables[vector.fx]!;
  return {
    did: DID,
    machine_id: '42',
    ...rating,
    average_revenue_per_event: Number(averageHundredths) / 100,
    inputs: {
      block: { number: String(HEAD), hash: blockHashOf(HEAD), timestamp: vector.now },
      now: vector.now,
      subscription: vector.subscription,
      negative_flag_at: String(BigInt.asUintN(64, BigInt(vector.negative_flag_at))),
      trust_override: vector.trust_override,
      prior_events: vector.prior_events,
      event_count: vector.events.length,
      rates: { feed, through },
    },
    evidence: toEvidence(vector),
  };
}

function toEvidence(vector: RatingCase): Json {
  const lastChange = vector.hands.at(-1);
  const isChanged = lastChange !== undefined && vector.events.length > 0;
  const changedAt = isChanged ? (vector.events[lastChange]?.[6] ?? vector.now) : null;
  const none = { pending: 0, not_found: 0, failed: 0, wrong_time: 0, wrong_payee: 0, unknown_payer: 0 };
  const later = { self_paid: 0, circular: 0, already_counted: 0, paid: 0 };
  const declared = listJudged(toModelInput(vector), 180n).length;
  // The node issues a chip record in the first seconds of Unix time, before every change of hands.
  const isChipOnRecord = vector.events.findLast(([, , , , , trust]) => trust === 2)?.[7] === 1;
  const chip = { chip_changed_hands: isChipOnRecord ? changedAt !== null : null };
  return {
    sources_hash: null,
    changed_hands_at: changedAt,
    ...chip,
    accounts: [],
    verdicts: { declared, ...none, ...later },
  };
}

interface Setting {
  readonly served?: (honest: Record<string, Json>) => Json;
  readonly respond?: () => Response;
  readonly rates?: RateTable;
  readonly did?: string;
  readonly sourcesHash?: string;
  /** Response of the list of events. */
  readonly list?: (url: URL) => Response;
}

async function run(vector: RatingCase, setting: Setting = {}) {
  const node = createCannedNode(toChain(vector));
  const requested: string[] = [];
  const send = (async (url: string, init?: RequestInit) => {
    if (url === NODE_URL) return node.fetch(url, init);
    requested.push(url);
    if (setting.list !== undefined && url.includes('/machines/')) return setting.list(new URL(url));
    if (setting.respond !== undefined) return setting.respond();
    const honest = toExplanation(vector);
    return Response.json(setting.served === undefined ? honest : setting.served(honest));
  }) as typeof fetch;
  const result = await replay({
    did: setting.did ?? DID,
    baseUrl: 'http://service.test/base/',
    chain: { ...ADDRESSES, chainId: 31337n, startBlock: 0n, rpcUrls: [NODE_URL] },
    rates: setting.rates ?? vectors.fx_tables[vector.fx]!,
    ...(setting.sourcesHash !== undefined && { sourcesHash: setting.sourcesHash }),
    fetch: send,
    wait: async () => undefined,
  });
  return { result, requested };
}

const failureOf = async (vector: RatingCase, setting: Setting) => {
  const error: unknown = await run(vector, setting).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ReplayFailure)) throw new Error(`not a ReplayFailure: ${String(error)}`);
  return [error.kind, error.message];
};

const inputsOf = (explanation: JsonObject) => explanation['inputs'] as Record<string, Record<string, Json>>;

describe('a replay of the expected result', () => {
  it.each(rated.map((vector) => [vector.name, vector] as const))(
    'is equal for the vector: %s',
    async (_name, vector) => {
      const { result } = await run(vector);
      expect([result.differences, result.unchecked, result.equal]).toStrictEqual([[], [], true]);
      expect(result.recomputed).toStrictEqual(result.served);
    },
  );

  it('names no change of hands of a machine without events', async () => {
    const empty = rated.find(({ events }) => events.length === 0)!;
    const { result } = await run({ ...empty, hands: [0] });
    expect([result.differences, result.recomputed['evidence']]).toMatchObject([[], { changed_hands_at: null }]);
  });

  it('counts the events of 180 days that have a verdict', async () => {
    const { result } = await run(STEADY);
    expect((result.recomputed['evidence'] as Record<string, JsonObject>)['verdicts']!['declared']).toBe(121);
  });

  it('requests the explanation once', async () => {
    expect((await run(STEADY)).requested).toStrictEqual(['http://service.test/base/mcr/did%3Asvc%3A42/explanation']);
  });
});

describe('a replay of a wrong rating', () => {
  const paths: [path: string, change: (served: Record<string, Json>) => Json][] = [
    ['mcr_score', (served) => ({ ...served, mcr_score: 1 })],
    ['did', (served) => ({ ...served, did: 'did:svc:43' })],
    ['average_revenue_per_event', (served) => ({ ...served, average_revenue_per_event: 0.01 })],
    ['last_updated', (served) => ({ ...served, last_updated: null })],
    ['summary', (served) => ({ ...served, summary: 'Rated AAA with 100 of 100 points; no deductions.' })],
    ['inputs.event_count', (served) => ({ ...served, inputs: { ...inputsOf(served), event_count: 1 } })],
    ['inputs.subscription', (served) => ({ ...served, inputs: { ...inputsOf(served), subscription: 'Active' } })],
    ['inputs.trust_override', (served) => ({ ...served, inputs: { ...inputsOf(served), trust_override: 0 } })],
    ['inputs.negative_flag_at', (served) => ({ ...served, inputs: { ...inputsOf(served), negative_flag_at: '1' } })],
    ['inputs.prior_events', (served) => ({ ...served, inputs: { ...inputsOf(served), prior_events: 1 } })],
    [
      'inputs.block.timestamp',
      (served) => ({
        ...served,
        inputs: { ...inputsOf(served), block: { ...inputsOf(served)['block'], timestamp: 1 } },
      }),
    ],
  ];
  it.each(paths)('reports a difference in %s', async (path, change) => {
    const { result } = await run(STEADY, { served: change });
    expect([result.equal, result.differences.map((difference) => difference.path)]).toStrictEqual([false, [path]]);
  });

  it('reports both sides, and absent members as absent', async () => {
    const { result } = await run(STEADY, {
      served: ({ mcr: _mcr, ...served }) => ({
        ...served,
        dormancy: { ...(STEADY.expected['dormancy'] as JsonObject), idle_days: 3, grace: true },
        factors: (served['factors'] as Json[]).slice(0, 4),
      }),
    });
    const factors = STEADY.expected['factors'] as Json[];
    const dormancy = STEADY.expected['dormancy'] as JsonObject;
    expect(result.differences).toStrictEqual([
      { path: 'mcr', recomputed: STEADY.expected['mcr'] },
      { path: 'factors[4]', recomputed: factors[4] },
      { path: 'dormancy.idle_days', served: 3, recomputed: dormancy['idle_days'] },
      { path: 'dormancy.grace', served: true },
    ]);
  });

  it('lists members that it does not compute as unchecked', async () => {
    const { result } = await run(STEADY, {
      served: (served) => ({ ...served, note: 'x', inputs: { ...inputsOf(served), fold: 7 } }),
    });
    expect([result.equal, result.unchecked]).toStrictEqual([true, ['inputs.fold', 'note']]);
  });
});

/** Explanation of a service with payment sources: the verdicts are those of the vector. */
function withSources(vector: RatingCase): (served: Record<string, Json>) => Record<string, Json> {
  const judged = new Set(listJudged(toModelInput(vector), 180n).map(({ seq }) => Number(seq)));
  const codes = vector.events.filter(([seq]) => judged.has(seq)).map((event) => event[8] ?? 'declared');
  return (served) => {
    const evidence = served['evidence'] as Record<string, JsonObject>;
    const verdicts = Object.fromEntries(
      Object.keys(evidence['verdicts']!).map((name) => [name, codes.filter((code) => code === name).length]),
    );
    return { ...served, evidence: { ...evidence, sources_hash: SOURCES, verdicts } };
  };
}

/** Lists the events of the vector, newest first, with changes of single entries. */
function listEvents(
  vector: RatingCase,
  change: (entry: Record<string, Json>) => Record<string, Json> = (same) => same,
) {
  return (url: URL) => {
    const newest = Number(url.searchParams.get('cursor') ?? vector.events.length);
    const from = Math.max(0, newest - Number(url.searchParams.get('limit')));
    const events = vector.events.slice(from, newest).map((event) => {
      const [verdict, cents] = [event[8] ?? 'declared', event[9]];
      return change({ position: event[0], block_timestamp: event[6], verdict, paid_cents: cents });
    });
    return Response.json({ events: events.reverse(), next_cursor: from === 0 ? null : from });
  };
}

const SOURCES = `0x${'5'.repeat(64)}`;
const sourcesOf = (vector: RatingCase) => ({
  sourcesHash: SOURCES,
  served: withSources(vector),
  list: listEvents(vector),
});

describe('a replay with payment sources', () => {
  it.each(paid.map((vector) => [vector.name, vector] as const))(
    'takes the verdicts from the service and recomputes the rating: %s',
    async (_name, vector) => {
      const { result } = await run(vector, sourcesOf(vector));
      const count = listJudged(toModelInput(vector), 200n).length;
      expect([result.differences, result.unchecked]).toStrictEqual([
        [],
        ['evidence.accounts', ...(count === 0 ? [] : [`verdicts of ${count} events`])],
      ]);
    },
  );

  it('differs when the service lists more paid cents than it rated', async () => {
    const list = listEvents(STEADY, (entry) => ({ ...entry, verdict: 'paid', paid_cents: 100 }));
    const { result } = await run(STEADY, { ...sourcesOf(STEADY), list });
    const paths = result.differences.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['evidence.verdicts.declared', 'evidence.verdicts.paid']));
  });

  it('counts private events as declared where the service counts no other verdict', async () => {
    const list = () => Response.json({}, { status: 403 });
    expect((await run(STEADY, { ...sourcesOf(STEADY), list })).result.equal).toBe(true);
    expect(await failureOf(paid[0]!, { ...sourcesOf(paid[0]!), list })).toStrictEqual([
      'refused',
      'the events are private, so their verdicts cannot be taken from the service',
    ]);
  });

  it('is refused when the sources differ', async () => {
    const { list, served } = sourcesOf(STEADY);
    expect(await failureOf(STEADY, { list, served })).toStrictEqual([
      'refused',
      `the payment sources differ: the service has ${SOURCES}, SOURCES_FILE of the replay has none`,
    ]);
    expect(await failureOf(STEADY, { sourcesHash: SOURCES })).toStrictEqual([
      'refused',
      `the payment sources differ: the service has none, SOURCES_FILE of the replay has ${SOURCES}`,
    ]);
  });

  it.each<[string, (url: URL) => Response, string]>([
    ['another block time', listEvents(STEADY, (entry) => ({ ...entry, block_timestamp: 1 })), 'with another time'],
    ['an unknown verdict', listEvents(STEADY, (entry) => ({ ...entry, verdict: 'good' })), 'with another time'],
    ['paid cents without a payment', listEvents(STEADY, (entry) => ({ ...entry, paid_cents: 5 })), 'with another time'],
    ['missing events', () => Response.json({ events: [], next_cursor: null }), 'does not list all events'],
    ['an endless list', () => Response.json({ events: [], next_cursor: 7 }), 'does not list all events'],
    ['another form', () => Response.json([]), 'has another form'],
  ])('is contradictory with %s', async (_name, list, message) => {
    const [kind, text] = await failureOf(STEADY, { ...sourcesOf(STEADY), list });
    expect([kind, text]).toEqual(['contradictory', expect.stringContaining(message)]);
  });
});

describe('the rates of a replay', () => {
  const table = vectors.fx_tables[EUROS.fx]!;

  it('are cut to those of the service', async () => {
    const through = '2026-01-15';
    const { result } = await run(EUROS, {
      served: (served) => ({ ...served, inputs: { ...inputsOf(served), rates: { feed: true, through } } }),
    });
    expect(result.recomputed['mcr_degraded']).toBe(true);
    expect(inputsOf(result.recomputed)['rates']).toStrictEqual({ feed: true, through });
  });

  it('differ when they cover fewer days than those of the service', async () => {
    const { result } = await run(EUROS, { rates: { ...table, through: '2026-02-20' } });
    expect(result.differences).toContainEqual({
      path: 'inputs.rates.through',
      served: table.through,
      recomputed: '2026-02-20',
    });
  });

  it('differ when only one side has a feed', async () => {
    const { result } = await run(EUROS, { rates: vectors.fx_tables['no-feed']! });
    expect(result.differences).toContainEqual({ path: 'inputs.rates.feed', served: true, recomputed: false });
  });
});

describe('a replay fails', () => {
  it.each<[string, Setting, [kind: string, message: string]]>([
    ['a DID of an operator', { did: 'did:svc:0x12' }, ['refused', 'not a machine DID: did:svc:0x12']],
    ['an id of 2^256', { did: `did:svc:${2n ** 256n}` }, ['refused', `not a machine DID: did:svc:${2n ** 256n}`]],
    [
      'a machine that does not exist',
      { respond: () => Response.json({ detail: 'Machine not found\u001B[2J' }, { status: 404 }) },
      ['refused', 'the service returned 404: Machine not found\uFFFD[2J'],
    ],
    [
      'an error page',
      { respond: () => new Response('<html>', { status: 502 }) },
      ['refused', 'the service returned 502: (absent)'],
    ],
    [
      'a response that is not an object',
      { respond: () => Response.json([]) },
      ['refused', 'the service did not return a JSON object'],
    ],
    [
      'an alt-chain machine without a node of that chain',
      { served: (served) => ({ ...served, home_chain: 5, inputs: { ...inputsOf(served), slot: '7' } }) },
      ['refused', 'the machine is homed on the alt chain, but no node of that chain is configured'],
    ],
    [
      'an alt-chain machine without a slot',
      { served: (served) => ({ ...served, home_chain: 5 }) },
      ['contradictory', 'the explanation lacks a valid block, clock, rate table or alt-chain slot'],
    ],
    [
      'a response of an index that is behind',
      { served: (served) => ({ ...served, home_chain: 5, rating_unavailable: 'indexer_behind' }) },
      ['refused', 'the service has not indexed all events of this machine yet; try again later'],
    ],
    [
      'a service that does not respond',
      {
        respond: () => {
          throw new TypeError('fetch failed');
        },
      },
      ['unreachable', 'the service at http://service.test/base/ does not respond'],
    ],
    [
      'an explanation without inputs',
      { served: ({ inputs: _inputs, ...served }) => served },
      ['contradictory', 'the explanation lacks a valid block, clock or rate table'],
    ],
    [
      'a fractional clock',
      { served: (served) => ({ ...served, inputs: { ...inputsOf(served), now: 1.5 } }) },
      ['contradictory', 'the explanation lacks a valid block, clock or rate table'],
    ],
  ])('for %s', async (_name, setting, expected) => {
    expect(await failureOf(STEADY, setting)).toStrictEqual(expected);
  });

  it('for decreasing block times', async () => {
    const events = STEADY.events.map((event, index) =>
      index === 5 ? ([...event.slice(0, 6), 1] as unknown as (typeof STEADY.events)[number]) : event,
    );
    const [kind] = await failureOf({ ...STEADY, events }, {});
    expect(kind).toBe('contradictory');
  });
});

describe('formatReplay', () => {
  it('prints both sides and the verdict', async () => {
    const { result } = await run(STEADY);
    const text = formatReplay(result);
    expect(text).toMatchInlineSnapshot(`
      "did:svc:42 at block 100000 (0x2b4db9554fc0d37aef5dc7670e08ca6a99594cee4c94d9c526bbdcdabab639b9), clock 2026-03-02T12:00:00.000Z

                                 served                                                             recomputed
      did                        did:svc:42                                                         did:svc:42
      machine_id                 42                                                                 42
      mcr_score                  95                                                                 95
      mcr                        AAA                                                                AAA
      mcr_degraded               false                                                              false
      bond_status                bonded                                                             bonded
      negative_flag              false                                                              false
      event_count                121                                                                121
      revenue_event_count        121                                                                121
      activity_event_count       0                                                                  0
      revenue_trend              stable                                                             stable
      total_revenue              3630000                                                            3630000
      average_revenue_per_event  30000                                                              30000
      last_updated               1772413200                                                         1772413200
      model                      mcr/2                                                              mcr/2
      total_hundredths           9496                                                               9496
      points: revenue            2920                                                               2920
      points: cadence            2500                                                               2500
      points: trend              1500                                                               1500
      points: trust              2000                                                               2000
      points: tenure             576                                                                576
      summary                    Rated AAA with 95 of 100 points; largest deduction: short tenure.  Rated AAA with 95 of 100 points; largest deduction: short tenure.

      Equal: 84 values recomputed from 121 raw events.
      "
    `);
  });

  it('prints every difference, without control characters', async () => {
    const { result } = await run(STEADY, { served: (served) => ({ ...served, mcr: '\u001B[31mAAA', '\u001Bx': 1 }) });
    const text = formatReplay(result);
    expect(text.slice(text.indexOf('difference'))).toMatchInlineSnapshot(`
      "difference  served    recomputed
      mcr         �[31mAAA  AAA

      Not checked: �x
      DIFFERENT: 1 of 84 values.
      "
    `);
    expect(text).not.toContain('\u001B');
  });
});
