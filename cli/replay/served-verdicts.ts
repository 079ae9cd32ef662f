/**
 * Verdicts on payments as the service lists them (`GET /machines/{id}/events`), which a replay compares with its own. Without sources it takes
 * them from here, and says so.
 */
import { ReplayFailure } from './replay-failure.ts';
import { requestJson } from './service-request.ts';

export const VERDICT_CODES = [
  ...(['declared', 'pending', 'not_found', 'failed', 'wrong_time', 'wrong_payee', 'unknown_payer'] as const),
  ...(['self_paid', 'circular', 'already_counted', 'paid'] as const),
];
export type VerdictCode = (typeof VERDICT_CODES)[number];

export interface ServedVerdict {
  readonly code: VerdictCode;
  readonly paidCents: bigint;
  readonly token: string | null;
  readonly payer: string | null;
  readonly worthCents: bigint | null;
  readonly returnedCents: bigint | null;
}

/** Event that has a verdict, as read from the chain. */
interface JudgedEvent {
  readonly seq: bigint;
  readonly blockTimestamp: bigint;
}

const PAGE_SIZE = 100;

/**
 * Reads the verdict of each of `judged`, by `seq`. Returns undefined when the owner keeps the events private. Throws `ReplayFailure`, also
 * when the listing contradicts the chain or itself.
 */
export async function readServedVerdicts(
  send: typeof fetch,
  baseUrl: string,
  machineId: bigint,
  judged: readonly JudgedEvent[],
): Promise<ReadonlyMap<bigint, ServedVerdict> | undefined> {
  const verdicts = new Map<bigint, ServedVerdict>();
  const missing = new Map(judged.map((event) => [event.seq, event]));
  const listing = `${baseUrl.replace(/\/+$/, '')}/machines/${machineId}/events?limit=${PAGE_SIZE}`;
  for (let cursor: number | undefined; missing.size > 0;) {
    const page = await readPage(send, cursor === undefined ? listing : `${listing}&cursor=${cursor}`);
    if (page === undefined) return undefined;
    for (const entry of page.events) {
      const seq = typeof entry['position'] === 'number' ? BigInt(Math.trunc(entry['position'])) : -1n;
      const event = missing.get(seq);
      if (event === undefined) continue;
      verdicts.set(seq, parseVerdict(entry, event));
      missing.delete(seq);
    }
    const next = page.next;
    if (missing.size > 0 && (next === undefined || (cursor !== undefined && next >= cursor)))
      throw new ReplayFailure('contradictory', 'the service does not list all events');
    cursor = next;
  }
  return verdicts;
}

type Entry = Readonly<Record<string, unknown>>;

async function readPage(send: typeof fetch, url: string) {
  let status: number;
  let body: unknown;
  try {
    const response = await requestJson(send, url);
    status = response.status;
    body = status === 200 ? await response.json() : undefined;
  } catch {
    throw new ReplayFailure('unreachable', 'the service does not return the events of the machine');
  }
  if (status === 403) return undefined;
  if (status !== 200)
    throw new ReplayFailure('refused', `the service returned ${status} for the events of the machine`);
  const { events, next_cursor: next = null } = isEntry(body) ? body : {};
  const isPage = Array.isArray(events) && events.every(isEntry) && (next === null || Number.isSafeInteger(next));
  if (!isPage) throw new ReplayFailure('contradictory', 'the list of events has another form');
  return { events: events as readonly Entry[], next: next === null ? undefined : (next as number) };
}

function parseVerdict(entry: Entry, { seq, blockTimestamp }: JudgedEvent): ServedVerdict {
  const { verdict, paid_cents: paidCents } = entry;
  const code = VERDICT_CODES.find((each) => each === verdict);
  const isSound =
    code !== undefined &&
    typeof paidCents === 'number' &&
    Number.isSafeInteger(paidCents) &&
    (code === 'paid' ? paidCents > 0 : paidCents === 0) &&
    entry['block_timestamp'] === Number(blockTimestamp);
  if (!isSound) throw new ReplayFailure('contradictory', `the service lists event ${seq} with another time or verdict`);
  const toText = (value: unknown) => (typeof value === 'string' ? value : null);
  const toCents = (value: unknown) => (Number.isSafeInteger(value) ? BigInt(value as number) : null);
  return {
    code,
    paidCents: BigInt(paidCents),
    token: toText(entry['token']),
    payer: toText(entry['payer']),
    worthCents: toCents(entry['worth_cents']),
    returnedCents: toCents(entry['returned_cents']),
  };
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
