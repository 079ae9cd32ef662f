/** What do the chain's blocks say about themselves? Headers by number or tag, strictly read. */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { setBounded } from '../../rpc/bounded-map.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createBatcher } from '../rpc/batch-size.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import type { RpcAnswer, MainRpcCall } from '../rpc/json-rpc.ts';
import { parseHash, parseQuantity, toQuantity } from '../rpc/quantities.ts';

export type BlockTag = 'latest' | 'finalized';

export interface Headers {
  read(block: BlockTag | number, deadline: Deadline): Promise<Header>;
  readMany(numbers: readonly number[], deadline: Deadline): Promise<Header[]>;
  /** The header of a block that was told by number and hash; the newest ones are remembered. Throws `block-mismatch`. */
  readExactly(block: BlockRef, deadline: Deadline): Promise<Header>;
  remember(header: Header): void;
}

/** How many headers are remembered by hash. */
const REMEMBERED = 256;

/** A header is short, and looked up rather than computed: as many count as one call of another kind. */
const HEADERS_PER_CALL = 10;

export function createHeaders(endpoints: MainNodes, maxBatchCalls: number): Headers {
  const known = new Map<string, Header>();
  const batcher = createBatcher(endpoints, HEADERS_PER_CALL * maxBatchCalls);

  async function readMany(numbers: readonly number[], deadline: Deadline): Promise<Header[]> {
    const answers = await batcher.request(numbers.map(headerCall), deadline).catch((error: unknown) => {
      throw toMainFault(error);
    });
    return answers.map((answer, i) => needHeader(answer, numbers[i]!));
  }

  function remember(header: Header): void {
    setBounded(known, header.hash, header, REMEMBERED);
  }

  return {
    async read(block, deadline) {
      if (typeof block === 'number') return (await readMany([block], deadline))[0]!;
      const answers = await endpoints.request([headerCall(block)], deadline).catch((error: unknown) => {
        throw toMainFault(error);
      });
      return needHeader(answers[0]!, block);
    },
    readMany,
    async readExactly(block, deadline) {
      const header = known.get(block.hash) ?? (await readMany([block.number], deadline))[0]!;
      if (header.hash !== block.hash || header.number !== block.number) throw chainUnreadable('main', 'block-mismatch');
      remember(header);
      return header;
    },
    remember,
  };
}

export function headerCall(block: BlockTag | number): MainRpcCall {
  return {
    method: 'eth_getBlockByNumber',
    params: [typeof block === 'number' ? toQuantity(block) : block, false],
  };
}

/** Throws `ChainUnreadable`: `block-mismatch` when the node has not that block or gives another. */
export function needHeader(answer: RpcAnswer, asked: BlockTag | number): Header {
  if (!answer.ok) {
    throw chainUnreadable('main', answer.hint === 'unknown-block' ? 'block-mismatch' : 'rpc-error');
  }
  if (answer.result === null) throw chainUnreadable('main', 'block-mismatch');
  const header = parseHeader(answer.result);
  if (header === undefined) throw chainUnreadable('main', 'malformed');
  if (typeof asked === 'number' && header.number !== asked) throw chainUnreadable('main', 'block-mismatch');
  return header;
}

function parseHeader(block: unknown): Header | undefined {
  if (typeof block !== 'object' || block === null) return undefined;
  const members = block as Readonly<Record<string, unknown>>;
  const number = parseQuantity(members['number']);
  const timestamp = parseQuantity(members['timestamp']);
  const hash = parseHash(members['hash']);
  const parentHash = parseHash(members['parentHash']);
  const logsBloom = members['logsBloom'];
  if (number === undefined || timestamp === undefined || hash === undefined || parentHash === undefined)
    return undefined;
  if (typeof logsBloom !== 'string' || !/^0x[0-9a-fA-F]{512}$/.test(logsBloom)) return undefined;
  const receiptsRoot = parseHash(members['receiptsRoot']);
  return { number, timestamp, hash, parentHash, logsBloom: logsBloom.toLowerCase(), receiptsRoot };
}
