/**
 * Payments of a run: their chain, its nodes and faults, and what events cite. It has a separate random source, so that main-chain draws do
 * not change.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { CitationActor, Citing } from '../chain/event-operations.ts';
import type { SimEvent } from '../chain/machine-state.ts';
import { Random } from '../random.ts';
import type { Trace } from '../trace.ts';
import { Faults, TRANSPORT_FAULTS } from '../transport/faults.ts';
import type { NodeUrl } from '../transport/network.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { TOKEN_DECIMALS, type AccountKey, type SourceDeployment } from './deployment.ts';
import { PaymentBackend, PAYMENT_FAULTS, type PaymentFault } from './payment-backend.ts';
import { findPayment, PaymentChain, type PaymentTransaction, type TokenTransfer } from './payment-chain.ts';
import { PaymentNetwork } from './payment-network.ts';

/** Offset that separates its seeds from those of the main chain. */
const OWN_SEEDS = 2 ** 41;
const DAY_SECONDS = 86_400;
/** Time before the first event in which payments are cited that are too old. */
const EARLIER_SECONDS = 9 * DAY_SECONDS;
/** Seconds of regular blocks before the start of the run. */
const REGULAR_SECONDS = 2_400;
/** Number of newest payments, one of which is the first whose receipt is missing. */
const MAX_OMITTED = 20;
/** Maximum time of a read over all URLs. */
const READ_MILLISECONDS = 30_000;
/** A citation may refer to a payment that is mined so much later. */
const LATE_SECONDS = 900;

function drawPlan(random: Random) {
  return {
    blockSeconds: random.pick([6, 12, 60]),
    finalitySeconds: random.pick([30, 300, 900, 1_500]),
    stormRate: random.pick([0, 0.05, 0.3, 0.8]),
    reorgChance: random.pick([0, 0.1, 0.3]),
    pauseChance: random.pick([0.02, 0.05]),
    urls: random.pick([1, 2, 2, 3]),
  };
}

/** Payment as citations choose it. */
interface SentPayment {
  readonly hash: string;
  readonly account: string;
  readonly atSeconds: number;
}

export class PaymentScenario implements CitationActor {
  readonly deployment: SourceDeployment;
  readonly chain: PaymentChain;
  readonly network: PaymentNetwork;
  readonly #random: Random;
  readonly #plan: ReturnType<typeof drawPlan>;
  readonly #owners: readonly string[];
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  readonly #faults: Faults<PaymentFault>;
  readonly #urls: readonly NodeUrl<PaymentBackend>[];
  readonly #backends: readonly PaymentBackend[];
  readonly #sent: SentPayment[] = [];
  /** The one URL that lacks receipts at times. */
  #omitting: NodeUrl<PaymentBackend> | undefined;
  /** Accounts in the proofs of a machine under its owner. */
  readonly #claimed = new Map<string, string[]>();

  constructor(
    seed: number,
    deployment: SourceDeployment,
    owners: readonly string[],
    sinceSeconds: number,
    time: VirtualTime,
    trace: Trace,
  ) {
    this.deployment = deployment;
    const random = (this.#random = new Random(seed + OWN_SEEDS));
    const plan = (this.#plan = drawPlan(random));
    this.#owners = owners;
    this.#time = time;
    this.#trace = trace;
    const depth = Math.max(2, Math.ceil(plan.finalitySeconds / plan.blockSeconds));
    this.chain = new PaymentChain(random, () => time.nowMilliseconds(), depth);
    this.#writePast(sinceSeconds - EARLIER_SECONDS);
    const faults = (this.#faults = new Faults<PaymentFault>(random, { ...TRANSPORT_FAULTS, ...PAYMENT_FAULTS }));
    this.#changeFaultRate();
    this.#urls = Array.from({ length: plan.urls }, () => this.#drawUrl());
    this.#backends = this.#urls.flatMap(({ backends }) => backends);
    this.network = new PaymentNetwork(deployment, { name: 'source', urls: this.#urls, faults, random, time, trace });
    trace.line(`payments ${JSON.stringify(plan)}`);
    if (plan.stormRate > 0) this.#changeNodes();
  }

  get #nowSeconds(): number {
    return Math.floor(this.#time.nowMilliseconds() / 1000);
  }

  #writePast(sinceSeconds: number): void {
    const random = this.#random;
    const regularFrom = this.#nowSeconds - REGULAR_SECONDS;
    for (let at = sinceSeconds; at < regularFrom; at += random.integer(600, 4 * 3_600)) {
      for (let i = random.integer(0, 2); i > 0; i--) this.#pay(at);
      this.chain.mine(at);
    }
    this.mineUntilNow();
  }

  #drawUrl(): NodeUrl<PaymentBackend> {
    const random = this.#random;
    const maxRange = random.pick([20, 1_000, 10_000]);
    const backends = Array.from(
      { length: random.integer(1, 2) },
      () => new PaymentBackend(this.deployment, this.chain, random, maxRange),
    );
    return { backends, isDown: false, isForeign: false };
  }

  /** Mines blocks up to the time of the run. */
  mineUntilNow(): void {
    const { blockSeconds } = this.#plan;
    const now = this.#nowSeconds;
    const first = Math.max(this.chain.tip.timestamp, now - REGULAR_SECONDS * 2) + blockSeconds;
    for (let at = first; at <= now; at += blockSeconds) this.chain.mine(at);
  }

  /** Advances the chain and changes its nodes, each by chance. */
  act(): void {
    const random = this.#random;
    const { reorgChance, stormRate, finalitySeconds, blockSeconds } = this.#plan;
    if (random.chance(0.3)) this.#pay(this.#nowSeconds);
    this.mineUntilNow();
    if (random.chance(reorgChance)) {
      const depth = 1 + random.skewed(Math.ceil(finalitySeconds / blockSeconds));
      this.#trace.line(`source reorg ${this.chain.reorganize(depth)} deep`);
    }
    if (stormRate > 0 && random.chance(0.15)) this.#changeNodes();
    if (stormRate > 0 && random.chance(0.15)) this.#changeFaultRate();
  }

  /** Draws a time without the service, in which windows of citations end; 0 for none. */
  drawPauseMilliseconds(): number {
    const random = this.#random;
    return random.chance(this.#plan.pauseChance) ? 1000 * random.integer(600, 1_300) : 0;
  }

  #changeFaultRate(): void {
    this.#faults.setRate(this.#random.chance(0.5) ? 0 : this.#plan.stormRate);
  }

  /**
   * Nodes lag, or one URL lacks receipts. A URL that lacks some while all others lag is the only witness, and no reader could detect it; so the
   * others follow the chain then.
   */
  #changeNodes(): void {
    const random = this.#random;
    const hadGaps = this.#hasGaps();
    this.heal(false);
    for (const url of this.#urls) url.isDown = random.chance(0.15);
    const { view } = this.chain;
    if (this.#urls.length > 1 && random.chance(0.5)) {
      this.#omitReceipts(() => random.integer(0, view.length), hadGaps);
    } else {
      for (const url of this.#urls) {
        const lagMilliseconds = random.chance(0.5) ? 0 : random.skewed(1_200_000);
        for (const backend of url.backends) {
          backend.lagMilliseconds = lagMilliseconds;
          backend.lagBlocks = random.chance(0.7) ? 0 : random.skewed(60);
        }
      }
      if (random.chance(0.3)) {
        const prunedBefore = random.integer(0, view.length);
        const { backends } = random.pick(this.#urls);
        // The number also says whether all nodes behind the URL are pruned or one: a draw more would change every later one.
        const pruned = prunedBefore % 2 === 0 ? backends : backends.slice(0, 1);
        for (const backend of pruned) backend.prunedBefore = prunedBefore;
      }
    }
    this.#traceNodes();
  }

  /** Lets the URL that lacks receipts lack those of newest payments, often while the others are down. */
  omitNewestReceipts(): void {
    const random = this.#random;
    if (this.#urls.length === 1) return;
    const omitted = findPayment(this.chain.view, random.pick(this.#sent.slice(-MAX_OMITTED)).hash);
    this.#omitReceipts(() => omitted?.block.number ?? 0, this.#hasGaps());
    this.#traceNodes();
  }

  /** Returns whether a read that has begun may lack a transaction at other URLs than the one that omits receipts. */
  #hasGaps(): boolean {
    const others = this.#backends.filter((backend) => this.#omitting?.backends.includes(backend) !== true);
    return others.some((each) => each.lagMilliseconds + each.lagBlocks + each.prunedBefore > 0);
  }

  /**
   * Always at the same URL: no reader detects that each of several URLs is the only one that answers and lacks the payment. For the same
   * reason not before the end of reads that found a gap of another URL.
   */
  #omitReceipts(drawBlock: () => number, hadGaps: boolean): void {
    const random = this.#random;
    const drawn = random.pick(this.#urls);
    const omitting = (this.#omitting ??= drawn);
    for (const backend of omitting.backends) {
      backend.omitsFrom = drawBlock();
      backend.omitsSinceMilliseconds = hadGaps ? this.#time.nowMilliseconds() + READ_MILLISECONDS : 0;
    }
    const areOthersDown = random.chance(0.7);
    for (const url of this.#urls) url.isDown = url !== omitting && areOthersDown;
  }

  #traceNodes(): void {
    const states = this.#backends.map(
      ({ lagMilliseconds, lagBlocks, omitsFrom, prunedBefore }) =>
        `${lagMilliseconds}ms/${lagBlocks} without ${omitsFrom}+ and -${prunedBefore}`,
    );
    this.#trace.line(
      `sources: ${this.#urls.map(({ isDown }) => (isDown ? 'down' : 'up')).join(' ')}, ${states.join(', ')}`,
    );
  }

  /** Ends every fault of the nodes. */
  heal(isLasting = true): void {
    if (isLasting) this.#faults.setRate(0);
    for (const backend of this.#backends) {
      backend.lagMilliseconds = backend.lagBlocks = backend.prunedBefore = 0;
      backend.omitsFrom = Infinity;
    }
    for (const url of this.#urls) url.isDown = false;
  }

  // ------------------------------------------------------------------------------------------------------- payments

  /** Sends a random payment and returns its hash. */
  #pay(atSeconds: number, account: string = this.#random.pick(this.deployment.accounts).address): string {
    const transaction = this.#drawPayment(account);
    this.chain.submit(transaction);
    this.#sent.push({ hash: transaction.hash, account, atSeconds });
    return transaction.hash;
  }

  #drawPayment(account: string): PaymentTransaction {
    const random = this.#random;
    const { accounts, payers, router, mint, token, fakeToken, drawReference } = this.deployment;
    const payer = random.pick(payers);
    const owner = random.pick(this.deployment.owners ?? this.#owners);
    const cents = random.pick([500, 1_000, 5_000, 10_000, 60_000]);
    const move = (from: string, to: string, contract = token): TokenTransfer => {
      return { contract, from, to, units: BigInt(cents) * 10n ** BigInt(TOKEN_DECIMALS - 2) };
    };
    const kind = random.weigh({
      ...{
        plain: 10,
        routed: 2,
        batch: 1,
        refund: 2,
        returned: 2,
        byOwner: 1,
        bySelf: 1,
        sister: 1,
        minted: 1,
        fake: 1,
      },
      ...{ failed: 1, spent: 1 },
    });
    const transfers = {
      plain: [move(payer, account)],
      routed: [move(payer, router), move(router, account)],
      batch: accounts.slice(0, 2).map(({ address }) => move(payer, address)),
      refund: [move(account, payer)],
      returned: [move(owner, payer)],
      byOwner: [move(owner, account)],
      bySelf: [move(payer, account)],
      sister: [move(random.pick(accounts).address, account)],
      minted: [move(mint, account)],
      fake: [move(payer, account, fakeToken)],
      failed: [move(payer, account)],
      spent: [move(payer, account), move(owner, router)],
    }[kind];
    const from = kind === 'bySelf' ? random.pick([account, owner]) : payer;
    return { hash: drawReference(random), from, isSuccessful: kind !== 'failed', transfers };
  }

  // ------------------------------------------------------------------------------------------------------- citations

  decorate(event: SimEvent, block: { readonly timestamp: number }, machine: Citing): SimEvent {
    const random = this.#random;
    if (machine.owner === undefined) return event;
    const proves = random.chance(this.#claimed.has(`${machine.id} ${machine.owner}`) ? 0.05 : 0.6);
    const metadata = proves ? this.#drawProof(machine.id, machine.owner) : event.metadata;
    // Metadata of the alt chain hold a proof or a signature, not both.
    const isFull = proves && !machine.owner.startsWith('0x');
    if (event.type !== 0 || isFull || random.chance(0.25)) return { ...event, metadata };
    return {
      ...event,
      currency: 'USD',
      value: random.pick([999n, 1_000n, 4_000n, 10_000n, 25_000n]),
      trust: random.chance(0.1) ? 0 : random.integer(1, 2),
      ...this.#drawCitation(machine, event, block.timestamp, metadata),
    };
  }

  /** Adds the members that the citation needs to metadata that hold a proof, or replaces other metadata. */
  #drawCitation(
    machine: Citing,
    event: SimEvent,
    blockTimestamp: number,
    metadata: string,
  ): Pick<SimEvent, 'citation' | 'metadata'> {
    const { id, toCitation } = this.deployment;
    const chainId = this.#random.chance(0.05) ? 1n : BigInt(id);
    const { hash, metadata: added } = toCitation(this.#drawCited(machine, event, blockTimestamp));
    if (Object.keys(added).length === 0) return { citation: { chainId, hash }, metadata };
    const proof = metadata === event.metadata ? {} : (JSON.parse(Buffer.from(metadata, 'hex').toString()) as object);
    return {
      citation: { chainId, hash },
      metadata: Buffer.from(JSON.stringify({ ...proof, ...added })).toString('hex'),
    };
  }

  /** Returns the metadata of a proof; some name another owner or have another signature. */
  #drawProof(id: bigint, owner: string): string {
    const random = this.#random;
    const taken = [...this.#claimed.values()].flat();
    const { accounts } = this.deployment;
    const free = accounts.filter(({ address }) => !taken.includes(address));
    const key = random.pick(free.length > 0 && random.chance(0.8) ? free : accounts);
    const claimant = `${id} ${owner}`;
    this.#claimed.set(claimant, [...(this.#claimed.get(claimant) ?? []), key.address]);
    const named = random.chance(0.08) ? random.pick(this.#owners) : owner;
    const machine = random.chance(0.08) ? id + 1n : id;
    const metadata = { payout: key.address, owner: named, proof: signProof(key, machine, named) };
    return Buffer.from(JSON.stringify(metadata)).toString('hex');
  }

  /** Returns the hash of a payment near the event, of a new one, or of none. */
  #drawCited({ id, owner }: Citing, { timestamp }: SimEvent, blockTimestamp: number): string {
    const random = this.#random;
    if (random.chance(0.05)) return this.deployment.drawReference(random);
    const accounts = random.chance(0.8) ? (this.#claimed.get(`${id} ${owner}`) ?? []) : [];
    if (blockTimestamp >= this.#nowSeconds - 60 && random.chance(0.4)) {
      return this.#pay(this.#nowSeconds, accounts.length === 0 ? undefined : random.pick(accounts));
    }
    const [from, to] = [timestamp - EARLIER_SECONDS, blockTimestamp + LATE_SECONDS + 300];
    const near = this.#sent.filter(
      ({ atSeconds, account }) =>
        atSeconds >= from && atSeconds <= to && (accounts.length === 0 || accounts.includes(account)),
    );
    return (near.at(-1 - random.skewed(near.length - 1)) ?? random.pick(this.#sent)).hash;
  }
}

const signatures = new Map<string, string>();

/** Signs the text of a payout proof; the same text is signed once. */
function signProof(key: AccountKey, id: bigint, owner: string): string {
  const text = `svc payout account/1\nmachine: did:svc:${id}\nowner: ${owner}\naccount: ${key.address}`;
  let signature = signatures.get(text);
  if (signature === undefined) signatures.set(text, (signature = key.sign(utf8ToBytes(text))));
  return signature;
}
