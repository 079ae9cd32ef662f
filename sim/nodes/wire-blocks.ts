/** JSON-RPC encoding of headers, logs and receipts. */
import type { IndexedLog, SimReceipt } from '../chain/receipts.ts';
import { receiptsOf } from '../chain/receipts.ts';
import type { Block } from '../chain/virtual-chain.ts';

export type WireLog = ReturnType<typeof toWireLog>;
export type WireReceipt = ReturnType<typeof toWireReceipts>[number];

export const quantity = (value: number) => `0x${value.toString(16)}`;

/** Encodes a header. With odd receipts, its root matches no receipts that a node returns. */
export function toHeader(block: Block, hasOddReceipts: boolean) {
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    timestamp: quantity(block.timestamp),
    logsBloom: block.bloom,
    receiptsRoot: hasOddReceipts ? block.hash : receiptsOf(block).root,
    transactions: receiptsOf(block).receipts.map(({ transactionHash }) => transactionHash),
  };
}

export function toWireLogs(block: Block, servesTimes: boolean): WireLog[] {
  return receiptsOf(block).receipts.flatMap((receipt) => listLogs(block, receipt, servesTimes));
}

export function toWireReceipts(block: Block, servesTimes: boolean) {
  return receiptsOf(block).receipts.map((receipt, position) => ({
    type: quantity(receipt.type),
    status: receipt.hasFailed ? '0x0' : '0x1',
    cumulativeGasUsed: quantity(receipt.cumulativeGas),
    logsBloom: receipt.bloom,
    transactionHash: receipt.transactionHash,
    transactionIndex: quantity(position),
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    logs: listLogs(block, receipt, servesTimes),
  }));
}

function listLogs(block: Block, { logs, transactionHash }: SimReceipt, servesTimes: boolean): WireLog[] {
  return logs.map((log) => toWireLog(block, log, transactionHash, servesTimes));
}

function toWireLog(
  block: Block,
  { address, topics, data, index }: IndexedLog,
  transactionHash: string,
  servesTimes: boolean,
) {
  return {
    address,
    topics,
    data,
    blockNumber: quantity(block.number),
    blockHash: block.hash,
    logIndex: quantity(index),
    transactionHash,
    ...(servesTimes && { blockTimestamp: quantity(block.timestamp) }),
  };
}
