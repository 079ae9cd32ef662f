/**
 * Recomputes the verdicts of one machine from its records and the payment sources, and compares them with those that the service lists
 * (design/scoring.md, Replay).
 */
import { createConverter, type RateTable } from './model/conversion.ts';
import { listJudged } from './model/qualifying.ts';
import { isSound, type RawEvent } from './model/raw-events.ts';
import {
  claimsAt,
  isEvmAddress,
  makeClaims,
  type CitingRecord,
  type Claim,
  type ClaimEnd,
  type Home,
  type PayoutText,
} from './payout-claims.ts';
import { openSource, type SourceReader, type SourceTransport } from './raw-sources.ts';
import { ReplayFailure } from './replay-failure.ts';
import type { ServedVerdict } from './served-verdicts.ts';
import {
  isEvmSource,
  judgeCitation,
  listSolanaRows,
  readCitation,
  type EarlierRow,
  type ForeignClaim,
  type ReplaySource,
  type SourceTransaction,
  type TransferRow,
  type Verdict,
} from './verdict-model.ts';

/** Claim of another machine, with its home chain. */
export type FleetClaim = Claim & { readonly home: Home };

export interface VerdictReplayInput {
  readonly text: PayoutText;
  readonly home: Home;
  /** With their amounts not yet judged. */
  readonly events: readonly RawEvent[];
  readonly citing: readonly CitingRecord[];
  readonly claimEnds: readonly ClaimEnd[];
  readonly now: bigint;
  /** Time of the block at which the home chain is read. */
  readonly homeHead: bigint;
  readonly rates: RateTable;
  readonly sources: readonly ReplaySource[];
  /** By `seq`; undefined where the owner keeps the events private. */
  readonly served: ReadonlyMap<bigint, ServedVerdict> | undefined;
  /** Claims of all other machines; undefined: not read. */
  readonly fleet: readonly FleetClaim[] | undefined;
  /** Whether to read the transfers from the machine's own addresses. */
  readonly readsFlows: boolean;
  readonly transport: SourceTransport;
}

export interface VerdictDifference {
  readonly path: string;
  readonly served: string | number | null;
  readonly recomputed: string | number | null;
}

export interface VerdictReplay {
  /** Verdict that the rating is computed with, of each event that has one. */
  readonly verdicts: ReadonlyMap<bigint, Verdict>;
  readonly claims: readonly Claim[];
  readonly differences: readonly VerdictDifference[];
  /** Number of compared values. */
  readonly compared: number;
  /** Events that are pending at the service and decided here. */
  readonly ahead: readonly bigint[];
  /** Events whose verdict may follow from claims of other machines, which were not read. */
  readonly takenFromClaims: readonly bigint[];
  /** Number of events whose returned cents were taken. */
  readonly takenReturned: number;
}

/** Days whose verdicts are compared. */
const COMPARED_DAYS = 200n;
/**
 * Days of the events that they depend on. An event cites a payment of up to 14 days before it, and the verdict depends on payments of the
 * 180 days before that payment and on transfers of the whole first day. Their events may be in blocks 900 s before them.
 */
const READ_DAYS = COMPARED_DAYS + 14n + 180n + 2n;
const MAX_DAILY = 200;
const WEEK = 604_800n;
const CONCURRENT = 8;
const DAY = 86_400n;

const DECLARED: Verdict = {
  ...{ code: 'declared', paidCents: 0n, token: null, payer: null, worthCents: null, returnedCents: null },
};
const WITHOUT_FLOWS = new Set(['declared', 'pending', 'not_found', 'failed']);
const EARLIER = new Set(['paid', 'circular', 'already_counted']);
/** Verdicts that claims of other machines can cause. */
const OF_CLAIMS = new Set(['wrong_payee', 'self_paid']);

interface Followed {
  readonly event: RawEvent;
  readonly source: ReplaySource;
  readonly reference: string;
}

/** Throws `ReplayFailure` where a source cannot be read. */
export async function replayVerdicts(input: VerdictReplayInput): Promise<VerdictReplay> {
  const { events, citing, rates, now, served } = input;
  const claims = makeClaims(citing, input.claimEnds, input.text);
  const judged = listJudged({ events, now, rates }, READ_DAYS);
  const followed = findFollowed(judged, claims, input);
  const readers = await openSources([...followed.values()], input);
  const transactions = await readTransactions([...followed.values()], readers);
  const flows = input.readsFlows ? await readFlows(claims, readers) : undefined;
  const compared = new Set(listJudged({ events, now, rates }, COMPARED_DAYS).map(({ seq }) => seq));
  const firstPending = findPendingAmount(events, rates);

  const verdicts = new Map<bigint, Verdict>();
  const differences: VerdictDifference[] = [];
  const [ahead, takenFromClaims]: bigint[][] = [[], []];
  let [comparisons, takenReturned] = [0, 0];
  const state = new MachineState(input, claims, rates);
  for (const { seq } of judged) {
    const citation = followed.get(seq);
    const other = served?.get(seq);
    let own = DECLARED;
    if (citation !== undefined) {
      const { source } = citation;
      const returned = flows?.get(source.name) ?? (isEvmSource(source) ? (other?.returnedCents ?? 0n) : undefined);
      const transaction = transactions.get(keyOf(citation))!;
      own =
        firstPending < seq
          ? { ...DECLARED, code: 'pending' }
          : state.judge(citation, transaction, readers.get(source.name)!.headTime, returned);
      if (typeof returned === 'bigint' && own.returnedCents !== null) {
        takenReturned += 1;
        if (served === undefined) {
          throw new ReplayFailure('refused', 'the events are private: --flows reads the transfers that they depend on');
        }
      }
      if (input.fleet === undefined && other !== undefined && OF_CLAIMS.has(other.code) && own.code !== other.code) {
        takenFromClaims!.push(seq);
        own = toVerdict(other);
      }
      if (typeof transaction === 'object') state.add(citation, transaction, own);
    }
    if (other?.code === 'pending' && own.code !== 'pending') {
      ahead!.push(seq);
      own = { ...DECLARED, code: 'pending' };
    } else if (other !== undefined && compared.has(seq)) {
      comparisons += 1;
      differences.push(...compareVerdicts(seq, other, own));
    }
    verdicts.set(seq, own);
  }
  return {
    ...{ verdicts, claims, differences, compared: comparisons, takenReturned },
    ...{ ahead: ahead!, takenFromClaims: takenFromClaims! },
  };
}

/** Returns the events whose citation is followed, by `seq`. */
function findFollowed(
  judged: readonly RawEvent[],
  claims: readonly Claim[],
  { citing, sources }: VerdictReplayInput,
): ReadonlyMap<bigint, Followed> {
  const perDay = new Map<bigint, number>();
  const followed = new Map<bigint, Followed>();
  for (const event of judged) {
    const { seq, blockTimestamp } = event;
    const citation = readCitation(citing[Number(seq)]!, sources);
    if (citation === undefined || claimsAt(claims, seq).length === 0) continue;
    const before = perDay.get(blockTimestamp / DAY) ?? 0;
    if (before >= MAX_DAILY) continue;
    perDay.set(blockTimestamp / DAY, before + 1);
    followed.set(seq, { event, ...citation });
  }
  return followed;
}

const keyOf = ({ source, reference }: Followed): string => `${source.name} ${reference}`;

async function openSources(
  followed: readonly Followed[],
  { transport }: VerdictReplayInput,
): Promise<ReadonlyMap<string, SourceReader>> {
  const sources = new Set(followed.map(({ source }) => source));
  const readers = await Promise.all([...sources].map((source) => openSource(source, transport)));
  return new Map(readers.map((reader) => [reader.source.name, reader]));
}

/** Reads each transaction once. */
async function readTransactions(
  followed: readonly Followed[],
  readers: ReadonlyMap<string, SourceReader>,
): Promise<ReadonlyMap<string, SourceTransaction | 'absent'>> {
  const found = new Map<string, SourceTransaction | 'absent'>();
  const cited = [...Map.groupBy(followed, keyOf).values()];
  for (let at = 0; at < cited.length; at += CONCURRENT) {
    const read = cited.slice(at, at + CONCURRENT).map(async (citations) => {
      const [first] = citations as [Followed];
      const times = citations.map(({ event }) => event.timestamp);
      const earliest = times.reduce((a, b) => (a < b ? a : b)) - WEEK;
      const reader = readers.get(first.source.name)!;
      found.set(keyOf(first), await reader.readTransaction(first.reference, earliest));
    });
    await Promise.all(read);
  }
  return found;
}

/** Reads the transfers from all own EVM addresses on every EVM source. */
async function readFlows(
  claims: readonly Claim[],
  readers: ReadonlyMap<string, SourceReader>,
): Promise<ReadonlyMap<string, readonly TransferRow[]>> {
  const senders = [...new Set(claims.flatMap(({ account, owner }) => [account, owner]).filter(isEvmAddress))];
  const since = claims.map((claim) => claim.since).reduce((a, b) => (a < b ? a : b), 2n ** 63n);
  const flows = new Map<string, readonly TransferRow[]>();
  for (const [name, reader] of readers) {
    if (isEvmSource(reader.source)) flows.set(name, await reader.readTransfers(senders, since));
  }
  return flows;
}

/** Returns the `seq` of the first event whose amount is pending: later verdicts wait for it. */
function findPendingAmount(events: readonly RawEvent[], rates: RateTable): bigint {
  const convert = createConverter(rates);
  const first = events.find((event) => event.type === 0n && isSound(event) && convert(event).isPending);
  return first?.seq ?? BigInt(events.length);
}

/** What later verdicts of the machine depend on. */
class MachineState {
  readonly #input: VerdictReplayInput;
  readonly #claims: readonly Claim[];
  readonly #convert: ReturnType<typeof createConverter>;
  readonly #earlier: EarlierRow[] = [];
  readonly #rows = new Map<string, readonly TransferRow[]>();

  constructor(input: VerdictReplayInput, claims: readonly Claim[], rates: RateTable) {
    this.#input = input;
    this.#claims = claims;
    this.#convert = createConverter(rates);
  }

  judge(
    { event, source, reference }: Followed,
    transaction: SourceTransaction | 'absent',
    headTime: bigint,
    returned: readonly TransferRow[] | bigint | undefined,
  ): Verdict {
    const { home, homeHead, rates } = this.#input;
    const { seq, timestamp, blockTimestamp } = event;
    return judgeCitation({
      ...{ source, reference, seq, timestamp, blockTimestamp, home, headTime, transaction, homeHead },
      claims: this.#claims,
      others: this.#listOthers(seq),
      cents: this.#convert(event).cents,
      returned: returned ?? this.#listRows(source),
      flowsThrough: undefined,
      earlier: this.#earlier,
      convert: this.#convert,
      decimals: rates.tokens,
    });
  }

  add({ source, reference }: Followed, transaction: SourceTransaction, verdict: Verdict): void {
    const { code, token, payer, worthCents, paidCents } = verdict;
    if (EARLIER.has(code) && token !== null && payer !== null && worthCents !== null) {
      this.#earlier.push({
        source: source.name,
        reference,
        token,
        payer,
        worthCents,
        paidCents,
        time: transaction.time,
      });
    }
    if (isEvmSource(source) || WITHOUT_FLOWS.has(code)) return;
    const senders = new Set(this.#claims.flatMap(({ account, owner }) => [account, owner]));
    this.#rows.set(`${source.name} ${reference}`, listSolanaRows(transaction, senders, source.tokens));
  }

  /** Lists the rows of a Solana source by slot, then by event. */
  #listRows({ name }: ReplaySource): readonly TransferRow[] {
    const ofSource = [...this.#rows].filter(([key]) => key.startsWith(`${name} `)).flatMap(([, rows]) => rows);
    return ofSource.sort((a, b) => Number(a.block - b.block));
  }

  #listOthers(seq: bigint): readonly ForeignClaim[] {
    const { home, fleet = [] } = this.#input;
    const inForce = claimsAt(this.#claims, seq);
    return fleet.map((other) => {
      const own = inForce.find(({ account }) => account === other.account);
      return {
        ...{ home: other.home, account: other.account, owner: other.owner, since: other.since, until: other.end?.at },
        isNewer: own !== undefined && other.home === home && isLater(other, own),
      };
    });
  }
}

function isLater({ place: [block, index] }: Claim, { place: [ownBlock, ownIndex] }: Claim): boolean {
  return block > ownBlock || (block === ownBlock && index > ownIndex);
}

function toVerdict({ code, paidCents, token, payer, worthCents, returnedCents }: ServedVerdict): Verdict {
  return { code, paidCents, token, payer, worthCents, returnedCents };
}

function compareVerdicts(seq: bigint, served: ServedVerdict, own: Verdict): VerdictDifference[] {
  const members = [
    ['verdict', served.code, own.code],
    ['paid_cents', served.paidCents, own.paidCents],
    ['token', served.token, own.token],
    ['payer', served.payer, own.payer],
    ['worth_cents', served.worthCents, own.worthCents],
    ['returned_cents', served.returnedCents, own.returnedCents],
  ] as const;
  const show = (value: string | bigint | null) => (typeof value === 'bigint' ? Number(value) : value);
  return members.flatMap(([name, one, other]) =>
    one === other ? [] : [{ path: `events[${seq}].${name}`, served: show(one), recomputed: show(other) }],
  );
}
