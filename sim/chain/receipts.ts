/**
 * Transactions and receipts of a block: those that logged something, and some silent ones between them. Their details
 * derive from the block hash, so that a rival block with the same logs has other receipts.
 */
import { bloomOf, type SimLog } from './logs.ts';
import { evenHex, rlpList, rlpText, rootOf } from './receipts-root.ts';
import type { Block } from './virtual-chain.ts';

export interface SimReceipt {
  readonly type: number;
  readonly hasFailed: boolean;
  readonly cumulativeGas: number;
  readonly bloom: string;
  readonly transactionHash: string;
  readonly logs: readonly IndexedLog[];
}

/** A log with its index in the block. */
export interface IndexedLog extends SimLog {
  readonly index: number;
}

export interface BlockReceipts {
  readonly receipts: readonly SimReceipt[];
  /** In block order. */
  readonly logs: readonly (IndexedLog & { readonly transactionHash: string })[];
  /** `0x` hex. */
  readonly root: string;
}

const SILENT_GAS = 21_000;
const TYPES = [0, 2, 2, 1, 0x7e, 3];

const known = new WeakMap<Block, BlockReceipts>();

/** Returns the receipts of a block, computed on first use. */
export function receiptsOf(block: Block): BlockReceipts {
  let made = known.get(block);
  if (made === undefined) known.set(block, (made = makeReceipts(block)));
  return made;
}

function makeReceipts({ hash, logs }: Block): BlockReceipts {
  const chance = (place: number) => parseInt(hash[2 + (place % 64)]!, 16);
  const groups: (readonly IndexedLog[])[] = [];
  const silent = (count: number) => groups.push(...Array.from({ length: count }, () => []));
  const indexed = logs.map((log, index) => ({ ...log, index }));
  silent(chance(0) % 3);
  for (const [transaction, group] of Map.groupBy(indexed, (log) => log.transaction)) {
    groups.push(group);
    silent(chance(transaction + 1) < 4 ? 1 : 0);
  }
  let cumulativeGas = 0;
  const receipts = groups.map((group, position): SimReceipt => {
    cumulativeGas += SILENT_GAS + 1_000 * group.length + chance(position + 7);
    return {
      type: TYPES[chance(position + 20) % TYPES.length]!,
      hasFailed: group.length === 0 && chance(position + 30) < 3,
      cumulativeGas,
      bloom: bloomOf(group),
      transactionHash: `0x${evenHex(position).padStart(8, '0')}${hash.slice(10)}`,
      logs: group,
    };
  });
  return {
    receipts,
    logs: receipts.flatMap(({ logs: own, transactionHash }) => own.map((log) => ({ ...log, transactionHash }))),
    root: rootOf(receipts.map(encodeReceipt)),
  };
}

function encodeReceipt({ type, hasFailed, cumulativeGas, bloom, logs }: SimReceipt): string {
  const encoded = logs.map(({ address, topics, data }) =>
    rlpList([
      rlpText(address.slice(2)),
      rlpList(topics.map((topic) => rlpText(topic.slice(2)))),
      rlpText(data.slice(2)),
    ]),
  );
  const outcome = rlpText(hasFailed ? '' : '01');
  const body = rlpList([outcome, rlpText(evenHex(cumulativeGas)), rlpText(bloom.slice(2)), rlpList(encoded)]);
  return type === 0 ? body : evenHex(type) + body;
}
