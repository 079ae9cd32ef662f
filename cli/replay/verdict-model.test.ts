/** The second implementation of claims and verdicts, against the published vectors. */
import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';
import { expect, it } from 'vitest';
import { createConverter, type RateTable } from './model/conversion.ts';
import { claimsAt, makeClaims, type CitingRecord, type Claim, type ClaimEnd, type Home } from './payout-claims.ts';
import {
  isEvmSource,
  judgeCitation,
  readCitation,
  type ReplaySource,
  type SourceTransaction,
  type TokenBalance,
} from './verdict-model.ts';

type Row = readonly [mint: string, owner: string | null, units: string];

interface VectorTransaction {
  readonly success: boolean;
  readonly block: number;
  readonly time: number;
  readonly from?: string;
  readonly logs?: readonly (readonly [address: string, topics: string[], data: string])[];
  readonly repeat?: number;
  readonly signers?: readonly string[];
  readonly pre?: readonly Row[] | null;
  readonly post?: readonly Row[] | null;
}

interface VectorCase {
  readonly name: string;
  readonly sources: string;
  readonly fx: string;
  readonly machine: { readonly did: string; readonly home: Home };
  readonly records: readonly {
    readonly seq: number;
    readonly owner_change?: true;
    readonly burn?: true;
    readonly block_timestamp?: number;
    readonly owner?: string | null;
    readonly metadata?: string;
  }[];
  readonly others: readonly {
    readonly home: Home;
    readonly account: string;
    readonly owner: string;
    readonly time: number;
    readonly until: number | null;
    readonly newer: boolean;
  }[];
  readonly event: Readonly<Record<string, string | number>>;
  readonly cited_today: number;
  readonly reading: { readonly head: number | null; readonly transaction: VectorTransaction | null };
  readonly flows: {
    readonly through: number;
    readonly rows: readonly (readonly [string, string, string, string, number, number, number])[];
  };
  readonly rows: readonly (readonly [string, string, string, string, number, number, number])[];
  readonly home_head: number;
  readonly expected: object;
}

const file = JSON.parse(readFileSync('test/vectors/rating/verdicts.json', 'utf8')) as {
  readonly fx_tables: Readonly<Record<string, RateTable>>;
  readonly sources: Readonly<Record<string, Record<string, { id: string; tokens: Record<string, string> }>>>;
  readonly cases: readonly VectorCase[];
};
const LAST = 2n ** 64n;

const toBalances = (rows: readonly Row[] | null): TokenBalance[] | null =>
  rows?.map(([mint, owner, units]) => ({ mint, owner, units: BigInt(units) })) ?? null;

function toTransaction(given: VectorTransaction | null): SourceTransaction | 'absent' {
  if (given === null) return 'absent';
  const { success, from, signers = [], pre = null, post = null, logs = [], repeat = 1 } = given;
  const mined = { success, block: BigInt(given.block), time: BigInt(given.time) };
  if (from === undefined) return { ...mined, signers, pre: toBalances(pre), post: toBalances(post) };
  const rows = logs.map(([address, topics, data]) => ({ address, topics, data }));
  const all = Array.from({ length: repeat }, () => rows).flat();
  return { ...mined, from, logs: all.length > 5_000 ? 'too_many' : all };
}

function claimsOf({ records, machine }: VectorCase): { readonly claims: readonly Claim[]; readonly hands: bigint[] } {
  const ends: ClaimEnd[] = records.flatMap(({ seq, metadata }) =>
    metadata === undefined ? [{ before: BigInt(seq), at: 0n }] : [],
  );
  const proofs = records.flatMap((record): CitingRecord[] =>
    record.metadata === undefined
      ? []
      : [
          {
            ...{ seq: BigInt(record.seq), blockTimestamp: BigInt(record.block_timestamp!), place: [0n, 0n] },
            ...{ trust: 0n, sourceChainId: 0n, sourceTxHash: '0x0', owner: record.owner ?? null },
            metadata: hexToBytes(record.metadata.slice(2)),
          },
        ],
  );
  const claims = makeClaims(proofs, ends, { did: machine.did, header: 'svc payout account/1' });
  const sold = records.filter(({ owner_change: isChange }) => isChange === true).map(({ seq }) => BigInt(seq));
  const claimed = claims.filter(({ owner }, i) => i > 0 && claims[i - 1]!.owner !== owner).map(({ seq }) => seq);
  return { claims, hands: machine.home === 'main' ? sold : claimed };
}

function judge(item: VectorCase): object {
  const { claims, hands } = claimsOf(item);
  const { event, machine } = item;
  const sources = Object.entries(file.sources[item.sources]!).map(([name, { id, tokens }]): ReplaySource => ({
    ...{ name, id: BigInt(id), rpcUrls: [], tokens: new Map(Object.entries(tokens)) },
  }));
  const rates = file.fx_tables[item.fx]!;
  const convert = createConverter(rates);
  const record: CitingRecord = {
    ...{ seq: LAST, blockTimestamp: BigInt(event['block_timestamp']!), place: [0n, 0n], owner: null },
    ...{ trust: BigInt(event['trust']!), sourceChainId: BigInt(event['source_chain_id']!) },
    sourceTxHash: String(event['source_tx_hash']),
    metadata: hexToBytes(String(event['metadata']).slice(2)),
  };
  const citation = readCitation(record, sources);
  const isFollowed = citation !== undefined && claimsAt(claims, LAST).length > 0 && item.cited_today < 200;
  const timestamp = BigInt(event['timestamp']!);
  const amount = { currency: String(event['currency']), value: BigInt(event['value']!), timestamp };
  const verdict = isFollowed
    ? judgeCitation({
        ...citation,
        ...{ seq: LAST, timestamp, blockTimestamp: record.blockTimestamp, home: machine.home, claims },
        cents: convert({ ...amount, blockTimestamp: record.blockTimestamp }).cents,
        others: item.others.map(({ home, account, owner, time, until, newer: isNewer }) => ({
          ...{ home, account, owner, isNewer, since: BigInt(time), until: until === null ? undefined : BigInt(until) },
        })),
        headTime: item.reading.head === null ? undefined : BigInt(item.reading.head),
        transaction: toTransaction(item.reading.transaction),
        returned: item.flows.rows.flatMap(([from, to, token, units, block, time, times]) =>
          Array.from({ length: times }, () => ({
            ...{ from, to, token, units: BigInt(units), block: BigInt(block), time: BigInt(time) },
          })),
        ),
        flowsThrough: isEvmSource(citation.source) ? BigInt(item.flows.through) : undefined,
        earlier: item.rows.map(([source, reference, token, payer, worth, paid, time]) => ({
          ...{ source, reference, token, payer },
          ...{ worthCents: BigInt(worth), paidCents: BigInt(paid), time: BigInt(time) },
        })),
        homeHead: BigInt(item.home_head),
        convert,
        decimals: rates.tokens,
      })
    : { code: 'declared', paidCents: 0n, token: null, payer: null, worthCents: null, returnedCents: null };
  const shown = (cents: bigint | null) => (cents === null ? null : Number(cents));
  return {
    verdict: verdict.code,
    paid_cents: Number(verdict.paidCents),
    token: verdict.token,
    payer: verdict.payer,
    worth_cents: shown(verdict.worthCents),
    returned_cents: shown(verdict.returnedCents),
    claims: claims.map(({ account, since, end }) => [account, Number(since), end === undefined]),
    hands: hands.map(Number),
  };
}

it.each(file.cases)('judges as published: $name', (item) => {
  expect(judge(item)).toStrictEqual(item.expected);
});
