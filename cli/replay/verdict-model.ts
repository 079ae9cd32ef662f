/**
 * Verdicts on payments, second implementation, behind `svc replay` (design/scoring.md, Verdict), in the order of its rules. Shares no code
 * with `src/domain/rating/paid`. All numbers are bigints.
 */
import { hashOf } from './abi.ts';
import type { createConverter } from './model/conversion.ts';
import { claimsAt, readBase58, readTexts, type CitingRecord, type Claim, type Home } from './payout-claims.ts';
import { formatBase58 } from './solana-bytes.ts';
import type { VerdictCode } from './served-verdicts.ts';

export interface ReplaySource {
  /** CAIP-2. */
  readonly name: string;
  readonly id: bigint;
  readonly rpcUrls: readonly string[];
  /** Address by symbol. */
  readonly tokens: ReadonlyMap<string, string>;
}

export const isEvmSource = ({ name }: Pick<ReplaySource, 'name'>): boolean => name.startsWith('eip155:');

/** Cited transaction. */
export type SourceTransaction =
  | (Mined & {
      readonly from: string;
      readonly logs: 'too_many' | readonly { address: string; topics: readonly string[]; data: string }[];
    })
  | (Mined & {
      readonly signers: readonly string[];
      /** Null: not recorded. */
      readonly pre: readonly TokenBalance[] | null;
      readonly post: readonly TokenBalance[] | null;
    });

interface Mined {
  readonly success: boolean;
  /** Block or slot. */
  readonly block: bigint;
  readonly time: bigint;
}

export interface TokenBalance {
  readonly mint: string;
  readonly owner: string | null;
  readonly units: bigint;
}

/** Claim of another machine. */
export interface ForeignClaim {
  readonly home: Home;
  readonly account: string;
  readonly owner: string;
  readonly since: bigint;
  readonly until: bigint | undefined;
  /** Later on the common home chain than this machine's claim in force of the account. */
  readonly isNewer: boolean;
}

export interface TransferRow {
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly units: bigint;
  readonly block: bigint;
  readonly time: bigint;
}

/** Verdict with what was found before it was reached. */
export interface Verdict {
  readonly code: VerdictCode;
  readonly paidCents: bigint;
  readonly token: string | null;
  readonly payer: string | null;
  readonly worthCents: bigint | null;
  readonly returnedCents: bigint | null;
}

/** Earlier verdict of the machine that is `paid`, `circular` or `already_counted`. */
export interface EarlierRow {
  readonly source: string;
  readonly reference: string;
  readonly token: string;
  readonly payer: string;
  readonly worthCents: bigint;
  readonly paidCents: bigint;
  readonly time: bigint;
}

export interface VerdictInput {
  readonly source: ReplaySource;
  readonly reference: string;
  readonly seq: bigint;
  readonly cents: bigint;
  readonly timestamp: bigint;
  readonly blockTimestamp: bigint;
  readonly home: Home;
  /** All claims of the machine. */
  readonly claims: readonly Claim[];
  readonly others: readonly ForeignClaim[];
  /** Time of the finalized head of the source; undefined while it cannot be read. */
  readonly headTime: bigint | undefined;
  readonly transaction: SourceTransaction | 'absent';
  /** Transfers in chain order; a number is taken as their sum. */
  readonly returned: readonly TransferRow[] | bigint;
  /** Block through which the transfers are known; undefined: not waited for. */
  readonly flowsThrough: bigint | undefined;
  readonly earlier: readonly EarlierRow[];
  readonly homeHead: bigint;
  readonly convert: ReturnType<typeof createConverter>;
  /** Decimals of the tokens. */
  readonly decimals: Readonly<Record<string, number>>;
}

const WEEK = 604_800n;
const LATE = 900n;
const FLOWS = 15_552_000n;
const LEAST = 1_000n;
const MAX_ROWS = 1_000;
const ZERO = `0x${'0'.repeat(40)}`;
const TRANSFER = hashOf(new TextEncoder().encode('Transfer(address,address,uint256)'));
const NOTHING = { paidCents: 0n, token: null, payer: null, worthCents: null, returnedCents: null };

/** Returns the source and the transaction that an event cites; undefined: it is declared. */
export function readCitation(record: CitingRecord, sources: readonly ReplaySource[]) {
  if (record.trust === 0n || BigInt(record.sourceTxHash) === 0n) return undefined;
  const source = sources.find(({ id }) => id === record.sourceChainId);
  if (source === undefined || isEvmSource(source)) return source && { source, reference: record.sourceTxHash };
  const text = readTexts(record.metadata)?.get('sig');
  const signature = text === undefined ? undefined : readBase58(text, 64);
  if (signature === undefined || hashOf(signature) !== record.sourceTxHash) return undefined;
  return { source, reference: formatBase58(signature) };
}

/** Judges one followed citation. */
export function judgeCitation(input: VerdictInput): Verdict {
  const { transaction, timestamp, blockTimestamp, headTime } = input;
  if (headTime === undefined || headTime <= blockTimestamp + LATE) return is('pending');
  if (transaction === 'absent' || transaction.time > blockTimestamp + LATE) return is('not_found');
  if (!transaction.success) return is('failed');
  const { time } = transaction;
  const nets = readNets(transaction, input.source.tokens);
  if (time < timestamp - WEEK || time > timestamp + WEEK) {
    // Later verdicts depend on what a machine sent in the last half year.
    const isNeeded = time >= blockTimestamp - FLOWS - 3n * WEEK;
    return is(nets === undefined && isNeeded ? 'pending' : 'wrong_time');
  }
  if (input.homeHead < time) return is('pending');
  if (nets === 'too_many') return is('wrong_payee');
  if (nets === undefined) return is('pending');

  const inForce = claimsAt(input.claims, input.seq);
  const { owner } = inForce[0]!;
  const payees = inForce.filter((claim) => {
    const isRenewed = input.claims.some(
      (own) => own.account === claim.account && own.seq > claim.seq && own.since <= time,
    );
    return claim.since <= time && !isRenewed && !isTaken(claim.account, input, time);
  });
  const accounts = new Set(payees.map(({ account }) => account));
  const cents = (token: string, units: bigint) => toCents(input, token, units, time);
  const priced = price(nets, accounts, owner, cents);
  if (priced === 'pending') return is('pending');
  if (priced === undefined) return is('wrong_payee');
  const { token, worth } = priced;

  const losers = [...nets.get(token)!].filter(([address, net]) => net < 0n && !accounts.has(address));
  losers.sort(([a, x], [b, y]) => (x === y ? compareBytes(a, b) : x < y ? -1 : 1));
  const payer = losers[0]?.[0];
  if (payer === undefined || payer === ZERO) return is('unknown_payer', { token, worthCents: worth });
  const found = { token, payer, worthCents: worth };

  const sameHome = [...input.claims, ...input.others.filter(({ home }) => home === input.home)];
  const isUnderOwner = sameHome.some(
    (claim) => claim.account === payer && claim.owner === owner && claim.since <= time,
  );
  const senders = 'from' in transaction ? [transaction.from] : transaction.signers;
  const isOwn = payer === owner || isUnderOwner || senders.some((each) => each === owner || accounts.has(each));
  if (isOwn || worth < LEAST) return is('self_paid', found);

  if (input.flowsThrough !== undefined && input.flowsThrough < transaction.block - 1n) return is('pending');
  const own = new Map<string, bigint>(payees.map(({ account, since }) => [account, since] as const));
  // The owner became own with the first claim in force.
  own.set(owner, inForce[0]!.since);
  const returned = sumReturned(input, own, { payer, block: transaction.block, time });
  if (returned === 'pending') return is('pending');
  const details = { ...found, returnedCents: returned };
  if (2n * returned >= worth + sumGiven(input, token, payer, time)) return is('circular', details);
  const left = worth - sumCounted(input, token);
  if (left < LEAST) return is('already_counted', details);
  return is('paid', { ...details, paidCents: input.cents < left ? input.cents : left });
}

function is(code: VerdictCode, details: Partial<Verdict> = {}): Verdict {
  return { ...NOTHING, ...details, code };
}

/** Returns whether the account is assigned to another machine. */
function isTaken(account: string, { others, home }: VerdictInput, time: bigint): boolean {
  return others.some((other) => {
    if (other.account !== account || other.since > time) return false;
    if (other.home === home) return other.isNewer;
    return home === 'alt' && (other.until === undefined || other.until >= time - LATE);
  });
}

type Nets = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** Returns received minus sent by token and address; undefined where balances or their owners are missing. */
function readNets(transaction: SourceTransaction, tokens: ReadonlyMap<string, string>): Nets | 'too_many' | undefined {
  const symbolOf = new Map([...tokens].map(([symbol, address]) => [address, symbol] as const));
  const nets = new Map<string, Map<string, bigint>>();
  const add = (symbol: string, address: string, units: bigint) => {
    const ofToken = nets.get(symbol) ?? new Map<string, bigint>();
    nets.set(symbol, ofToken.set(address, (ofToken.get(address) ?? 0n) + units));
  };
  if ('from' in transaction) {
    if (transaction.logs === 'too_many') return 'too_many';
    for (const log of transaction.logs) {
      const transfer = readTransfer(log, symbolOf);
      if (transfer === undefined) continue;
      add(transfer.token, transfer.from, -transfer.units);
      add(transfer.token, transfer.to, transfer.units);
    }
    return nets;
  }
  const { pre, post } = transaction;
  if (pre === null || post === null) return undefined;
  for (const [balances, sign] of [[pre, -1n] as const, [post, 1n] as const]) {
    for (const { mint, owner, units } of balances) {
      const symbol = symbolOf.get(mint);
      if (symbol === undefined) continue;
      if (owner === null) return undefined;
      add(symbol, owner, sign * units);
    }
  }
  return nets;
}

/** Returns the transfer that a log of a listed token reports. */
export function readTransfer(
  { address, topics, data }: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
  symbolOf: ReadonlyMap<string, string>,
): Pick<TransferRow, 'from' | 'to' | 'token' | 'units'> | undefined {
  const token = symbolOf.get(address.toLowerCase());
  if (token === undefined || topics.length !== 3 || topics[0]!.toLowerCase() !== TRANSFER) return undefined;
  if (!/^0x[0-9a-f]{64}$/i.test(data)) return undefined;
  const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(-40).toLowerCase()}`);
  return { token, from: from!, to: to!, units: BigInt(data) };
}

type ToCents = (token: string, units: bigint) => bigint | 'pending' | undefined;

/** Chooses the token that pays most, less what the machine spent. Undefined: none pays. */
function price(nets: Nets, accounts: ReadonlySet<string>, owner: string, toCentsOf: ToCents) {
  const machine = new Set([...accounts, owner]);
  const netOf = (token: string, addresses: Iterable<string>) =>
    [...addresses].reduce((sum, address) => sum + (nets.get(token)!.get(address) ?? 0n), 0n);
  const lossOf = (token: string, addresses: Iterable<string>) => {
    const net = netOf(token, addresses);
    return net < 0n ? toCentsOf(token, -net) : undefined;
  };
  let best: { token: string; worth: bigint } | undefined;
  let isPending = false;
  for (const token of [...nets.keys()].sort()) {
    const got = netOf(token, accounts);
    const worth = got > 0n ? toCentsOf(token, got) : undefined;
    if (worth === 'pending' || lossOf(token, machine) === 'pending') isPending = true;
    if (typeof worth === 'bigint' && worth >= LEAST && (best === undefined || worth > best.worth)) {
      best = { token, worth };
    }
  }
  if (isPending) return 'pending';
  if (best === undefined) return undefined;
  let spent = accounts.has(owner) ? undefined : lossOf(best.token, [owner]);
  for (const token of nets.keys()) {
    const lost = token === best.token ? undefined : lossOf(token, machine);
    if (typeof lost === 'bigint') spent = (typeof spent === 'bigint' ? spent : 0n) + lost;
  }
  const left = best.worth - (typeof spent === 'bigint' ? spent : 0n);
  return { token: best.token, worth: left < 0n ? 0n : left };
}

/** Converts units at the rate for the day of the time; undefined: no rate. */
function toCents({ convert }: Pick<VerdictInput, 'convert'>, token: string, units: bigint, time: bigint) {
  const { status, cents, isPending } = convert({
    ...{ currency: token, value: units, timestamp: time, blockTimestamp: time },
  });
  if (status === 'ok') return cents;
  return isPending ? 'pending' : undefined;
}

function sumReturned(
  input: VerdictInput,
  own: ReadonlyMap<string, bigint>,
  { payer, block, time }: { readonly payer: string; readonly block: bigint; readonly time: bigint },
): bigint | 'pending' {
  const { returned, decimals } = input;
  if (typeof returned === 'bigint') return returned;
  const counts = new Map<string, number>();
  let sum = 0n;
  for (const row of returned) {
    const since = own.get(row.from);
    if (since === undefined || row.time < since || row.block >= block || row.units === 0n) continue;
    const isWhole = row.units >= 10n ** BigInt(decimals[row.token]!);
    const key = `${row.from} ${row.time / 86_400n} ${isWhole}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count >= MAX_ROWS || row.to !== payer || row.time < time - FLOWS) continue;
    const cents = toCents(input, row.token, row.units, row.time);
    if (cents === 'pending') return 'pending';
    sum += cents ?? 0n;
  }
  return sum;
}

function sumGiven({ earlier, source, reference }: VerdictInput, token: string, payer: string, time: bigint): bigint {
  const worths = new Map<string, bigint>();
  for (const row of earlier) {
    const isOther = row.reference !== reference || row.token !== token;
    if (isOther && row.source === source.name && row.payer === payer && row.time >= time - FLOWS) {
      worths.set(`${row.reference} ${row.token}`, row.worthCents);
    }
  }
  return [...worths.values()].reduce((sum, worth) => sum + worth, 0n);
}

function sumCounted({ earlier, source, reference }: VerdictInput, token: string): bigint {
  return earlier
    .filter((row) => row.source === source.name && row.reference === reference && row.token === token)
    .reduce((sum, { paidCents }) => sum + paidCents, 0n);
}

/** Returns the rows of a Solana transaction: from each sender with a loss to each address with a gain. */
export function listSolanaRows(
  transaction: SourceTransaction,
  senders: ReadonlySet<string>,
  tokens: ReadonlyMap<string, string>,
): readonly TransferRow[] {
  const nets = readNets(transaction, tokens);
  if (nets === undefined || nets === 'too_many') return [];
  const { block, time } = transaction;
  return [...nets].flatMap(([token, ofToken]) =>
    [...senders].flatMap((from) => {
      const loss = -(ofToken.get(from) ?? 0n);
      const gains = [...ofToken].filter(([, net]) => loss > 0n && net > 0n);
      return gains.map(([to, gain]) => ({ from, to, token, units: gain < loss ? gain : loss, block, time }));
    }),
  );
}

function compareBytes(a: string, b: string): number {
  if (a.startsWith('0x')) return a < b ? -1 : 1;
  return Buffer.compare(readBase58(a, 32)!, readBase58(b, 32)!);
}
