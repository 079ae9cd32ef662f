/** Machine page: the rating and its facts, with tabs for the rest. The tab is in the URL. */
import { useEffect, useRef } from 'preact/hooks';
import { useQuery, type Query } from '../parts/queries.ts';
import { Advice } from './advice.tsx';
import { EventTable } from './event-table.tsx';
import { FactorBars } from './factor-bars.tsx';
import { HistoryTab } from './history-tab.tsx';
import { Identity } from './identity.tsx';
import { RawResponses } from './raw-responses.tsx';
import { SignedRating } from './signed-rating.tsx';
import { describeAnchor, describeDormancy, describeTotal, NO_EVENTS_YET, NOT_A_MACHINE_ID, TABS } from './texts.ts';
import { Verification } from './verification.tsx';
import { Embed, isTerminatedForFraud, Verdict } from './verdict.tsx';
import { WhatIfForm } from './what-if-form.tsx';
import { FailureNotice, IdTitle, Section, Skeleton, When } from '../parts/components.tsx';
import { formatCents, formatCount, shorten, toPlainText } from '../parts/formats.ts';
import { isOnAltChain } from '../parts/home-chain.ts';
import { machineDid, namespace } from '../parts/namespace.ts';
import { isMachineId } from '../parts/machine-id.ts';
import { useUrlState } from '../parts/url-state.ts';
import { rememberMachine } from '../home/recent-machines.ts';
import { MonetizationPanel } from '../opt-in/monetization-panel.tsx';
import { RelocatingExit } from '../opt-in/relocating-exit.tsx';
import { WatchButton } from '../watchlist/watch-button.tsx';
import type { Card, Explanation, History, Monetization, Profile, VerifyRecord } from '../parts/wire.ts';
import { isRelocating, SITE_NAME, TREND_TEXTS } from '../parts/texts.ts';

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
        <bdi>{text.slice(0, 100)}</bdi> {NOT_A_MACHINE_ID} <a href="/">Go to search</a>
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

  const history = useQuery<History>(isAvailable ? `/mcr/${did}/history` : undefined);
  const [state] = useUrlState();
  const tab = TABS.find(({ key }) => key === state.get('tab'))?.key ?? 'rating';

  const relocates = useRelocation(rating);
  const { response } = rating;
  useEffect(() => {
    document.title = `Machine #${shorten(id, 4)}${response === undefined ? '' : `: ${response.body.mcr}`} | ${SITE_NAME}`;
    if (response !== undefined) rememberMachine({ id, letter: response.body.mcr, score: response.body.mcr_score });
  }, [id, response?.body.mcr, response?.body.mcr_score]);

  const shown = profile.response?.body[namespace.profile_object];
  return (
    <>
      <header class="machine-head card">
        <IdTitle kind="Machine" id={id} sign="#" copied={did} label="the DID of the machine" />
        <p class="buttons">
          {rating.failure?.status !== 404 && (
            <>
              <WatchButton entry={{ kind: 'machine', id }} />
              <a href={`/explorer/compare?ids=${id}`}>Compare</a>
            </>
          )}
          {shown?.machine_type !== undefined && (
            <span class="machine-type">
              <span class="quiet">Type</span> <bdi class="stranger">{toPlainText(shown.machine_type)}</bdi>
            </span>
          )}
        </p>
        {response !== undefined ? (
          <Verdict rating={rating} history={history} verified={verified} homeChain={homeChain} />
        ) : rating.failure !== undefined ? (
          <FailureNotice query={rating} subject="machine with this id" />
        ) : (
          <div class="verdict-place">
            <Skeleton lines={6} />
          </div>
        )}
      </header>
      {relocates && <RelocatingExit id={id} />}
      {response !== undefined && (
        <>
          <nav class="tabs" aria-label="Parts of this page">
            {TABS.map(({ key, name }) => (
              <a key={key} href={`?tab=${key}`} aria-current={key === tab ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <div class="panel">{showTab()}</div>
        </>
      )}
    </>
  );

  function showTab() {
    if (response === undefined) return null;
    switch (tab) {
      case 'rating':
        return (
          <>
            <ScoreSections explanation={response.body} history={history.response?.body} />
            <Figures explanation={response.body} />
            <WhatIfForm
              operatorVerified={response.body.anchor?.operator_verified ?? false}
              isAlt={isOnAltChain(response.body)}
            />
            <SignedRating id={id} />
          </>
        );
      case 'history':
        return <HistoryTab query={history} />;
      case 'events':
        return <EventTable id={id} profile={shown} />;
      case 'identity':
        return <Identity id={id} profile={profile} shown={shown} card={card} verified={verified} />;
      case 'verification':
        return <Verification explanation={response.body} verified={verified} />;
      case 'opt-in':
        return (
          <MonetizationPanel
            id={id}
            decision={decision}
            explanation={response.body}
            homeChain={homeChain}
            isHomeKnown={card.response !== undefined}
            controller={verified.response?.body.didController.address}
            owner={shown?.owner}
          />
        );
      case 'embed':
        return <Embed id={id} />;
      case 'raw':
        return (
          <>
            <RawResponses queries={[rating, history, profile, card, decision, ...(hasRecord ? [verified] : [])]} />
          </>
        );
    }
  }
}

/** Returns whether the machine relocates. A later failure that says nothing about it, such as a lost connection, changes nothing. */
function useRelocation({ response, failure }: Query<Explanation>): boolean {
  const last = useRef(false);
  if (response !== undefined) last.current = false;
  else if (failure !== undefined && (isRelocating(failure) || failure.retryAfterSeconds === undefined))
    last.current = isRelocating(failure);
  return last.current;
}

function ScoreSections({
  explanation,
  history,
}: {
  readonly explanation: Explanation;
  readonly history: History | undefined;
}) {
  const { factors, dormancy, anchor, total_hundredths: total, model } = explanation;
  return (
    <div class="columns">
      <Section title="Score breakdown">
        {factors.length === 0 ? <p class="quiet">{NO_EVENTS_YET}</p> : <FactorBars factors={factors} />}
        {dormancy !== null && dormancy.lost_hundredths > 0 && (
          <p>{describeDormancy(dormancy.idle_days, dormancy.lost_hundredths)}</p>
        )}
        {anchor !== null && anchor.lost_hundredths > 0 && <p>{describeAnchor(anchor.lost_hundredths)}</p>}
        <p class="note">{describeTotal(total, model)}</p>
      </Section>
      <Advice explanation={explanation} isFraud={isTerminatedForFraud(history)} />
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
          <dt>Qualifying revenue, all time</dt>
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
