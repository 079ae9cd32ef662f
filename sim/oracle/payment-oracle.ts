/**
 * Oracle for payments: claims, verdicts and what responses may show of them, computed from the final blocks of both chains with the second
 * implementation of scoring. A verdict is always the same, however late it is made: only `pending` is allowed instead.
 */
import { isDeepStrictEqual } from 'node:util';
import { createConverter } from '../../cli/replay/model/conversion.ts';
import { listJudged } from '../../cli/replay/model/qualifying.ts';
import { claimsAt, makeClaims, type CitingRecord, type Claim } from '../../cli/replay/payout-claims.ts';
import {
  judgeCitation,
  listSolanaRows,
  readCitation,
  type EarlierRow,
  type ForeignClaim,
  type ReplaySource,
  type SourceTransaction,
  type TransferRow,
  type Verdict,
} from '../../cli/replay/verdict-model.ts';
import type { VerdictCode } from '../../src/domain/rating/verdict.ts';
import type { DecidedPayment, OpenCitation } from '../../src/ports/payment-store.ts';
import { altMachineOf, type AltSimEvent, type AltWorld } from '../alt-chain/machine-state.ts';
import type { VirtualAltChain } from '../alt-chain/virtual-alt-chain.ts';
import { machineOf, type ClaimEnd, type Machine, type SimEvent } from '../chain/machine-state.ts';
import type { Block, VirtualChain } from '../chain/virtual-chain.ts';
import { TOKEN, type SourceDeployment } from '../payments/deployment.ts';
import { listBalances } from '../payments/solana-wire.ts';
import { findPayment, type MinedPayment, type PaymentChain } from '../payments/payment-chain.ts';
import { toPaymentLogs } from '../payments/payment-wire.ts';
import { listWithoutProof } from './hidden-logs.ts';
import { NO_PAYMENTS, RATE_TABLE, toRawEvents, type PaymentEvidence } from './evidence.ts';

const HEADER = 'svc payout account/1';
/** Other metadata of a run is shorter. */
const MAX_DIGITS_WITHOUT_PROOF = 200;
const LATE_SECONDS = 900;
const WEEK_SECONDS = 604_800;
const MAX_DAILY = 200;
const DAY_SECONDS = 86_400;
/** All events of a run are younger. */
const ALL_DAYS = 400n;
const WINDOW_DAYS = 180;
/** A time after everything: every source and chain is read. */
const END = 2n ** 50n;
/** Verdicts on transactions whose transfers count for no later event. */
const WITHOUT_FLOWS = new Set(['declared', 'pending', 'not_found', 'failed']);
const EARLIER = new Set(['paid', 'circular', 'already_counted']);
/** Verdicts that depend on the source alone. */
const WITHOUT_CLAIMS = new Set(['not_found', 'failed', 'wrong_time']);

interface Followed {
  readonly seq: number;
  readonly reference: string;
  readonly cents: bigint;
  readonly timestamp: number;
  readonly blockTimestamp: number;
}

type Judged = Followed & { readonly verdict: Verdict; readonly mined: MinedPayment | undefined };

/** Returns the ends of claims that a machine lacks as it is shown. */
function listHiddenEnds(machine: Machine, shown: Machine): readonly ClaimEnd[] {
  return machine.claimEnds.filter((end) => !shown.claimEnds.some(isSameAs(end)));
}

export interface PaymentHomes {
  readonly main: VirtualChain;
  /** Undefined where no machine of the alt chain claims an account. */
  readonly alt: VirtualAltChain | undefined;
}

interface PaidMachine extends Pick<OpenCitation, 'home'> {
  readonly id: bigint;
  /** Ends of claims that the index lacks; none where it is left out. */
  readonly hiddenEnds?: readonly ClaimEnd[];
}

/** Event of either chain; those of the alt chain hold their place. */
type PlacedEvent = SimEvent & Partial<Pick<AltSimEvent, 'place'>>;

export class PaymentOracle {
  readonly #homes: PaymentHomes;
  readonly #source: PaymentChain;
  readonly #deployment: SourceDeployment;
  readonly #cited: ReplaySource;
  readonly #sourcesHash: string;
  readonly #areBlocksProven: boolean;
  readonly #claims = new Map<string, readonly Claim[]>();
  /** Codes of the verdicts that the service has made, by machine and position. */
  readonly #decided = new Map<string, VerdictCode>();

  constructor(
    homes: PaymentHomes,
    deployment: SourceDeployment,
    source: PaymentChain,
    sourcesHash: string,
    areBlocksProven: boolean,
  ) {
    this.#homes = homes;
    this.#areBlocksProven = areBlocksProven;
    this.#deployment = deployment;
    const { name, id, token } = deployment;
    this.#cited = { name, id: BigInt(id), rpcUrls: [], tokens: new Map([[TOKEN, token]]) };
    this.#source = source;
    this.#sourcesHash = sourcesHash;
  }

  /** Returns what is wrong with a verdict that the service is about to store; undefined when it is correct. */
  judgeVerdict(citation: OpenCitation, decided: DecidedPayment): string | undefined {
    const { home, id } = citation;
    let wrong: string | undefined;
    for (const hiddenEnds of this.#listHiddenEnds(home, id)) {
      const problem = this.#judgeVerdictOf({ home, id, hiddenEnds }, citation, decided);
      if (problem === undefined) return undefined;
      wrong ??= problem;
    }
    return wrong;
  }

  /** Lists the ends of claims that a node may hide for good where blocks are not proven, first none (`hidden-logs.ts`). */
  #listHiddenEnds(home: OpenCitation['home'], id: bigint): (readonly ClaimEnd[])[] {
    if (this.#areBlocksProven || home === 'alt') return [[]];
    const machine = machineOf(this.#homes.main.finalized.world, id);
    return listWithoutProof(machine).map((shown) => listHiddenEnds(machine, shown));
  }

  #judgeVerdictOf(
    machine: PaidMachine,
    { home, id, seq, blockTimestamp }: OpenCitation,
    { verdict: made }: DecidedPayment,
  ): string | undefined {
    const name = `verdict ${made.code} on event ${seq} of ${id}`;
    const { main, alt } = this.#homes;
    const mainSeconds = main.finalized.timestamp;
    const homeSeconds = home === 'main' ? mainSeconds : Math.min(mainSeconds, alt!.timeOf(alt!.slot));
    if (this.#source.finalized.timestamp <= blockTimestamp + LATE_SECONDS) {
      return `${name}: the source is not final past its window`;
    }
    const truth = this.#judgeMachine(machine).find((each) => each.seq === seq);
    if (truth === undefined) return `${name}: no followed citation of a final event`;
    const { mined, verdict } = truth;
    if (!WITHOUT_CLAIMS.has(verdict.code) && homeSeconds < mined!.block.timestamp) {
      return `${name}: the home chain is not final up to the payment`;
    }
    this.#decided.set(`${home} ${id} ${seq}`, made.code);
    const shown = { ...made, paidCents: BigInt(made.paidCents), worthCents: toBigint(made.worthCents) };
    if (isDeepStrictEqual({ ...shown, returnedCents: toBigint(made.returnedCents) }, verdict)) return undefined;
    const isBefore = mined !== undefined && mined.block.timestamp < truth.timestamp - WEEK_SECONDS;
    if (made.code === 'not_found' && verdict.code === 'wrong_time' && isBefore) return undefined;
    return `${name}: ${show(made)} instead of ${show(verdict)}`;
  }

  /** Returns a citation that waits although everything that its verdict depends on is final and readable. */
  findUndecided(): string | undefined {
    for (const { home, id } of this.#listMachines()) {
      const open = this.#listFollowed({ home, id }).find(({ seq }) => !this.#decided.has(`${home} ${id} ${seq}`));
      if (open !== undefined) return `no verdict on event ${open.seq} of ${id}`;
    }
    return undefined;
  }

  /**
   * Lists what a response about a machine at a block may show of its payments: the search may have reached any earlier final state, and any
   * number of its citations may be judged, in order. Transfers that the machine lacks end no claims (`hidden-logs.ts`).
   */
  listEvidence(shown: Machine, block: Block): PaymentEvidence[] {
    const { id, events } = shown;
    const hiddenEnds = listHiddenEnds(machineOf(block.world, id), shown);
    const machine: PaidMachine = { home: 'main', id, hiddenEnds };
    const accounts = this.#listAccounts(machine, this.#homes.main.finalized, shown);
    return this.#combine(machine, events.length, block.timestamp, accounts);
  }

  /** Lists what a response about an alt-chain machine in a world may show. Its owner never changes in a run with payments. */
  listAltEvidence(id: bigint, world: AltWorld, { timestamp }: Block): PaymentEvidence[] {
    if (this.#homes.alt === undefined) return [this.withoutClaims];
    const count = altMachineOf(world, id).log?.events.length ?? 0;
    const claims = this.#claimsOf({ home: 'alt', id }).filter(({ seq }) => Number(seq) < count);
    const accounts = [0, ...claims.map((_, i) => i + 1)].map((made) => toAccounts(claims.slice(0, made)));
    return this.#combine({ home: 'alt', id }, count, timestamp, accounts);
  }

  #combine(
    machine: PaidMachine,
    eventCount: number,
    timestamp: number,
    accounts: readonly (readonly object[])[],
  ): PaymentEvidence[] {
    const judged = this.#judgeMachine(machine).filter(({ seq }) => seq < eventCount);
    const prefixes = [0, ...judged.map((_, i) => i + 1)].map((count) => judged.slice(0, count));
    const oldest = Math.floor(timestamp / DAY_SECONDS) - (WINDOW_DAYS - 1);
    return accounts.flatMap((listed) =>
      prefixes.map((prefix) => ({
        sourcesHash: this.#sourcesHash,
        accounts: listed,
        verdicts: countCodes(prefix.filter((each) => Math.floor(each.blockTimestamp / DAY_SECONDS) >= oldest)),
        paid: new Map(
          prefix.filter(({ verdict }) => verdict.paidCents > 0n).map(({ seq, verdict }) => [seq, verdict.paidCents]),
        ),
      })),
    );
  }

  /** Returns what a response about a machine without claims may show. */
  get withoutClaims(): PaymentEvidence {
    return { ...NO_PAYMENTS, sourcesHash: this.#sourcesHash };
  }

  /** Lists the accounts in force as of each final state of the machine, without those before a change of hands that is shown. */
  #listAccounts(machine: PaidMachine, finalized: Block, { hands }: Machine): (readonly object[])[] {
    const claims = this.#claimsOf(machine);
    if (claims.length === 0) return [[]];
    const change = hands.at(-1)?.seq ?? 0;
    const found = new Map<string, readonly object[]>([['[]', []]]);
    let before: Machine | undefined;
    for (let at: Block | undefined = finalized; at !== undefined; at = at.parent) {
      const state = machineOf(at.world, machine.id);
      if (state === before) continue;
      before = state;
      const inForce = claims.filter(({ seq, end }) => {
        const isEnded = end !== undefined && state.claimEnds.some((each) => isSameEnd(each, end));
        return Number(seq) < state.events.length && !isEnded && Number(seq) >= change;
      });
      const listed = toAccounts(inForce);
      found.set(JSON.stringify(listed), listed);
    }
    return [...found.values()];
  }

  /** Judges every followed citation as if everything were read. */
  #judgeMachine(machine: PaidMachine): Judged[] {
    const { home, id } = machine;
    const claims = this.#claimsOf(machine);
    const earlier: EarlierRow[] = [];
    const converter = createConverter(RATE_TABLE);
    const isSolana = this.#deployment.kind === 'solana';
    const rows = new Map<string, readonly TransferRow[]>();
    return this.#listFollowed(machine).map((followed) => {
      const { seq, reference, cents, timestamp, blockTimestamp } = followed;
      const mined = findPayment(this.#source.view, reference);
      const inForce = claimsAt(claims, BigInt(seq));
      const truth = judgeCitation({
        ...{
          source: this.#cited,
          reference,
          seq: BigInt(seq),
          cents,
          home,
          claims,
          earlier,
          convert: converter,
        },
        ...{ timestamp: BigInt(timestamp), blockTimestamp: BigInt(blockTimestamp), headTime: END, homeHead: END },
        others: this.#listOthers(machine, inForce),
        transaction: mined === undefined ? 'absent' : this.#toTransaction(mined),
        returned: isSolana ? inSlotOrder(rows) : this.#listTransfers(mined),
        flowsThrough: undefined,
        decimals: RATE_TABLE.tokens,
      });
      // A payment before the window may be pruned, which is `not_found` and without flows (scoring, Absent).
      const isPruned = truth.code === 'wrong_time' && this.#decided.get(`${home} ${id} ${seq}`) === 'not_found';
      const verdict: Verdict = isPruned ? { ...truth, code: 'not_found' } : truth;
      const { code, token, payer, worthCents, paidCents } = verdict;
      if (EARLIER.has(code) && token !== null && payer !== null && worthCents !== null) {
        const time = BigInt(mined!.block.timestamp);
        earlier.push({ source: this.#cited.name, reference, token, payer, worthCents, paidCents, time });
      }
      if (isSolana && mined !== undefined && !WITHOUT_FLOWS.has(code) && !rows.has(reference)) {
        const senders = new Set(claims.flatMap(({ account, owner }) => [account, owner]));
        rows.set(reference, listSolanaRows(this.#toTransaction(mined), senders, this.#cited.tokens));
      }
      return { ...followed, verdict, mined };
    });
  }

  #toTransaction({ transaction, block }: MinedPayment): SourceTransaction {
    const { isSuccessful: success, from, hash } = transaction;
    const mined = { success, block: BigInt(block.number), time: BigInt(block.timestamp) };
    if (this.#deployment.kind === 'solana') return { ...mined, signers: [from], ...listBalances(transaction) };
    const logs = toPaymentLogs(block).filter(({ transactionHash }) => transactionHash === hash);
    return { ...mined, from, logs };
  }

  #listFollowed(machine: PaidMachine): Followed[] {
    const { events } = this.#read(machine);
    const claims = this.#claimsOf(machine);
    if (claims.length === 0) return [];
    const records = listRecords(events);
    const convert = createConverter(RATE_TABLE);
    const judged = listJudged({ events: toRawEvents(events), now: 0n, rates: RATE_TABLE }, ALL_DAYS);
    const perDay = new Map<bigint, number>();
    return judged.flatMap((event) => {
      const citation = readCitation(records[Number(event.seq)]!, [this.#cited]);
      if (citation === undefined || claimsAt(claims, event.seq).length === 0) return [];
      const day = event.blockTimestamp / BigInt(DAY_SECONDS);
      const cited = perDay.get(day) ?? 0;
      if (cited >= MAX_DAILY) return [];
      perDay.set(day, cited + 1);
      return [
        {
          seq: Number(event.seq),
          reference: citation.reference,
          cents: convert(event).cents,
          timestamp: Number(event.timestamp),
          blockTimestamp: Number(event.blockTimestamp),
        },
      ];
    });
  }

  /** Returns the claims of a machine; those of the same proofs and ends are computed once. */
  #claimsOf({ home, id, hiddenEnds = [] }: PaidMachine): readonly Claim[] {
    const machine = this.#read({ home, id });
    const proofs = machine.events.flatMap(({ metadata, blockTimestamp }, seq) =>
      metadata.length > MAX_DIGITS_WITHOUT_PROOF ? [`${seq}/${blockTimestamp}`] : [],
    );
    if (proofs.length === 0) return [];
    const ends = machine.claimEnds
      .filter((end) => !hiddenEnds.some(isSameAs(end)))
      .map(({ seq, at }) => ({ before: BigInt(seq), at: BigInt(at) }));
    const key = [home, id, ...proofs, ...ends.map(({ before, at }) => `${before}-${at}`)].join(' ');
    let claims = this.#claims.get(key);
    if (claims === undefined) {
      claims = makeClaims(listRecords(machine.events), ends, { did: `did:svc:${id}`, header: HEADER });
      this.#claims.set(key, claims);
    }
    return claims;
  }

  /** Returns the final events of a machine, and what ended its claims. */
  #read({ home, id }: PaidMachine): Pick<Machine, 'claimEnds'> & { readonly events: readonly PlacedEvent[] } {
    const { main, alt } = this.#homes;
    if (home === 'main') return machineOf(main.finalized.world, id);
    return { events: altMachineOf(alt!.world, id).log?.events ?? [], claimEnds: [] };
  }

  #listMachines(): readonly PaidMachine[] {
    const { main, alt } = this.#homes;
    const ids = (home: 'main' | 'alt', machines: ReadonlyMap<bigint, unknown> = new Map()) =>
      [...machines.keys()].map((id) => ({ home, id }));
    return [...ids('main', main.finalized.world.machines), ...ids('alt', alt?.world.machines)];
  }

  #listOthers({ home: ownHome, id }: PaidMachine, inForce: readonly Claim[]): ForeignClaim[] {
    return this.#listMachines()
      .filter((other) => other.home !== ownHome || other.id !== id)
      .flatMap(({ home, id: other }) => this.#claimsOf({ home, id: other }).map((claim) => ({ home, claim })))
      .map(({ home, claim }) => {
        const own = inForce.find(({ account }) => account === claim.account);
        const { account, owner, since, end } = claim;
        return {
          home,
          account,
          owner,
          since,
          until: end?.at,
          isNewer: home === ownHome && own !== undefined && isLater(claim, own),
        };
      });
  }

  /** Lists the transfers of the listed token in the blocks before a payment. */
  #listTransfers(mined: MinedPayment | undefined): readonly TransferRow[] {
    if (mined === undefined) return [];
    const { blocks } = this.#source.view;
    return blocks.slice(0, mined.block.number).flatMap(({ transactions, number, timestamp }) =>
      transactions
        .filter(({ isSuccessful }) => isSuccessful)
        .flatMap(({ transfers }) => transfers.filter(({ contract }) => contract === this.#deployment.token))
        .map(({ from, to, units }) => {
          return { from, to, token: TOKEN, units, block: BigInt(number), time: BigInt(timestamp) };
        }),
    );
  }
}

/** Lists the transfers of cited transactions by slot, then in the order of the events. */
function inSlotOrder(rows: ReadonlyMap<string, readonly TransferRow[]>): readonly TransferRow[] {
  return [...rows.values()].flat().sort((a, b) => Number(a.block - b.block));
}

/** The time of a block serves as its number, because the times of a chain increase. */
function listRecords(events: readonly PlacedEvent[]): CitingRecord[] {
  return events.map(({ blockTimestamp, trust, metadata, citation, origin, place }, seq) => ({
    seq: BigInt(seq),
    blockTimestamp: BigInt(blockTimestamp),
    place:
      place === undefined ? [BigInt(blockTimestamp), BigInt(origin!.logIndex)] : [BigInt(place[0]), BigInt(place[1])],
    trust: BigInt(trust),
    sourceChainId: citation?.chainId ?? 0n,
    sourceTxHash: `0x${(citation?.hash ?? '').padStart(64, '0')}`,
    metadata: Buffer.from(metadata, 'hex'),
    owner: origin?.owner ?? null,
  }));
}

function toAccounts(claims: readonly Claim[]): readonly object[] {
  return claims.map(({ account, owner, since, seq }) => ({ account, owner, since: Number(since), seq: Number(seq) }));
}

function isLater({ place: [block, index] }: Claim, { place: [ownBlock, ownIndex] }: Claim): boolean {
  return block > ownBlock || (block === ownBlock && index > ownIndex);
}

function isSameEnd({ seq, at }: ClaimEnd, end: NonNullable<Claim['end']>): boolean {
  return BigInt(seq) === end.before && BigInt(at) === end.at;
}

const isSameAs =
  ({ seq, at }: ClaimEnd) =>
  (other: ClaimEnd) =>
    seq === other.seq && at === other.at;

function countCodes(judged: readonly Judged[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict } of judged) counts[verdict.code] = (counts[verdict.code] ?? 0) + 1;
  return counts;
}

const toBigint = (value: number | null) => (value === null ? null : BigInt(value));

function show(verdict: object): string {
  return JSON.stringify(verdict, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}
