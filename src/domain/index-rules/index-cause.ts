/**
 * Causes that stop or slow an index, each with its sentence and its remedy. `svc doctor`, the log and `/status` use these
 * texts (design/real-chains.md 7). They name variables, never a URL or a provider's own text.
 */
import { MAX_LAG_BLOCKS } from './index-freshness.ts';

/** Duration of a first index from which on it counts as too slow. */
export const MAX_FIRST_INDEX_SECONDS = 86_400;

const NODES = 'MAIN_RPC_URLS';
const OTHER_NODE = `name another node in ${NODES}`;
const ALT_NODES = 'ALT_RPC_URLS';
const OTHER_ALT_NODE = `name another node in ${ALT_NODES}`;
/** The index can be read again; what callers submitted cannot. */
export const EMPTY_DATABASE = 'use an empty database and copy decisions and evidence to it (docs/operating.md)';
const OTHER_START = `set MAIN_START_BLOCK to the first block with code of a contract, which svc doctor finds; once blocks are stored, that needs another index: ${EMPTY_DATABASE}`;
const OTHER_FIRST_SLOT = `set ALT_FIRST_SLOT to the first slot of the event registry, and no later; once its walk has begun, that needs another index: ${EMPTY_DATABASE}`;

interface Row {
  /** Variable or subject that the cause concerns. */
  readonly subject: string;
  readonly text: string;
  readonly remedy: string;
}

/** Texts of the causes that carry no figures. */
const ROWS = {
  'node-unreachable': {
    subject: NODES,
    text: 'no node gives a usable response',
    remedy: `check ${NODES}, the network and the state of the provider`,
  },
  'wrong-chain': {
    subject: 'MAIN_CHAIN_ID',
    text: 'the node serves another chain than the configured one',
    remedy: `correct MAIN_CHAIN_ID or ${NODES}`,
  },
  'logs-refused': {
    subject: NODES,
    text: 'the node refuses log queries, even of one block',
    remedy: `${OTHER_NODE} that serves eth_getLogs`,
  },
  'history-pruned': {
    subject: NODES,
    text: 'the node no longer has logs as old as MAIN_START_BLOCK',
    remedy: `${OTHER_NODE} that serves the whole history, or ${OTHER_START}`,
  },
  'start-block-ahead': {
    subject: 'MAIN_START_BLOCK',
    text: 'MAIN_START_BLOCK is newer than the finalized block, so nothing is indexed',
    remedy: 'wait until this block is final, or correct MAIN_START_BLOCK',
  },
  'rate-limited': {
    subject: NODES,
    text: 'the node refuses calls beyond its rate limit',
    remedy: 'raise the limit at the provider, or add a node of another provider',
  },
  'calls-used-up': {
    subject: NODES,
    text: 'the calls that the provider grants per day or month are used up',
    remedy: 'wait until the provider starts a new count, raise the limit there, or set MAIN_RPC_CALLS_PER_DAY',
  },
  'own-calls-used-up': {
    subject: 'MAIN_RPC_CALLS_PER_DAY',
    text: 'the calls of the day that MAIN_RPC_CALLS_PER_DAY allows this process are used up',
    remedy: 'raise MAIN_RPC_CALLS_PER_DAY, or wait until midnight UTC',
  },
  'finality-missing': {
    subject: 'finality',
    text: 'the node serves no finalized block',
    remedy: `${OTHER_NODE} that serves the tag "finalized"; otherwise this chain cannot be served`,
  },
  'receipts-unproven': {
    subject: 'INDEX_PROOF',
    text: 'receipts do not match the receipts roots of their headers, which INDEX_PROOF=before requires',
    remedy: 'set INDEX_PROOF=background, or name a node whose receipts match',
  },
  'proof-pending': {
    subject: 'INDEX_PROOF',
    text: 'blocks that another INDEX_PROOF indexed are not proven yet, so INDEX_PROOF=before serves nothing',
    remedy: 'wait while the proof advances, or set INDEX_PROOF=background until it has ended',
  },
  'state-missing': {
    subject: NODES,
    text: 'the node cannot read the contracts at the finalized block',
    remedy: `${OTHER_NODE} that keeps the state of recent blocks and serves eth_call`,
  },
  'contracts-differ': {
    subject: 'contracts',
    text: 'a contract does not respond, or its response contradicts the configuration',
    remedy: 'run svc doctor, which names the variable to correct',
  },
  'node-behind': {
    subject: NODES,
    text: 'the newest block of the node is older than blocks that are already final',
    remedy: 'wait until the node has caught up, or name another one',
  },
  'nodes-disagree': {
    subject: 'MAIN_RPC_QUORUM',
    text: 'fewer nodes agree than MAIN_RPC_QUORUM requires',
    remedy: `check the nodes in ${NODES}, or add one on another host`,
  },
  'answers-contradict': {
    subject: NODES,
    text: 'logs and headers of the node contradict each other',
    remedy: OTHER_NODE,
  },
  'answers-malformed': {
    subject: NODES,
    text: 'responses of the node do not have the documented form',
    remedy: OTHER_NODE,
  },
  'calls-refused': {
    subject: NODES,
    text: 'the node refuses calls that the index needs',
    remedy: `run svc doctor, which prints the error of the node, or ${OTHER_NODE}`,
  },
  'other-deployment': {
    subject: 'DATABASE_URL',
    text: 'the database holds the index of another deployment',
    remedy: `set the chain id, the contracts and MAIN_START_BLOCK with which it was filled, or ${EMPTY_DATABASE}`,
  },
  'checkpoint-not-on-chain': {
    subject: 'DATABASE_URL',
    text: 'the chain does not contain the block up to which the index is stored',
    remedy: `check ${NODES}; after a reorganization past finality, ${EMPTY_DATABASE}`,
  },
  'store-unavailable': {
    subject: 'DATABASE_URL',
    text: 'the database cannot be read or written',
    remedy: 'check the database',
  },
  'clock-unusable': {
    subject: 'clock',
    text: 'the clock of the host jumped or is behind the newest block, so ratings are unavailable',
    remedy: 'synchronize the clock of the host; /ready names its state',
  },
  'head-unconnected': {
    subject: NODES,
    text: 'the blocks between the index and the head cannot be read, so ratings with new events are unavailable',
    remedy: 'run svc doctor, which names what the node lacks',
  },
  'first-index-unfinished': {
    subject: NODES,
    text: 'owners or block times of the first index are still being read, so ratings are unavailable',
    remedy: 'wait; a node that accepts more calls a second is faster',
  },
  'log-times-missing': {
    subject: NODES,
    text: 'the node reports no blockTimestamp in logs, so the index reads the header of each block with logs',
    remedy: 'nothing to do; a node whose logs carry blockTimestamp saves these calls',
  },
  'batches-missing': {
    subject: NODES,
    text: 'the node serves no batches of calls, so calls are sent one by one',
    remedy: 'nothing to do; a node that serves batches is faster',
  },
  'multicall-missing': {
    subject: 'MULTICALL3_ADDRESS',
    text: 'no contract at this address, so each fact takes its own call',
    remedy: 'deploy Multicall3 and set MULTICALL3_ADDRESS',
  },
  'alt-node-unreachable': {
    subject: ALT_NODES,
    text: 'no node of the alt chain gives a usable response',
    remedy: `check ${ALT_NODES}, the network and the state of the provider`,
  },
  'alt-wrong-chain': {
    subject: 'ALT_GENESIS_HASH',
    text: 'the node serves another chain than the configured one',
    remedy: `correct ALT_GENESIS_HASH or ${ALT_NODES}`,
  },
  'alt-other-deployment': {
    subject: 'programs',
    text: 'the programs of the alt chain contradict the configuration, so its machines or bindings are not read',
    remedy: 'run svc doctor, which names the variables to correct',
  },
  'alt-index-other-deployment': {
    subject: 'DATABASE_URL',
    text: 'the database holds the alt-chain index of another deployment',
    remedy: `set ALT_GENESIS_HASH, ALT_EVENT_REGISTRY_PROGRAM and ALT_FIRST_SLOT with which it was filled, or ${EMPTY_DATABASE}`,
  },
  'alt-rate-limited': {
    subject: ALT_NODES,
    text: 'the node of the alt chain refuses calls beyond its rate limit, or its plan is used up',
    remedy: 'raise the limit or the plan at the provider, or add a node of another provider',
  },
  'alt-node-behind': {
    subject: ALT_NODES,
    text: 'the node of the alt chain is behind the slots that are already final',
    remedy: 'wait until the node has caught up, or name another one',
  },
  'alt-history-pruned': {
    subject: 'ALT_FIRST_SLOT',
    text: 'the node no longer has transactions as old as ALT_FIRST_SLOT, so machines are not rated',
    remedy: `${OTHER_ALT_NODE} that serves the whole history, or ${OTHER_FIRST_SLOT}`,
  },
  'alt-history-incomplete': {
    subject: ALT_NODES,
    text: 'the lists of transactions of the node are incomplete or contradict each other',
    remedy: `${OTHER_ALT_NODE} that serves the whole history`,
  },
  'alt-accounts-refused': {
    subject: ALT_NODES,
    text: 'the node refuses to list the accounts of a program, so operator listings and ratings become stale',
    remedy: `${OTHER_ALT_NODE} that serves getProgramAccounts`,
  },
  'alt-machines-mismatch': {
    subject: ALT_NODES,
    text: 'the machines that the node lists cannot be read or do not match the counts of the registry before and after, so operator listings become stale',
    remedy: `${OTHER_ALT_NODE} that serves getProgramAccounts completely, and faster where machines change often`,
  },
  'alt-answers-malformed': {
    subject: ALT_NODES,
    text: 'responses of the node of the alt chain do not have the documented form',
    remedy: OTHER_ALT_NODE,
  },
  'alt-calls-refused': {
    subject: ALT_NODES,
    text: 'the node of the alt chain refuses calls that the index needs',
    remedy: `run svc doctor, which names them, or ${OTHER_ALT_NODE}`,
  },
} as const satisfies Readonly<Record<string, Row>>;

export type PlainIndexCause = keyof typeof ROWS;

/** Causes that cost calls while the index reads history, and stop nothing: `svc doctor` warns of them, and does not fail. */
export const SLOWING_CAUSES: readonly IndexCause['kind'][] = [
  'log-times-missing',
  'batches-missing',
  'multicall-missing',
];

/** Causes that carry no figures. */
export const PLAIN_INDEX_CAUSES = Object.keys(ROWS) as readonly PlainIndexCause[];

export type IndexCause =
  | { readonly kind: PlainIndexCause }
  /** The distance between the newest and the finalized block. */
  | { readonly kind: 'finality-distant'; readonly gapBlocks: number }
  /** The first index takes this long at the range and rate that the node accepts. */
  | {
      readonly kind: 'first-index-slow';
      readonly limit: FirstIndexLimit;
      readonly rangeBlocks: number;
      readonly seconds: number;
    }
  /** The first index of the alt chain takes this long at the calls that the node accepts. */
  | { readonly kind: 'alt-first-index-slow'; readonly seconds: number }
  /** Positions of nodes that others replace, from 0. */
  | { readonly kind: 'node-answers-malformed'; readonly nodes: readonly number[] }
  /** Number of hosts that respond. */
  | { readonly kind: 'hosts-missing'; readonly hosts: number; readonly quorum: number }
  /** Number of machines that are refused although the index of the chain is up to date. */
  | { readonly kind: 'machines-refused' | 'alt-machines-refused'; readonly machines: number };

/** What most calls of a first index of the main chain may be for. */
export const FIRST_INDEX_LIMITS = [
  'log queries',
  'headers of all blocks',
  'headers of blocks with logs',
  'records of events',
] as const;
export type FirstIndexLimit = (typeof FIRST_INDEX_LIMITS)[number];

const MORE_CALLS = 'use a plan or node that serves more calls';
/** Texts of a slow first index; `{range}` is the range of one log query. */
const SLOW_FIRST_INDEX: Readonly<Record<FirstIndexLimit, Row>> = {
  'log queries': {
    subject: NODES,
    text: 'log queries of at most {range}',
    remedy: `use a plan or node that serves wider ranges of logs or more calls, or ${OTHER_START}`,
  },
  'headers of all blocks': {
    subject: 'INDEX_PROOF',
    text: 'headers of all blocks, which INDEX_PROOF=before reads first,',
    remedy: `set INDEX_PROOF=background, which serves before it proves, ${MORE_CALLS}, or ${OTHER_START}`,
  },
  'headers of blocks with logs': {
    subject: NODES,
    text: 'headers of blocks with logs, for the blockTimestamp that the node does not report in logs,',
    remedy: `use a node whose logs carry blockTimestamp, or ${MORE_CALLS}`,
  },
  'records of events': { subject: NODES, text: 'records of events', remedy: MORE_CALLS },
};

export interface ExplainedCause {
  readonly kind: IndexCause['kind'];
  /** Variable or subject that the cause concerns. */
  readonly subject: string;
  readonly text: string;
  readonly remedy: string;
}

const CAUSES_WITH_FIGURES: Readonly<Record<Exclude<IndexCause['kind'], PlainIndexCause>, true>> = {
  'finality-distant': true,
  'first-index-slow': true,
  'alt-first-index-slow': true,
  'node-answers-malformed': true,
  'hosts-missing': true,
  'machines-refused': true,
  'alt-machines-refused': true,
};

/** All causes by name. */
export const INDEX_CAUSES: readonly string[] = [...PLAIN_INDEX_CAUSES, ...Object.keys(CAUSES_WITH_FIGURES)];

/** Returns the sentence and the remedy of a cause. */
export function explainCause(cause: IndexCause): ExplainedCause {
  const { kind } = cause;
  switch (kind) {
    case 'finality-distant':
      return {
        kind,
        subject: 'finality',
        text: `${cause.gapBlocks} blocks behind the latest block; the index may lag by ${MAX_LAG_BLOCKS}`,
        remedy: 'use a node that finalizes sooner; otherwise this chain cannot be served',
      };
    case 'first-index-slow': {
      const { text, ...row } = SLOW_FIRST_INDEX[cause.limit];
      const reason = text.replace('{range}', formatCount(cause.rangeBlocks, 'block'));
      return { kind, ...row, text: `${reason} make the first index take about ${formatDuration(cause.seconds)}` };
    }
    case 'alt-first-index-slow':
      return {
        kind,
        subject: ALT_NODES,
        text: `at the rate of its nodes, the first index of the alt chain takes about ${formatDuration(cause.seconds)}`,
        remedy: `use a plan or node that accepts more calls a second, or ${OTHER_FIRST_SLOT}`,
      };
    case 'node-answers-malformed':
      return {
        kind,
        subject: NODES,
        text: `responses of ${formatPositions(cause.nodes)} do not have the documented form, so other nodes are used`,
        remedy: `replace ${formatPositions(cause.nodes)} in ${NODES}`,
      };
    case 'hosts-missing':
      return {
        kind,
        subject: 'MAIN_RPC_QUORUM',
        text: `${cause.quorum} hosts must agree, but ${cause.hosts} of those in ${NODES} respond`,
        remedy: `check the nodes in ${NODES}, add one on another host, or lower MAIN_RPC_QUORUM`,
      };
    case 'machines-refused':
      return {
        kind,
        subject: NODES,
        text: `${formatCount(cause.machines, 'machine')} cannot be rated: logs or records are missing, too many, unreadable or contradictory, unproven after an import, or not processed yet`,
        remedy: `wait while the number falls, as after a first start; otherwise ${OTHER_NODE}, and with INDEX_PROOF=off set INDEX_PROOF=background, which proves events before an import`,
      };
    case 'alt-machines-refused':
      return {
        kind,
        subject: ALT_NODES,
        text: `${formatCount(cause.machines, 'machine')} of the alt chain cannot be rated: events or accounts are unreadable or contradictory`,
        remedy: `wait while the number falls; otherwise ${OTHER_ALT_NODE}`,
      };
    default:
      return { kind, ...ROWS[kind] };
  }
}

/** Formats positions of nodes as `endpoint 1` or `endpoints 1, 3`. */
function formatPositions(positions: readonly number[]): string {
  return `endpoint${positions.length === 1 ? '' : 's'} ${positions.map((position) => position + 1).join(', ')}`;
}

/** Formats a duration with one unit. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return formatCount(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < 5_400) return formatCount(Math.ceil(seconds / 60), 'minute');
  if (seconds < 129_600) return formatCount(Math.ceil(seconds / 3_600), 'hour');
  return formatCount(Math.ceil(seconds / 86_400), 'day');
}

/** Formats a number with a noun in the right number. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
