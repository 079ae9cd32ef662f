/**
 * Long chain in memory behind a JSON-RPC node that imitates a provider: few of its blocks hold logs, every log is in receipts that hash to the root of
 * its header, and contract calls are answered at any block. Calls are counted by what they read.
 */
import { submitEvents } from '../../sim/chain/event-operations.ts';
import { BlockDraft } from '../../sim/chain/block-draft.ts';
import { ADDRESSES, CHAIN_ID } from '../../sim/chain/deployment.ts';
import { mint } from '../../sim/chain/operations.ts';
import { emptyContent, VirtualChain } from '../../sim/chain/virtual-chain.ts';
import { Backend } from '../../sim/nodes/backend.ts';
import { Random } from '../../sim/random.ts';
import { selector } from '../../sim/chain/abi-words.ts';
import { startProviderProxy, type ProviderProxy } from '../../testing/harness/provider-proxy/provider-proxy.ts';

export interface LongChainPlan {
  readonly blocks: number;
  /** Every so many blocks one has logs. */
  readonly blocksPerLogBlock: number;
  readonly machines: number;
  readonly seed: number;
}

/** Part of the blocks in which the last machine is active: half a year of two. */
export const RECENT_PART = 1 / 4;

export interface LongChain {
  readonly chain: VirtualChain;
  readonly machines: readonly bigint[];
  /** Machine that was minted, and has all its events, in the newest part of the chain. */
  readonly recent: bigint;
  readonly owners: readonly string[];
  readonly logBlocks: number;
  readonly events: number;
  /** Environment variables of a service on this chain, without the URL of its node. */
  readonly env: Readonly<Record<string, string>>;
}

const SECONDS_PER_BLOCK = 60;
/** Finality of a Frontier chain; each block of it costs a new process one header. */
const FINALITY_DEPTH = 8;
const RETAINED_STATES = 128;
const OWNERS = 5;
const EVENTS_PER_LOG_BLOCK = 3;
/** Blocks with logs for each one with events of the recent machine. */
const RECENT_EVERY = 10;
/** The machines are minted by the first blocks with logs. */
const MINTING_BLOCKS = 10;
const PERIOD_SECONDS = 1_000 * 86_400;

/** Builds a chain whose newest block is of now. */
export function buildLongChain({ blocks, blocksPerLogBlock, machines: count, seed }: LongChainPlan): LongChain {
  const random = new Random(seed);
  const now = Math.floor(Date.now() / 1000);
  const chain = new VirtualChain(random, () => 0, FINALITY_DEPTH, now - blocks * SECONDS_PER_BLOCK);
  const machines = Array.from({ length: count }, (_, i) => BigInt(i + 1));
  const recent = BigInt(count + 1);
  const owners = Array.from({ length: OWNERS }, (_, i) => `0x${(i + 160).toString(16).repeat(20)}`);
  let tip = chain.tip;
  let [logBlocks, events] = [0, 0];
  while (tip.number < blocks) {
    const timestamp = tip.timestamp + SECONDS_PER_BLOCK;
    const isEmpty = (tip.number + 1) % blocksPerLogBlock !== 0;
    if (isEmpty) {
      tip = chain.build(tip, timestamp, emptyContent(tip.world));
      continue;
    }
    const draft = new BlockDraft(tip.world, timestamp);
    const isRecent = tip.number >= blocks * (1 - RECENT_PART);
    const minted = logBlocks < MINTING_BLOCKS ? machines.filter((_, i) => i % MINTING_BLOCKS === logBlocks) : [];
    if (isRecent && draft.machine(recent).owner === undefined) minted.push(recent);
    for (const id of minted) {
      mint(draft, id, random, { machines, accounts: owners });
      const subscription = { periodStart: timestamp, periodEnd: timestamp + PERIOD_SECONDS, isTerminated: false };
      draft.change(id, { subscription });
      draft.endTransaction();
    }
    for (let i = 0; i < EVENTS_PER_LOG_BLOCK && minted.length === 0; i++) {
      submitEvents(
        draft,
        draft.machine(isRecent && i === 0 && logBlocks % RECENT_EVERY === 0 ? recent : random.pick(machines)),
        random,
      );
      draft.endTransaction();
    }
    const content = draft.finish();
    logBlocks += 1;
    events += content.submissions.length;
    tip = chain.build(tip, timestamp, content);
  }
  chain.moveTip(tip);
  return { chain, machines, recent, owners, logBlocks, events, env: toEnvironment() };
}

function toEnvironment(): Record<string, string> {
  return {
    MAIN_CHAIN_ID: String(CHAIN_ID),
    MAIN_START_BLOCK: '1',
    INFO_DESK_ADDRESS: ADDRESSES.infoDesk,
    MACHINE_REGISTRY_ADDRESS: ADDRESSES.machineRegistry,
    MACHINE_STATE_AND_SYNC_ADDRESS: ADDRESSES.machineStateAndSync,
    MACHINE_SUBSCRIPTION_ADDRESS: ADDRESSES.machineSubscription,
    EVENT_REGISTRY_ADDRESS: ADDRESSES.eventRegistry,
    CROSS_CHAIN_MIRROR_ADDRESS: ADDRESSES.crossChainMirror,
    ADMIN_FLAGS_ADDRESS: ADDRESSES.adminFlags,
  };
}

export type Counts = Readonly<Record<string, number>>;

export interface CountedNode {
  readonly url: string;
  /** Returns the number of calls so far by what they read. */
  counts(): Counts;
  /** Returns the blocks of the widest log query that was answered so far. */
  widestRange(): number;
  close(): Promise<void>;
}

export interface NodeLimits {
  /** Blocks per log query. */
  readonly maxRange: number;
  /** Whether logs report the time of their block. */
  readonly servesLogTimes: boolean;
}

/** Functions by which contract calls are distinguished, the first one that a call contains. */
const CONTRACT_READS = [
  ['machines', 'subscriptionStatus(uint256)'],
  ['records', 'getEvents(uint256,uint256,uint256)'],
  ['event total', 'totalEventCount()'],
  ['owner and controller', 'ownerOf(uint256)'],
  ['balance', 'balanceOf(address)'],
] as const;
const SELECTORS = CONTRACT_READS.map(([what, signature]) => [what, selector(signature).slice(2)] as const);

/** Starts a node with limits. */
export async function startCountedNode({ chain }: LongChain, limits: NodeLimits): Promise<CountedNode> {
  const backend = new Backend(chain, new Random(1), {
    ...limits,
    retainedStates: RETAINED_STATES,
    rejectsAboveHead: false,
    hasOddReceipts: false,
  });
  const counts: Record<string, number> = {};
  let widestRange = 0;
  const observer = { latest: () => undefined, finalized: () => undefined };
  const proxy: ProviderProxy = await startProviderProxy(({ method, params }) => {
    const response = backend.respond({ method, params }, undefined, observer);
    const what = nameCall(method, params);
    const name = 'error' in response ? `${what}, refused` : what;
    counts[name] = (counts[name] ?? 0) + 1;
    if (name === 'logs') widestRange = Math.max(widestRange, countBlocks(params[0] as LogRange));
    return response;
  }, []);
  const { url, close } = proxy;
  return { url, counts: () => ({ ...counts }), widestRange: () => widestRange, close: () => close() };
}

interface LogRange {
  readonly fromBlock: string;
  readonly toBlock: string;
}

const countBlocks = ({ fromBlock, toBlock }: LogRange): number => Number(toBlock) - Number(fromBlock) + 1;

function nameCall(method: string, params: readonly unknown[]): string {
  if (method === 'eth_getBlockByNumber') return params[0] === 'latest' || params[0] === 'finalized' ? 'head' : 'header';
  if (method === 'eth_getLogs') {
    const { topics, blockHash, toBlock } = params[0] as Partial<LogRange> & Readonly<Record<string, unknown>>;
    if (blockHash !== undefined) return 'logs of a block';
    if (toBlock === 'latest') return 'logs up to the head';
    return topics === undefined ? 'logs' : 'targeted logs';
  }
  if (method !== 'eth_call') return method;
  const { data } = params[0] as { data: string };
  return SELECTORS.find(([, digits]) => data.includes(digits))?.[0] ?? 'deployment';
}
