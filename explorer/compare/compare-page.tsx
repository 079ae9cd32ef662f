/** Compare page: up to six machines side by side, with their factors and their histories in one chart. The ids are in the URL. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton, Section, Skeleton } from '../parts/components.tsx';
import { RemoveButton } from '../parts/remove-button.tsx';
import { formatCents, formatDay, formatPoints, shorten } from '../parts/formats.ts';
import { machineDid } from '../parts/namespace.ts';
import { useQuery } from '../parts/queries.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { machinePath } from '../parts/routes.ts';
import {
  describeFailure,
  FACTOR_NAMES,
  FLAG_STATES,
  isRated,
  SITE_NAME,
  SUBSCRIPTION_STATES,
  TREND_TEXTS,
} from '../parts/texts.ts';
import { useUrlState } from '../parts/url-state.ts';
import { useWidth } from '../parts/use-width.ts';
import { judgeFlag } from '../../src/domain/rating/negative-flag.ts';
import { findAny } from '../home/find-any.ts';
import type { Explanation, Factor, History } from '../parts/wire.ts';
import { parseComparedIds } from './compared-ids.ts';
import { describeLeftOut, FULL, MOST_COMPARED, NO_OVERLAY, NOT_A_MACHINE, NOTHING_TO_COMPARE } from './texts.ts';

const DAYS = 90;
const HEIGHT = 180;
const LEFT = 30;
const BOTTOM = 20;

export function ComparePage() {
  const [state, change] = useUrlState();
  const { ids, invalid, surplus } = parseComparedIds(state.get('ids') ?? '');
  const leftOut = describeLeftOut(invalid, surplus);
  const setIds = (next: readonly string[]) => change({ ids: next.join(',') });
  useEffect(() => {
    document.title = `Compare machines | ${SITE_NAME}`;
  }, []);
  return (
    <>
      <header class="card">
        <h1>Compare machines</h1>
        <AddMachine ids={ids} add={(id) => setIds([...ids, id])} />
        {leftOut !== undefined && <p class="notice fair">{leftOut}</p>}
      </header>
      {ids.length === 0 ? (
        <p class="quiet">{NOTHING_TO_COMPARE}</p>
      ) : (
        <>
          <div class="compared">
            {ids.map((id, place) => (
              <Machine key={id} id={id} place={place} remove={() => setIds(ids.filter((other) => other !== id))} />
            ))}
          </div>
          <Overlay key={ids.join()} ids={ids} />
        </>
      )}
    </>
  );
}

function AddMachine({ ids, add }: { readonly ids: readonly string[]; readonly add: (id: string) => void }) {
  const [problem, setProblem] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('id') as HTMLInputElement;
    const id = findAny(input.value)?.match(/^\/explorer\/machine\/(\d+)$/)?.[1];
    setProblem(id === undefined ? NOT_A_MACHINE : ids.length >= MOST_COMPARED ? FULL : '');
    if (id === undefined || ids.length >= MOST_COMPARED) return;
    input.value = '';
    add(id);
  };
  return (
    <form class="filters" onSubmit={submit} noValidate>
      <label>
        Machine id or DID <input name="id" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Add</button>
      <p role="status" class="problem">
        {problem}
      </p>
    </form>
  );
}

const FACTORS = Object.keys(FACTOR_NAMES) as readonly Factor['name'][];

function Machine({ id, place, remove }: { readonly id: string; readonly place: number; readonly remove: () => void }) {
  const { response, failure } = useQuery<Explanation>(`/mcr/${machineDid(id)}/explanation`, 60);
  return (
    <section class="card" aria-label={`Machine ${shorten(id, 4)}`}>
      <div class="title">
        <h2>
          <LineKey place={place} />{' '}
          <a href={machinePath(id)} title={id}>
            #{shorten(id, 4)}
          </a>
        </h2>
        <CopyButton text={id} label={`the id ${shorten(id, 4)}`} />
      </div>
      {response !== undefined ? (
        <Facts explanation={response.body} />
      ) : failure !== undefined ? (
        <p class="notice">
          {
            describeFailure(failure.status, failure.code, failure.detail, failure.homeChain, 'machine with this id')
              .title
          }
        </p>
      ) : (
        <Skeleton lines={10} />
      )}
      <p class="buttons">
        <RemoveButton label={`machine ${shorten(id, 4)}`} class="second" remove={remove} />
      </p>
    </section>
  );
}

/** Piece of the machine's line in the chart. */
function LineKey({ place }: { readonly place: number }) {
  return (
    <svg class="line-key" width={28} height={8} aria-hidden="true">
      <path class={`score-line line-${place}`} d="M0 4H28" />
    </svg>
  );
}

function Facts({ explanation }: { readonly explanation: Explanation }) {
  const { mcr, mcr_score, factors, inputs, total_revenue, revenue_trend } = explanation;
  const lost = (explanation.dormancy?.lost_hundredths ?? 0) + (explanation.anchor?.lost_hundredths ?? 0);
  return (
    <dl class="facts">
      <dt>Rating</dt>
      <dd>
        <RatingMark letter={mcr} />
        {isRated(mcr) && ` ${mcr_score}`}
      </dd>
      {FACTORS.map((name) => {
        const factor = factors.find((each) => each.name === name);
        return (
          <>
            <dt key={`${name} name`}>{FACTOR_NAMES[name]}</dt>
            <dd key={name}>
              {factor === undefined
                ? '–'
                : `${formatPoints(factor.points_hundredths)} of ${formatPoints(factor.max_hundredths)}`}
            </dd>
          </>
        );
      })}
      <dt>Deductions</dt>
      <dd>{lost === 0 ? 'none' : `−${formatPoints(lost)}`}</dd>
      <dt>Bond</dt>
      <dd>{SUBSCRIPTION_STATES[inputs.subscription].text}</dd>
      <dt>Flag</dt>
      <dd>{FLAG_STATES[judgeFlag(BigInt(inputs.negative_flag_at), inputs.now)]}</dd>
      <dt>Qualifying revenue</dt>
      <dd>{formatCents(total_revenue)}</dd>
      <dt>Revenue trend</dt>
      <dd>{revenue_trend === null ? 'none' : TREND_TEXTS[revenue_trend]}</dd>
    </dl>
  );
}

/** The number of queries is fixed while the component lives: its key is the list of ids. */
function Overlay({ ids }: { readonly ids: readonly string[] }) {
  const [lines, setLines] = useState<Readonly<Record<string, History['points']>>>({});
  const report = (id: string, points: History['points']) =>
    setLines((known) => (known[id] === points ? known : { ...known, [id]: points }));
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const drawn = ids.flatMap((id, place) => {
    const path = toPath(lines[id] ?? [], width);
    return path === '' ? [] : [{ id, place, path }];
  });
  return (
    <Section title={`Score of the last ${DAYS} days, of 100 points`}>
      {ids.map((id) => (
        <Line key={id} id={id} report={report} />
      ))}
      {drawn.length === 0 && ids.every((id) => id in lines) && <p class="quiet">{NO_OVERLAY}</p>}
      <div ref={box} class="overlay">
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Scores of the last ${DAYS} days: ${drawn.map(({ id }) => describeLine(id, lines[id]!)).join('; ')}`}
        >
          {[0, 50, 100].map((score) => (
            <g key={score}>
              <line class="grid" x1={LEFT} x2={width} y1={yOf(score)} y2={yOf(score)} />
              <text x={LEFT - 4} y={yOf(score) + 4} class="end">
                {score}
              </text>
            </g>
          ))}
          <text x={LEFT} y={HEIGHT - 4}>
            {formatDay(Date.now() / 1000 - (DAYS - 1) * 86_400)}
          </text>
          <text x={width} y={HEIGHT - 4} class="end">
            today
          </text>
          {drawn.map(({ id, place, path }) => (
            <path key={id} class={`score-line line-${place}`} d={path} />
          ))}
        </svg>
      </div>
    </Section>
  );
}

function Line({
  id,
  report,
}: {
  readonly id: string;
  readonly report: (id: string, points: History['points']) => void;
}) {
  const { response } = useQuery<History>(`/mcr/${machineDid(id)}/history`);
  useEffect(() => {
    if (response !== undefined) report(id, response.body.points);
  }, [id, response]);
  return null;
}

/** The first and the last score of a line that is drawn. */
function describeLine(id: string, points: History['points']): string {
  const scores = points.slice(-DAYS).flatMap(({ mcr, mcr_score: score }) => (isRated(mcr) ? [score] : []));
  return `#${shorten(id, 4)} from ${scores[0]!} to ${scores.at(-1)!}`;
}

function yOf(score: number): number {
  return 8 + (HEIGHT - BOTTOM - 8) * (1 - score / 100);
}

/** Leaves gaps where there was no rating. */
function toPath(points: History['points'], width: number): string {
  const last = points.slice(-DAYS);
  let isDrawing = false;
  return last
    .map(({ mcr, mcr_score }, day) => {
      const x = width - ((last.length - 1 - day) * (width - LEFT)) / (DAYS - 1);
      const step = isRated(mcr) ? `${isDrawing ? 'L' : 'M'}${x.toFixed(1)} ${yOf(mcr_score).toFixed(1)}` : '';
      isDrawing = isRated(mcr);
      return step;
    })
    .join('');
}
