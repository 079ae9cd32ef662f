/** Maps the list of the most active machines to its response (decisions 4). */
import type { ActiveMachineList } from '../../actions/active-machines.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { toEntry } from './fleet.ts';
import { toIndexReports } from './health.ts';
import type { ActiveMachinesResponse } from './response-types.ts';

/** `GET /active-machines`. */
export function toActiveMachines(
  { machines, unreadableCount, indexes }: ActiveMachineList,
  namespace: Namespace,
): ActiveMachinesResponse {
  return {
    machines: machines.map(({ shown, lastEventAt }) => ({ ...toEntry(shown, namespace), last_event_at: lastEventAt })),
    unreadable: unreadableCount,
    ...toIndexReports(indexes),
  };
}
