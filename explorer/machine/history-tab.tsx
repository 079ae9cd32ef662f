/** History tab: the chart, the log of rating actions, and the changes of facts. */
import { Dated, FailureNotice, Section, Skeleton } from '../parts/components.tsx';
import { formatDay } from '../parts/formats.ts';
import type { Query } from '../parts/queries.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import type { History } from '../parts/wire.ts';
import { Chart, WeekTable } from './history-chart.tsx';
import { isRatedPoint, toWeeks } from './history-weeks.ts';
import { CAUSE_TEXTS, describeChange, HISTORY_INCOMPLETE, NO_ACTIONS, NO_CHANGES, NO_EVENTS_YET } from './texts.ts';

export function HistoryTab({ query }: { readonly query: Query<History> }) {
  const { response, failure } = query;
  // The deployment does not serve this route.
  if (failure?.status === 404) return <p class="quiet">This deployment serves no history.</p>;
  return (
    <>
      <Section title="History">
        {response === undefined && failure === undefined && <Skeleton lines={12} />}
        {response === undefined && failure !== undefined && <FailureNotice query={query} subject="history" />}
        {response !== undefined && <Content history={response.body} />}
      </Section>
      {response?.body.complete === true && (
        <div class="columns">
          <Actions history={response.body} />
          <Changes history={response.body} />
        </div>
      )}
    </>
  );
}

function Content({ history: { points, complete, changes } }: { readonly history: History }) {
  if (!complete) return <p class="quiet">{HISTORY_INCOMPLETE}</p>;
  const first = points.findIndex(
    (point) => isRatedPoint(point) || point.revenue > 0 || (point.total_hundredths ?? 0) > 0,
  );
  if (first < 0) return <p class="quiet">{NO_EVENTS_YET}</p>;
  const shown = points.slice(Math.max(0, first - 1));
  const weeks = toWeeks(shown);
  return (
    <>
      <Chart points={shown} weeks={weeks} changes={changes} />
      <details>
        <summary>Show as a table, by week</summary>
        <WeekTable weeks={weeks} />
      </details>
    </>
  );
}

function Actions({ history: { actions } }: { readonly history: History }) {
  return (
    <Section title="Rating actions">
      {actions.length === 0 ? (
        <p class="quiet">{NO_ACTIONS}</p>
      ) : (
        <ul class="log">
          {actions.toReversed().map(({ day, from, to, cause }) => (
            <li key={day}>
              <time dateTime={day}>{day}</time>
              <span>
                <RatingMark letter={from} /> to <RatingMark letter={to} />
                <span class="quiet">: {CAUSE_TEXTS[cause]}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Changes({ history: { changes } }: { readonly history: History }) {
  return (
    <Section title="Bond, flag and override">
      {changes.length === 0 ? (
        <p class="quiet">{NO_CHANGES}</p>
      ) : (
        <ul class="log">
          {changes.toReversed().map((change, row) => (
            <li key={row}>
              <time dateTime={new Date(change.at * 1000).toISOString()}>{formatDay(change.at)}</time>
              <span>
                <Dated text={describeChange(change)} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
