/** Machine page: rating, score breakdown, history, events, identity and opt-in decision. */
import { useEffect } from 'preact/hooks';
import { useQuery, useNow, type Query } from './queries.ts';
import { EventTable } from './event-table.tsx';
import { FactorBars, Bar } from './factor-bars.tsx';
import { formatCents, formatCount, formatPoints, shorten } from './formats.ts';
import { HistoryChart } from './history-chart.tsx';
import { Identity } from './identity.tsx';
import { RatingRing } from './rating-ring.tsx';
import { CopyButton, Mark, FailureNotice, Section, Skeleton, StaleNotice, When } from './components.tsx';
import { MonetizationPanel } from './monetization-panel.tsx';
import { machineDid, namespace } from './namespace.ts';
import { isMachineId } from './routes.ts';
import { rememberMachine } from './recent-machines.ts';
import { RawResponses } from './raw-responses.tsx';
import type { Card, Explanation, Monetization, Profile, VerifyRecord } from './wire.ts';
import { VERIFICATION_STATES, AVAILABILITY_STATES, describeAge, plural, SITE_NAME, TREND_TEXTS } from './texts.ts';

const REFRESH_SECONDS = 20;
const SLOW_REFRESH_SECONDS = 60;

export function MachinePage({ id }: { readonly id: string }) {
  return isMachineId(id) ? <Machine id={id} /> : <InvalidId text={id} />;
}

function InvalidId({ text }: { readonly text: string }) {
  return (
    <div class="notice">
      <h1>Invalid machine id</h1>
      <p>
        <bdi>{text.slice(0, 100)}</bdi> is not a machine id. A machine id is a decimal number of up to 78 digits.{' '}
        <a href="/">Go to search</a>
      </p>
    </div>
  );
}

function Machine({ id }: { readonly id: string }) {
  const did = machineDid(id);
  const rating = useQuery<Explanation>(`/mcr/${did}/explanation`, REFRESH_SECONDS);
  const isAvailable = rating.response !== undefined;
  const profile = useQuery<Record<string, Profile>>(isAvailable ? `/machine/${did}` : undefined, SLOW_REFRESH_SECONDS);
  const card = useQuery<Card>(isAvailable ? `/machines/${id}` : undefined);
  const homeChain = card.response?.body.home_chain;
  // Only machines on the main chain have a verification record.
  const hasRecord = card.response !== undefined && homeChain === undefined;
  const verified = useQuery<VerifyRecord>(hasRecord ? `/v1/verify/machines/${id}` : undefined, SLOW_REFRESH_SECONDS);
  const decision = useQuery<Monetization>(
    isAvailable ? `/machine/${did}/monetization` : undefined,
    SLOW_REFRESH_SECONDS,
  );

  const { response } = rating;
  useEffect(() => {
    document.title = `Machine #${shorten(id, 4)}${response === undefined ? '' : `: ${response.body.mcr}`} | ${SITE_NAME}`;
    if (response !== undefined) rememberMachine({ id, letter: response.body.mcr, score: response.body.mcr_score });
  }, [id, response?.body.mcr, response?.body.mcr_score]);

  const shown = profile.response?.body[namespace.profile_object];
  return (
    <>
      <header class="machine-head card">
        <h1 class="machine-name">
          Machine <span title={id}>#{shorten(id, 8)}</span> <CopyButton text={did} label="the DID of the machine" />
        </h1>
        {response !== undefined ? (
          <Verdict rating={rating} verified={verified} homeChain={homeChain} />
        ) : rating.failure !== undefined ? (
          <FailureNotice query={rating} subject="machine with this id" />
        ) : (
          <Skeleton lines={6} />
        )}
      </header>
      {response !== undefined && (
        <>
          <ScoreSections explanation={response.body} />
          <HistoryChart did={did} />
          <Figures explanation={response.body} />
          <EventTable id={id} profile={shown} />
          <Identity id={id} profile={profile} shown={shown} card={card} verified={verified} />
          <MonetizationPanel
            id={id}
            decision={decision}
            homeChain={homeChain}
            isHomeKnown={card.response !== undefined}
            entitled={[verified.response?.body.didController.address, shown?.owner]}
          />
          <RawResponses queries={[rating, profile, card, verified, decision]} />
        </>
      )}
    </>
  );
}

function Verdict({
  rating,
  verified,
  homeChain,
}: {
  readonly rating: Query<Explanation>;
  readonly verified: Query<VerifyRecord>;
  readonly homeChain: number | undefined;
}) {
  const now = useNow();
  const { body, block, blockAgeSeconds = 0, receivedAtMilliseconds } = rating.response!;
  const { mcr, mcr_score, summary, bond_status, negative_flag, mcr_degraded, rating_unavailable, availability } = body;
  const attested = verified.response?.body.verification;
  return (
    <>
      <div class="verdict">
        <RatingRing letter={mcr} score={mcr_score} />
        <div>
          <p class="summary" role="status">
            {summary}
          </p>
          {rating_unavailable !== undefined && <p>No rating available: {rating_unavailable}.</p>}
          <ul class="marks">
            <Mark label="Bond" text={bond_status} tone={bond_status === 'bonded' ? 'good' : 'bad'} />
            <Mark
              label="Negative flag"
              text={negative_flag ? 'in force' : 'none'}
              tone={negative_flag ? 'bad' : 'good'}
            />
            <Mark
              label="Availability"
              text={AVAILABILITY_STATES[availability].text}
              tone={AVAILABILITY_STATES[availability].tone}
            />
            {homeChain === undefined ? (
              <>
                <VerificationMark
                  label="Operator (KYB)"
                  status={attested?.kyb.status}
                  isFailed={verified.failure !== undefined}
                />
                <VerificationMark
                  label="Chip"
                  status={attested?.chip.status}
                  isFailed={verified.failure !== undefined}
                />
                {body.evidence.chip_changed_hands === true && (
                  <Mark label="Chip record" text="from before the machine changed hands" tone="fair" />
                )}
              </>
            ) : (
              <Mark label="Verification" text="main chain only" tone="quiet" />
            )}
            {mcr_degraded && <Mark label="Amounts" text="some not converted to USD" tone="fair" />}
          </ul>
          <p class="freshness">
            As of {block === undefined ? 'an unknown block' : `block ${formatCount(block)}`},{' '}
            {describeAge(blockAgeSeconds + Math.max(0, Math.floor((now - receivedAtMilliseconds) / 1000)))}.
          </p>
        </div>
      </div>
      <StaleNotice query={rating} subject="this machine" />
      {mcr === 'Provisioned' && <Progress summary={summary} />}
    </>
  );
}

function VerificationMark({
  label,
  status,
  isFailed,
}: {
  readonly label: string;
  readonly status: keyof typeof VERIFICATION_STATES | undefined;
  readonly isFailed: boolean;
}) {
  if (status !== undefined)
    return <Mark label={label} text={VERIFICATION_STATES[status].text} tone={VERIFICATION_STATES[status].tone} />;
  return <Mark label={label} text={isFailed ? 'unknown' : 'loading…'} tone="quiet" />;
}

const STEP = /(\d+) of (\d+) ([a-z][a-z ]*?)(?=,| and|\.|$)/g;

/** Shows the progress toward a first rating, from the numbers in the summary. */
function Progress({ summary }: { readonly summary: string }) {
  const steps = [...summary.matchAll(STEP)].map(([, done, needed, what]) => ({
    done: Number(done),
    needed: Number(needed),
    what: what!,
  }));
  if (steps.length === 0) return null;
  return (
    <ul class="progress" aria-label="Progress toward a first rating">
      {steps.map(({ done, needed, what }) => (
        <li key={what}>
          <span>
            {done} of {needed} {what}
          </span>
          <Bar share={done / needed} />
        </li>
      ))}
    </ul>
  );
}

function ScoreSections({ explanation }: { readonly explanation: Explanation }) {
  const { factors, reasons, dormancy, total_hundredths: total, model } = explanation;
  return (
    <div class="columns">
      <Section title="Score breakdown">
        {factors.length === 0 ? <p class="quiet">No qualifying events yet.</p> : <FactorBars factors={factors} />}
        {dormancy !== null && dormancy.lost_hundredths > 0 && (
          <p>
            {dormancy.idle_days === null
              ? 'No qualifying event'
              : `No qualifying event for ${plural(dormancy.idle_days, 'day')}`}
            : −{formatPoints(dormancy.lost_hundredths)} points.
          </p>
        )}
        <p class="note">
          {total === null ? 'No score' : `${formatPoints(total)} points in total`} · model {model}
        </p>
      </Section>
      <Section title="How to improve">
        {reasons.length === 0 ? (
          <p class="quiet">No deductions.</p>
        ) : (
          <ul class="reasons">
            {reasons.map(({ code, lost_hundredths: lost, text }) => (
              <li key={code}>
                {lost !== null && <strong class="lost">−{formatPoints(lost)}</strong>}
                <span>{text}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

function Figures({ explanation }: { readonly explanation: Explanation }) {
  const { total_revenue, average_revenue_per_event, revenue_event_count, activity_event_count } = explanation;
  const { revenue_trend, last_updated, event_count } = explanation;
  return (
    <Section title="Revenue and activity">
      <dl class="figures">
        <div>
          <dt>Qualifying revenue</dt>
          <dd>{formatCents(total_revenue)}</dd>
        </div>
        <div>
          <dt>Average per event</dt>
          <dd>{average_revenue_per_event === null ? 'none' : formatCents(average_revenue_per_event)}</dd>
        </div>
        <div>
          <dt>Revenue trend</dt>
          <dd>{revenue_trend === null ? 'none' : TREND_TEXTS[revenue_trend]}</dd>
        </div>
        <div>
          <dt>Revenue events</dt>
          <dd>{formatCount(revenue_event_count)}</dd>
        </div>
        <div>
          <dt>Activity events</dt>
          <dd>{formatCount(activity_event_count)}</dd>
        </div>
        <div>
          <dt>Total events</dt>
          <dd>{formatCount(event_count)}</dd>
        </div>
        <div>
          <dt>Latest event</dt>
          <dd>{last_updated === null ? 'none' : <When seconds={last_updated} />}</dd>
        </div>
      </dl>
    </Section>
  );
}
