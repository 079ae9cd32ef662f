/** Corruption of logs and receipts by a faulty node. */
import { bloomOf } from '../chain/logs.ts';
import type { Random } from '../random.ts';
import type { Fault } from './faults.ts';
import { quantity, type WireLog, type WireReceipt } from './wire-blocks.ts';

export function corruptLogs(logs: readonly WireLog[], fault: Fault | undefined, random: Random): readonly WireLog[] {
  if (logs.length === 0) return logs;
  const at = random.integer(0, logs.length - 1);
  switch (fault) {
    case 'emptyLogs':
      return [];
    case 'partialLogs':
      return hideLogs(logs, at, random);
    case 'repeatedLogs':
      return logs.toSpliced(at, 0, logs[at]!);
    case 'reorderedLogs':
      return logs.toReversed();
    case 'alienLogs':
      return logs.with(at, { ...logs[at]!, ...drawAlien(random) });
    default:
      return logs;
  }
}

/** Hides one log, all logs of its transaction, or all logs with its last topic. */
function hideLogs(logs: readonly WireLog[], at: number, random: Random): readonly WireLog[] {
  const { transactionHash, topics } = logs[at]!;
  const word = topics.at(-1)!;
  const hides = random.pick<(log: WireLog, place: number) => boolean>([
    (_, place) => place === at,
    (log) => log.transactionHash === transactionHash,
    (log) => log.topics.includes(word),
  ]);
  return restoreUndetectable(
    logs.filter((log, place) => !hides(log, place)),
    logs,
  );
}

/**
 * Returns the remaining logs of a block, with the last log added back where the others set all of its bloom bits: neither
 * the bloom nor log indexes reveal that it is missing, a documented limit of the service (docs/decisions.md).
 */
export function restoreUndetectable(left: readonly WireLog[], all: readonly WireLog[]): readonly WireLog[] {
  const last = all.at(-1);
  if (last === undefined || left.includes(last)) return left;
  const whole = [...left, last];
  return bloomOf(left) === bloomOf(whole) ? whole : left;
}

function drawAlien(random: Random): Partial<WireLog> & { readonly removed?: boolean } {
  return random.pick([
    { blockHash: `0x${random.hex(32)}` },
    { address: `0x${random.hex(20)}` },
    { removed: true },
    { blockTimestamp: '0x1' },
    { logIndex: '0x0' },
  ]);
}

export function corruptReceipts(
  receipts: readonly WireReceipt[],
  fault: Fault | undefined,
  random: Random,
): readonly WireReceipt[] {
  if (receipts.length === 0) return receipts;
  const at = random.integer(0, receipts.length - 1);
  const change = (changed: Partial<WireReceipt>) => receipts.with(at, { ...receipts[at]!, ...changed });
  const { logs } = receipts[at]!;
  switch (fault) {
    case 'emptyLogs':
      return random.chance(0.5) ? [] : change({ logs: [], logsBloom: bloomOf([]) });
    case 'partialLogs': {
      if (logs.length === 0 || random.chance(0.3)) return receipts.toSpliced(at, 1);
      const left = [...corruptLogs(logs, fault, random)];
      return change(random.chance(0.5) ? { logs: left } : { logs: left, logsBloom: bloomOf(left) });
    }
    case 'repeatedLogs':
      return random.chance(0.5)
        ? receipts.toSpliced(at, 0, receipts[at]!)
        : change({ logs: [...corruptLogs(logs, fault, random)] });
    case 'reorderedLogs':
      return random.chance(0.5) ? receipts.toReversed() : change({ logs: logs.toReversed() });
    case 'alienLogs':
      return change(drawAlteration(logs, random));
    default:
      return receipts;
  }
}

/** Draws a change of something that the root commits to. */
function drawAlteration(logs: readonly WireLog[], random: Random): Partial<WireReceipt> {
  const [first] = logs;
  const alterations: Partial<WireReceipt>[] = [
    { status: random.pick(['0x2', '0x', '0x0']) },
    { cumulativeGasUsed: quantity(random.integer(0, 30_000)) },
    { type: '0x4' },
    { logsBloom: `0x${random.hex(256)}` },
  ];
  if (first !== undefined) {
    alterations.push(
      { logs: logs.with(0, { ...first, data: `${first.data}00` }) },
      { logs: logs.with(0, { ...first, address: `0x${random.hex(20)}` }) },
      { logs: logs.with(0, { ...first, topics: first.topics.with(-1, `0x${random.hex(32)}`) }) },
      { logs: logs.with(0, { ...first, topics: first.topics.slice(0, -1) }) },
    );
  }
  return random.pick(alterations);
}
