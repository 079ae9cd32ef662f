/**
 * Rehearsal of the first start (design/real-chains.md 7): finds the first block, reads real windows of logs and one real
 * multicall through the code that the index uses, and estimates how long the first index takes.
 */
import type { MainChainAdapter } from '../../../src/adapters/main-chain/create-main-chain.ts';
import * as abis from '../../../src/adapters/main-chain/reads/abis.ts';
import { contractFunction } from '../../../src/adapters/main-chain/reads/contract-function.ts';
import type { Config } from '../../../src/config.ts';
import { explainCause, formatCount, type PlainIndexCause } from '../../../src/domain/index-rules/index-cause.ts';
import type { IndexProof } from '../../../src/domain/index-rules/index-proof.ts';
import type { MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import type { ReadKind } from '../../../src/indexing/main/cause-of-failure.ts';
import { createBlockReader } from '../../../src/indexing/main/block-reader.ts';
import type { ChainLog, Header, MainChainLog } from '../../../src/ports/main-chain.ts';
import { fail, ok, warn, type Finding } from '../check-result.ts';
import { readPatiently } from '../patient-read.ts';
import { addDetail, toCauseFinding } from './cause-finding.ts';
import { describeEstimate, estimateFirstStart, type CallRate, type EstimateInput } from './estimate.ts';
import { findLogRange, joinLogRanges, type LogRange } from './log-range.ts';
import { examineFeatures } from './node-features.ts';
import { openRawNode, type RawNode, type RawOutcome } from './raw-node.ts';
import { findFirstCode, judgeStartBlock, type FirstCode } from './start-block.ts';

/** Requests that the index has in flight; with the latency of the node they bound its rate. */
const REQUESTS_IN_FLIGHT = 4;
/** What distinguishes the first block that matters. */
const FIRST_CODE = 'the first with code of a contract';

type FoundCode = FirstCode & { readonly kind: 'found' | 'pruned' };

export interface RehearsalOptions {
  readonly settings: NonNullable<Config['mainChain']> & { readonly callsPerSecond?: number | undefined };
  readonly adapter: MainChainAdapter;
  readonly proof: IndexProof;
  readonly finalized: Header;
  /** A node that responds. */
  readonly nodeUrl: string;
}

/** Returns the findings. Never throws for a node that refuses. */
export async function rehearseFirstStart(options: RehearsalOptions): Promise<Finding[]> {
  const node = openRawNode(options.nodeUrl, options.settings.callsPerSecond);
  try {
    return await rehearse(options, node);
  } finally {
    await node.close();
  }
}

async function rehearse(options: RehearsalOptions, node: RawNode): Promise<Finding[]> {
  const { settings, adapter, proof, finalized } = options;
  const configured = settings.startBlock;
  const code = await findFirstCode(node, adapter.log.addresses, finalized.number);
  if (code.kind === 'no-code') {
    const text = `no contract has code at the finalized block ${finalized.number}`;
    return [
      warn('first start', text, 'run svc doctor again when their deployment is final'),
      ...(configured > finalized.number
        ? [explainFutureStart(`${configured}; block ${finalized.number} is final`)]
        : []),
    ];
  }
  if (code.kind === 'no-state') {
    const at = toHex(finalized.number);
    const raw = await node.call('eth_getCode', adapter.log.addresses[0], at);
    return [toCauseFinding(explainCause({ kind: 'state-missing' }), raw.ok ? undefined : raw.text)];
  }
  if (configured > finalized.number) return [judgeFutureStart(configured, code)];
  const { read, findings } = await readRange(options, node, code);
  if (read === undefined) return findings;
  const { range, first, firstLogging } = read;
  const state = await attempt(
    () => adapter.log.readOwnership(finalized, [range.machine ?? (1n as MachineId)]),
    'state',
    () => node.call('eth_call', { to: adapter.log.addresses[0], data: '0x' }, toHex(finalized.number)),
  );
  const head = await attempt(
    () => verifyBlocks(adapter.log, proof, range.sample),
    'logs',
    () => explainRefusal(node, adapter.log.addresses, finalized.number),
  );
  const features = await attempt(
    () =>
      examineFeatures({
        chain: adapter.log,
        node,
        finalized,
        sample: range.sample,
        multicall3: settings.addresses.multicall3,
        requiresReceipts: proof === 'before',
      }),
    'header',
    () => node.call('eth_getBlockByNumber', toHex(finalized.number), false),
  );
  const input: EstimateInput = {
    blocks: finalized.number - first + 1,
    loggingBlocks: finalized.number - firstLogging + 1,
    range,
    events: await readEventCount(node, settings.addresses.eventRegistry, finalized.number),
    rpcHosts: settings.rpcHosts,
    proof,
    rate: chooseRate(settings, node),
  };
  return [
    ...findings,
    describeRange(range),
    ...('finding' in state ? [state.finding] : []),
    ...('finding' in head ? [head.finding] : []),
    ...('finding' in features ? [features.finding] : features.value),
    ...describeEstimate(estimateFirstStart(input), input),
    describeRehearsal(options, node.calls + adapter.counters.rpcCalls),
  ];
}

interface RangeRead {
  /** Undefined where no logs can be read. */
  readonly read?: {
    readonly range: LogRange;
    /** Block from which on the node has the logs of the index. */
    readonly first: number;
    /** First block of them that may hold a log. */
    readonly firstLogging: number;
  };
  readonly findings: Finding[];
}

/**
 * Reads logs from the configured start on, which shows whether the node has them, and from the first block with code on
 * where that is later. Where these hold no log, reads the newest ones too.
 */
async function readRange(
  { settings, adapter, finalized }: RehearsalOptions,
  node: RawNode,
  code: FoundCode,
): Promise<RangeRead> {
  const { startBlock } = settings;
  const readFrom = (fromBlock: number) =>
    attempt(
      () => findLogRange(adapter.log, { fromBlock, toBlock: finalized.number }),
      'logs',
      () => explainRefusal(node, adapter.log.addresses, fromBlock),
    );
  const firstLogging = code.kind === 'found' ? Math.max(startBlock, code.block) : startBlock;
  const isLater = firstLogging > startBlock;
  const whole = await readFrom(startBlock);
  if ('finding' in whole && (whole.cause !== 'history-pruned' || !isLater)) return { findings: [whole.finding] };
  const early = isLater ? await readFrom(firstLogging) : whole;
  const found = 'value' in early ? await readNewest(readFrom, early.value, firstLogging, finalized.number) : early;
  if ('value' in whole) {
    const start = await examineStart(adapter.log, code, startBlock, whole.value);
    if ('finding' in found) return { findings: [start, found.finding] };
    const blocks = Math.max(whole.value.blocks, found.value.blocks);
    const range = { ...found.value, blocks, isLimited: whole.value.isLimited || found.value.isLimited };
    return { read: { range, first: startBlock, firstLogging }, findings: [start] };
  }
  const { finding, cause } = whole;
  if ('value' in found) {
    const read = { range: found.value, first: firstLogging, firstLogging };
    return { read, findings: [finding, requireLaterStart(startBlock, firstLogging)] };
  }
  return { findings: found.cause === cause ? [refuseBoth(finding, firstLogging)] : [finding, found.finding] };
}

/** Reads as many of the newest blocks too, where the blocks read from `first` on hold no log. */
async function readNewest(
  readFrom: (fromBlock: number) => Promise<Attempt<LogRange>>,
  range: LogRange,
  first: number,
  last: number,
): Promise<Attempt<LogRange>> {
  const next = first + range.readBlocks;
  if (range.sample !== undefined || next > last) return { value: range };
  const newest = await readFrom(Math.max(next, last - range.readBlocks + 1));
  return 'value' in newest ? { value: joinLogRanges(range, newest.value) } : newest;
}

/** Verifies the newest block, and one that holds a log, as the head follower does. */
async function verifyBlocks(chain: MainChainLog, proof: IndexProof, sample: ChainLog | undefined): Promise<void> {
  const reader = createBlockReader(chain, proof === 'off' ? 'trusted' : 'proven');
  const blocks = sample === undefined ? ['latest' as const] : [sample.blockNumber, 'latest' as const];
  for (const block of blocks) await reader.verifyBlocks([await chain.readHeader(block)], [], undefined);
}

type Attempt<T> = { readonly value: T } | { readonly finding: Finding; readonly cause: PlainIndexCause };

/** Runs a read of the index. Returns a finding with the cause and the node's own text when it fails. */
async function attempt<T>(
  read: () => Promise<T>,
  kind: ReadKind,
  repeat: () => Promise<RawOutcome>,
): Promise<Attempt<T>> {
  const outcome = await readPatiently(read, kind);
  if ('value' in outcome) return outcome;
  const raw = await repeat();
  const { cause } = outcome;
  return { finding: toCauseFinding(explainCause({ kind: cause }), raw.ok ? undefined : raw.text), cause };
}

/** Repeats the smallest log query for the node's own text. */
function explainRefusal(node: RawNode, addresses: readonly string[], block: number): Promise<RawOutcome> {
  const at = toHex(block);
  return node.call('eth_getLogs', { fromBlock: at, toBlock: at, address: addresses });
}

function explainFutureStart(detail: string): Finding {
  return addDetail(toCauseFinding(explainCause({ kind: 'start-block-ahead' })), detail);
}

/** Judges a start after the finalized block, up to which a contract has code: its logs before the start would be missing. */
function judgeFutureStart(configured: number, code: FoundCode): Finding {
  if (code.kind === 'found') {
    const finding = judgeStartBlock(configured, code.block, FIRST_CODE, 1);
    return { ...finding, text: explainFutureStart(finding.text).text };
  }
  const finding = explainFutureStart(
    `${configured} is later than block ${code.from}, in which a contract has code already`,
  );
  return { ...finding, remedy: 'set MAIN_START_BLOCK to the block of the first contract; otherwise logs are missing' };
}

/** Returns the finding for a node that lacks the logs of the first block that matters too. */
function refuseBoth(finding: Finding, first: number): Finding {
  const text = `${finding.text}, nor those of block ${first}, ${FIRST_CODE}`;
  return { ...finding, text, remedy: 'name another node in MAIN_RPC_URLS that serves the history from that block on' };
}

/** Returns the finding that names the block from which on the node has the logs. */
function requireLaterStart(configured: number, first: number): Finding {
  const text = `${configured} is earlier than block ${first}, ${FIRST_CODE}; the node has the logs from there on`;
  return fail('MAIN_START_BLOCK', text, `set MAIN_START_BLOCK=${first}`);
}

async function examineStart(
  chain: MainChainLog,
  code: FoundCode,
  configured: number,
  { blocks: rangeBlocks, firstLogBlock }: LogRange,
): Promise<Finding> {
  if (code.kind === 'found') {
    return judgeStartBlock(configured, code.block, FIRST_CODE, rangeBlocks);
  }
  // Without old state, the logs before the start show whether it is too late.
  const before = { fromBlock: 0, toBlock: configured - 1 };
  const earlier = configured === 0 ? undefined : await findLogRange(chain, before).catch(() => 'unread' as const);
  const isUnread = earlier === 'unread' || (earlier !== undefined && earlier.readBlocks < configured);
  const first = (earlier === 'unread' ? undefined : earlier?.firstLogBlock) ?? (isUnread ? undefined : firstLogBlock);
  if (first !== undefined) return judgeStartBlock(configured, first, 'the first with a log of a contract', rangeBlocks);
  if (!isUnread) return ok('MAIN_START_BLOCK', `${configured}; no contract has logged before`);
  const text = `${configured}; the node lacks the state of blocks before ${code.from}, so it cannot be compared`;
  const remedy = 'make sure that no contract was deployed earlier, or run svc doctor with an archive node';
  return warn('MAIN_START_BLOCK', text, remedy);
}

function describeRehearsal({ settings: { rpcUrls }, nodeUrl }: RehearsalOptions, calls: number): Finding {
  const sent = `${formatCount(calls, 'call')} sent`;
  if (rpcUrls.length === 1) return ok('rehearsal', sent);
  const rehearsed = `endpoint ${rpcUrls.indexOf(nodeUrl) + 1} of ${rpcUrls.length} was rehearsed`;
  return ok('rehearsal', `${sent}; ${rehearsed}, so run svc doctor with each other URL alone too`);
}

function describeRange({ blocks, readBlocks, logs, isLimited }: LogRange): Finding {
  const limit = isLimited ? 'the largest range that the node serves' : 'no larger range was needed';
  return ok(
    'logs',
    `ranges of ${formatCount(blocks, 'block')} (${limit}); ${formatCount(logs, 'log')} in ${formatCount(readBlocks, 'block')}`,
  );
}

const totalEventCount = contractFunction(abis.eventRegistryAbi, 'totalEventCount');

async function readEventCount(node: RawNode, to: string, block: number): Promise<number | undefined> {
  const count = await node.call('eth_call', { to, data: totalEventCount.encode([]) }, toHex(block));
  const decoded =
    count.ok && typeof count.result === 'string' ? totalEventCount.decode(count.result as `0x${string}`) : undefined;
  return decoded === undefined ? undefined : Number(decoded);
}

function chooseRate(
  { callsPerSecond, callsPerDay }: RehearsalOptions['settings'],
  { limitedRate, secondsPerCall }: RawNode,
): CallRate {
  if (callsPerSecond !== undefined) return { callsPerSecond, callsPerDay, source: 'configured' };
  if (limitedRate !== undefined) return { callsPerSecond: limitedRate, callsPerDay, source: 'refused' };
  const byLatency = REQUESTS_IN_FLIGHT / Math.max(secondsPerCall, 0.001);
  return { callsPerSecond: byLatency, callsPerDay, source: 'latency' };
}

function toHex(block: number): string {
  return `0x${block.toString(16)}`;
}
