/** Maps an operator's rated machines to JSON and CSV (decisions 4). */
import type { RatedFleetPage } from '../../actions/fleet.ts';
import type { RatedSnapshot } from '../../actions/machine-rating.ts';
import { compareIds, formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { toFleetPage, type FleetRequest } from './fleet.ts';
import { toMcrRecord } from './machines.ts';
import type { RatedFleetResponse } from './response-types.ts';
import type { Sent } from './sent.ts';

/** `GET /operator/{did}/fleet`. */
export function toRatedFleet(
  page: RatedFleetPage,
  request: FleetRequest,
  namespace: Namespace,
): Sent<RatedFleetResponse> {
  return {
    ...toFleetPage(page, request, namespace),
    machines: page.machines.map((machine) => ({
      ...toMcrRecord(machine, namespace),
      subscription: machine.inputs.subscriptionStatus,
    })),
    unreadable_machines: page.unreadableIds.map(String),
  };
}

const HEADER = [
  ...['machine_id', 'did', 'home_chain', 'mcr', 'mcr_score', 'rating_unavailable', 'bond_status', 'subscription'],
  ...['negative_flag', 'event_count', 'total_revenue_cents', 'revenue_trend', 'last_updated', 'readable'],
];
const FACT_COUNT = HEADER.length - 3;

/**
 * `GET /operator/{did}/fleet.csv`: one line per machine, by machine id. Ids are quoted, and home_chain is empty for the main
 * chain. A machine that could not be read has its id and `no` in the last column.
 */
export function formatFleetCsv({ machines, unreadableIds }: RatedFleetPage, namespace: Namespace): string {
  const rows = [
    ...machines.map((machine) => ({ id: machine.snapshot.id, facts: toFacts(machine), readable: 'yes' })),
    ...unreadableIds.map((id) => ({ id, facts: Array.from({ length: FACT_COUNT }, () => ''), readable: 'no' })),
  ].sort((a, b) => compareIds(a.id, b.id));
  const lines = rows.map(({ id, facts, readable }) =>
    [`"${id}"`, `"${formatMachineDid(id, namespace)}"`, ...facts, readable].join(','),
  );
  return [HEADER.join(','), ...lines, ''].join('\r\n');
}

function toFacts({ rating, inputs, alt }: RatedSnapshot): readonly (string | number)[] {
  return [
    alt?.ordinal ?? '',
    rating.letter,
    rating.score,
    alt?.unavailable ?? '',
    rating.bondStatus,
    inputs.subscriptionStatus,
    rating.hasNegativeFlag ? 'yes' : 'no',
    rating.eventCount,
    rating.totalRevenueCents,
    rating.revenueTrend ?? '',
    rating.lastUpdated ?? '',
  ];
}
