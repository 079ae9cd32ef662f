/** Schemas of the pages of an operator's machines and of the most active machines (http-facts 7 and 8, decisions 1 and 4). */
import { MAX_ACTIVE_MACHINES } from '../../domain/machine/active-machine.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { indexMembers } from './health.ts';
import {
  addressDid,
  ADDRESS_TEXT,
  ALT_KEY_TEXT,
  closedObject,
  COUNT,
  described,
  listOf,
  machineDid,
  MACHINE_ID,
  operatorText,
  orNull,
  refer,
  UNIX_SECONDS,
  type JsonSchema,
} from './json-schema.ts';
import {
  ALT_HOME,
  ALT_HOME_NAMES,
  BOND_STATUS,
  EVENT_COUNT,
  LETTER,
  MACHINE_NAME,
  mcrMembers,
  HAS_NEGATIVE_FLAG,
  SCORE,
  SUBSCRIPTION,
} from './machines.ts';

const MAX_PAGE_SIZE = 20;
/** Largest page of a fleet with ratings. */
export const MAX_RATED_PAGE_SIZE = 500;

function entryMembers(did: JsonSchema) {
  return {
    did,
    machine_id: MACHINE_ID,
    mcr_score: described(SCORE, 'Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.'),
    mcr: LETTER,
    negative_flag: HAS_NEGATIVE_FLAG,
    name: MACHINE_NAME,
    bond_status: BOND_STATUS,
    event_count: EVENT_COUNT,
  };
}

const FLEET_INDEX = described(
  closedObject({
    indexed_block: described(COUNT, 'The newest indexed block.', 120_338),
    head_block: described(COUNT, 'The head of the chain.', 120_340),
    lag_blocks: described(COUNT, 'Blocks between the two.', 2),
    head_observed_age_seconds: described(COUNT, 'Seconds since the head was read.', 3),
    alt_snapshot_age_seconds: described(
      orNull(COUNT),
      'Seconds since the owners of alt-chain machines were read; null: no alt chain.',
      12,
    ),
  }),
  'How far the index that the list comes from is behind the chain.',
);

function pageMembers(operator: JsonSchema, entry: string, maxSize = MAX_PAGE_SIZE) {
  return {
    operator_did: operator,
    machines: described(listOf(refer(entry), maxSize), 'By machine id, lowest first.'),
    pagination: closedObject({
      offset: described({ ...COUNT, maximum: 2 ** 256 }, 'As requested, with every digit.', 0),
      limit: described({ type: 'integer', minimum: 1, maximum: maxSize }, 'As requested.', maxSize),
      total: described(COUNT, 'How many machines the operator has.', 1),
    }),
    unreadable: described(COUNT, 'Machines that belong on this page, or may, and could not be read.', 0),
    index: refer('FleetIndex'),
  };
}

const BINDING = {
  solana_address: described(ALT_KEY_TEXT, 'The wallet, as sent.'),
  evm_address: described(ADDRESS_TEXT, 'The address that the wallet is bound to, in EIP-55 spelling.'),
};

export function fleetResponses(namespace: Namespace) {
  const bound = addressDid(namespace);
  const record = Object.entries(mcrMembers(namespace)).filter(([name]) => !ALT_HOME_NAMES.includes(name));
  return {
    Fleet: described(
      closedObject(pageMembers(operatorText(namespace), 'FleetEntry')),
      'A page of the machines that an operator owns or controls.',
    ),
    RatedFleet: described(
      closedObject({
        ...pageMembers(operatorText(namespace), 'RatedFleetEntry', MAX_RATED_PAGE_SIZE),
        unreadable_machines: described(
          listOf(MACHINE_ID, MAX_RATED_PAGE_SIZE),
          'Ids of the machines of this page that could not be read.',
        ),
      }),
      'A page of the machines that an operator owns or controls, each with its rating.',
    ),
    ActiveMachines: described(
      closedObject({
        machines: described(listOf(refer('ActiveMachineEntry'), MAX_ACTIVE_MACHINES), 'Newest event first.'),
        unreadable: described(COUNT, 'Machines that belong in the list and could not be read.', 0),
        ...indexMembers(),
      }),
      'The machines with the newest indexed events.',
    ),
    BoundMcrRecord: described(
      closedObject({ ...Object.fromEntries(record), did: bound, ...BINDING }),
      'The rating of the legacy machine that a wallet of the alt chain is bound to.',
    ),
    BoundFleet: described(
      closedObject({ ...pageMembers(bound, 'BoundFleetEntry'), ...BINDING }),
      'A page of the legacy machines of the operator that a wallet of the alt chain is bound to.',
    ),
  };
}

export function fleetParts(namespace: Namespace) {
  const entry = { ...entryMembers(machineDid(namespace)), ...ALT_HOME };
  const lastEventAt = described(UNIX_SECONDS, 'Unix time in seconds of the block of the newest indexed event.');
  return {
    RatedFleetEntry: described(
      closedObject({ ...mcrMembers(namespace), subscription: SUBSCRIPTION }, ALT_HOME_NAMES),
      'A machine of a fleet: its rating record, and the state of its subscription.',
    ),
    FleetEntry: described(closedObject(entry, ALT_HOME_NAMES), 'A machine in a list.'),
    BoundFleetEntry: described(closedObject(entryMembers(addressDid(namespace))), 'A legacy machine in a list.'),
    ActiveMachineEntry: described(
      closedObject({ ...entry, last_event_at: lastEventAt }, ALT_HOME_NAMES),
      'A machine in the list of the most active machines.',
    ),
    FleetIndex: FLEET_INDEX,
  };
}
