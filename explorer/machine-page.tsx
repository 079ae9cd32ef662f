/** May I rely on this machine, why, and how fresh is that? */
import { useEffect } from 'preact/hooks';
import { useAnswer, useNow, type Followed } from './answers.ts';
import { EventTable } from './event-table.tsx';
import { FactorBars, Bar } from './factor-bars.tsx';
import { formatCents, formatCount, formatPoints, shorten } from './formats.ts';
import { HistoryChart } from './history-chart.tsx';
import { Identity } from './identity.tsx';
import { LetterRing } from './letter-ring.tsx';
import { CopyButton, Mark, RefusalNotice, Section, Skeleton, StaleNotice, When } from './marks.tsx';
import { MonetizationPanel } from './monetization-panel.tsx';
import { machineDid, namespace } from './namespace.ts';
import { isMachineId } from './places.ts';
import { noteMachine } from './recent-machines.ts';
import { RawAnswers } from './raw-answers.tsx';
import type { Card, Explanation, Monetization, Profile, VerifyRecord } from './wire.ts';
import { ATTESTED, AVAILABILITIES, describeAge, SITE_NAME, TREND_WORDS } from './words.ts';

const REFRESH_SECONDS = 20;
const SLOW_REFRESH_SECONDS = 60;

export function MachinePage({ id }: { readonly id: string }) {
  return isMachineId(id) ? <Machine id={id} /> : <NotAnId text={id} />;
}

function NotAnId({ text }: { readonly text: string }) {
  return (
    <div class="notice">
      <h1>This is not a machine id</h1>
      <p>
        <bdi>{text.slice(0, 100)}</bdi> is no number from 1 to 78 digits. <a href="/">Search</a> takes ids, DIDs and
        addresses.
      </p>
    </div>
  );
}

function Machine({ id }: { readonly id: string }) {
  const did = machineDid(id);
  const rating = useAnswer<Explanation>(`/mcr/${did}/explanation`, REFRESH_SECONDS);
  const isThere = rating.answer !== undefined;
  const profile = useAnswer<Record<string, Profile>>(isThere ? `/machine/${did}` : undefined, SLOW_REFRESH_SECONDS);
  const card = useAnswer<Card>(isThere ? `/machines/${id}` : undefined);
  const homeChain = card.answer?.body.home_chain;
  // Only a machine of the main chain has a record.
  const hasRecord = card.answer !== undefined && homeChain === undefined;
  const verified = useAnswer<VerifyRecord>(hasRecord ? `/v1/verify/machines/${id}` : undefined, SLOW_REFRESH_SECONDS);
  const decision = useAnswer<Monetization>(isThere ? `/machine/${did}/monetization` : undefined, SLOW_REFRESH_SECONDS);

  const { answer } = rating;
  useEffect(() => {
    document.title = `Machine #${shorten(id, 4)}${answer === undefined ? '' : `: ${answer.body.mcr}`} | ${SITE_NAME}`;
    if (answer !== undefined) noteMachine({ id, letter: answer.body.mcr, score: answer.body.mcr_score });
  }, [id, answer?.body.mcr, answer?.body.mcr_score]);

  const shown = profile.answer?.body[namespace.profile_object];
  return (
    <>
      <header class="machine-head card">
        <h1 class="machine-name">
          Machine <span title={id}>#{shorten(id, 8)}</span> <CopyButton text={did} label="the DID of the machine" />
        </h1>
        {answer !== undefined ? (
          <Verdict rating={rating} verified={verified} homeChain={homeChain} />
        ) : rating.refusal !== undefined ? (
          <RefusalNotice followed={rating} subject="machine with this id" />
        ) : (
          <Skeleton lines={6} />
        )}
      </header>
      {answer !== undefined && (
        <>
          <Reasoning explanation={answer.body} />
          <HistoryChart did={did} />
          <Figures explanation={answer.body} />
          <EventTable id={id} profile={shown} />
          <Identity id={id} profile={profile} shown={shown} card={card} verified={verified} />
          <MonetizationPanel
            id={id}
            decision={decision}
            homeChain={homeChain}
            isHomeKnown={card.answer !== undefined}
            entitled={[verified.answer?.body.didController.address, shown?.owner]}
          />
          <RawAnswers id={id} followed={[rating, profile, card, verified, decision]} />
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
  readonly rating: Followed<Explanation>;
  readonly verified: Followed<VerifyRecord>;
  readonly homeChain: number | undefined;
}) {
  const now = useNow();
  const { body, block, blockAgeSeconds = 0, receivedAtMilliseconds } = rating.answer!;
  const { mcr, mcr_score, summary, bond_status, negative_flag, mcr_degraded, rating_unavailable, availability } = body;
  const attested = verified.answer?.body.verification;
  return (
    <>
      <div class="verdict">
        <LetterRing letter={mcr} score={mcr_score} />
        <div>
          <p class="summary" role="status">
            {summary}
          </p>
          {rating_unavailable !== undefined && <p>Why there is no rating: {rating_unavailable}.</p>}
          <ul class="marks">
            <Mark label="Bond" text={bond_status} tone={bond_status === 'bonded' ? 'good' : 'bad'} />
            <Mark
              label="Negative flag"
              text={negative_flag ? 'in force' : 'none'}
              tone={negative_flag ? 'bad' : 'good'}
            />
            <Mark
              label="Availability"
              text={AVAILABILITIES[availability].text}
              tone={AVAILABILITIES[availability].tone}
            />
            {homeChain === undefined ? (
              <>
                <AttestedMark
                  label="Operator (KYB)"
                  status={attested?.kyb.status}
                  isRefused={verified.refusal !== undefined}
                />
                <AttestedMark label="Chip" status={attested?.chip.status} isRefused={verified.refusal !== undefined} />
              </>
            ) : (
              <Mark label="Verification" text="kept on the main chain only" tone="quiet" />
            )}
            {mcr_degraded && <Mark label="Amounts" text="some without a rate" tone="fair" />}
          </ul>
          <p class="freshness">
            As of block {block === undefined ? 'unknown' : formatCount(block)},{' '}
            {describeAge(blockAgeSeconds + Math.max(0, Math.floor((now - receivedAtMilliseconds) / 1000)))}.
          </p>
        </div>
      </div>
      <StaleNotice followed={rating} subject="this machine" />
      {mcr === 'Provisioned' && <Progress summary={summary} />}
    </>
  );
}

function AttestedMark({
  label,
  status,
  isRefused,
}: {
  readonly label: string;
  readonly status: keyof typeof ATTESTED | undefined;
  readonly isRefused: boolean;
}) {
  if (status !== undefined) return <Mark label={label} text={ATTESTED[status].text} tone={ATTESTED[status].tone} />;
  return <Mark label={label} text={isRefused ? 'cannot be read' : 'reading…'} tone="quiet" />;
}

const STEP = /(\d+) of (\d+) ([a-z][a-z ]*?)(?=,| and|\.|$)/g;

/** What is missing for a first rating. The summary says it with these very numbers. */
function Progress({ summary }: { readonly summary: string }) {
  const steps = [...summary.matchAll(STEP)].map(([, done, needed, what]) => ({
    done: Number(done),
    needed: Number(needed),
    what: what!,
  }));
  if (steps.length === 0) return null;
  return (
    <ul class="progress" aria-label="On the way to a first rating">
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

function Reasoning({ explanation }: { readonly explanation: Explanation }) {
  const { factors, reasons, dormancy, total_hundredths: total, model } = explanation;
  return (
    <div class="columns">
      <Section title="What made it">
        {factors.length === 0 ? <p class="quiet">There is nothing to count yet.</p> : <FactorBars factors={factors} />}
        {dormancy !== null && dormancy.lost_hundredths > 0 && (
          <p>
            Silent for {dormancy.idle_days === null ? 'a long time' : `${formatCount(dormancy.idle_days)} days`}: −
            {formatPoints(dormancy.lost_hundredths)} points.
          </p>
        )}
        <p class="note">
          {total === null ? 'Not added up' : `${formatPoints(total)} points in all`} · model {model}
        </p>
      </Section>
      <Section title="What would change it">
        {reasons.length === 0 ? (
          <p class="quiet">Nothing is lost.</p>
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
          <dt>Revenue that counts</dt>
          <dd>{formatCents(total_revenue)}</dd>
        </div>
        <div>
          <dt>Average of an event</dt>
          <dd>{average_revenue_per_event === null ? 'none' : formatCents(average_revenue_per_event)}</dd>
        </div>
        <div>
          <dt>Trend of revenue</dt>
          <dd>{revenue_trend === null ? 'none' : TREND_WORDS[revenue_trend]}</dd>
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
          <dt>All events</dt>
          <dd>{formatCount(event_count)}</dd>
        </div>
        <div>
          <dt>Newest event</dt>
          <dd>{last_updated === null ? 'none' : <When seconds={last_updated} />}</dd>
        </div>
      </dl>
    </Section>
  );
}
