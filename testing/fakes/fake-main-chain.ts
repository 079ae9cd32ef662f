/**
 * In-memory main chain. It can be mined and reorganized, and its node can return false data, lag and refuse. Everything
 * is deterministic, and each request is recorded.
 */
import { LogLimits } from '../../src/domain/index-rules/log-limits.ts';
import { buildBloom, ZERO_BLOOM } from '../../src/domain/index-rules/bloom.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../src/domain/index-rules/receipts-root.ts';
import { chainUnreadable } from '../../src/domain/faults.ts';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { BlockId, BlockRef, EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { REVENUE_TYPE } from '../../src/domain/rating/constants.ts';
import {
  KINDS_OF_GROUP,
  type BlockLogs,
  type ChainLog,
  type ChainWitness,
  type EventGeneration,
  type EventLogBody,
  type HeadResponse,
  type Header,
  type LogQuery,
  type MainChainLog,
  type ProvenLog,
  type RegistryLogBody,
  type TokenBalance,
} from '../../src/ports/main-chain.ts';
import type { OwnershipChange } from '../../src/ports/store.ts';
import { EVENTS, LEGACY_EVENTS, OWNER, REGISTRY, type FakeLog } from './fake-logs.ts';

interface PlacedLog {
  readonly log: ChainLog;
  readonly record: EventRecord | undefined;
  /** Its address and topics. */
  readonly items: readonly string[];
}

interface FakeBlock {
  readonly header: Header;
  readonly logs: readonly ChainLog[];
  readonly records: readonly PlacedLog[];
  /** Addresses and topics that other contracts logged. */
  readonly foreign: readonly string[];
}

export type RequestName =
  'header' | 'headers' | 'logs' | 'head' | 'block-logs' | 'receipts' | 'ownership' | 'balance' | 'counts' | 'records';

/** Faults of the node; each hook receives a true response and returns the one that is sent. A throw is a refusal. */
export interface FakeFaults {
  before?: (request: RequestName, detail: readonly number[]) => void;
  logs?: (logs: readonly ChainLog[], request: 'logs' | 'head') => readonly ChainLog[];
  blockLogs?: (logs: readonly ChainLog[]) => readonly ChainLog[];
  /** Simulates receipts that do not match the headers. */
  receipts?: () => 'unproven' | undefined;
  header?: (header: Header) => Header;
  records?: (records: readonly EventRecord[], id: MachineId) => readonly EventRecord[];
}

const GENESIS_TIMESTAMP = 1_700_000_000;
const BLOCK_SECONDS = 7;
/** Exceeds the number of hashes that one chain uses. */
const FORK_HASHES = 1_000_000;

const PLAIN_RECORD: Omit<EventRecord, 'timestamp'> = {
  eventType: REVENUE_TYPE,
  value: 5_000n,
  dataHash: `0x${'00'.repeat(32)}`,
  trustLevel: 1,
  sourceChainId: 0n,
  sourceTxHash: `0x${'00'.repeat(32)}`,
  metadata: '0x',
  currency: 'USD',
};

export class FakeChain implements MainChainLog {
  readonly addresses = [REGISTRY, EVENTS, LEGACY_EVENTS];
  witnesses: readonly ChainWitness[] = [];
  readonly logLimits = new LogLimits();
  readonly requests: RequestName[] = [];
  faults: FakeFaults = {};
  /** Whether the node serves receipts. */
  servesReceipts = false;
  /** Blocks between the newest and the finalized one. */
  finalityLag = 2;
  /** Block time of blocks mined from now on; a timestamp is this times the block number. */
  blockSeconds = BLOCK_SECONDS;
  /** Blocks that the node is behind. */
  behind = 0;
  /** Machines homed elsewhere. */
  readonly away = new Set<MachineId>();
  #blocks: FakeBlock[] = [];
  #hashes = 0;

  constructor() {
    this.mine();
  }

  get head(): Header {
    return this.#blocks.at(-1)!.header;
  }

  /** Mines a block with these logs; `foreign` are addresses and topics that other contracts logged. */
  mine(
    logs: readonly FakeLog[] = [],
    foreign: readonly string[] = [],
    timestamp = GENESIS_TIMESTAMP + this.blockSeconds * this.#blocks.length,
  ): Header {
    const number = this.#blocks.length;
    const hash = this.#nextHash();
    const records: PlacedLog[] = [];
    logs.forEach((log, index) => {
      const { chainLog, record } = this.#place(log, number, hash, timestamp, index * 2, records);
      records.push({ log: chainLog, record, items: listItems(log, chainLog) });
    });
    const logsBloom = buildBloom(new Set([...foreign, ...records.flatMap(({ items }) => items)]));
    const parentHash = this.#blocks.at(-1)?.header.hash ?? toWord(0n);
    // Only blocks without any log have a real root here.
    const receiptsRoot = logsBloom === ZERO_BLOOM ? EMPTY_RECEIPTS_ROOT : undefined;
    const header = { number, hash, timestamp, parentHash, logsBloom, receiptsRoot };
    this.#blocks.push({ header, logs: records.map(({ log }) => log), records, foreign });
    return header;
  }

  mineMany(count: number): void {
    for (let i = 0; i < count; i++) this.mine();
  }

  /** Removes the newest blocks; blocks mined next have other hashes. */
  rollBack(depth: number): void {
    this.#blocks.length -= depth;
  }

  /** Returns a chain with the same blocks except the newest `depth`; blocks mined there are rivals of those here. */
  fork(depth: number): FakeChain {
    const rival = new FakeChain();
    rival.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
    rival.#hashes = this.#hashes + FORK_HASHES;
    return rival;
  }

  headerAt(number: number): Header {
    return this.#blocks[number]!.header;
  }

  logsAt(number: number): readonly ChainLog[] {
    return this.#blocks[number]!.logs;
  }

  // Responses of the node.

  readHeader(block: 'latest' | 'finalized' | number): Promise<Header> {
    return this.#respond('header', typeof block === 'number' ? [block] : [], () => {
      if (typeof block === 'number') return this.#visible(block).header;
      const newest = this.#visibleHead();
      return this.#visible(block === 'latest' ? newest : Math.max(0, newest - this.finalityLag)).header;
    }).then((header) => this.#alterHeader(header));
  }

  readHeaders(numbers: readonly number[]): Promise<Header[]> {
    return this.#respond('headers', numbers, () =>
      numbers.map((number) => this.#alterHeader(this.#visible(number).header)),
    );
  }

  readLogs({ fromBlock, toBlock, eventsOf, transfersOf, registryLogsOf }: LogQuery): Promise<ChainLog[]> {
    return this.#respond('logs', [fromBlock, toBlock], () => {
      const found = this.#logsOf(fromBlock, toBlock).filter(
        ({ event, registry }) =>
          (eventsOf === undefined ||
            (event?.generation === eventsOf.generation && event.machineId === eventsOf.machineId)) &&
          (registryLogsOf === undefined ||
            (registry?.machineId === registryLogsOf.machineId &&
              KINDS_OF_GROUP[registryLogsOf.group].includes(registry.kind))) &&
          (transfersOf === undefined ||
            (registry?.kind === 'transfer' && (registry[transfersOf.side] ?? ZERO_ADDRESS) === transfersOf.holder)),
      );
      return [...(this.faults.logs?.(found, 'logs') ?? found)];
    });
  }

  readHeadAndLogs(since: number, withHeadLogs: boolean): Promise<HeadResponse> {
    return this.#respond('head', [since], () => {
      const newest = this.#visibleHead();
      const found = this.#logsOf(since + 1, newest);
      const block = this.#visible(newest);
      return {
        head: this.#alterHeader(block.header),
        logs: this.faults.logs?.(found, 'head') ?? found,
        headLogs: withHeadLogs ? this.#blockLogsOf(block) : undefined,
      };
    });
  }

  readOwnership(block: BlockId, ids: readonly MachineId[]): Promise<readonly OwnershipChange[]> {
    return this.#respond('ownership', [block.number], () =>
      ids.map((id) => {
        const owner = this.ownerOf(id, block.number);
        if (owner === undefined) return { kind: 'gone', id };
        return this.away.has(id)
          ? { kind: 'away', id, owner }
          : { kind: 'held', id, owner, controller: this.controllerOf(id, block.number) };
      }),
    );
  }

  readBalance(owner: Address): Promise<TokenBalance> {
    return this.#respond('balance', [], () => {
      const block = this.#visible(this.#visibleHead()).header;
      return { block, balance: this.#balanceOf(owner, block.number) };
    });
  }

  readBalanceAt(owner: Address, { number, hash }: BlockId): Promise<bigint> {
    return this.#respond('balance', [number], () => {
      if (this.#visible(number).header.hash !== hash) throw chainUnreadable('main', 'block-mismatch');
      return this.#balanceOf(owner, number);
    });
  }

  /** Returns the owner by the newest transfer; a machine that was never transferred belongs to `OWNER`. */
  ownerOf(id: MachineId, upTo: number): Address | undefined {
    const last = this.#transfersUpTo(upTo).findLast((transfer) => transfer.machineId === id);
    return last === undefined ? OWNER : last.to;
  }

  controllerOf(id: MachineId, upTo: number): Address | undefined {
    return this.registryLogsOf(id, upTo).findLast((log) => log.kind === 'controller' || log.kind === 'minted')?.to;
  }

  registryLogsOf(id: MachineId, upTo: number): RegistryLogBody[] {
    return this.#registryLogsUpTo(upTo).filter(({ machineId }) => machineId === id);
  }

  #balanceOf(owner: Address, upTo: number): bigint {
    const ids = new Set(this.#transfersUpTo(upTo).map(({ machineId }) => machineId));
    return BigInt([...ids].filter((id) => this.ownerOf(id, upTo) === owner).length);
  }

  #transfersUpTo(number: number): Extract<RegistryLogBody, { kind: 'transfer' }>[] {
    return this.#registryLogsUpTo(number).filter((log) => log.kind === 'transfer');
  }

  #registryLogsUpTo(number: number): RegistryLogBody[] {
    const logs = this.#blocks.slice(0, number + 1).flatMap(({ logs: ofBlock }) => ofBlock);
    return logs.flatMap(({ registry }) => (registry === undefined ? [] : [registry]));
  }

  readBlockLogs(blocks: readonly BlockRef[]): Promise<readonly BlockLogs[]> {
    const numbers = blocks.map(({ number }) => number);
    return this.#respond('block-logs', numbers, () =>
      blocks.map((block) => {
        const found = this.#blocks.find(({ header }) => header.hash === block.hash);
        if (found === undefined) throw chainUnreadable('main', 'block-mismatch');
        return this.#blockLogsOf(found);
      }),
    );
  }

  readProvenLogs(headers: readonly Header[], take: (logs: readonly ProvenLog[]) => void): Promise<boolean> {
    const numbers = headers.map(({ number }) => number);
    return this.#respond('receipts', numbers, () => {
      if (!this.servesReceipts) return false;
      const found = headers.map(({ hash }) => this.#blocks.find(({ header }) => header.hash === hash));
      if (this.faults.receipts?.() === 'unproven' || found.includes(undefined)) return false;
      for (const block of found) take(block!.logs.map((log) => ({ ...log, blockTimestamp: block!.header.timestamp })));
      return true;
    });
  }

  readEventTotal({ number }: BlockId): Promise<bigint> {
    return this.#respond('counts', [number], () => {
      const placed = this.#blocks.slice(0, number + 1).flatMap(({ records }) => records);
      const submitted = placed.filter(({ log: { event } }) => event?.kind === 'submitted');
      return BigInt(submitted.filter(({ log: { event } }) => event?.generation === 'current').length);
    });
  }

  readEventCounts({ number }: BlockId, ids: readonly MachineId[]): Promise<readonly bigint[]> {
    return this.#respond('counts', [number], () =>
      ids.map((id) => BigInt(this.recordsOf('current', id, number).length)),
    );
  }

  readEventRecords(
    block: BlockRef,
    wanted: Parameters<MainChainLog['readEventRecords']>[1],
  ): Promise<readonly (readonly EventRecord[])[]> {
    return this.#respond('records', [block.number], () => {
      if (this.#visible(block.number).header.hash !== block.hash) throw chainUnreadable('main', 'block-mismatch');
      return wanted.map(({ generation, id, from, to }) => {
        const all = this.recordsOf(generation, id, block.number);
        const records = this.faults.records?.(all, id) ?? all;
        if (to > records.length) throw chainUnreadable('main', 'events');
        return records.slice(from, to);
      });
    });
  }

  /** Returns the readable records of a machine at a block: those since its last import. */
  recordsOf(generation: EventGeneration, id: MachineId, upTo: number): EventRecord[] {
    return sinceImport(
      this.#blocks.slice(0, upTo + 1).flatMap(({ records }) => records),
      generation,
      id,
    ).flatMap(({ record }) => (record === undefined ? [] : [record]));
  }

  async #respond<T>(name: RequestName, detail: readonly number[], respond: () => T): Promise<T> {
    this.requests.push(name);
    await Promise.resolve();
    this.faults.before?.(name, detail);
    return respond();
  }

  #blockLogsOf(block: FakeBlock): BlockLogs {
    const logs = this.faults.blockLogs?.(block.logs) ?? block.logs;
    const items = block.records.filter(({ log }) => logs.includes(log)).flatMap(({ items }) => items);
    return { logs, bloom: buildBloom(new Set([...block.foreign, ...items])) };
  }

  #alterHeader(header: Header): Header {
    return this.faults.header?.(header) ?? header;
  }

  #visibleHead(): number {
    return Math.max(0, this.#blocks.length - 1 - this.behind);
  }

  #visible(number: number): FakeBlock {
    const block = number <= this.#visibleHead() ? this.#blocks[number] : undefined;
    if (block === undefined) throw chainUnreadable('main', 'block-mismatch');
    return block;
  }

  #logsOf(from: number, to: number): ChainLog[] {
    return this.#blocks.slice(from, Math.min(to, this.#visibleHead()) + 1).flatMap(({ logs }) => logs);
  }

  #nextHash(): string {
    this.#hashes += 1;
    return toWord(0xb10c0000n + BigInt(this.#hashes));
  }

  #place(
    log: FakeLog,
    blockNumber: number,
    blockHash: string,
    blockTimestamp: number,
    logIndex: number,
    before: readonly PlacedLog[],
  ): { readonly chainLog: ChainLog; readonly record: EventRecord | undefined } {
    const { address, effect, ownershipOf = [], event, registry, machineId } = log;
    const chainLog = {
      address,
      blockNumber,
      blockHash,
      logIndex,
      transactionHash: this.#nextHash(),
      blockTimestamp,
      effect,
      ownershipOf,
      registry,
    };
    if (event?.kind !== 'submitted') {
      const body: EventLogBody | undefined = event && { kind: 'imported', generation: event.generation, machineId };
      return { chainLog: { ...chainLog, event: body }, record: undefined };
    }
    const record: EventRecord = { ...PLAIN_RECORD, timestamp: BigInt(blockTimestamp), ...event.record };
    const { generation } = event;
    const { eventType, value } = record;
    const earlier = [...this.#blocks.flatMap(({ records }) => records), ...before];
    const eventIndex = BigInt(sinceImport(earlier, generation, machineId).length);
    const body: EventLogBody = { kind: 'submitted', generation, machineId, eventIndex, eventType, value };
    return { chainLog: { ...chainLog, event: body }, record };
  }
}

/** Returns a machine's submitted logs after its last import. */
function sinceImport(placed: readonly PlacedLog[], generation: EventGeneration, id: MachineId): PlacedLog[] {
  const own = placed.filter(({ log: { event } }) => event?.generation === generation && event.machineId === id);
  return own.slice(own.findLastIndex(({ log }) => log.event?.kind === 'imported') + 1);
}

/** Lists the address and the topics: event kind, machine and event position. Logs of one block may share them. */
function listItems({ address, machineId }: FakeLog, { event, effect }: ChainLog): string[] {
  const kind = event?.kind ?? effect.kind;
  const position = event?.kind === 'submitted' ? [toWord(event.eventIndex)] : [];
  return [address, `0x${Buffer.from(kind).toString('hex').padEnd(64, '0')}`, toWord(machineId), ...position];
}

function toWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
