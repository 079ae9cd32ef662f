/** Schemas of the feed of changes (decisions 4, docs/decisions/changes.md). */
import { CHANGE_KINDS } from '../../domain/changes/machine-change.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  ADDRESS_TEXT,
  closedObject,
  COUNT,
  described,
  listOf,
  machineDid,
  MACHINE_ID,
  NONEMPTY_TEXT,
  orNull,
  refer,
  UNIX_SECONDS,
  word,
  type JsonSchema,
} from './json-schema.ts';

export const MAX_CHANGE_PAGE = 500;

export const CHANGE_CURSOR: JsonSchema = COUNT;

/** Values of a kind as `from` and `to` carry them. */
const VALUES =
  'rating: the letter; bond: Active, Grace, Runoff, Terminated or NotActivated; flag: none, in_force or ended; owner and operator: ' +
  'an address or a key of the alt chain; chip and kyb: unverified, verified, expired or revoked; opt-in: PENDING, OPTED_IN or OPTED_OUT.';

/** The longest values are keys of the alt chain. */
const VALUE: JsonSchema = { ...NONEMPTY_TEXT, maxLength: 44 };

function changeSchema(namespace: Namespace): JsonSchema {
  return described(
    closedObject({
      cursor: described({ ...CHANGE_CURSOR, minimum: 1 }, 'Place in the order of all changes, without gaps.', 1_201),
      kind: described(word(...CHANGE_KINDS), 'What has changed.', 'rating'),
      machine_id: MACHINE_ID,
      did: machineDid(namespace),
      operator: described(orNull(ADDRESS_TEXT), 'Operator of the machine; null: none is recorded.'),
      from: described(orNull(VALUE), 'Value of the previous observation; null: none.', 'AA'),
      to: described(orNull(VALUE), `Value now; null: none. Values of ${VALUES}`, 'BBB'),
      block: described(COUNT, 'Final block of the main chain at which the change was observed.', 120_340),
      observed_at: described(UNIX_SECONDS, 'Unix time in seconds of the observation.'),
    }),
    'A difference between two consecutive observations of a machine, both of final facts.',
  );
}

export function changeResponses() {
  return {
    ChangePage: described(
      closedObject({
        changes: described(listOf(refer('Change'), MAX_CHANGE_PAGE), 'In the order of their cursors.'),
        next: described(CHANGE_CURSOR, 'Cursor to continue from, also when the page is empty.', 1_201),
        newest: described(CHANGE_CURSOR, 'Cursor of the newest change; `next` reaches it when nothing is left.', 1_201),
        oldest_after: described(CHANGE_CURSOR, 'The smallest cursor that can be continued from.', 0),
        opened_at: described(
          orNull(COUNT),
          'Unix time in seconds since which changes are recorded; null: machines are still observed for the first time.',
          1_772_452_800,
        ),
      }),
      'A page of changes.',
    ),
  };
}

export function changeParts(namespace: Namespace) {
  return { Change: changeSchema(namespace) };
}
