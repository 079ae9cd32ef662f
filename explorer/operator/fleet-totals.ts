/** Totals of a fleet: its revenue, the machines that earn most of it, and their trends. */
import { TREND_TEXTS } from '../parts/texts.ts';
import type { FleetMachine } from './fleet.ts';

export interface FleetTotals {
  /** US cents. */
  readonly revenue: number;
  /** Number of machines with revenue. */
  readonly earning: number;
  /** Machines with the most revenue, in descending order. */
  readonly largest: readonly { readonly id: string; readonly revenue: number }[];
  readonly trend: string;
}

const SHARES_SHOWN = 3;

/** Returns undefined where the listing has no revenue. */
export function totalFleet(machines: readonly FleetMachine[]): FleetTotals | undefined {
  if (machines.every(({ total_revenue: revenue }) => revenue === undefined)) return undefined;
  const earning = machines
    .map(({ machine_id: id, total_revenue: revenue = 0 }) => ({ id, revenue }))
    .filter(({ revenue }) => revenue > 0);
  return {
    revenue: earning.reduce((sum, { revenue }) => sum + revenue, 0),
    earning: earning.length,
    largest: earning.toSorted((a, b) => b.revenue - a.revenue).slice(0, SHARES_SHOWN),
    trend: describeTrends(machines),
  };
}

function describeTrends(machines: readonly FleetMachine[]): string {
  const counted = (['up', 'stable', 'down'] as const).flatMap((trend) => {
    const count = machines.filter(({ revenue_trend: each }) => each === trend).length;
    return count === 0 ? [] : [`${count} ${TREND_TEXTS[trend]}`];
  });
  return counted.length === 0 ? TREND_TEXTS.insufficient : counted.join(', ');
}
