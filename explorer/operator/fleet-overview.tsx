/** Overview of a fleet: distribution of ratings, totals, and the lag of the index. */
import { MachineLink, Section, StaleNotice } from '../parts/components.tsx';
import { chains } from '../parts/chains.ts';
import { formatCents, formatCount } from '../parts/formats.ts';
import { Spread, toRatingParts } from '../parts/spread.tsx';
import { plural } from '../parts/texts.ts';
import type { FleetMachine, FleetQuery, LoadedFleet } from './fleet.ts';
import { totalFleet } from './fleet-totals.ts';
import { describeIndex, describeMissing, describePart, describeShare, NO_MACHINES } from './texts.ts';

export function FleetOverview({ fleet, first }: { readonly fleet: LoadedFleet; readonly first: FleetQuery['first'] }) {
  const { machines, total, unreadable, index, isComplete } = fleet;
  const { alt } = chains;
  return (
    <Section title={plural(total, 'machine')}>
      {total === 0 && <p class="quiet">{NO_MACHINES}</p>}
      {machines.length > 0 && <Distribution machines={machines} />}
      {machines.length > 0 && <Totals machines={machines} />}
      {unreadable > 0 && <p class="notice fair">{describeMissing(unreadable)}</p>}
      {!isComplete && <p class="notice fair">{describePart(machines.length, total)}</p>}
      <p class="note">{describeIndex(index, alt.name)}</p>
      <StaleNotice query={first} subject="this operator" />
    </Section>
  );
}

/** Machines without a rating are one part of the bar, whatever the reason. */
function Distribution({ machines }: { readonly machines: readonly FleetMachine[] }) {
  const rated = machines.filter(({ rating_unavailable }) => rating_unavailable === undefined);
  const parts = toRatingParts((letter) => rated.filter(({ mcr }) => mcr === letter).length);
  return <Spread parts={[...parts, { name: 'No rating', style: 'none', count: machines.length - rated.length }]} />;
}

/** Shown where the listing has revenue. */
function Totals({ machines }: { readonly machines: readonly FleetMachine[] }) {
  const totals = totalFleet(machines);
  if (totals === undefined) return null;
  return (
    <dl class="figures">
      <div>
        <dt>Qualifying revenue</dt>
        <dd>{formatCents(totals.revenue)}</dd>
      </div>
      <div>
        <dt>Earning machines</dt>
        <dd>
          {formatCount(totals.earning)} of {formatCount(machines.length)}
        </dd>
      </div>
      <div>
        <dt>Revenue trend</dt>
        <dd>{totals.trend}</dd>
      </div>
      {totals.largest.map(({ id, revenue }) => (
        <div key={id}>
          <dt>
            Top: <MachineLink id={id} ends={4} />
          </dt>
          <dd>{describeShare(revenue, totals.revenue)}</dd>
        </div>
      ))}
    </dl>
  );
}
