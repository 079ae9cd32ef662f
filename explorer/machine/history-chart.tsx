/**
 * History chart: the daily score as a line with gaps where there was no rating, changes of facts as markers, and the weekly revenue as
 * bars. Pointer and arrow keys read a day.
 */
import { useRef, useState } from 'preact/hooks';
import { formatCents, formatShortCents } from '../parts/formats.ts';
import { useWidth } from '../parts/use-width.ts';
import { DAYS_A_WEEK, isRatedPoint, type Week } from './history-weeks.ts';
import { describeChange } from './texts.ts';
import type { History, HistoryPoint } from '../parts/wire.ts';

const SCORE_HEIGHT = 132;
const REVENUE_HEIGHT = 72;
const GAP = 36;
const LEFT = 34;
const BOTTOM = 22;
const TOP = 10;
const HEIGHT = TOP + SCORE_HEIGHT + GAP + REVENUE_HEIGHT + BOTTOM;
const FULL_SCORE = 100;

/** Changes by day of the chart. */
function findMarkers(points: readonly HistoryPoint[], changes: History['changes']) {
  return changes.flatMap((change) => {
    const day = points.findIndex((point) => point.day === toDay(change.at));
    return day < 0 ? [] : [{ day, change }];
  });
}

function toDay(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

export function Chart({
  points,
  weeks,
  changes,
}: {
  readonly points: readonly HistoryPoint[];
  readonly weeks: readonly Week[];
  readonly changes: History['changes'];
}) {
  const [read, setRead] = useState(points.length - 1);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const span = width - LEFT - 4;
  const dayWidth = span / points.length;
  const xOf = (day: number) => LEFT + (day + 0.5) * dayWidth;
  const yOf = (score: number) => TOP + SCORE_HEIGHT * (1 - score / FULL_SCORE);
  const path = points.map((point, day) =>
    isRatedPoint(point)
      ? `${day > 0 && isRatedPoint(points[day - 1]!) ? 'L' : 'M'}${xOf(day).toFixed(1)} ${yOf(point.mcr_score)}`
      : '',
  );
  const markers = findMarkers(points, changes);
  const day = Math.min(read, points.length - 1);
  const shown = points[day]!;
  const week = weeks[weeks.length - 1 - Math.floor((points.length - 1 - day) / DAYS_A_WEEK)]!;
  const today = markers.filter((marker) => marker.day === day).map(({ change }) => describeChange(change));
  const move = (to: number) => setRead(Math.max(0, Math.min(points.length - 1, to)));
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -DAYS_A_WEEK, PageDown: DAYS_A_WEEK }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(day + step);
  };
  const onPointer = (event: PointerEvent) => {
    const left = (event.currentTarget as Element).getBoundingClientRect().left;
    move(Math.floor((event.clientX - left - LEFT) / dayWidth));
  };
  const max = Math.max(...weeks.map(({ revenue }) => revenue), 1);
  const floor = TOP + SCORE_HEIGHT + GAP + REVENUE_HEIGHT;
  const last = points.at(-1)!;
  const label =
    `Rating: ${describePoint(points[0]!)} on ${points[0]!.day}, ${describePoint(last)} on ${last.day}. ` +
    `Highest weekly revenue: ${formatCents(max === 1 ? 0 : max)}.`;
  return (
    <div ref={box} class="chart">
      <p class="read" role="status">
        <strong>{shown.day}</strong>: {describePoint(shown)}; {formatCents(week.revenue)} in this week
        {today.map((text) => `; ${text}`).join('')}
      </p>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={label}
        // In lower case: SVG knows no other spelling.
        tabindex={0}
        onKeyDown={onKey}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
      >
        {[0, 50, FULL_SCORE].map((score) => (
          <g key={score}>
            <line class="grid" x1={LEFT} x2={width} y1={yOf(score)} y2={yOf(score)} />
            <text x={LEFT - 6} y={yOf(score) + 4} class="end">
              {score}
            </text>
          </g>
        ))}
        <path class="score-line" d={path.join('')} />
        {isRatedPoint(last) && <circle class="now" cx={xOf(points.length - 1)} cy={yOf(last.mcr_score)} r="4" />}
        <line class="cursor" x1={xOf(day)} x2={xOf(day)} y1={TOP} y2={floor} />
        {markers.map(({ day: at, change }, place) => (
          <path
            key={place}
            class={`marker ${change.kind}`}
            d={`M${xOf(at).toFixed(1)} ${TOP + SCORE_HEIGHT + 1}l5 9h-10z`}
          >
            <title>{`${points[at]!.day}: ${describeChange(change)}`}</title>
          </path>
        ))}
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

function describePoint(point: HistoryPoint): string {
  return isRatedPoint(point)
    ? `${point.mcr}, ${point.mcr_score} of 100`
    : point.mcr === 'NR'
      ? 'not rated'
      : 'provisioned';
}

export function WeekTable({ weeks }: { readonly weeks: readonly Week[] }) {
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
                {isRatedPoint(end) ? end.mcr_score : '–'}
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
