/** What does this deployment answer? Sends a request of the reference to the service that serves the page, and shows everything that came back. */
import { useState } from 'preact/hooks';
import { fillPath, formatCurl, sampleOf, type ApiDocument, type Operation } from './api-document.ts';
import { layOutJson, toPlainText } from './formats.ts';
import { CopyButton } from './marks.tsx';
import { machineDid } from './namespace.ts';
import { listRecentMachines } from './recent-machines.ts';

interface Outcome {
  readonly path: string;
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

type Step =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'answered'; readonly outcome: Outcome };

const PATIENCE_MILLISECONDS = 15_000;
const NOTHING_LOOKED_AT = '42';
const SOME_ADDRESS = `0x${'1'.padStart(40, '0')}`;
const SOME_WALLET = '1'.repeat(32);

/** Spellings of the machine that was looked at last, and of things that have the form of what is asked for. */
function listCandidates(): string[] {
  const id = listRecentMachines()[0]?.id ?? NOTHING_LOOKED_AT;
  return [machineDid(id), id, SOME_ADDRESS, SOME_WALLET];
}

export interface TrialFormProps {
  readonly document: ApiDocument;
  readonly operation: Operation;
}

export function TrialForm({ document, operation }: TrialFormProps) {
  const { id, method, parameters, body: bodySchema, needsToken } = operation;
  const [values, setValues] = useState(() => prefill(document, operation));
  const [body, setBody] = useState(() =>
    bodySchema === undefined ? undefined : JSON.stringify(sampleOf(document, bodySchema, listCandidates()), null, 2),
  );
  const [token, setToken] = useState('');
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const path = fillPath(operation, values);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (path === undefined) return setStep({ kind: 'failed', text: 'A value of the path is missing.' });
    setStep({ kind: 'busy' });
    try {
      setStep({ kind: 'answered', outcome: await send(path, method, body, token) });
    } catch {
      setStep({ kind: 'failed', text: 'The service was not reached.' });
    }
  };

  const line =
    path === undefined ? undefined : formatCurl({ method, url: location.origin + path, body, hasToken: token !== '' });
  return (
    <form class="trial" onSubmit={(event) => void submit(event)} noValidate>
      {parameters.map(({ name, in: place, schema }) => (
        <div class="entry" key={name}>
          <label for={`${id}-${name}`}>
            <code>{name}</code> <span class="quiet">in the {place}</span>
          </label>
          <input
            id={`${id}-${name}`}
            autocomplete="off"
            spellcheck={false}
            value={values[name] ?? ''}
            placeholder={schema.default === undefined ? undefined : String(schema.default)}
            aria-describedby={schema.description === undefined ? undefined : `${id}-${name}-note`}
            onInput={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
          />
          {schema.description !== undefined && (
            <p id={`${id}-${name}-note`} class="note">
              {schema.description}
            </p>
          )}
        </div>
      ))}
      {needsToken && (
        <div class="entry">
          <label for={`${id}-token`}>Onboarding token</label>
          <input
            id={`${id}-token`}
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
          <p class="note">Sent as a header with this request, and kept nowhere.</p>
        </div>
      )}
      {body !== undefined && (
        <div class="entry">
          <label for={`${id}-body`}>Body</label>
          <textarea
            id={`${id}-body`}
            rows={Math.min(16, body.split('\n').length + 1)}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
          <p class="note">This writes, if it is accepted: what is sent here counts.</p>
        </div>
      )}
      <p class="buttons">
        <button type="submit" disabled={step.kind === 'busy'}>
          {step.kind === 'busy' ? 'Waiting…' : 'Send'}
        </button>
        {line !== undefined && (
          <>
            <code class="line">{line}</code>
            <CopyButton text={line} label={`the command for ${id}`} />
          </>
        )}
      </p>
      <div role="status">
        {step.kind === 'failed' && <p class="problem">{step.text}</p>}
        {step.kind === 'answered' && (
          <p class="answered">
            <strong>
              {step.outcome.status} {toPlainText(step.outcome.statusText)}
            </strong>{' '}
            <span class="quiet">after {step.outcome.milliseconds} ms</span>
          </p>
        )}
      </div>
      {step.kind === 'answered' && <Received outcome={step.outcome} id={id} />}
    </form>
  );
}

function prefill(document: ApiDocument, { parameters }: Operation): Readonly<Record<string, string>> {
  const candidates = listCandidates();
  const required = parameters.filter(({ required }) => required);
  return Object.fromEntries(
    required.map(({ name, schema }) => [name, String(sampleOf(document, schema, candidates))] as const),
  );
}

async function send(path: string, method: string, body: string | undefined, token: string): Promise<Outcome> {
  const startedAt = performance.now();
  const response = await fetch(path, {
    method,
    cache: 'no-store',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
  });
  const text = await response.text();
  return {
    path,
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - startedAt),
    headers: [...response.headers],
    text,
  };
}

function Received({
  outcome: { path, status, headers, text },
  id,
}: {
  readonly outcome: Outcome;
  readonly id: string;
}) {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const isPicture = type.startsWith('image/') && status === 200;
  return (
    <>
      <details>
        <summary>Headers</summary>
        <pre tabIndex={0} aria-label="Headers of the answer">
          {headers.map(([name, value]) => `${name}: ${toPlainText(value)}`).join('\n')}
        </pre>
      </details>
      <p class="buttons">
        <span>Body</span>
        <CopyButton text={text} label={`the answer of ${id}`} />
      </p>
      {isPicture && <img src={path} alt="The answer as a picture" />}
      <pre tabIndex={0} aria-label="Body of the answer" class="body">
        {type.startsWith('application/json') ? layOutJson(text) : showLines(text)}
      </pre>
    </>
  );
}

function showLines(text: string): string {
  return text.split('\n').map(toPlainText).join('\n');
}
