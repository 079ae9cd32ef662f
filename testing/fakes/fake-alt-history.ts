/** In-memory alt chain: transactions that change event logs, the resulting accounts, and a node that can fail. */
import { isDeepStrictEqual } from 'node:util';
import type { AltEventLog, AltMachineSnapshot } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import type { EventChange, TransactionReadResult } from '../../src/domain/alt-chain/event-operation.ts';
import { chainUnreadable } from '../../src/domain/faults.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { AltNodeBusy, type AltHistory, type EventLogCount, type SignatureRow } from '../../src/ports/alt-chain.ts';
import { ABSENT, present } from '../../src/domain/read-result.ts';

/** A change as submitted; its log follows from the account. */
export type FakeChange =
  | { readonly kind: 'submitted'; readonly machineId: MachineId; readonly record?: EventRecord }
  | {
      readonly kind: 'imported' | 'adopted';
      readonly machineId: MachineId;
      readonly prior: bigint;
      readonly record?: EventRecord | undefined;
    }
  | { readonly kind: 'closed'; readonly machineId: MachineId };

export interface FakeTransaction {
  readonly changes?: readonly FakeChange[];
  readonly hasFailed?: boolean;
  /** False: the node has no logs of it. */
  readonly hasLogs?: boolean;
  /** Machines whose log account it mentions without a change. */
  readonly mentions?: readonly MachineId[];
}

interface StoredTransaction {
  readonly row: SignatureRow;
  readonly operations: readonly EventChange[];
  readonly mentions: ReadonlySet<MachineId>;
}

interface Account extends AltEventLog {
  readonly slot: number;
  /** Events of this incarnation. */
  readonly events: readonly { readonly record: EventRecord; readonly slot: number; readonly blockTime: number }[];
}

export type FakeRequest = 'genesis' | 'slot' | 'first' | 'page' | 'transaction' | 'time' | 'block' | 'counts';

const FIRST_BLOCK_TIME = 1_700_000_000;

export function recordOf(value: number, parts: Partial<EventRecord> = {}): EventRecord {
  return {
    eventType: 0,
    value: BigInt(value),
    timestamp: BigInt(FIRST_BLOCK_TIME),
    dataHash: `0x${'00'.repeat(32)}`,
    trustLevel: 0,
    sourceChainId: 1n,
    sourceTxHash: `0x${'00'.repeat(32)}`,
    metadata: '0x',
    currency: 'USD',
    ...parts,
  };
}

export class FakeHistory implements AltHistory {
  /** Oldest first, in the order of execution. */
  readonly transactions: StoredTransaction[] = [];
  readonly requests: FakeRequest[] = [];
  slot = 10;
  slotSeconds = 1;
  pageRows = 1_000;
  firstAvailableSlot = 0;
  genesisIsRight = true;
  /** Runs before each response; may throw the error to return instead. */
  onRequest: (request: FakeRequest) => void = () => undefined;
  /** Alters a correct page. */
  alterPage: (rows: readonly SignatureRow[], before: string | undefined, about: unknown) => readonly SignatureRow[] = (
    rows,
  ) => rows;
  /** Alters a correct reading. */
  alterReading: (reading: TransactionReadResult, row: SignatureRow) => TransactionReadResult = (reading) => reading;
  /** Slots whose block time is not known yet. */
  readonly unknownTimes = new Set<number>();
  /** Slots whose rows come without a time. */
  readonly untimedRows = new Set<number>();
  /** Alters the order of the rows of one slot, newest first. */
  orderInSlot: (rows: readonly SignatureRow[]) => readonly SignatureRow[] = (rows) => rows;
  readonly #blocks: (readonly FakeTransaction[])[] = [];
  /** Signatures of the transactions that a response has shown to the process, or to an earlier one that stored them. */
  readonly #read = new Set<string>();
  #accounts = new Map<MachineId, Account>();
  #made = 0;

  /** Finalizes one block with the transactions, in their order. */
  finalize(...transactions: readonly FakeTransaction[]): string[] {
    this.slot += 1;
    this.#blocks.push(transactions);
    return transactions.map((transaction) => this.#execute(transaction));
  }

  submit(machineId: MachineId, ...records: readonly EventRecord[]): string[] {
    return records.flatMap((record) => this.finalize({ changes: [{ kind: 'submitted', machineId, record }] }));
  }

  /** Unix seconds. */
  timeOf(slot: number): number {
    return FIRST_BLOCK_TIME + slot * this.slotSeconds;
  }

  snapshotOf(id: MachineId): AltMachineSnapshot {
    const account = this.#accounts.get(id);
    const { count, priorEventCount, lastEvent } = account ?? { count: 0n, priorEventCount: 0n, lastEvent: undefined };
    return {
      id,
      slot: this.slot,
      machine: ABSENT,
      pauseFlags: ABSENT,
      subscription: ABSENT,
      eventLog: account === undefined ? ABSENT : present({ count, priorEventCount, lastEvent }),
    };
  }

  /** Returns what a correct index holds for the machine. */
  eventsOf(id: MachineId): readonly { eventIndex: number; record: EventRecord; slot: number; blockTime: number }[] {
    return (this.#accounts.get(id)?.events ?? []).map((event, eventIndex) => ({ eventIndex, ...event }));
  }

  /**
   * Returns the events that the responses determine. These are `eventsOf`, unless the account and the event indexes in
   * the logs are also those of another chain, on which the transactions that are not read failed.
   */
  knowableEventsOf(id: MachineId): ReturnType<FakeHistory['eventsOf']> {
    const copy = this.#copyRead();
    const isSame =
      isDeepStrictEqual(this.snapshotOf(id), copy.snapshotOf(id)) &&
      isDeepStrictEqual(this.#loggedIndexesOf(id, this.#read), copy.#loggedIndexesOf(id, this.#read));
    return (isSame ? copy : this).eventsOf(id);
  }

  /** Ends a process: of the transactions that it has read, those are still known whose operations are stored. */
  forgetUnstored(stored: ReadonlySet<string>): void {
    for (const signature of this.#read) if (!stored.has(signature)) this.#read.delete(signature);
  }

  get machines(): MachineId[] {
    return [...new Set(this.transactions.flatMap(({ mentions }) => [...mentions]))];
  }

  async checkGenesis(): Promise<void> {
    this.#record('genesis');
    if (!this.genesisIsRight) throw chainUnreadable('alt', 'wrong-chain');
  }

  async readSlot(): Promise<number> {
    this.#record('slot');
    return this.slot;
  }

  async readFirstAvailableSlot(): Promise<number> {
    this.#record('first');
    return this.firstAvailableSlot;
  }

  async listSignatures(
    about: 'event-registry' | MachineId,
    before: string | undefined,
  ): Promise<readonly SignatureRow[]> {
    this.#record('page');
    const rows = this.#listRows(about);
    const from = before === undefined ? 0 : rows.findIndex(({ signature }) => signature === before) + 1;
    // A node that does not know the row returns an empty page.
    const page = before !== undefined && from === 0 ? [] : rows.slice(from, from + this.pageRows);
    return this.alterPage(page, before, about);
  }

  async readTransaction(row: SignatureRow): Promise<TransactionReadResult> {
    this.#record('transaction');
    const reading = this.#readStored(row);
    const response = this.alterReading(reading, row);
    if (response.state === 'read') this.#read.add(row.signature);
    return response;
  }

  async readBlockTime(slot: number): Promise<number | undefined> {
    this.#record('time');
    return this.unknownTimes.has(slot) ? undefined : this.timeOf(slot);
  }

  async readBlockSignatures(slot: number): Promise<readonly string[]> {
    this.#record('block');
    return this.transactions.filter(({ row }) => row.slot === slot).map(({ row }) => row.signature);
  }

  async readEventLogCounts(): Promise<{
    readonly slot: number;
    readonly counts: ReadonlyMap<MachineId, EventLogCount>;
  }> {
    this.#record('counts');
    return { slot: this.slot, counts: new Map(this.#accounts) };
  }

  readFleet(): Promise<never> {
    throw new Error('this chain has no fleet');
  }

  #record(request: FakeRequest): void {
    this.requests.push(request);
    this.onRequest(request);
  }

  /** Copies the blocks; transactions that were never read fail in the copy. */
  #copyRead(): FakeHistory {
    const copy = new FakeHistory();
    let made = 0;
    for (const block of this.#blocks) {
      copy.finalize(...block.map((given) => (this.#read.has(`tx${++made}`) ? given : { ...given, hasFailed: true })));
    }
    return copy;
  }

  #loggedIndexesOf(id: MachineId, signatures: ReadonlySet<string>): readonly (bigint | undefined)[] {
    return this.transactions
      .filter(({ row }) => signatures.has(row.signature))
      .flatMap(({ operations }) => operations.filter(({ machineId }) => machineId === id))
      .map((operation) => (operation.kind === 'submitted' ? operation.eventIndex : undefined));
  }

  #readStored({ signature, blockTime }: SignatureRow): TransactionReadResult {
    const stored = this.#bySignature.get(signature);
    if (stored === undefined) return { state: 'not-here-yet' };
    const { operations } = stored;
    const needsTime = operations.some((operation) => operation.kind !== 'closed' && operation.record !== undefined);
    return needsTime && blockTime === undefined ? { state: 'parked' } : { state: 'read', operations };
  }

  readonly #bySignature = new Map<string, StoredTransaction>();
  /** Newest first, cached by the number of transactions. */
  readonly #rows = new Map<unknown, { readonly made: number; readonly rows: readonly SignatureRow[] }>();

  #listRows(about: 'event-registry' | MachineId): readonly SignatureRow[] {
    const cached = this.#rows.get(about);
    if (cached?.made === this.#made) return cached.rows;
    const found = this.transactions.filter(({ mentions }) => about === 'event-registry' || mentions.has(about));
    const bySlot = Map.groupBy(found.toReversed(), ({ row }) => row.slot);
    const rows = [...bySlot.values()].flatMap((group) => this.orderInSlot(group.map(({ row }) => row)));
    this.#rows.set(about, { made: this.#made, rows });
    return rows;
  }

  #execute({ changes = [], hasFailed = false, hasLogs = true, mentions = [] }: FakeTransaction): string {
    this.#made += 1;
    const blockTime = this.untimedRows.has(this.slot) ? undefined : this.timeOf(this.slot);
    const row: SignatureRow = { signature: `tx${this.#made}`, slot: this.slot, blockTime, hasFailed };
    const operations = hasFailed ? [] : changes.map((change) => this.#apply(change, hasLogs));
    const machines = new Set([...mentions, ...changes.map(({ machineId }) => machineId)]);
    const stored = { row, operations, mentions: machines };
    this.transactions.push(stored);
    this.#bySignature.set(row.signature, stored);
    return row.signature;
  }

  #apply(change: FakeChange, hasLogs: boolean): EventChange {
    const { machineId } = change;
    const before = this.#accounts.get(machineId) ?? {
      count: 0n,
      priorEventCount: 0n,
      lastEvent: undefined,
      slot: this.slot,
      events: [],
    };
    if (change.kind === 'closed') {
      this.#accounts.delete(machineId);
      return { kind: 'closed', machineId, count: hasLogs ? before.count : undefined };
    }
    const record = change.kind === 'submitted' ? (change.record ?? recordOf(this.#made)) : change.record;
    const added = record === undefined ? [] : [{ record, slot: this.slot, blockTime: this.timeOf(this.slot) }];
    const count = before.count + BigInt(added.length);
    const priorEventCount = change.kind === 'submitted' ? before.priorEventCount : change.prior;
    const events = before.events as { record: EventRecord; slot: number; blockTime: number }[];
    // Histories only grow, and a close starts another list.
    events.push(...added);
    const lastEvent = record ?? before.lastEvent;
    this.#accounts.set(machineId, { count, priorEventCount, lastEvent, slot: this.slot, events });
    switch (change.kind) {
      case 'submitted':
        return {
          kind: 'submitted',
          machineId,
          eventIndex: hasLogs ? before.count : undefined,
          record: record!,
        };
      case 'imported':
        return { kind: 'imported', machineId, priorEventCount, record };
      case 'adopted':
        return { kind: 'adopted', machineId, priorEventCount, count: hasLogs ? count : undefined, record };
    }
  }
}

/** Error of a node that requests a wait. */
export function busy(retryAfterSeconds?: number): AltNodeBusy {
  return new AltNodeBusy('rate', retryAfterSeconds);
}
