/** Methodology page: the rating model for people, with examples that the model computes in this browser. */
import { useEffect } from 'preact/hooks';
import { describeUnlisted } from '../directory/texts.ts';
import { FailureNotice, InlineCode, Section, Skeleton } from '../parts/components.tsx';
import { useQuery } from '../parts/queries.ts';
import { directoryPath } from '../parts/routes.ts';
import { Spread, toRatingParts } from '../parts/spread.tsx';
import { RatingMark } from '../parts/rating-mark.tsx';
import { FACTOR_NAMES, RATING_MEANINGS, RATINGS, SITE_NAME } from '../parts/texts.ts';
import type { DirectorySummary, Factor } from '../parts/wire.ts';
import { rateScenario } from '../machine/what-if.ts';
import { SCALE } from '../../src/domain/rating/constants.ts';
import {
  describeDistribution,
  EXAMPLES,
  EXAMPLES_NOTE,
  FACTOR_TEXTS,
  LEAD,
  LIMITS,
  REVENUE_STEPS,
  RULES,
} from './texts.ts';

/** Noon of a Monday, so that the examples stay the same. */
const EXAMPLE_TIME = 1_772_452_800;

/** Nothing where the deployment serves no directory. */
function Distribution() {
  const query = useQuery<DirectorySummary>('/directory/summary', 60);
  const { response, failure } = query;
  if (failure?.status === 404) return null;
  return (
    <Section title="Ratings of this deployment">
      {response === undefined ? (
        failure === undefined ? (
          <Skeleton lines={3} />
        ) : (
          <FailureNotice query={query} subject="distribution of ratings" />
        )
      ) : (
        <DistributionOf summary={response.body} />
      )}
    </Section>
  );
}

function DistributionOf({ summary: { machines, counts, unlisted } }: { readonly summary: DirectorySummary }) {
  const unrated = counts.rating.NR + counts.rating.Provisioned;
  return (
    <>
      <p>{describeDistribution(machines, unrated)}</p>
      <Spread
        parts={toRatingParts(
          (letter) => counts.rating[letter],
          (letter) => `${directoryPath()}?rating=${letter}`,
        )}
      />
      {unlisted > 0 && <p class="note">{describeUnlisted(unlisted)}</p>}
    </>
  );
}

export function MethodologyPage() {
  useEffect(() => {
    document.title = `Methodology | ${SITE_NAME}`;
  }, []);
  const factors = Object.keys(FACTOR_TEXTS) as readonly Factor['name'][];
  return (
    <>
      <header class="card">
        <h1>Methodology</h1>
        <p class="lead">{LEAD}</p>
      </header>
      <div class="columns">
        <Section title="What counts">
          <dl class="facts">
            {factors.map((name) => (
              <>
                <dt key={`${name} name`}>
                  {FACTOR_NAMES[name]}, up to {FACTOR_TEXTS[name].most}
                </dt>
                <dd key={name}>{FACTOR_TEXTS[name].text}</dd>
              </>
            ))}
          </dl>
        </Section>
        <Section title="Scale">
          <dl class="facts">
            {RATINGS.map((letter) => {
              const least = SCALE.find(([name]) => name === letter)?.[1];
              return (
                <>
                  <dt key={`${letter} mark`}>
                    <RatingMark letter={letter} />
                  </dt>
                  <dd key={letter}>
                    {RATING_MEANINGS[letter]}
                    {least !== undefined && `, from ${least} points`}
                  </dd>
                </>
              );
            })}
          </dl>
        </Section>
      </div>
      <Distribution />
      <Section title="Examples" note={EXAMPLES_NOTE}>
        <ul class="log">
          {EXAMPLES.map(({ text, ...scenario }) => {
            const { letter, score } = rateScenario({ ...scenario, operatorVerified: true, now: EXAMPLE_TIME });
            return (
              <li key={text}>
                <span>
                  <RatingMark letter={letter} /> {score}
                </span>
                <span>{text}</span>
              </li>
            );
          })}
        </ul>
      </Section>
      <div class="columns">
        <Section title="Rules">
          <ul>
            {RULES.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
        <Section title="What a rating does not say">
          <ul>
            {LIMITS.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      </div>
      <Section title="Have revenue counted in full">
        <ol>
          {REVENUE_STEPS.map((text) => (
            <li key={text}>
              <InlineCode text={text} />
            </li>
          ))}
        </ol>
      </Section>
      <Section title="Check it yourself">
        <p>
          The tab Raw data of a machine shows the inputs of its rating; the tab Rating saves it signed.{' '}
          <code>svc replay</code> reads the chains with its own code, computes the rating again and reports every
          difference. The full specification of the model is <code>docs/scoring.md</code> of the source code, and the{' '}
          <a href="/docs">API reference</a> describes signed ratings.
        </p>
      </Section>
    </>
  );
}
