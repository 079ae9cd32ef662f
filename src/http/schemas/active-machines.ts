/** What does the list of machines that told of something last look like? (decisions 4.) */
import { MOST_ACTIVE_MACHINES } from '../../domain/machine/active-machine.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { listedMembers } from './fleet.ts';
import { closedObject, COUNT, listOf, UNIX_SECONDS, type JsonSchema } from './json-schema.ts';
import { ALT_CHAIN_ONLY, HOME_CHAIN, RATING_UNAVAILABLE } from './machines.ts';
import { INDEX_REPORTS } from './health.ts';

export function activeMachinesSchema(namespace: Namespace): JsonSchema {
  const entry = {
    ...listedMembers(namespace),
    home_chain: HOME_CHAIN,
    rating_unavailable: RATING_UNAVAILABLE,
    last_event_at: { ...UNIX_SECONDS, description: 'Of the block of its newest indexed event.' },
  };
  return closedObject({
    machines: {
      ...listOf(closedObject(entry, ALT_CHAIN_ONLY)),
      maxItems: MOST_ACTIVE_MACHINES,
      description: 'Newest event first.',
    },
    unreadable: { ...COUNT, description: 'Machines that belong in the list and could not be read.' },
    ...INDEX_REPORTS,
  });
}
