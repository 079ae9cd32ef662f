/**
 * Event counts of every log, for the check against gaps (chain-svm 6: `getProgramAccounts`).
 * A row is self-authenticating: its address must be the derived address of its machine's log.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { toMachineId, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventLogCount } from '../../../ports/alt-chain.ts';
import { ByteReader, Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectKey, expectObject } from '../rpc/json-shape.ts';
import { parseRpcAccount } from '../rpc/rpc-account.ts';

/** Requested slice of every log: the machine id and both counts. */
export const COUNTS_SLICE = { offset: 8, length: 48 };

/** Rows processed per tick. An uncached address derivation is expensive, so the event loop runs in between. */
const ROWS_PER_TICK = 20;

export interface EventLogPrograms {
  readonly eventRegistry: AltKey;
  readonly eventLogOf: (id: MachineId) => AltKey;
}

/** Parses the rows of one response. Rejects with `Undecodable` when a row is not an event log or a log is repeated. */
export async function readEventLogCounts(
  rows: unknown,
  programs: EventLogPrograms,
): Promise<ReadonlyMap<MachineId, EventLogCount>> {
  const counts = new Map<MachineId, EventLogCount>();
  for (const [k, row] of expectArray(rows).entries()) {
    if (k % ROWS_PER_TICK === ROWS_PER_TICK - 1) await yieldToEventLoop();
    const { id, count, priorEventCount } = readRow(row, programs);
    if (counts.has(id)) throw new Undecodable();
    counts.set(id, { count, priorEventCount });
  }
  return counts;
}

function readRow(
  row: unknown,
  { eventRegistry, eventLogOf }: EventLogPrograms,
): EventLogCount & { readonly id: MachineId } {
  const { pubkey, account: accountValue } = expectObject(row);
  const account = parseRpcAccount(accountValue);
  if (account.state !== 'present') throw new Undecodable();
  const { owner, executable, data } = account.value;
  if (owner !== eventRegistry || executable) throw new Undecodable();
  const reader = new ByteReader(data);
  const id = toMachineId(reader.word());
  const count = reader.u64();
  const priorEventCount = reader.u64();
  reader.finish();
  if (id === undefined || expectKey(pubkey) !== eventLogOf(id)) throw new Undecodable();
  return { id, count, priorEventCount };
}
