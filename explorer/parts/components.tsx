/** Shared components: labeled marks, ids with a copy button, times, sections and failure notices. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { chains, explorerUrl, type ChainName, type ExplorerKind } from './chains.ts';
import { useNow, type Query, type ApiFailure } from './queries.ts';
import { formatTime, shorten, toPlainText } from './formats.ts';
import { machinePath } from './routes.ts';
import { describeAge, describeFailure } from './texts.ts';

export type Tone = 'good' | 'fair' | 'bad' | 'quiet';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', fair: '!', bad: '✕', quiet: '–' };

interface MarkProps {
  readonly label: string;
  readonly text: string;
  readonly tone: Tone;
  /** Text as wide as what is still being loaded, so that nothing moves when it arrives. */
  readonly later?: string;
}

export function Mark({ label, text, tone, later = '' }: MarkProps) {
  return (
    <li class={`mark ${tone}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[tone]}
      </span>
      <span class="label">{label}</span>{' '}
      <span class="value">
        <Dated text={text} />
      </span>
      {later !== '' && (
        <span class="later" aria-hidden="true">
          {later}
        </span>
      )}
    </li>
  );
}

/** Text whose days are not broken at their hyphens. */
export function Dated({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(\d{4}-\d{2}-\d{2})/).map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span key={at} class="day">
            {part}
          </span>
        ),
      )}
    </>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('Copied');
    } catch {
      setState('Copy failed');
    }
  };
  const outcome = state === '' ? '' : `${state}: ${label}`;
  return (
    <>
      <button type="button" class="copy" aria-label={outcome || `Copy ${label}`} onClick={() => void copy()}>
        {state || 'Copy'}
      </button>
      <span class="unseen" role="status">
        {outcome}
      </span>
    </>
  );
}

interface IdTitleProps {
  readonly kind: string;
  readonly id: string;
  readonly sign?: string;
  /** What the button copies, with its name. */
  readonly copied: string;
  readonly label: string;
}

/** Heading of the page of an id. The button is beside it, so that the heading is no more than a name. */
export function IdTitle({ kind, id, sign = '', copied, label }: IdTitleProps) {
  return (
    <div class="title">
      <h1>
        {kind}{' '}
        <span title={id}>
          {sign}
          {shorten(id)}
        </span>
      </h1>
      <CopyButton text={copied} label={label} />
    </div>
  );
}

export interface IdProps {
  readonly id: string;
  readonly label: string;
  readonly href?: string;
  /** Number of characters shown at each end. */
  readonly ends?: number;
}

/** Shows an id without its middle. Hover and focus show all of it; the button copies all of it. */
export function Id({ id, label, href, ends = 8 }: IdProps) {
  const whole = toPlainText(id);
  const short = (
    <>
      <span class="short" aria-hidden="true">
        {shorten(whole, ends)}
      </span>
      <span class="whole">{whole}</span>
    </>
  );
  return (
    <span class="id">
      {href === undefined ? (
        <code title={whole}>{short}</code>
      ) : (
        <a href={href} title={whole}>
          <code>{short}</code>
        </a>
      )}
      <CopyButton text={id} label={label} />
    </span>
  );
}

interface ShortLinkProps {
  readonly id: string;
  readonly href: string;
  /** Kind of the id, for the name of the button. */
  readonly label: string;
  readonly sign?: string;
  readonly ends?: number;
}

/** Link to the page of an id without its middle, for lists and sentences. Hover shows all of it; the button copies all of it. */
export function ShortLink({ id, href, label, sign = '', ends = 6 }: ShortLinkProps) {
  const short = shorten(id, ends);
  return (
    <span class="short-link">
      <a href={href} title={id}>
        {sign}
        {short}
      </a>{' '}
      <CopyButton text={id} label={`the ${label} ${short}`} />
    </span>
  );
}

export function MachineLink({ id, ends = 6 }: { readonly id: string; readonly ends?: number }) {
  return <ShortLink id={id} href={machinePath(id)} label="id" sign="#" ends={ends} />;
}

/** Shows how long ago a time was; with `isExact` the time itself as well. */
export function When({ seconds, isExact = false }: { readonly seconds: number; readonly isExact?: boolean }) {
  const now = useNow() / 1000;
  const exact = formatTime(seconds);
  const isFuture = seconds > now + 60;
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={exact}>
      {isFuture || isExact ? exact : describeAge(now - seconds)}
      {isExact && !isFuture && <span class="quiet"> ({describeAge(now - seconds)})</span>}
    </time>
  );
}

export function Section({
  title,
  children,
  note,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly note?: string | undefined;
}) {
  const id = `section-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {note !== undefined && <p class="note">{note}</p>}
      {children}
    </section>
  );
}

export function Skeleton({ lines }: { readonly lines: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** Replaces content that could not be loaded. */
export function FailureNotice<T>({ query, subject }: { readonly query: Query<T>; readonly subject: string }) {
  const { failure, retryAtMilliseconds, failingSinceMilliseconds, retry } = query;
  if (failure === undefined) return null;
  const { title, remedy } = describeQueryFailure(failure, subject);
  return (
    <div class="notice" role="alert">
      <p class="notice-title">{title}</p>
      <p>{remedy}</p>
      {retryAtMilliseconds !== undefined && failingSinceMilliseconds !== undefined && (
        <p class="note">
          First failed <When seconds={Math.floor(failingSinceMilliseconds / 1000)} />.
        </p>
      )}
      {retryAtMilliseconds !== undefined && <Countdown until={retryAtMilliseconds} retry={retry} />}
    </div>
  );
}

/** Marks a response that stays in view although it is older than a minute or its refresh failed. */
export function StaleNotice<T>({ query, subject }: { readonly query: Query<T>; readonly subject: string }) {
  const now = useNow();
  const { response, failure, retryAtMilliseconds, retry } = query;
  if (response === undefined) return null;
  const ageSeconds = (now - response.receivedAtMilliseconds) / 1000 + (response.blockAgeSeconds ?? 0);
  if (failure === undefined && ageSeconds <= 60) return null;
  const why =
    failure === undefined
      ? 'The newest block is more than a minute old.'
      : `${describeQueryFailure(failure, subject).title}.`;
  return (
    <div class="notice fair" role="status">
      <p>
        Last updated {describeAge(ageSeconds)}. {why}
      </p>
      {retryAtMilliseconds !== undefined && <Countdown until={retryAtMilliseconds} retry={retry} />}
    </div>
  );
}

function describeQueryFailure({ status, code, detail, homeChain }: ApiFailure, subject: string) {
  return describeFailure(status, code, toPlainText(detail), homeChain, subject);
}

function Countdown({ until, retry }: { readonly until: number; readonly retry: () => void }) {
  const seconds = Math.max(0, Math.ceil((until - useNow()) / 1000));
  return (
    <p class="countdown">
      <span aria-hidden="true">{seconds === 0 ? 'Retrying…' : `Retrying in ${seconds} s.`}</span>{' '}
      <button type="button" onClick={retry}>
        Retry now
      </button>
    </p>
  );
}

/** Link to the block explorer of a chain; nothing where none is configured. */
export function ExplorerLink({
  chain,
  kind,
  value,
}: {
  readonly chain: ChainName;
  readonly kind: ExplorerKind;
  readonly value: string;
}) {
  const url = explorerUrl(chain, kind, value);
  if (url === undefined) return null;
  return (
    <a href={url} rel="noreferrer">
      View on the {chains[chain].name} explorer
    </a>
  );
}

/** Renders text between backticks as code. */
export function InlineCode({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
