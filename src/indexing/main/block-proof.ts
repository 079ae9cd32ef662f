/**
 * Proves single blocks by header and receipts, and repairs the index where its stored logs differ. The receipts decide,
 * whatever any node returned as logs. Where receipts prove nothing (the node serves none, or the chain encodes them
 * differently), all logs of the block by hash do, if they set exactly the bits of its bloom.
 */
import {
  checkBlockComplete,
  checkHeaders,
  checkSameLogs,
  watchContracts,
} from '../../domain/index-rules/block-checks.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../domain/index-rules/receipts-root.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { digestLogs } from '../../domain/index-rules/log-digest.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { UNKNOWN_BLOCK_TIME, type BlockRepair, type LogBlock } from '../../ports/index-proof.ts';
import type { Log } from '../../ports/runtime.ts';
import type { BlockLogs, Header, MainChainLog, ProvenLog } from '../../ports/main-chain.ts';
import { toBlockId, type Checkpoint, type Store } from '../../ports/store.ts';
import type { BloomEvidence } from './bloom-evidence.ts';
import { toEventEntries } from './event-entries.ts';
import { readIndexedHeaders } from './indexed-headers.ts';
import { isRateRefusal, isReadFailure } from './read-failure.ts';
import { summarizeLogs } from './window-summary.ts';

export interface BlockProof {
  /** Proves stored blocks or repairs them. Returns the number of those that could not be proven. */
  proveStored(blocks: readonly LogBlock[]): Promise<number>;
  /**
   * Proves that blocks without stored logs hold none, or stores their logs. `node` is the host that returned logs or a
   * header for them. Returns false when one of them could not be proven.
   */
  proveEmpty(headers: readonly Header[], node?: number): Promise<boolean>;
  differences(): number;
}

interface Difference {
  readonly header: Header;
  readonly logs: readonly ProvenLog[];
}

/** Positions of nodes in the configuration, from 0. */
interface DifferenceNodes {
  /** The one that shows the difference by a header or by logs. */
  readonly node: number | undefined;
  /** Those whose logs of one of the blocks differ from the proven ones. */
  readonly wrongNodes?: readonly number[] | undefined;
}

/** Blocks in a row whose receipts prove nothing, after which those of one block at a time are tried. Single blocks may hold such receipts. */
const MAX_FAILED_RECEIPTS = 5;
/** Bounds the memory of one repair. */
const RECEIPTS_PER_BATCH = 50;
/** The index moves rarely while owners are read. */
const MAX_ATTEMPTS = 3;

export function createBlockProof(options: {
  readonly chain: MainChainLog;
  readonly store: Store;
  readonly log: Log;
  readonly evidence: BloomEvidence;
}): BlockProof {
  const { chain, store, log, evidence } = options;
  const contracts = watchContracts(chain.addresses);
  let differences = 0;
  /** Blocks in a row whose receipts proved nothing. */
  let failedReceipts = 0;

  /** Returns the logs of each block; undefined where nothing proves them. */
  async function readProven(headers: readonly Header[]): Promise<(readonly ProvenLog[] | undefined)[]> {
    const proven: (readonly ProvenLog[] | undefined)[] = [];
    const areReceiptsProof = () => failedReceipts < MAX_FAILED_RECEIPTS;
    if (chain.servesReceipts && areReceiptsProof()) await chain.readProvenLogs(headers, (logs) => proven.push(logs));
    if (proven.length > 0) failedReceipts = 0;
    while (proven.length < headers.length) {
      const header = headers[proven.length]!;
      // Receipts are large, so where they prove nothing those of one block are tried.
      const isTried = areReceiptsProof() || proven.length === 0;
      proven.push((isTried ? await readByReceipts(header) : undefined) ?? (await readByHash(header)));
    }
    return proven;
  }

  async function readByReceipts(header: Header): Promise<readonly ProvenLog[] | undefined> {
    if (!chain.servesReceipts) return undefined;
    let found: readonly ProvenLog[] | undefined;
    await chain.readProvenLogs([header], (logs) => (found = logs));
    failedReceipts = found === undefined ? failedReceipts + 1 : 0;
    return found;
  }

  /** Reads the block by hash and by number, which must agree. */
  async function readByHash(header: Header): Promise<readonly ProvenLog[] | undefined> {
    const { number, timestamp: blockTimestamp } = header;
    try {
      const [block] = await chain.readBlockLogs([header]);
      if (block === undefined || !isWhole(header, block)) return undefined;
      checkBlockComplete(contracts, header, block.logs, block.bloom);
      checkSameLogs(await chain.readLogs({ fromBlock: number, toBlock: number }), block.logs);
      return block.logs.map((each) => ({ ...each, blockTimestamp }));
    } catch (error) {
      if (!isReadFailure(error) || isRateRefusal(error)) throw error;
      return undefined;
    }
  }

  /** Returns whether the block's logs set exactly the bits of its bloom. A zero bloom counts near real ones, or without receipts. */
  function isWhole(header: Header, { bloom }: BlockLogs): boolean {
    if (!evidence.compare(header, bloom)) return false;
    return bloom !== ZERO_BLOOM || header.receiptsRoot === EMPTY_RECEIPTS_ROOT || evidence.isRealNear(header);
  }

  async function proveStored(blocks: readonly LogBlock[]): Promise<number> {
    const numbers = blocks.map(({ blockNumber }) => blockNumber);
    const headers = await readIndexedHeaders(chain, store, numbers);
    checkHeaders(numbers, headers);
    const proven = await readProven(headers);
    const found: Difference[] = [];
    const right: LogBlock[] = [];
    proven.forEach((logs, i) => {
      if (logs === undefined) return;
      const header = headers[i]!;
      if (isSame(blocks[i]!, header, logs)) right.push({ ...blocks[i]!, blockTimestamp: header.timestamp });
      else found.push({ header, logs });
    });
    if (blocks.some(({ blockTimestamp }) => blockTimestamp === UNKNOWN_BLOCK_TIME)) await store.writeBlockTimes(right);
    await store.recordProvenBlocks(right);
    const [first] = found;
    if (first !== undefined) await repair(found, { node: first.header.node, wrongNodes: await findWrongNodes(first) });
    return proven.filter((logs) => logs === undefined).length;
  }

  async function proveEmpty(headers: readonly Header[], node?: number): Promise<boolean> {
    for (let from = 0; from < headers.length; from += RECEIPTS_PER_BATCH) {
      const batch = headers.slice(from, from + RECEIPTS_PER_BATCH);
      const proven = await readProven(batch);
      if (proven.includes(undefined)) return false;
      const found = batch.map((header, i) => ({ header, logs: proven[i]! })).filter(({ logs }) => logs.length > 0);
      if (!(await repairUnlisted(found, node))) return false;
    }
    return true;
  }

  /** Repairs those of the blocks that are not listed because the index lacks their logs, and not because their proof was forgotten. */
  async function repairUnlisted(found: readonly Difference[], node: number | undefined): Promise<boolean> {
    if (found.length === 0) return true;
    const forgotten = new Set(await store.recordForgottenBlocks(found.map(toRepair)));
    const isForgotten = ({ header }: Difference) => forgotten.has(header.number);
    // Of logs that are not stored the index may lack what they changed.
    const isUnstored = (each: Difference) => toRepair(each).events.length === 0;
    if (!(await replace(found.filter((each) => isForgotten(each) && isUnstored(each))))) return false;
    const missing = found.filter((each) => !isForgotten(each));
    return repair(missing, { node: node ?? missing[0]?.header.node });
  }

  /** Returns the hosts whose logs of the block differ from the proven ones; undefined where there is one host. */
  async function findWrongNodes({ header, logs }: Difference): Promise<readonly number[] | undefined> {
    if (chain.witnesses.length === 0) return undefined;
    const { number, hash, timestamp } = header;
    const wrong: number[] = [];
    for (const { node, readLogs } of chain.witnesses) {
      try {
        const returned = await readLogs({ fromBlock: number, toBlock: number });
        const isOfBlock = returned.every(
          ({ blockHash, blockTimestamp = timestamp }) => blockHash === hash && blockTimestamp === timestamp,
        );
        if (!isOfBlock || digestLogs(returned) !== digestLogs(logs)) wrong.push(node);
      } catch (error) {
        // A host that does not answer is not named.
        if (!isReadFailure(error)) throw error;
      }
    }
    return wrong;
  }

  async function repair(found: readonly Difference[], nodes: DifferenceNodes): Promise<boolean> {
    if (found.length === 0) return true;
    if (!(await replace(found))) return false;
    differences += found.length;
    const blocks = found.map(({ header }) => header.number);
    log.warn(
      { blocks, ...countFromOne(nodes) },
      'stored logs differed from the receipts of their blocks and were replaced',
    );
    return true;
  }

  /** Stores the logs of the blocks and what they changed. Returns false when the index moved during each attempt. */
  async function replace(found: readonly Difference[]): Promise<boolean> {
    if (found.length === 0) return true;
    await confirm(found);
    const { ownershipOf, touched } = summarizeLogs(found.flatMap(({ logs }) => logs));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const checkpoint = await store.readMainChainCheckpoint();
      if (checkpoint === undefined) return false;
      const ownership = await readOwnership(checkpoint, [...ownershipOf]);
      if (await store.repairBlocks(checkpoint, found.map(toRepair), ownership, touched)) return true;
    }
    return false;
  }

  /** Reads each header again with the checkpoint: that of its batch does not concern it where the node served the batch in parts. */
  async function confirm(found: readonly Difference[]): Promise<void> {
    for (const { header } of found) {
      const [again] = await readIndexedHeaders(chain, store, [header.number]);
      if (again!.hash !== header.hash) throw new ResponseRejected('hash-mismatch');
    }
  }

  /** Reads owners at the block whose state the index holds: those of an older one would undo what it stored since. */
  async function readOwnership(checkpoint: Checkpoint, ids: readonly MachineId[]) {
    if (ids.length === 0) return { readAtBlock: 0, changes: [] };
    return {
      readAtBlock: checkpoint.blockNumber,
      changes: await chain.readOwnership(toBlockId(checkpoint), ids),
    };
  }

  return { proveStored, proveEmpty, differences: () => differences };
}

/** Returns the nodes as the log names them, counted from 1. */
function countFromOne({ node, wrongNodes }: DifferenceNodes): DifferenceNodes {
  return {
    node: node === undefined ? undefined : node + 1,
    wrongNodes: wrongNodes?.map((position) => position + 1),
  };
}

/** Returns whether the index stored exactly these logs of exactly this block. */
function isSame(block: LogBlock, { hash, timestamp }: Header, logs: readonly ProvenLog[]): boolean {
  const { blockHash, blockTimestamp, digest } = block;
  const isTimeRight = blockTimestamp === UNKNOWN_BLOCK_TIME || blockTimestamp === timestamp;
  return blockHash === hash && isTimeRight && digest === digestLogs(logs);
}

function toRepair({ header, logs }: Difference): BlockRepair {
  const block = {
    blockNumber: header.number,
    blockHash: header.hash,
    blockTimestamp: header.timestamp,
    digest: digestLogs(logs),
  };
  return { block, events: toEventEntries(logs), isProven: true };
}
