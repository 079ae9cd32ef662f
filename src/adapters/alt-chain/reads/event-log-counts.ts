/**
 * How many events does every log count now? (chain-svm 6: `getProgramAccounts`, for the proof against gaps.)
 * A row proves itself: its address must be the one that the program keeps the log of its machine at.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { toMachineId, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventLogCount } from '../../../ports/alt-chain.ts';
import { ByteReader, Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectKey, expectObject } from '../rpc/json-shape.ts';
import { parseRpcAccount } from '../rpc/rpc-account.ts';

/** The part of every log that is asked for: the machine's word and both counts. */
export const COUNTS_SLICE = { offset: 8, length: 48 };

/** An address that is not remembered costs a look at the curve: other work gets its turn between so many. */
const ROWS_PER_TURN = 20;

export interface EventLogPrograms {
  readonly eventRegistry: AltKey;
  readonly eventLogOf: (id: MachineId) => AltKey;
}

/** Reads the rows of one answer. Rejects with `Undecodable` when one of them is no event log, or a log stands there twice. */
export async function readEventLogCounts(
  rows: unknown,
  programs: EventLogPrograms,
): Promise<ReadonlyMap<MachineId, EventLogCount>> {
  const counts = new Map<MachineId, EventLogCount>();
  for (const [k, row] of expectArray(rows).entries()) {
    if (k % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
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
