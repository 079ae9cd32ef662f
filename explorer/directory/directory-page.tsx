/** Directory: all machines of the deployment with filters, order, page size and page in the URL. */
import { useEffect, useState } from 'preact/hooks';
import { chains } from '../parts/chains.ts';
import { FailureNotice, Id, MachineLink, Section, Skeleton, StaleNotice, When } from '../parts/components.tsx';
import { FileDownload } from '../parts/file-download.tsx';
import { loadCsv } from '../parts/downloads.ts';
import { formatCents, formatCount, shorten } from '../parts/formats.ts';
import { useQuery } from '../parts/queries.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { directoryPath, isAddress, isWallet, operatorPath } from '../parts/routes.ts';
import { formatOrder, parseOrder, SortField, SortHead, type SortColumn, type SortOrder } from '../parts/sortable.tsx';
import { Spread, toRatingParts } from '../parts/spread.tsx';
import { FLAG_STATES, isRated, plural, SITE_NAME, SUBSCRIPTION_STATES, VERIFICATION_STATES } from '../parts/texts.ts';
import { useUrlState } from '../parts/url-state.ts';
import type { DirectoryEntry, DirectorySummary } from '../parts/wire.ts';
import { describeIndex } from '../operator/texts.ts';
import { useDirectory } from './directory.ts';
import {
  ACTIVITY_DAYS,
  BY_ID,
  describeExamined,
  describeUnlisted,
  FILTERS,
  INVALID_HOLDER,
  LEAD,
  NO_MACHINES,
  NO_MATCHES,
} from './texts.ts';

const SIZES = [25, 50, 100, 200] as const;
const DAY_SECONDS = 86_400;

type Column = 'id' | 'score' | 'bond' | 'flag' | 'kyb' | 'chip' | 'operator' | 'revenue' | 'events' | 'activity';

const COLUMNS: readonly SortColumn<Column>[] = [
  { key: 'id', name: 'Machine', isNumber: false },
  { key: 'score', name: 'Rating', isNumber: false, isFalling: true },
  { key: 'bond', name: 'Bond', isNumber: false, isFixed: true },
  { key: 'flag', name: 'Flag', isNumber: false, isFixed: true },
  { key: 'kyb', name: 'KYB', isNumber: false, isFixed: true },
  { key: 'chip', name: 'Chip', isNumber: false, isFixed: true },
  { key: 'operator', name: 'Operator', isNumber: false, isFixed: true },
  { key: 'revenue', name: 'Revenue', isNumber: true },
  { key: 'events', name: 'Events', isNumber: true, isFixed: true },
  { key: 'activity', name: 'Latest event', isNumber: true },
];
const SORTABLE = COLUMNS.filter(({ isFixed }) => isFixed !== true);
/** Columns of the machines of one holder, whose order is fixed. */
const FIXED_COLUMNS = COLUMNS.map((column) => ({ ...column, isFixed: true }));
const DEFAULT_ORDER = { column: 'score', isDescending: true } as const;
const ID_ORDER = { column: 'id', isDescending: false } as const;
/** Parameters of the filters, without those of order and size. */
const CLEARED = Object.fromEntries(
  [...FILTERS.map(({ name }) => name), 'days', 'operator', 'owner'].map((name) => [name, undefined]),
);

export function DirectoryPage() {
  const summary = useQuery<DirectorySummary>('/directory/summary', 60);
  useEffect(() => {
    document.title = `Machines | ${SITE_NAME}`;
  }, []);
  return (
    <>
      <header class="card directory-head">
        <h1>Machines</h1>
        <p class="note">{LEAD}</p>
        <Overview summary={summary.response?.body} hasFailed={summary.failure !== undefined} />
      </header>
      <Table summary={summary.response?.body} />
    </>
  );
}

/** Says nothing where the summary fails: the list below names the failure. */
function Overview({
  summary,
  hasFailed,
}: {
  readonly summary: DirectorySummary | undefined;
  readonly hasFailed: boolean;
}) {
  if (summary === undefined) return hasFailed ? null : <Skeleton lines={3} />;
  const { machines, counts, unlisted, index } = summary;
  return (
    <>
      <p>
        <strong>{plural(machines, 'machine')}</strong>: {formatCount(counts.home.main)} on {chains.main.name},{' '}
        {formatCount(counts.home.alt)} on {chains.alt.name}.
      </p>
      <Spread
        parts={toRatingParts(
          (letter) => counts.rating[letter],
          (letter) => `${directoryPath()}?rating=${letter}`,
        )}
      />
      <p class="note">
        {describeIndex(index, chains.alt.name)} {unlisted > 0 && describeUnlisted(unlisted)}
      </p>
    </>
  );
}

function Table({ summary }: { readonly summary: DirectorySummary | undefined }) {
  const [state, change] = useUrlState();
  const holder = state.get('operator') ?? state.get('owner') ?? '';
  const isHolder = holder === '' || isAddress(holder) || isWallet(holder);
  const order: SortOrder<Column> =
    holder === '' ? (parseOrder(state.get('sort'), SORTABLE) ?? DEFAULT_ORDER) : ID_ORDER;
  const size = SIZES.find((each) => String(each) === state.get('size')) ?? SIZES[1];
  const query = toQuery(state, formatOrder(order));
  const { first, loaded, isLoading } = useDirectory(query, state.get('after'), size);
  const isEmpty = loaded?.machines.length === 0 && loaded.next === null;
  const filter = (changes: Readonly<Record<string, string | undefined>>) => change({ ...changes, after: undefined });
  const sort = {
    columns: SORTABLE,
    order,
    onOrder: (next: typeof order) => filter({ sort: formatOrder(next) }),
  };
  return (
    <Section title="List">
      <div class="filters grid">
        {FILTERS.map(({ name, label, options }) => (
          <label key={name}>
            {label}{' '}
            <select
              value={state.get(name) ?? ''}
              onChange={({ currentTarget: { value } }) => filter({ [name]: value })}
            >
              <option value="">All</option>
              {options.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                  {summary !== undefined && ` (${formatCount(countOf(summary, name, value))})`}
                </option>
              ))}
            </select>
          </label>
        ))}
        <label>
          Active in the last{' '}
          <select value={state.get('days') ?? ''} onChange={({ currentTarget: { value } }) => filter({ days: value })}>
            <option value="">Any time</option>
            {ACTIVITY_DAYS.map((days) => (
              <option key={days} value={String(days)}>
                {days} days
              </option>
            ))}
          </select>
        </label>
        <Holder holder={holder} onHolder={filter} />
        <label>
          Page size{' '}
          <select value={String(size)} onChange={({ currentTarget: { value } }) => filter({ size: value })}>
            {SIZES.map((each) => (
              <option key={each} value={String(each)}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {holder === '' && <SortField {...sort} />}
        <button type="button" class="second" onClick={() => filter(CLEARED)}>
          Clear
        </button>
      </div>
      {holder !== '' && isHolder && (
        <p class="note">
          {BY_ID} {isAddress(holder) && <a href={operatorPath(holder)}>The operator’s page sorts by any column.</a>}
        </p>
      )}
      {!isHolder ? (
        <p class="problem">{INVALID_HOLDER}</p>
      ) : loaded === undefined ? (
        first.failure === undefined ? (
          <div class="list-place">
            <Skeleton lines={20} />
          </div>
        ) : (
          <FailureNotice query={first} subject="directory" />
        )
      ) : (
        <>
          <div aria-busy={isLoading} class={`${isEmpty ? '' : 'list-place'} ${isLoading ? 'busy' : ''}`}>
            {isEmpty && <p class="quiet">{summary?.machines === 0 ? NO_MACHINES : NO_MATCHES}</p>}
            {loaded.machines.length > 0 && (
              <div class="scroll tall" tabIndex={0} role="group" aria-label="Machines of the deployment">
                <table class="list dense">
                  <SortHead {...sort} columns={holder === '' ? COLUMNS : FIXED_COLUMNS} />
                  <tbody>
                    {loaded.machines.map((machine) => (
                      <Row key={machine.machine_id} machine={machine} />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </div>
          {first.failure !== undefined && <StaleNotice query={first} subject="directory" />}
          <p class="note" role="status">
            {loaded.next !== null && loaded.machines.length < size && describeExamined(loaded.machines.length)}
          </p>
          <p class="buttons">
            {state.get('after') !== null && <a href={toLink(state, undefined)}>First page</a>}
            {loaded.next !== null && <a href={toLink(state, loaded.next)}>Next page</a>}
            {!isEmpty && <Download path={`/directory.csv?${query}`} />}
          </p>
        </>
      )}
    </Section>
  );
}

/** Empty parameters of the URL are left out. The start of the activity is rounded to the hour, so that a repeated request is the same. */
function toQuery(state: URLSearchParams, sort: string): string {
  const query = new URLSearchParams({ sort });
  for (const name of [...FILTERS.map((filter) => filter.name), 'operator', 'owner']) {
    const value = state.get(name);
    if (value !== null) query.set(name, value);
  }
  const days = ACTIVITY_DAYS.find((each) => String(each) === state.get('days'));
  if (days !== undefined)
    query.set('active_since', String(Math.floor(Date.now() / 3_600_000) * 3_600 - days * DAY_SECONDS));
  return query.toString();
}

function toLink(state: URLSearchParams, after: string | undefined): string {
  const next = new URLSearchParams(state);
  if (after === undefined) next.delete('after');
  else next.set('after', after);
  return `${directoryPath()}?${next.toString()}`;
}

/** An option may stand for several values. */
function countOf({ counts }: DirectorySummary, name: keyof DirectorySummary['counts'], value: string): number {
  const byValue: Readonly<Record<string, number>> = counts[name];
  return value.split(',').reduce((sum, each) => sum + (byValue[each] ?? 0), 0);
}

/** Field for the address of an operator, or the account of an owner of the alt chain. */
function Holder({
  holder,
  onHolder,
}: {
  readonly holder: string;
  readonly onHolder: (changes: Readonly<Record<string, string | undefined>>) => void;
}) {
  const [text, setText] = useState(holder);
  useEffect(() => setText(holder), [holder]);
  const submit = (event: Event) => {
    event.preventDefault();
    const given = text.trim();
    onHolder(isWallet(given) ? { owner: given, operator: undefined } : { operator: given, owner: undefined });
  };
  return (
    <form class="holder" onSubmit={submit}>
      <label>
        Operator, or owner on {chains.alt.name}{' '}
        <input
          type="search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <button type="submit" class="second">
        Apply
      </button>
    </form>
  );
}

function Row({ machine }: { readonly machine: DirectoryEntry }) {
  const { machine_id: id, rating, score, bond, flag, kyb, chip, home, operator } = machine;
  return (
    <tr>
      <td data-label="Machine">
        <span>
          <MachineLink id={id} />
          {home === 'alt' && <span class="quiet"> {chains.alt.name}</span>}
        </span>
      </td>
      <td data-label="Rating">
        <span>
          <RatingMark letter={rating} /> <span class="quiet">{isRated(rating) ? score : ''}</span>
        </span>
      </td>
      <td data-label="Bond">{SUBSCRIPTION_STATES[bond].text}</td>
      <td data-label="Flag">{FLAG_STATES[flag]}</td>
      <td data-label="KYB">{VERIFICATION_STATES[kyb].text}</td>
      <td data-label="Chip">{VERIFICATION_STATES[chip].text}</td>
      <td data-label="Operator">
        {operator === null ? (
          '–'
        ) : (
          <Id id={operator} label={`the operator ${shorten(operator, 4)}`} href={operatorPath(operator)} ends={4} />
        )}
      </td>
      <td data-label="Revenue" class="number">
        {formatCents(machine.total_revenue)}
      </td>
      <td data-label="Events" class="number">
        {formatCount(machine.event_count)}
      </td>
      <td data-label="Latest event" class="number">
        <span title={`Observed at block ${formatCount(machine.block)}`}>
          {machine.last_event_at === null ? '–' : <When seconds={machine.last_event_at} />}
        </span>
      </td>
    </tr>
  );
}

/** Exports everything that the filters select, not the page alone. */
function Download({ path }: { readonly path: string }) {
  const load = (report: (progress: string) => void) => {
    report('Loading…');
    return loadCsv(path, (rows) => report(`${plural(rows, 'machine')} loaded…`));
  };
  return <FileDownload file="machines.csv" subject="file" load={load} />;
}
