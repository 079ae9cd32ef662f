/** Tests the totals of a fleet. */
import { expect, it } from 'vitest';
import type { FleetMachine } from './fleet.ts';
import { totalFleet } from './fleet-totals.ts';

const machine = (id: string, total_revenue?: number, revenue_trend?: FleetMachine['revenue_trend']) =>
  ({ machine_id: id, total_revenue, revenue_trend }) as FleetMachine;

it('adds up the revenue, and names the three machines that earn most of it', () => {
  const fleet = [machine('1', 500), machine('2', 0), machine('3', 4_000), machine('4', 1_500), machine('5', 2_000)];
  expect(totalFleet(fleet)).toEqual({
    revenue: 8_000,
    earning: 4,
    largest: [
      { id: '3', revenue: 4_000 },
      { id: '5', revenue: 2_000 },
      { id: '4', revenue: 1_500 },
    ],
    trend: 'not enough data',
  });
});

it('counts the machines of each trend that is known', () => {
  const fleet = [
    machine('1', 1, 'down'),
    machine('2', 1, 'up'),
    machine('3', 1, 'down'),
    machine('4', 1, 'insufficient'),
  ];
  expect(totalFleet(fleet)?.trend).toBe('1 rising, 2 falling');
});

it('has no totals where the listing has no revenue, and zeros where no machine earned', () => {
  expect(totalFleet([machine('1'), machine('2')])).toBeUndefined();
  expect(totalFleet([machine('1', 0)])).toEqual({ revenue: 0, earning: 0, largest: [], trend: 'not enough data' });
});
