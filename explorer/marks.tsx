/** Small parts that every view is made of: a labelled mark, an id that can be copied, a time, and the notice of a refusal. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useNow, type Followed, type Refusal } from './answers.ts';
import { formatUtc, shorten, toPlainText } from './formats.ts';
import { describeAge, describeRefusal } from './words.ts';

export type Tone = 'good' | 'fair' | 'bad' | 'quiet';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', fair: '!', bad: '✕', quiet: '–' };

export function Mark({ label, text, tone }: { readonly label: string; readonly text: string; readonly tone: Tone }) {
  return (
    <li class={`mark ${tone}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[tone]}
      </span>
      <span class="label">{label}</span> <span class="value">{text}</span>
    </li>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('Copied');
    } catch {
      setState('Not allowed');
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      <span role="status">{state || 'Copy'}</span>
    </button>
  );
}

/** Shortened in the middle; the whole on hover, on focus, and copied. */
export interface IdProps {
  readonly id: string;
  readonly label: string;
  readonly href?: string;
  /** How many characters of either end are shown. */
  readonly ends?: number;
}

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

export function When({ seconds }: { readonly seconds: number }) {
  const now = useNow() / 1000;
  const exact = formatUtc(seconds);
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={exact}>
      {seconds > now + 60 ? exact : describeAge(now - seconds)}
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
  readonly note?: string;
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

/** In place of what could not be had. */
export function RefusalNotice<T>({ followed, subject }: { readonly followed: Followed<T>; readonly subject: string }) {
  const { refusal, retryAtMilliseconds, refusedSinceMilliseconds, retry } = followed;
  if (refusal === undefined) return null;
  const { title, remedy } = wordsOf(refusal, subject);
  return (
    <div class="notice" role="alert">
      <p class="notice-title">{title}</p>
      <p>{remedy}</p>
      {retryAtMilliseconds !== undefined && refusedSinceMilliseconds !== undefined && (
        <p class="note">
          So since <When seconds={Math.floor(refusedSinceMilliseconds / 1000)} />.
        </p>
      )}
      {retryAtMilliseconds !== undefined && <Countdown until={retryAtMilliseconds} retry={retry} />}
    </div>
  );
}

/** Beside an older answer that stays in view. */
export function StaleNotice<T>({ followed, subject }: { readonly followed: Followed<T>; readonly subject: string }) {
  const now = useNow();
  const { answer, refusal, retryAtMilliseconds, retry } = followed;
  if (answer === undefined) return null;
  const ageSeconds = (now - answer.receivedAtMilliseconds) / 1000 + (answer.blockAgeSeconds ?? 0);
  if (refusal === undefined && ageSeconds <= 60) return null;
  const why =
    refusal === undefined ? 'The newest block is older than a minute.' : `${wordsOf(refusal, subject).title}.`;
  return (
    <div class="notice fair" role="status">
      <p>
        This is {describeAge(ageSeconds).replace(' ago', '')} old. {why}
      </p>
      {retryAtMilliseconds !== undefined && <Countdown until={retryAtMilliseconds} retry={retry} />}
    </div>
  );
}

export function wordsOf({ status, code, detail, homeChain }: Refusal, subject: string) {
  return describeRefusal(status, code, toPlainText(detail), homeChain, subject);
}

function Countdown({ until, retry }: { readonly until: number; readonly retry: () => void }) {
  const seconds = Math.max(0, Math.ceil((until - useNow()) / 1000));
  return (
    <p class="countdown">
      <span aria-hidden="true">{seconds === 0 ? 'Asking again…' : `Asks again in ${seconds} s.`}</span>{' '}
      <button type="button" onClick={retry}>
        Ask now
      </button>
    </p>
  );
}
