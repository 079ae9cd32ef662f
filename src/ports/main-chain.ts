/**
 * Ports of the main chain: machines, heads, logs and legacy machines (chain-evm 2 to 7). Implemented by `adapters/main-chain`.
 * Every method throws `ChainUnreadable`. A machine that does not exist is a snapshot whose `owner` is absent, never a fault.
 */
import type { FactKind } from '../domain/machine/fact-log.ts';
import type { AttestationRecord } from '../domain/evidence/verify-status.ts';
import type { LogLimits } from '../domain/index-rules/log-limits.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { LegacyMachine } from '../domain/machine/legacy-machine.ts';
import type {
  BlockId,
  BlockRef,
  DeploymentFacts,
  EventPage,
  EventRecord,
  MachineSnapshot,
} from '../domain/machine/machine-facts.ts';
import type { OwnershipChange } from './store.ts';

/** Results of the five readiness calls and of the deployment checks; false: not callable or contradictory. */
export interface MainChainReadiness {
  readonly rpcConnected: boolean;
  readonly machineRegistry: boolean;
  readonly machineStateAndSync: boolean;
  readonly machineSubscription: boolean;
  readonly eventRegistry: boolean;
  /** Also true when no AdminFlags contract is configured. */
  readonly adminFlags: boolean;
}

/** Optional parts of a snapshot. */
export interface MachineReadOptions {
  /**
   * Returns the position of the first record in `events`; called only when the chain is read. The page has at most the contract's query
   * limit of records.
   */
  readonly eventsFrom: () => Promise<number>;
  /** Whether to read the machine's oldest records into `firstEvents`. */
  readonly firstEvents: boolean;
}

/** Number of tokens that an address owns, as of `block`. */
export interface TokenBalance {
  readonly block: BlockRef;
  readonly balance: bigint;
}

export interface CachedMachine {
  readonly snapshot: MachineSnapshot;
  readonly deployment: DeploymentFacts;
}

export interface MainChain {
  readonly chainId: number;
  readonly machineRegistry: Address;
  /** Undefined: none of the legacy contracts is configured. */
  readonly legacy: LegacyMachines | undefined;
  /**
   * Returns the facts of one machine at the newest known block.
   * Requests of one tick share one multicall, identical requests in flight share one promise, and a snapshot is returned again
   * (the same object) until a log touches it or a time boundary passes.
   */
  readMachine(id: MachineId, options: MachineReadOptions): Promise<MachineSnapshot>;
  /** Returns what `readMachine` and `readDeployment` return without calling a node; undefined when they would call one. */
  getCached(id: MachineId, firstEvents: boolean): CachedMachine | undefined;
  /**
   * Returns the facts of one machine and of the deployment at one block, from a read that starts after the call and uses no cache. For
   * writes. The events in it are incomplete.
   */
  readMachineUncached(id: MachineId): Promise<CachedMachine>;
  /** Returns the same as `readMachineUncached` at exactly this block. */
  readMachineAt(id: MachineId, block: BlockId): Promise<CachedMachine>;
  /**
   * Returns `balanceOf` of the owner at the newest known block; cached until a `Transfer` names the owner, for a minute at most. The read of
   * one who is not known to own machines waits behind the others.
   */
  readBalance(owner: Address, isKnown: boolean): Promise<TokenBalance>;
  /** Returns `balanceOf` of the owner at exactly this block, without a cache. */
  readBalanceAt(owner: Address, block: BlockId): Promise<bigint>;
  /** Returns the records at positions `from` to `to - 1` at exactly `block`, with one request per page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
  /** Returns the KYB record of any operator at `block`; undefined without one, and without an attestation registry. */
  readKyb(operator: Address, block: BlockRef): Promise<AttestationRecord | undefined>;
  /** Returns the deployment facts; cached until a log changes them. */
  readDeployment(): Promise<DeploymentFacts>;
  /** Runs the readiness calls at most once a second. Never throws. */
  readReadiness(): Promise<MainChainReadiness>;
}

/** Change of the head, which the head follower reports to caches. */
export interface HeadStep {
  readonly head: Header;
  /** Clock milliseconds at which the read of the head started. */
  readonly observedAtMilliseconds: number;
  /** Time from then on in which no newer block is due and the follower reads none. */
  readonly waitMilliseconds: number;
  /** `all`: a reorg, a gap or a log that could not be attributed; it invalidates every cached fact. */
  readonly touched:
    | 'all'
    | {
        readonly machines: ReadonlySet<MachineId>;
        readonly kybOperators: ReadonlySet<Address>;
        /** Both sides of every `Transfer`. */
        readonly holders: ReadonlySet<Address>;
      };
  /** The deployment facts must be read again. */
  readonly deployment: boolean;
  /** The start-up checks must run again. */
  readonly checks: boolean;
}

/** Receives every step of the head, in order. */
export interface HeadListener {
  advanceHead(step: HeadStep): void;
  /** Receives the number of the last indexed block, which is final, before each poll; undefined while nothing is indexed. */
  observeFinal?(blockNumber: number | undefined): void;
}

export interface Header extends BlockRef {
  readonly parentHash: string;
  /** `0x` and 512 hex digits. */
  readonly logsBloom: string;
  /** Lower case; undefined where it commits to nothing. */
  readonly receiptsRoot?: string | undefined;
  /** Position of the node that returned it; undefined where it is of several nodes. */
  readonly node?: number | undefined;
}

/** Generation of an event registry, current or legacy. Ids of the two are unrelated. */
export type EventGeneration = 'current' | 'legacy';

/** Effect of a log on cached facts (the table of chain-evm 6). */
export type LogEffect =
  | { readonly kind: 'machines'; readonly ids: readonly MachineId[] }
  | { readonly kind: 'operator-kyb'; readonly operator: Address }
  /** Every machine, because deployment facts changed and must be read again. */
  | { readonly kind: 'deployment' }
  /** Every machine. */
  | { readonly kind: 'all' }
  /** Every machine, and the startup checks run again: code or ownership changed. */
  | { readonly kind: 'checks' }
  | { readonly kind: 'nothing' }
  /** Unknown topic: every machine, and a counter is incremented. */
  | { readonly kind: 'unknown' };

/** Content of a log of a machine's events. */
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

/** Log that attests or revokes a machine's chip. Times in Unix seconds; `expiresAt` 0 = never. */
export type ChipLogBody =
  | {
      readonly kind: 'chip-attested';
      readonly machineId: MachineId;
      readonly issuedAt: bigint;
      readonly expiresAt: bigint;
    }
  | { readonly kind: 'chip-revoked'; readonly machineId: MachineId; readonly revokedAt: bigint };

/** Log that changes the bond, the flag or the trust override of a machine. */
export type FactLogBody = {
  readonly kind: FactKind;
  readonly machineId: MachineId;
  readonly value: bigint | undefined;
};

/** Log that moves a token, sets its controller, or changes its chip record or another fact; undefined for the zero address. */
export type RegistryLogBody =
  | ChipLogBody
  | FactLogBody
  | {
      readonly kind: 'transfer';
      readonly machineId: MachineId;
      readonly from: Address | undefined;
      readonly to: Address | undefined;
    }
  | {
      readonly kind: 'controller';
      readonly machineId: MachineId;
      readonly from: Address | undefined;
      readonly to: Address | undefined;
    }
  /** Follows the transfer of a mint; `to` is the controller that the machine starts with. */
  | { readonly kind: 'minted'; readonly machineId: MachineId; readonly to: Address | undefined };

/** Logs of one machine that a repair replaces together: transfers, controllers with those of mints, or the chip record. */
export type RegistryLogGroup = 'transfers' | 'controllers' | 'chip';

export const KINDS_OF_GROUP: { readonly [G in RegistryLogGroup]: readonly RegistryLogBody['kind'][] } = {
  transfers: ['transfer'],
  controllers: ['controller', 'minted'],
  chip: ['chip-attested', 'chip-revoked'],
};

export interface ChainLog {
  readonly address: Address;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly transactionHash: string;
  /** Time of the block according to the node, where it reports one; only a cross-check. */
  readonly blockTimestamp: number | undefined;
  readonly effect: LogEffect;
  /** Ids of machines whose ownership may have changed (chain-evm 4.2 and 4.3); empty for most logs. */
  readonly ownershipOf: readonly MachineId[];
  readonly event: EventLogBody | undefined;
  readonly registry: RegistryLogBody | undefined;
}

/** Log that is proven by the receipts root of its block's header; the time is the header's. */
export type ProvenLog = ChainLog & { readonly blockTimestamp: number };

/** Hosts that are used, and how many must agree (`MAIN_RPC_QUORUM`). */
export interface HostCount {
  readonly hosts: number;
  readonly quorum: number;
}

/**
 * Why a node rejected a log query (chain-evm 4.7). A smaller range may pass, or the same one later; `logs-refused`: not
 * even one block passes; `history-pruned`: the node no longer has the logs of these blocks.
 */
export type LogRefusal = 'range-too-large' | 'rate-limited' | 'calls-used-up' | 'logs-refused' | 'history-pruned';

export class LogQueryRefused extends Error {
  readonly reason: LogRefusal;
  /** Seconds that the node requested to wait, if any. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: LogRefusal, retryAfterSeconds?: number) {
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
  /** Only `Transfer` logs of the registry that name this address as one side. */
  readonly transfersOf?: { readonly holder: Address; readonly side: 'from' | 'to' };
  /** Only logs of this group that name this machine. */
  readonly registryLogsOf?: { readonly group: RegistryLogGroup; readonly machineId: MachineId };
}

export interface BlockLogs {
  readonly logs: readonly ChainLog[];
  /** Bloom over every log of the block: `0x` and 512 hex digits. */
  readonly bloom: string;
}

export interface HeadResponse {
  readonly head: Header;
  /** May include logs of blocks newer than the head; the caller drops those. */
  readonly logs: readonly ChainLog[];
  /** All logs of the head as from `readBlockLogs`; undefined where not requested or not returned. */
  readonly headLogs: BlockLogs | undefined;
}

/** One host of the node pool, asked alone: what several hosts return alike is not the mistake of one. */
export interface ChainWitness {
  /** Position of its first URL in the configuration. */
  readonly node: number;
  readonly logLimits: LogLimits;
  readLogs(query: LogQuery): Promise<ChainLog[]>;
  readHeaders(numbers: readonly number[]): Promise<Header[]>;
}

/** What saves calls, and some nodes or chains lack. */
export type CallSaving = 'batches' | 'multicall';

/**
 * Headers and logs of the service's contracts, for the indexers. Logs are attributed to what they touch (chain-evm 2 and 6), but not yet
 * checked against headers: the indexers do that (chain-evm 4.5). Log queries also throw `LogQueryRefused`.
 */
export interface MainChainLog {
  /** Addresses of all contracts whose logs are read, lower case. */
  readonly addresses: readonly Address[];
  /** The hosts of the pool, one each; empty where fewer than two are configured. */
  readonly witnesses: readonly ChainWitness[];
  /** Limits of log queries at the node that is queried first; the reader of long ranges records outcomes in it. */
  readonly logLimits: LogLimits;
  readHeader(block: 'latest' | 'finalized' | number): Promise<Header>;
  /** Returns the headers of the given blocks in the given order, in as few requests as the node allows. */
  readHeaders(numbers: readonly number[]): Promise<Header[]>;
  readLogs(query: LogQuery): Promise<ChainLog[]>;
  /**
   * Returns the newest header and, in the same request, all logs after block `since` that the node has; with `withHeadLogs` also all logs
   * of the newest block, of any contract. Takes one round trip.
   */
  readHeadAndLogs(since: number, withHeadLogs: boolean): Promise<HeadResponse>;
  /**
   * Returns all logs of the given blocks, queried by block hash: the logs of the service's contracts, and a bloom over all logs of the
   * block, of any contract. Where this bloom covers that of the header, no log is missing. Keeps the given order, in as few requests as
   * the node allows. Throws `ResponseRejected` where the numbers of a block's logs have a gap.
   */
  readBlockLogs(blocks: readonly BlockRef[]): Promise<readonly BlockLogs[]>;
  /** Returns how many hosts have a node that is used now. Absent where one node is enough. */
  readonly countHosts?: (() => HostCount) | undefined;
  /** Returns the positions of the nodes that others replace because of malformed responses. Absent in simulations. */
  readonly listMalformedNodes?: (() => readonly number[]) | undefined;
  /** Returns what the index needs more calls without, at the node that is queried first. Absent in fakes. */
  readonly listLacks?: (() => readonly CallSaving[]) | undefined;
  /** False for some minutes after every node has reported several times in a row that it does not support receipts. */
  readonly servesReceipts: boolean;
  /**
   * Passes the logs of the service's contracts to `take`, block by block in the order of the headers, proven complete by all receipts of
   * the block. Returns false when the node returns no receipts that match a header; logs passed before are valid.
   */
  readProvenLogs(headers: readonly Header[], take: (logs: readonly ProvenLog[]) => void): Promise<boolean>;
  /** Reads the ownership of all these machines at one block. */
  readOwnership(block: BlockId, ids: readonly MachineId[]): Promise<readonly OwnershipChange[]>;
  /** Returns the number of events of all machines of the current generation. */
  readEventTotal(block: BlockId): Promise<bigint>;
  /** Returns the number of readable records of each machine of the current generation, in the order of the ids. */
  readEventCounts(block: BlockId, ids: readonly MachineId[]): Promise<readonly bigint[]>;
  /** Reads records of many machines at one block, batched, in the order of the request. */
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

/** Returns the position of the first record to read of a machine; called only when the chain is read. */
export type EventsFrom = (id: MachineId) => Promise<number>;

export interface LegacyMachinePage {
  readonly block: BlockRef;
  /** Number of machines of the operator. */
  readonly total: number;
  /** Ascending as numbers; undefined: the owner of the claimed machine cannot be read. */
  readonly machines: readonly (LegacyMachine | undefined)[];
}

/**
 * Reads of legacy machines (chain-evm 2.9), present where their contracts are configured. The result of one call is of one block, the
 * newest known, and is cached until the next block.
 */
export interface LegacyMachines {
  /** False without a DID store: operators' machines are not known. */
  readonly canList: boolean;
  /** Returns the machine whose DID contains this address; undefined without one. */
  readMachineOf(address: Address, eventsFrom: EventsFrom): Promise<LegacyMachine | undefined>;
  /** Returns a page of the machines that the operator claims and the registry confirms. */
  readPageOf(operator: Address, offset: number, limit: number, eventsFrom: EventsFrom): Promise<LegacyMachinePage>;
  /** Returns the records at positions `from` to `to - 1` at exactly `block`, with one request per page. */
  readEvents(id: MachineId, block: BlockRef, from: number, to: number): Promise<EventPage>;
}
