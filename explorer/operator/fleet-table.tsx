/** Table of a fleet: filters, order and page are in the URL, and stay when the machines are loaded again. */
import { CopyButton, MachineLink, Section } from '../parts/components.tsx';
import { chains } from '../parts/chains.ts';
import { formatCents, formatCount, shorten } from '../parts/formats.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { formatOrder, Pager, parseOrder, SortField, SortHead, type SortColumn } from '../parts/sortable.tsx';
import { isRated, plural, RATINGS, TREND_TEXTS } from '../parts/texts.ts';
import { useUrlState } from '../parts/url-state.ts';
import type { FleetMachine } from './fleet.ts';
import { describeBond, NO_MATCHES, UNAVAILABLE_TEXTS } from './texts.ts';

const PAGE = 20;

type Column = 'machine' | 'rating' | 'score' | 'bond' | 'flag' | 'events' | 'revenue' | 'trend';

const COLUMNS: readonly SortColumn<Column>[] = [
  { key: 'machine', name: 'Machine', isNumber: false },
  { key: 'rating', name: 'Rating', isNumber: false },
  { key: 'score', name: 'Score', isNumber: true },
  { key: 'bond', name: 'Bond', isNumber: false },
  { key: 'flag', name: 'Flag', isNumber: false },
  { key: 'events', name: 'Events', isNumber: true },
  { key: 'revenue', name: 'Revenue', isNumber: true },
  { key: 'trend', name: 'Trend', isNumber: false, isFalling: true },
];

/** From worst to best; unknown trends come first. */
const TRENDS = ['insufficient', 'down', 'stable', 'up'] as const;
const trendOf = ({ revenue_trend: trend }: FleetMachine) => (trend ? TRENDS.indexOf(trend) : -1);

/** A machine without a rating comes after every rated one. */
const rankOf = ({ mcr, rating_unavailable }: FleetMachine) =>
  rating_unavailable === undefined ? RATINGS.indexOf(mcr) : RATINGS.length;
/** Minus 1: no score. */
const scoreOf = ({ mcr, mcr_score, rating_unavailable }: FleetMachine) =>
  rating_unavailable === undefined && isRated(mcr) ? mcr_score : -1;

const ORDERS: Readonly<Record<Column, (a: FleetMachine, b: FleetMachine) => number>> = {
  machine: compareIds,
  rating: (a, b) => rankOf(a) - rankOf(b),
  score: (a, b) => scoreOf(a) - scoreOf(b),
  bond: (a, b) => describeBond(a).localeCompare(describeBond(b)),
  flag: (a, b) => Number(a.negative_flag) - Number(b.negative_flag),
  events: (a, b) => a.event_count - b.event_count,
  revenue: (a, b) => (a.total_revenue ?? 0) - (b.total_revenue ?? 0),
  trend: (a, b) => trendOf(a) - trendOf(b),
};

export interface FleetTableProps {
  readonly machines: readonly FleetMachine[];
  /** Whether each machine has a page. */
  readonly isLinked: boolean;
  /** URLs of CSV files with all machines. */
  readonly csv: readonly string[];
}

export function FleetTable({ machines, isLinked, csv }: FleetTableProps) {
  const [state, change] = useUrlState();
  const order = parseOrder(state.get('sort'), COLUMNS) ?? { column: 'score', isDescending: true };
  const rating = state.get('rating') ?? '';
  const text = state.get('id') ?? '';
  const hasRevenue = machines.some(({ total_revenue }) => total_revenue !== undefined);
  const columns = hasRevenue ? COLUMNS : COLUMNS.filter(({ key }) => key !== 'revenue' && key !== 'trend');
  const matches = machines.filter(
    (machine) => machine.machine_id.includes(text) && (rating === '' || labelOf(machine) === rating),
  );
  const sorted = matches.toSorted(
    (a, b) => (order.isDescending ? -1 : 1) * ORDERS[order.column](a, b) || compareIds(a, b),
  );
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(state.get('page'))) || 1)) - 1;
  const sort = {
    columns,
    order,
    onOrder: (next: typeof order) => change({ sort: formatOrder(next), page: undefined }),
  };
  return (
    <Section title="Machines">
      <div class="filters">
        <label>
          Id contains{' '}
          <input
            type="search"
            inputMode="numeric"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget: { value } }) => change({ id: value.trim(), page: undefined })}
          />
        </label>
        <label>
          Rating{' '}
          <select
            value={rating}
            onChange={({ currentTarget: { value } }) => change({ rating: value, page: undefined })}
          >
            <option value="">All</option>
            {[...RATINGS, NO_RATING].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <SortField {...sort} />
      </div>
      <p class="note" role="status">
        {formatCount(sorted.length)} of {plural(machines.length, 'machine')}
      </p>
      {sorted.length === 0 ? (
        <p class="quiet">{NO_MATCHES}</p>
      ) : (
        <div class="scroll tall" tabIndex={0} role="group" aria-label="Machines of the operator">
          <table class="list dense">
            <SortHead {...sort} />
            <tbody>
              {sorted.slice(page * PAGE, (page + 1) * PAGE).map((machine) => (
                <Row key={machine.machine_id} machine={machine} isLinked={isLinked} hasRevenue={hasRevenue} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="buttons">
        <Pager page={page} pages={pages} onPage={(next) => change({ page: String(next + 1) })} />
        {csv.map((url, part) => (
          <a key={url} href={url} download>
            Download CSV{csv.length > 1 && ` (part ${part + 1})`}
          </a>
        ))}
      </p>
    </Section>
  );
}

const NO_RATING = 'No rating';

function labelOf({ mcr, rating_unavailable }: FleetMachine): string {
  return rating_unavailable === undefined ? mcr : NO_RATING;
}

function compareIds(a: FleetMachine, b: FleetMachine): number {
  return a.machine_id.length - b.machine_id.length || (a.machine_id < b.machine_id ? -1 : 1);
}

function Row({
  machine,
  isLinked,
  hasRevenue,
}: {
  readonly machine: FleetMachine;
  readonly isLinked: boolean;
  readonly hasRevenue: boolean;
}) {
  const { machine_id: id, mcr, mcr_score, rating_unavailable, negative_flag, event_count, total_revenue } = machine;
  const { revenue_trend: trend } = machine;
  const { alt } = chains;
  return (
    <tr>
      <td data-label="Machine">
        <span>
          {isLinked ? (
            <MachineLink id={id} ends={8} />
          ) : (
            <>
              <span title={id}>#{shorten(id, 8)}</span> <CopyButton text={id} label={`the id ${shorten(id, 8)}`} />
            </>
          )}
          {machine.home_chain !== undefined && <span class="quiet"> {alt.name}</span>}
        </span>
      </td>
      <td data-label="Rating">
        {rating_unavailable === undefined ? (
          <RatingMark letter={mcr} />
        ) : (
          <span class="quiet">{UNAVAILABLE_TEXTS[rating_unavailable]}</span>
        )}
      </td>
      <td data-label="Score" class="number">
        {scoreOf(machine) < 0 ? '–' : mcr_score}
      </td>
      <td data-label="Bond">{describeBond(machine)}</td>
      <td data-label="Flag">{negative_flag ? 'on record' : 'none'}</td>
      <td data-label="Events" class="number">
        {formatCount(event_count)}
      </td>
      {hasRevenue && (
        <>
          <td data-label="Revenue" class="number">
            {total_revenue === undefined ? '–' : formatCents(total_revenue)}
          </td>
          <td data-label="Trend">{trend ? TREND_TEXTS[trend] : '–'}</td>
        </>
      )}
    </tr>
  );
}
