/** History chart: the daily score as a line and the weekly revenue as bars, with the same numbers as a table. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../parts/queries.ts';
import { formatCents, formatShortCents } from '../parts/formats.ts';
import { FailureNotice, Section, Skeleton } from '../parts/components.tsx';
import type { History, HistoryPoint } from '../parts/wire.ts';

const DAYS_A_WEEK = 7;
const SCORE_HEIGHT = 132;
const REVENUE_HEIGHT = 72;
const GAP = 28;
const LEFT = 34;
const BOTTOM = 22;
const TOP = 10;
const HEIGHT = TOP + SCORE_HEIGHT + GAP + REVENUE_HEIGHT + BOTTOM;
const FULL_SCORE = 100;
const WIDTH_UNTIL_MEASURED = 720;

interface Week {
  /** Last day of the week. */
  readonly end: HistoryPoint;
  readonly revenue: number;
}

export function HistoryChart({ did }: { readonly did: string }) {
  const query = useQuery<History>(`/mcr/${did}/history`);
  const { response, failure } = query;
  // The deployment does not serve this route.
  if (failure?.status === 404) return null;
  return (
    <Section title="History">
      {response === undefined && failure === undefined && <Skeleton lines={8} />}
      {response === undefined && failure !== undefined && <FailureNotice query={query} subject="history" />}
      {response !== undefined && <Content history={response.body} />}
    </Section>
  );
}

function Content({ history: { points, complete } }: { readonly history: History }) {
  const first = points.findIndex(({ total_hundredths: total, revenue }) => (total ?? 0) > 0 || revenue > 0);
  if (!complete)
    return (
      <p class="quiet">The service has not read the full history of this machine yet. Reload the page in a minute.</p>
    );
  if (first < 0) return <p class="quiet">No qualifying events yet.</p>;
  const shown = points.slice(Math.max(0, first - 1));
  const weeks = toWeeks(shown);
  return (
    <>
      <Chart points={shown} weeks={weeks} />
      <details>
        <summary>Show as a table, by week</summary>
        <WeekTable weeks={weeks} />
      </details>
    </>
  );
}

/** Groups days into weeks, counted back from today. The oldest week may be shorter. */
function toWeeks(points: readonly HistoryPoint[]): readonly Week[] {
  const weeks: Week[] = [];
  for (let end = points.length; end > 0; end -= DAYS_A_WEEK) {
    const days = points.slice(Math.max(0, end - DAYS_A_WEEK), end);
    weeks.unshift({ end: days.at(-1)!, revenue: days.reduce((sum, { revenue }) => sum + revenue, 0) });
  }
  return weeks;
}

function Chart({ points, weeks }: { readonly points: readonly HistoryPoint[]; readonly weeks: readonly Week[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const span = width - LEFT - 4;
  const dayWidth = span / points.length;
  const xOf = (day: number) => LEFT + (day + 0.5) * dayWidth;
  const yOf = (score: number) => TOP + SCORE_HEIGHT * (1 - score / FULL_SCORE);
  const path = points.map(({ mcr_score }, day) => `${day === 0 ? 'M' : 'L'}${xOf(day).toFixed(1)} ${yOf(mcr_score)}`);
  const max = Math.max(...weeks.map(({ revenue }) => revenue), 1);
  const floor = TOP + SCORE_HEIGHT + GAP + REVENUE_HEIGHT;
  const last = points.at(-1)!;
  const label =
    `Score: ${points[0]!.mcr_score} on ${points[0]!.day}, ${last.mcr_score} on ${last.day}. ` +
    `Highest weekly revenue: ${formatCents(max === 1 ? 0 : max)}.`;
  return (
    <div ref={box} class="chart">
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img" aria-label={label}>
        {[0, 50, FULL_SCORE].map((score) => (
          <g key={score}>
            <line class="grid" x1={LEFT} x2={width} y1={yOf(score)} y2={yOf(score)} />
            <text x={LEFT - 6} y={yOf(score) + 4} class="end">
              {score}
            </text>
          </g>
        ))}
        <path class="score-line" d={path.join('')} />
        <circle class="now" cx={xOf(points.length - 1)} cy={yOf(last.mcr_score)} r="4" />
        <text x={LEFT + 4} y={TOP + 12} class="name">
          Score
        </text>
        <text x={LEFT + 4} y={TOP + SCORE_HEIGHT + GAP - 6} class="name">
          Weekly revenue, up to {formatShortCents(max === 1 ? 0 : max)}
        </text>
        {weeks.map(({ revenue }, week) => {
          const daysAfter = (weeks.length - 1 - week) * DAYS_A_WEEK;
          const right = LEFT + (points.length - daysAfter) * dayWidth;
          const left = Math.max(LEFT, right - DAYS_A_WEEK * dayWidth);
          const height = (REVENUE_HEIGHT * revenue) / max;
          return (
            <rect
              key={week}
              class="week"
              x={left + 1}
              width={Math.max(1, right - left - 2)}
              y={floor - height}
              height={height}
            />
          );
        })}
        <line class="grid" x1={LEFT} x2={width} y1={floor} y2={floor} />
        <text x={LEFT} y={HEIGHT - 4}>
          {points[0]!.day}
        </text>
        <text x={width} y={HEIGHT - 4} class="end">
          {last.day}
        </text>
      </svg>
    </div>
  );
}

function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(WIDTH_UNTIL_MEASURED);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(200, Math.floor(entry.contentRect.width)));
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

function WeekTable({ weeks }: { readonly weeks: readonly Week[] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Weeks, newest first">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Week ending</th>
            <th scope="col">Rating</th>
            <th scope="col" class="number">
              Score
            </th>
            <th scope="col" class="number">
              Revenue
            </th>
          </tr>
        </thead>
        <tbody>
          {weeks.toReversed().map(({ end, revenue }) => (
            <tr key={end.day}>
              <td data-label="Week ending">{end.day}</td>
              <td data-label="Rating">{end.mcr}</td>
              <td data-label="Score" class="number">
                {end.mcr_score}
              </td>
              <td data-label="Revenue" class="number">
                {formatCents(revenue)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
