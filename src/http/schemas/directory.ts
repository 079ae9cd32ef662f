/** Schemas of the directory of machines (decisions 4, docs/decisions/directory.md). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { FACET_NAMES, FACETS, MAX_COUNTED_UNLISTED } from '../../domain/machine/machine-directory.ts';
import {
  ACCOUNT_TEXT,
  ADDRESS_TEXT,
  closedObject,
  COUNT,
  described,
  listOf,
  machineDid,
  MACHINE_ID,
  orNull,
  refer,
  TEXT,
  UNIX_SECONDS,
  word,
  type JsonSchema,
} from './json-schema.ts';
import { SCORE } from './machines.ts';

export const MAX_DIRECTORY_PAGE = 500;
/** Value of a sort key, and an id. */
export const DIRECTORY_CURSOR: JsonSchema = { ...TEXT, pattern: '^[0-9]{1,16}\\.[1-9][0-9]{0,77}$' };
const EXAMPLE_CURSOR = '71.42';
const EXAMPLE_OWNER = '0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1';

const FACET_SCHEMAS = {
  rating: described(word(...FACETS.rating), 'Letter of the rating.', 'AA'),
  bond: described(word(...FACETS.bond), 'State of the subscription of the bond.', 'Active'),
  flag: described(word(...FACETS.flag), 'State of the negative flag.', 'none'),
  kyb: described(word(...FACETS.kyb), 'Verification of the operator (KYB).', 'verified'),
  chip: described(word(...FACETS.chip), 'Verification of the chip.', 'unverified'),
  opt_in: described(word(...FACETS['opt-in']), 'Decision about monetization in force.', 'OPTED_IN'),
  home: described(word(...FACETS.home), 'Home chain: the main chain or the alt chain.', 'main'),
};

const PROGRESS = {
  unlisted: described(
    { ...COUNT, maximum: MAX_COUNTED_UNLISTED },
    `Machines that are known and not observed yet, counted up to ${MAX_COUNTED_UNLISTED}. 0: the directory is complete.`,
    0,
  ),
  opened_at: described(
    orNull(COUNT),
    'Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time.',
    1_772_452_800,
  ),
  index: refer('FleetIndex'),
};

export function directoryResponses() {
  return {
    Directory: described(
      closedObject({
        machines: described(
          listOf(refer('DirectoryEntry'), MAX_DIRECTORY_PAGE),
          'In the requested order. A page may be short, and even empty, before the end: `next` decides.',
        ),
        next: described(
          orNull(DIRECTORY_CURSOR),
          'Cursor of the next page, for `after`; null: nothing is left.',
          EXAMPLE_CURSOR,
        ),
        ...PROGRESS,
      }),
      'A page of the machines of the deployment.',
    ),
    DirectorySummary: described(
      closedObject({
        machines: described(COUNT, 'Machines in the directory.', 1),
        counts: described(
          closedObject(
            Object.fromEntries(
              FACET_NAMES.map((facet) => [
                toMemberName(facet),
                closedObject(
                  Object.fromEntries(FACETS[facet].map((value) => [value, described(COUNT, 'Machines.', 1)])),
                ),
              ]),
            ),
          ),
          'Machines by value of each member of an entry.',
        ),
        ...PROGRESS,
      }),
      'Numbers of machines of the deployment.',
    ),
  };
}

export function directoryParts(namespace: Namespace) {
  return {
    DirectoryEntry: described(
      closedObject({
        machine_id: MACHINE_ID,
        did: machineDid(namespace),
        ...FACET_SCHEMAS,
        score: SCORE,
        operator: described(orNull(ADDRESS_TEXT), 'Operator of the machine; null: none is recorded.'),
        owner: described(ACCOUNT_TEXT, 'Owner: an address, or a key of the alt chain.', EXAMPLE_OWNER),
        event_count: described(COUNT, 'Indexed events.', 120),
        total_revenue: described(COUNT, 'Qualifying revenue in US cents.', 1_250_000),
        last_event_at: described(orNull(COUNT), 'Unix time in seconds of the newest block with an event; null: none.'),
        block: described(COUNT, 'Final block of the main chain at which the machine was observed.', 120_340),
        observed_at: described(UNIX_SECONDS, 'Unix time in seconds of the observation.'),
      }),
      'A machine as it was last observed. `/mcr/{did}` has its current rating.',
    ),
  };
}

/** Returns the name of the member and of the parameter of a facet. */
export function toMemberName(facet: string): string {
  return facet.replaceAll('-', '_');
}
