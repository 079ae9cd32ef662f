/** Head of the machine page: the rating with its summary, the bond with its end, flag, availability and verification. */
import { Bar } from './factor-bars.tsx';
import { CopyButton, Mark, Section, StaleNotice } from '../parts/components.tsx';
import { explorerUrl } from '../parts/chains.ts';
import { formatCount, formatDay } from '../parts/formats.ts';
import { useNow, type Query } from '../parts/queries.ts';
import { RatingRing } from '../parts/rating-ring.tsx';
import { AVAILABILITY_STATES, describeAge, SUBSCRIPTION_STATES, VERIFICATION_STATES } from '../parts/texts.ts';
import type { Explanation, History, VerifyRecord } from '../parts/wire.ts';
import {
  CHIP_BEFORE_SALE,
  describeFlag,
  describeOperator,
  describeUnavailable,
  EMBED_NOTE,
  LOADING,
  NOT_ACCEPTED,
  PROGRESS_LABEL,
  SOME_UNCONVERTED,
  UNKNOWN,
} from './texts.ts';

const FLAG_SECONDS = 180 * 86_400;

export function Verdict({
  rating,
  history,
  verified,
  homeChain,
}: {
  readonly rating: Query<Explanation>;
  readonly history: Query<History>;
  readonly verified: Query<VerifyRecord>;
  readonly homeChain: number | undefined;
}) {
  const { body } = rating.response!;
  const { mcr, mcr_score, summary, mcr_degraded, rating_unavailable, availability, inputs, anchor } = body;
  const attested = verified.response?.body.verification;
  return (
    <>
      <div class="verdict">
        <RatingRing letter={mcr} score={mcr_score} />
        <div>
          <p class="summary" role="status">
            {summary}
          </p>
          {rating_unavailable !== undefined && <p>{describeUnavailable(rating_unavailable)}</p>}
          <ul class="marks">
            <BondMark subscription={inputs.subscription} history={history} />
            <FlagMark flaggedAt={Number(inputs.negative_flag_at)} isRecorded={body.negative_flag} now={inputs.now} />
            <Mark
              label="Availability"
              text={AVAILABILITY_STATES[availability].text}
              tone={AVAILABILITY_STATES[availability].tone}
            />
            {homeChain === undefined ? (
              <>
                {attested?.kyb.status === 'verified' && anchor?.operator_verified === false ? (
                  <Mark label="Operator (KYB)" text={NOT_ACCEPTED} tone="fair" />
                ) : (
                  <VerificationMark
                    label="Operator (KYB)"
                    status={attested?.kyb.status}
                    isFailed={verified.failure !== undefined}
                  />
                )}
                <VerificationMark
                  label="Chip"
                  status={attested?.chip.status}
                  isFailed={verified.failure !== undefined}
                />
                {body.evidence.chip_changed_hands === true && (
                  <Mark label="Chip record" text={CHIP_BEFORE_SALE} tone="fair" />
                )}
              </>
            ) : (
              anchor !== null && (
                <Mark
                  label="Operator"
                  text={describeOperator(anchor.operator_verified)}
                  tone={anchor.operator_verified ? 'good' : 'quiet'}
                />
              )
            )}
            {mcr_degraded && <Mark label="Amounts" text={SOME_UNCONVERTED} tone="fair" />}
          </ul>
          <Freshness rating={rating} />
        </div>
      </div>
      <StaleNotice query={rating} subject="this machine" />
      {mcr === 'Provisioned' && <Progress summary={summary} />}
    </>
  );
}

/** Apart, because it changes every second. */
function Freshness({ rating }: { readonly rating: Query<Explanation> }) {
  const now = useNow();
  const { block, blockAgeSeconds = 0, receivedAtMilliseconds } = rating.response!;
  const url = block === undefined ? undefined : explorerUrl('main', 'block', String(block));
  const text = block === undefined ? 'an unknown block' : `block ${formatCount(block)}`;
  return (
    <p class="freshness">
      As of{' '}
      {url === undefined ? (
        text
      ) : (
        <a href={url} rel="noreferrer">
          {text}
        </a>
      )}
      , {describeAge(blockAgeSeconds + Math.max(0, Math.floor((now - receivedAtMilliseconds) / 1000)))}.
    </p>
  );
}

const END = ', ends 0000-00-00';
/** What the history adds to the state of the bond. */
const LATER = { NotActivated: '', Active: END, Grace: END, Runoff: '', Terminated: ' for fraud' } as const;

/** In Grace the bond still counts and ends soon, so it is not shown as plainly bonded. */
function BondMark({
  subscription,
  history,
}: {
  readonly subscription: Explanation['inputs']['subscription'];
  readonly history: Query<History>;
}) {
  const { text, tone } = SUBSCRIPTION_STATES[subscription];
  const { response, failure } = history;
  const { period_end: periodEnd = null, grace_end: graceEnd = null } = response?.body.bond ?? {};
  const end = subscription === 'Active' ? periodEnd : subscription === 'Grace' ? graceEnd : null;
  const isFraud = subscription === 'Terminated' && isTerminatedForFraud(response?.body);
  const isLoading = response === undefined && failure === undefined;
  return (
    <Mark
      label="Bond"
      text={`${isFraud ? 'terminated for fraud' : text}${end === null ? '' : `, ends ${formatDay(end)}`}`}
      tone={tone}
      later={isLoading ? LATER[subscription] : ''}
    />
  );
}

export function isTerminatedForFraud(history: History | undefined): boolean {
  return history?.changes.findLast(({ kind }) => kind.startsWith('bond_'))?.kind === 'bond_terminated_for_fraud';
}

function FlagMark({
  flaggedAt,
  isRecorded,
  now,
}: {
  readonly flaggedAt: number;
  readonly isRecorded: boolean;
  readonly now: number;
}) {
  if (!isRecorded) return <Mark label="Negative flag" text="none" tone="good" />;
  const end = flaggedAt + FLAG_SECONDS;
  const isInForce = now < end;
  return (
    <Mark label="Negative flag" text={describeFlag(flaggedAt, end, isInForce)} tone={isInForce ? 'bad' : 'fair'} />
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
  return <Mark label={label} text={isFailed ? UNKNOWN : LOADING} tone="quiet" />;
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
    <ul class="progress" aria-label={PROGRESS_LABEL}>
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

/** Badge and card with the code that embeds them. */
export function Embed({ id }: { readonly id: string }) {
  const page = `${location.origin}/explorer/machine/${id}`;
  return (
    <Section title="Embed" note={EMBED_NOTE}>
      {(['badge', 'card'] as const).map((name) => {
        const image = `${location.origin}/machines/${id}/${name}.svg`;
        return (
          <div key={name} class="embed">
            <h3>{name === 'badge' ? 'Badge' : 'Card'}</h3>
            <p>
              <img
                src={`/machines/${id}/${name}.svg`}
                alt={`${name === 'badge' ? 'Badge' : 'Card'} of this machine`}
                height={name === 'badge' ? 20 : 160}
              />
            </p>
            <Code language="HTML" text={`<a href="${page}"><img src="${image}" alt="Machine rating"></a>`} />
            <Code language="Markdown" text={`[![Machine rating](${image})](${page})`} />
          </div>
        );
      })}
    </Section>
  );
}

function Code({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <>
      <p class="buttons">
        {language} <CopyButton text={text} label={`the ${language} code`} />
      </p>
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}
