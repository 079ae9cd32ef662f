/**
 * Fleet snapshot: all machines of the registry, grouped by operator (chain-svm 7: `getProgramAccounts` on the machine heads).
 * A row is self-authenticating: its address must be the hash of its own id and bump.
 */
import { groupByOperator, type AltFleet, type AltFleetRow } from '../../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { toMachineId, type Address } from '../../../domain/identifiers/identifiers.ts';
import { machineSeeds } from '../accounts/account-addresses.ts';
import { MACHINE_HEAD_BYTES, readMachineHead } from '../accounts/machine.ts';
import { ByteReader, decodable, Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectKey, expectObject } from '../rpc/json-shape.ts';
import { isProgramAddress } from '../accounts/program-address.ts';
import { parseRpcAccount } from '../rpc/rpc-account.ts';
import { mapInTicks } from '../../rpc/map-in-ticks.ts';

/** Requested slice of every machine account. */
export const FLEET_SLICE = { offset: 8, length: MACHINE_HEAD_BYTES };

const OPERATOR_OFFSET = MACHINE_HEAD_BYTES - 20;

/** Rows read per tick: a few milliseconds. */
const ROWS_PER_TICK = 100;

/** Parses the rows of one response. Rejects with `Undecodable` when it is not a list or repeats an address. */
export async function readFleetRows(rows: unknown, machineRegistry: AltKey): Promise<AltFleet> {
  const list = expectArray(rows);
  const addresses = new Set(list.map((row) => expectObject(row)['pubkey']));
  if (addresses.size !== list.length) throw new Undecodable();
  const read = await mapInTicks(list, ROWS_PER_TICK, (row) => readRow(row, machineRegistry));
  return { ...groupByOperator(read), addresses };
}

function readRow(row: unknown, machineRegistry: AltKey): AltFleetRow {
  const { pubkey, account: accountValue } = expectObject(row);
  const account = parseRpcAccount(accountValue);
  if (account.state !== 'present') return { id: undefined, operator: undefined };
  const { owner, executable, data } = account.value;
  const isMachine = owner === machineRegistry && !executable;
  const machine = isMachine ? decodable(() => readMachine(expectKey(pubkey), data, machineRegistry)) : undefined;
  return machine ?? { id: undefined, operator: decodable(() => readOperator(data)) };
}

/** Decodes the head of the machine whose account has this address. Throws `Undecodable`. */
function readMachine(address: AltKey, data: Uint8Array, machineRegistry: AltKey): AltFleetRow {
  const reader = new ByteReader(data);
  const { id: word, bump, facts } = readMachineHead(reader);
  reader.finish();
  const id = toMachineId(word);
  if (id === undefined || !isProgramAddress(address, machineRegistry, machineSeeds(id), bump)) throw new Undecodable();
  return { id, operator: facts.operator };
}

/** Throws `Undecodable` for another slice, whose bytes at this place name no operator. */
function readOperator(data: Uint8Array): Address | undefined {
  const reader = new ByteReader(data);
  reader.take(OPERATOR_OFFSET);
  const operator = reader.optionalAddress();
  reader.finish();
  return operator;
}
