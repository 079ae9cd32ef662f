/** How does the list of machines that told of something last look on the wire? (decisions 4.) */
import type { ActiveMachineList } from '../../actions/active-machines.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { toEntry } from './fleet.ts';
import { toIndexReports } from './health.ts';

/** `GET /active-machines`. */
export function toActiveMachines({ machines, unreadableCount, indexes }: ActiveMachineList, namespace: Namespace) {
  return {
    machines: machines.map(({ shown, lastEventAt }) => ({ ...toEntry(shown, namespace), last_event_at: lastEventAt })),
    unreadable: unreadableCount,
    ...toIndexReports(indexes),
  };
}
