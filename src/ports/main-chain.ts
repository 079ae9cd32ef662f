/**
 * What can be asked of the main chain about machines? (chain-evm 3, 5, 7.)
 * Implemented by `adapters/main-chain`. Every method throws `ChainUnreadable` and nothing else; a machine that does not exist is a
 * snapshot whose `owner` is absent, never a fault.
 */
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { LegacyMachine } from '../domain/machine/legacy-machine.ts';
import type {
  BlockRef,
  DeploymentFacts,
  EventPage,
  EventRecord,
  MachineSnapshot,
} from '../domain/machine/machine-facts.ts';
import type { OwnershipChange } from './store.ts';

/** Answers of the five readiness calls and of the deployment checks; false = not callable or contradicting. */
export interface MainChainReadiness {
  readonly rpcConnected: boolean;
  readonly machineRegistry: boolean;
  readonly machineStateAndSync: boolean;
  readonly machineSubscription: boolean;
  readonly eventRegistry: boolean;
  /** True as well when no AdminFlags contract is configured. */
  readonly adminFlags: boolean;
}

/** What a caller needs beyond the facts that every snapshot holds. */
export interface MachineReadOptions {
  /**
   * Position of the first record wanted in `events`; asked only when the chain is really read. The page holds at most
   * the contract's query limit.
   */
  readonly eventsFrom: () => Promise<number>;
  /** The machine's oldest records too, in `firstEvents`. */
  readonly firstEvents: boolean;
}

export interface CachedMachine {
  readonly snapshot: MachineSnapshot;
  readonly deployment: DeploymentFacts;
}

export interface MainChain {
  readonly chainId: number;
  readonly machineRegistry: Address;
  /** Undefined: none of its contracts is configured. */
  readonly legacy: LegacyMachines | undefined;
  /**
   * The facts of one machine at the newest block known.
   * Requests of one tick share one multicall, identical requests in flight share one promise, and a snapshot is returned again
   * (the same object) as long as no log has touched it and no boundary of time has passed.
   */
  readMachine(id: MachineId, wants: MachineReadOptions): Promise<MachineSnapshot>;
  /** What `readMachine` and `readDeployment` would give without asking a node; undefined when they would ask one. */
  getCached(id: MachineId, firstEvents: boolean): CachedMachine | undefined;
  /**
   * The facts of one machine and of the deployment at one block, which is asked for after the call: nothing that is kept serves,
   * not even where no log has touched it. For what a write is judged by. Holds no events to speak of.
   */
  readMachineUncached(id: MachineId): Promise<CachedMachine>;
  /** Records at positions `from` to `to - 1` at exactly `block`; as many requests as it takes, each a page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
  /** Kept; read again when a log says that it changed. */
  readDeployment(): Promise<DeploymentFacts>;
  /** Asked anew at most once a second; never throws. */
  readReadiness(): Promise<MainChainReadiness>;
}

/** Which block is the newest, and what has changed since the one before? Given by the head follower to whatever keeps facts. */

/** What one step of the head changed. */
export interface HeadStep {
  readonly head: Header;
  /** Clock milliseconds at which the head was asked for. */
  readonly observedAtMilliseconds: number;
  /** For so long from then on no newer block is due, and the follower does not ask for one. */
  readonly waitMilliseconds: number;
  /** `all`: a reorg, a jump or a log that could not be attributed; every kept fact falls. */
  readonly touched: 'all' | { readonly machines: ReadonlySet<MachineId>; readonly kybOperators: ReadonlySet<Address> };
  /** The deployment facts must be read again. */
  readonly deployment: boolean;
  /** The start-up checks must run again. */
  readonly checks: boolean;
}

/** Takes every step of the head, in order. */
export interface HeadListener {
  advanceHead(step: HeadStep): void;
}

/**
 * What can be asked of the main chain's history? Headers and the logs of the service's contracts, for the indexers.
 * Implemented by `adapters/main-chain`, which knows the ABIs: a log arrives here already attributed to what it touches
 * (chain-evm 2 and 6). Nothing here has been checked against a header yet: that is the indexers' work (chain-evm 4.5).
 */

export interface Header extends BlockRef {
  readonly parentHash: string;
  /** `0x` and 512 hex digits. */
  readonly logsBloom: string;
  /** Lower case; undefined where the node does not tell it. */
  readonly receiptsRoot?: string | undefined;
}

/** Two registries hold events: that of the second generation and that of the first. Ids share nothing between them. */
export type EventGeneration = 'second' | 'first';

/** What a log changes for kept facts (the table of chain-evm 6). */
export type LogEffect =
  | { readonly kind: 'machines'; readonly ids: readonly MachineId[] }
  | { readonly kind: 'operator-kyb'; readonly operator: Address }
  /** Every machine, because facts of the deployment changed: read them again. */
  | { readonly kind: 'deployment' }
  /** Every machine. */
  | { readonly kind: 'all' }
  /** Every machine, and the start-up checks run again: code or ownership changed. */
  | { readonly kind: 'checks' }
  | { readonly kind: 'nothing' }
  /** A topic in no row: every machine, and it is counted. */
  | { readonly kind: 'unknown' };

/** What an event registry's log says beyond its effect. */
export type EventLogBody =
  | {
      readonly kind: 'submitted';
      readonly generation: EventGeneration;
      readonly machineId: MachineId;
      readonly eventIndex: bigint;
      readonly eventType: number;
      readonly value: bigint;
    }
  | { readonly kind: 'imported'; readonly generation: EventGeneration; readonly machineId: MachineId };

export interface ChainLog {
  readonly address: Address;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly transactionHash: string;
  /** What the node says the block's time is, when it says so; only a cross-check. */
  readonly blockTimestamp: number | undefined;
  readonly effect: LogEffect;
  /** Ids whose ownership may have changed (chain-evm 4.2 and 4.3); empty for most logs. */
  readonly ownershipOf: readonly MachineId[];
  readonly event: EventLogBody | undefined;
}

/** A log that the receipts root of its block's header commits to; the time is the header's. */
export type ProvenLog = ChainLog & { readonly blockTimestamp: number };

/** Why a node refused a log query: the answers to the two differ (chain-evm 4.7). */
export class LogQueryRefused extends Error {
  readonly reason: 'range-too-large' | 'rate-limited';
  /** Seconds the node asked to wait, if it did. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: 'range-too-large' | 'rate-limited', retryAfterSeconds?: number) {
    super(reason);
    this.name = 'LogQueryRefused';
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface LogQuery {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Only `EventSubmitted` and `MachineEventsImported` logs of this machine (topic 1). */
  readonly eventsOf?: { readonly generation: EventGeneration; readonly machineId: MachineId };
}

export interface BlockLogs {
  readonly logs: readonly ChainLog[];
  /** Of every log of the block: `0x` and 512 hex digits. */
  readonly bloom: string;
}

export interface HeadResponse {
  readonly head: Header;
  /** They may belong to blocks newer than the head: the caller keeps those up to it. */
  readonly logs: readonly ChainLog[];
  /** Everything that the head logged, as `readBlockLogs` tells it; undefined where it was not asked for or did not come. */
  readonly headLogs: BlockLogs | undefined;
}

/** Throws `ChainUnreadable` like every read of the chain; log queries also throw `LogQueryRefused`. */
export interface MainChainLog {
  /** Addresses of all contracts whose logs are read, lower case. */
  readonly addresses: readonly Address[];
  readHeader(block: 'latest' | 'finalized' | number): Promise<Header>;
  /** Headers of the given blocks, in the order asked, in as few requests as the node allows. */
  readHeaders(numbers: readonly number[]): Promise<Header[]>;
  readLogs(query: LogQuery): Promise<ChainLog[]>;
  /**
   * The newest header and, in the same request, all logs after block `since` as far as the node has them; with `withHeadLogs` what the
   * newest block logged, whoever emitted it. Costs one round trip.
   */
  readHeadAndLogs(since: number, withHeadLogs: boolean): Promise<HeadResponse>;
  /**
   * Everything that the given blocks logged, asked by block hash: the logs of the service's contracts, and a bloom over all
   * logs of the block whoever emitted them. A header whose bloom this one covers hides nothing. In the order asked, in as
   * few requests as the node allows. Throws `ResponseRejected` where the numbers of a block's logs have a gap.
   */
  readBlockLogs(blocks: readonly BlockRef[]): Promise<readonly BlockLogs[]>;
  /** False from the moment a node says that it does not know how to tell receipts. */
  readonly servesReceipts: boolean;
  /**
   * Hands over the logs of the service's contracts, block by block in the order of the headers, proven to be all of them by the receipts of the whole
   * block. False: the node tells no receipts that a header commits to; what was handed over before is true.
   */
  readProvenLogs(headers: readonly Header[], take: (logs: readonly ProvenLog[]) => void): Promise<boolean>;
  /** What the chain says at one block about who holds these machines; none of them is left out. */
  readOwnership(block: BlockRef, ids: readonly MachineId[]): Promise<readonly OwnershipChange[]>;
  /** Records of many machines at one block, batched; the answer has the order of the request. */
  readEventRecords(
    block: BlockRef,
    wanted: readonly {
      readonly generation: EventGeneration;
      readonly id: MachineId;
      readonly from: number;
      readonly to: number;
    }[],
  ): Promise<readonly (readonly EventRecord[])[]>;
}

/**
 * What can be asked of the main chain about machines of the first generation? (chain-evm 2.9.)
 * Implemented by `adapters/main-chain`, present where its contracts are configured. Every method throws `ChainUnreadable` and nothing else. All that
 * one call returns is of one block, the newest known; it is kept until the next block.
 */

/** Position of the first record wanted of a machine; asked only when the chain is really read. */
export type EventsFrom = (id: MachineId) => Promise<number>;

export interface LegacyMachinePage {
  readonly block: BlockRef;
  /** How many machines the operator has. */
  readonly total: number;
  /** Ascending as numbers; undefined: the registry does not tell whose the claimed machine is. */
  readonly machines: readonly (LegacyMachine | undefined)[];
}

export interface LegacyMachines {
  /** Without a DID store no operator's machines are known. */
  readonly canList: boolean;
  /** The machine whose DID is of this address; undefined: there is none. */
  readMachineOf(address: Address, eventsFrom: EventsFrom): Promise<LegacyMachine | undefined>;
  /** Some of the machines of the operator: those it names itself, as far as the registry agrees. */
  readPageOf(operator: Address, offset: number, limit: number, eventsFrom: EventsFrom): Promise<LegacyMachinePage>;
  /** Records at positions `from` to `to - 1` at exactly `block`; as many requests as it takes, each a page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
}
