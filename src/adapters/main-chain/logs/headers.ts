/** Block headers by number or tag, parsed strictly. */
import { chainUnreadable } from '../../../domain/faults.ts';
import { ZERO_BLOOM } from '../../../domain/index-rules/bloom.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../../domain/index-rules/receipts-root.ts';
import type { BlockId } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import type { RpcResponse, MainRpcCall } from '../rpc/json-rpc.ts';
import { parseHash, parseQuantity, toQuantity } from '../rpc/quantities.ts';

export type BlockTag = 'latest' | 'finalized';

export interface Headers {
  read(block: BlockTag | number, deadline: Deadline): Promise<Header>;
  readMany(numbers: readonly number[], deadline: Deadline): Promise<Header[]>;
  /**
   * Returns the header with this number and hash, from memory where possible. Throws `ChainUnreadable` with
   * `block-mismatch`.
   */
  readExactly(block: BlockId, deadline: Deadline): Promise<Header>;
  /** Returns the newest block that reads may use: `head` or an older one, or a newer one where its node is behind. Throws `ChainUnreadable`. */
  confirm(head: Header, deadline: Deadline): Promise<Header>;
  remember(header: Header): void;
}

/** Agreement of several nodes on single blocks. */
interface HeadAgreement {
  /** Returns the newest block that several nodes know: this one of one node, or another one. */
  confirmHead(head: Header, deadline: Deadline): Promise<Header>;
  readFinalized(deadline: Deadline): Promise<Header>;
  readAt(number: number, deadline: Deadline): Promise<Header>;
}

/** Nodes are rarely as far apart; blocks may be this far apart themselves. */
const MAX_BEHIND_SECONDS = 12;

type BlockAge = Pick<Header, 'number' | 'timestamp'>;

/** Returns whether a node whose newest block is `head` is behind one that has another block. */
export function isNodeBehind(head: BlockAge, other: BlockAge): boolean {
  return head.number < other.number && other.timestamp - head.timestamp > MAX_BEHIND_SECONDS;
}

/** Headers remembered by hash. */
const REMEMBERED = 256;

/** Without an agreement, every block is the word of one node; with one, those of a batch are. */
export function createHeaders(nodes: Pick<MainNodes, 'request'>, agreement?: HeadAgreement): Headers {
  const known = new Map<string, Header>();

  async function readMany(numbers: readonly number[], deadline: Deadline): Promise<Header[]> {
    const responses = await nodes.request(numbers.map(headerCall), deadline).catch(rethrowAsFault);
    const headers = responses.map((response, i) => requireHeader(response, numbers[i]!));
    // Owners are read at the last block of what the index confirms; with an agreement it is voted on first.
    if (agreement === undefined) for (const last of headers.slice(-1)) remember(last);
    return headers;
  }

  async function readOne(number: number, deadline: Deadline): Promise<Header> {
    if (agreement !== undefined) return agreement.readAt(number, deadline).catch(rethrowAsFault);
    return (await readMany([number], deadline))[0]!;
  }

  async function confirm(head: Header, deadline: Deadline): Promise<Header> {
    return agreement === undefined ? head : agreement.confirmHead(head, deadline).catch(rethrowAsFault);
  }

  function remember(header: Header): void {
    setBounded(known, header.hash, header, REMEMBERED);
  }

  return {
    async read(block, deadline) {
      if (typeof block === 'number') return readOne(block, deadline);
      if (block === 'finalized' && agreement !== undefined) {
        return agreement.readFinalized(deadline).catch(rethrowAsFault);
      }
      const responses = await nodes.request([headerCall(block)], deadline).catch(rethrowAsFault);
      const header = requireHeader(responses[0]!, block);
      return block === 'latest' ? confirm(header, deadline) : header;
    },
    confirm,
    readMany,
    async readExactly(block, deadline) {
      const header = known.get(block.hash) ?? (await readOne(block.number, deadline));
      if (header.hash !== block.hash || header.number !== block.number) throw chainUnreadable('main', 'block-mismatch');
      remember(header);
      return header;
    },
    remember,
  };
}

function rethrowAsFault(error: unknown): never {
  throw toMainFault(error);
}

export function headerCall(block: BlockTag | number): MainRpcCall {
  return {
    method: 'eth_getBlockByNumber',
    params: [typeof block === 'number' ? toQuantity(block) : block, false],
    accepts(result) {
      const header = parseHeader(result);
      return result === null || (header !== undefined && (typeof block === 'string' || header.number === block));
    },
  };
}

/**
 * Returns the header in a response. Throws `ChainUnreadable`, with `block-mismatch` when the node lacks the block or
 * returned another.
 */
export function requireHeader(response: RpcResponse, requested: BlockTag | number): Header {
  if (!response.ok) {
    throw chainUnreadable('main', response.hint === 'unknown-block' ? 'block-mismatch' : 'rpc-error');
  }
  if (response.result === null) throw chainUnreadable('main', 'block-mismatch');
  const header = parseHeader(response.result);
  if (header === undefined) throw chainUnreadable('main', 'malformed');
  if (typeof requested === 'number' && header.number !== requested) throw chainUnreadable('main', 'block-mismatch');
  return { ...header, node: response.node };
}

/** Returns undefined when the value is not a block with everything that a header needs. */
export function parseHeader(block: unknown): Header | undefined {
  if (typeof block !== 'object' || block === null) return undefined;
  const members = block as Readonly<Record<string, unknown>>;
  const number = parseQuantity(members['number']);
  const timestamp = parseQuantity(members['timestamp']);
  const hash = parseHash(members['hash']);
  const parentHash = parseHash(members['parentHash']);
  // Some chains have no blooms. A zero bloom is no evidence.
  const logsBloom = members['logsBloom'] ?? ZERO_BLOOM;
  if (number === undefined || timestamp === undefined || hash === undefined || parentHash === undefined)
    return undefined;
  if (typeof logsBloom !== 'string' || !/^0x[0-9a-fA-F]{512}$/.test(logsBloom)) return undefined;
  const receiptsRoot = parseReceiptsRoot(members);
  return { number, timestamp, hash, parentHash, logsBloom: logsBloom.toLowerCase(), receiptsRoot };
}

/** Returns undefined for a root that commits to nothing: zero, or that of no receipts in a block with transactions. */
function parseReceiptsRoot({ receiptsRoot, transactions }: Readonly<Record<string, unknown>>): string | undefined {
  const root = parseHash(receiptsRoot);
  const hasNone = Array.isArray(transactions) && transactions.length === 0;
  return root === ZERO_HASH || (root === EMPTY_RECEIPTS_ROOT && !hasNone) ? undefined : root;
}

const ZERO_HASH = `0x${'0'.repeat(64)}`;
