/**
 * Reader of payment sources for `svc replay`, independent of `src/adapters/payment-sources`: cited transactions, finalized heads and, where
 * asked for, transfers. Every URL is read alone, because a transaction is absent only when no URL has it.
 */
import { encodeWord, topicOf } from './abi.ts';
import { createRpc, RpcRefusal, type Rpc } from './json-rpc.ts';
import { ReplayFailure } from './replay-failure.ts';
import { parseList, parseObject, parseSlot, parseText } from './solana-responses.ts';
import {
  isEvmSource,
  readTransfer,
  type ReplaySource,
  type SourceTransaction,
  type TokenBalance,
  type TransferRow,
} from './verdict-model.ts';

export interface SourceReader {
  readonly source: ReplaySource;
  /** Time of the latest finalized head. */
  readonly headTime: bigint;
  /** Returns a transaction as of finalized blocks; `fromTime` is the start of the window in which it may be. */
  readTransaction(reference: string, fromTime: bigint): Promise<SourceTransaction | 'absent'>;
  /** Returns the transfers that the addresses sent from a time on, in chain order; EVM only. */
  readTransfers(senders: readonly string[], since: bigint): Promise<readonly TransferRow[]>;
}

export interface SourceTransport {
  readonly fetch: typeof fetch;
  readonly wait: (milliseconds: number) => Promise<void>;
}

const MAX_LOGS = 5_000;
const TRANSFER = topicOf('Transfer(address,address,uint256)');
const MAX_EMPTY_BLOCKS = 1_000n;
/** Slots before the finalized one whose time is tried. */
const HEAD_SLOTS = 4;
const UNSUPPORTED_VERSION = -32_015;

/** Opens a source. Throws `ReplayFailure` when no URL returns its finalized head. */
export async function openSource(source: ReplaySource, transport: SourceTransport): Promise<SourceReader> {
  const urls = source.rpcUrls.map((url) => createRpc({ ...transport, urls: [url] }));
  const readHead = isEvmSource(source) ? readEvmHead : readSolanaHead;
  const nodes: Node[] = [];
  for (const rpc of urls) {
    try {
      nodes.push({ rpc, head: await readHead(rpc) });
    } catch (error) {
      if (!(error instanceof RpcRefusal) && !(error instanceof ReplayFailure)) throw error;
    }
  }
  // A URL without a head may have the transaction, so it cannot be left out where one is absent.
  const isComplete = nodes.length === urls.length;
  if (nodes.length === 0) throw new ReplayFailure('unreachable', `no node of the source ${source.name} responds`);
  const read = isEvmSource(source) ? readEvmTransaction : readSolanaTransaction;
  return {
    source,
    headTime: nodes.map(({ head }) => head.time).reduce((a, b) => (a > b ? a : b)),
    async readTransaction(reference, fromTime) {
      for (const node of nodes) {
        const found = await read(node, reference, source);
        if (found !== null) return found;
      }
      for (const node of isComplete ? nodes : []) {
        if (await (isEvmSource(source) ? reachesBack : isSolanaWitness)(node, fromTime)) return 'absent';
      }
      throw new ReplayFailure('unreachable', `no node of the source ${source.name} has the history of a citation`);
    },
    readTransfers: (senders, since) => readTransfers(nodes[0]!, source, senders, since),
  };
}

interface Head {
  /** Block or slot. */
  readonly block: bigint;
  readonly time: bigint;
}

interface Node {
  readonly rpc: Rpc;
  readonly head: Head;
}

const malformed = (what: string) => new ReplayFailure('contradictory', `malformed response of a source: ${what}`);

// --------------------------------------------------------------------------------------------------------------- EVM

function toNumber(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw malformed('not a quantity');
  return BigInt(value);
}

const toTag = (value: bigint) => `0x${value.toString(16)}`;

async function readBlock(rpc: Rpc, tag: string) {
  const block = await rpc('eth_getBlockByNumber', [tag, false]);
  if (block === null) throw new ReplayFailure('unreachable', 'a node of a source lacks a block');
  const { number, timestamp, hash, transactions } = parseObject(block);
  return { block: toNumber(number), time: toNumber(timestamp), hash, transactions };
}

async function readEvmHead(rpc: Rpc): Promise<Head> {
  const { block, time } = await readBlock(rpc, 'finalized');
  return { block, time };
}

async function readEvmTransaction(
  { rpc, head }: Node,
  hash: string,
  { tokens }: ReplaySource,
): Promise<SourceTransaction | null> {
  const receipt = await rpc('eth_getTransactionReceipt', [hash]);
  if (receipt === null) return null;
  const { transactionHash, blockNumber, blockHash, status, root, from, logs } = parseObject(receipt);
  if (String(transactionHash).toLowerCase() !== hash) throw malformed('the receipt of another transaction');
  if (blockHash === null || blockNumber === null) return null;
  const number = toNumber(blockNumber);
  if (number > head.block) return null;
  const header = await readBlock(rpc, toTag(number));
  if (header.hash !== blockHash) throw malformed('a receipt of another block');
  const list = parseList(logs);
  const indexes = new Set(list.map((log) => parseObject(log)['logIndex']));
  if (indexes.size < list.length) throw malformed('a log twice');
  const listed = new Set(tokens.values());
  return {
    ...{ success: isExecuted(status, root), block: number, time: header.time, from: parseText(from).toLowerCase() },
    logs: list.length > MAX_LOGS ? 'too_many' : list.map(toLog).filter(({ address }) => listed.has(address)),
  };
}

/** Receipts of before Byzantium have a state root and no status. */
function isExecuted(status: unknown, root: unknown): boolean {
  const hasRoot = typeof root === 'string' && /^0x[0-9a-f]{64}$/i.test(root);
  return (hasRoot && (status ?? null) === null) || toNumber(status) === 1n;
}

function toLog(value: unknown) {
  const { address, topics, data } = parseObject(value);
  return { address: parseText(address).toLowerCase(), topics: parseList(topics).map(parseText), data: parseText(data) };
}

/** Returns the first block at or after a time, up to the head. */
async function findBlock({ rpc, head }: Node, time: bigint): Promise<bigint> {
  let [low, high] = [0n, head.block];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await readBlock(rpc, toTag(middle))).time < time) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** Returns whether the node has the receipt of the first transaction since a time. */
async function reachesBack(node: Node, time: bigint): Promise<boolean> {
  const first = await findBlock(node, time);
  const last = first + MAX_EMPTY_BLOCKS < node.head.block ? first + MAX_EMPTY_BLOCKS : node.head.block;
  for (let number = first; number <= last; number += 1n) {
    const [hash] = parseList((await readBlock(node.rpc, toTag(number))).transactions);
    if (hash !== undefined) return (await node.rpc('eth_getTransactionReceipt', [hash])) !== null;
  }
  return last === node.head.block;
}

async function readTransfers(
  node: Node,
  { tokens }: ReplaySource,
  senders: readonly string[],
  since: bigint,
): Promise<readonly TransferRow[]> {
  const symbolOf = new Map([...tokens].map(([symbol, address]) => [address, symbol] as const));
  const topics = [TRANSFER, senders.map((sender) => encodeWord(BigInt(sender)))];
  const rows: { readonly row: Omit<TransferRow, 'time'>; readonly index: bigint }[] = [];
  let from = await findBlock(node, since);
  let size = node.head.block - from + 1n;
  while (from <= node.head.block) {
    const to = from + size - 1n < node.head.block ? from + size - 1n : node.head.block;
    let found: unknown;
    try {
      const filter = { address: [...tokens.values()], topics, fromBlock: toTag(from), toBlock: toTag(to) };
      found = await node.rpc('eth_getLogs', [filter]);
    } catch (error) {
      if (!(error instanceof RpcRefusal) || from === to) throw error;
      size = (to - from + 1n) / 2n;
      continue;
    }
    for (const each of parseList(found)) {
      const { blockNumber, logIndex } = parseObject(each);
      const [transfer, block] = [readTransfer(toLog(each), symbolOf), toNumber(blockNumber)];
      if (block < from || block > to) throw malformed('a log of another block');
      // The ERC-721 event has the same topic and one topic more.
      if (transfer !== undefined) rows.push({ row: { ...transfer, block }, index: toNumber(logIndex) });
    }
    from = to + 1n;
  }
  rows.sort((a, b) => Number(a.row.block - b.row.block) || Number(a.index - b.index));
  const times = new Map<bigint, bigint>();
  for (const block of new Set(rows.map(({ row }) => row.block))) {
    times.set(block, (await readBlock(node.rpc, toTag(block))).time);
  }
  return rows.map(({ row }) => ({ ...row, time: times.get(row.block)! }));
}

// ------------------------------------------------------------------------------------------------------------ Solana

async function readSolanaHead(rpc: Rpc): Promise<Head> {
  const slot = parseSlot(await rpc('getSlot', [{ commitment: 'finalized' }]));
  for (let block = slot; block > Math.max(0, slot - HEAD_SLOTS); block -= 1) {
    const time = await readSlotTime(rpc, block);
    if (time !== undefined) return { block: BigInt(block), time };
  }
  throw new ReplayFailure('unreachable', 'a node of a source does not know the time of its head');
}

/** Returns undefined where the node has no block or no time. */
async function readSlotTime(rpc: Rpc, slot: number): Promise<bigint | undefined> {
  try {
    const time = await rpc('getBlockTime', [slot]);
    return time === null ? undefined : BigInt(parseSlot(time));
  } catch (error) {
    if (error instanceof RpcRefusal) return undefined;
    throw error;
  }
}

async function readSolanaTransaction(
  { rpc, head }: Node,
  signature: string,
  { tokens }: ReplaySource,
): Promise<SourceTransaction | null> {
  const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  let response: unknown;
  try {
    response = await rpc('getTransaction', [signature, options]);
  } catch (error) {
    if (!(error instanceof RpcRefusal) || error.code !== UNSUPPORTED_VERSION) throw error;
    const statuses = parseObject(await rpc('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]));
    const slot = parseSlot(parseObject(parseList(statuses['value'])[0])['slot']);
    return { success: false, ...(await placeOf(rpc, head, slot)), signers: [], pre: null, post: null };
  }
  if (response === null) return null;
  const { slot, transaction, meta: metaValue } = parseObject(response);
  const { signatures, message } = parseObject(transaction);
  if (parseList(signatures)[0] !== signature) throw malformed('another transaction');
  const { accountKeys, header } = parseObject(message);
  const signers = parseSlot(parseObject(header)['numRequiredSignatures']);
  const meta = parseObject(metaValue);
  const mints = new Set(tokens.values());
  return {
    success: meta['err'] === null,
    ...(await placeOf(rpc, head, parseSlot(slot))),
    signers: parseList(accountKeys).slice(0, signers).map(parseText),
    pre: toBalances(meta['preTokenBalances'], mints),
    post: toBalances(meta['postTokenBalances'], mints),
  };
}

async function placeOf(rpc: Rpc, head: Head, slot: number) {
  const time = await readSlotTime(rpc, slot);
  if (time === undefined || BigInt(slot) > head.block) {
    throw new ReplayFailure('unreachable', 'a node of a source does not know the time of a payment');
  }
  return { block: BigInt(slot), time };
}

function toBalances(value: unknown, mints: ReadonlySet<string>): readonly TokenBalance[] | null {
  if (value === null || value === undefined) return null;
  const accounts = new Set<unknown>();
  const balances = parseList(value).map((entry) => {
    const { accountIndex, mint, owner = null, uiTokenAmount } = parseObject(entry);
    const amount = parseText(parseObject(uiTokenAmount)['amount']);
    if (!/^[0-9]{1,20}$/.test(amount)) throw malformed('not an amount');
    if (accounts.has(accountIndex)) throw malformed('an account twice');
    accounts.add(accountIndex);
    return { mint: parseText(mint), owner: owner === null ? null : parseText(owner), units: BigInt(amount) };
  });
  return balances.filter(({ mint }) => mints.has(mint));
}

async function isSolanaWitness({ rpc }: Node, time: bigint): Promise<boolean> {
  const first = parseSlot(await rpc('getFirstAvailableBlock', []));
  if (first === 0) return true;
  const firstTime = await readSlotTime(rpc, first);
  return firstTime !== undefined && firstTime <= time;
}
