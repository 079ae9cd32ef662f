/** Form of the API reference that sends a request to this service and shows the complete response. */
import { useState } from 'preact/hooks';
import { fillPath, sampleOf, type ApiDocument, type Operation } from './api-document.ts';
import { prettyPrintJson, toPlainText } from '../parts/formats.ts';
import { CopyButton } from '../parts/components.tsx';
import { SampleView } from './sample-view.tsx';

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
  | { readonly kind: 'done'; readonly outcome: Outcome };

const TIMEOUT_MILLISECONDS = 15_000;
/** How long a stream of events is read. */
const STREAM_MILLISECONDS = 2_000;
export interface RequestFormProps {
  readonly document: ApiDocument;
  readonly operation: Operation;
  /** Live values that parameters are filled with. */
  readonly samples: readonly string[];
}

export function RequestForm({ document, operation, samples }: RequestFormProps) {
  const { id, method, parameters, body: bodySchema, needsToken } = operation;
  const [values, setValues] = useState(() => prefill(document, operation, samples));
  const [body, setBody] = useState(() =>
    bodySchema === undefined ? undefined : JSON.stringify(sampleOf(document, bodySchema, samples), null, 2),
  );
  const [token, setToken] = useState('');
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const path = fillPath(operation, values);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (path === undefined) {
      setStep({ kind: 'failed', text: 'A path parameter is missing.' });
      return;
    }
    setStep({ kind: 'busy' });
    try {
      setStep({ kind: 'done', outcome: await send(path, method, body, token) });
    } catch {
      setStep({ kind: 'failed', text: 'The service did not respond. Check your connection and try again.' });
    }
  };

  const request =
    path === undefined ? undefined : { method, url: window.location.origin + path, body, hasToken: needsToken };
  return (
    <form class="request" onSubmit={(event) => void submit(event)} noValidate>
      {parameters.map(({ name, in: location, schema }) => (
        <div class="entry" key={name}>
          <label for={`${id}-${name}`}>
            <code>{name}</code> <span class="quiet">{location} parameter</span>
          </label>
          <input
            id={`${id}-${name}`}
            autocomplete="off"
            spellcheck={false}
            value={values[name] ?? ''}
            placeholder={schema.default === undefined ? undefined : toPlainText(schema.default)}
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
          <p class="note">Sent with this request only. The page does not store it.</p>
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
          <p class="note">This request writes data. If the service accepts it, it takes effect.</p>
        </div>
      )}
      <p class="buttons">
        <button type="submit" disabled={step.kind === 'busy'}>
          {step.kind === 'busy' ? 'Sending…' : 'Send'}
        </button>
      </p>
      {request !== undefined && <SampleView request={request} id={id} />}
      <div role="status">
        {step.kind === 'failed' && <p class="problem">{step.text}</p>}
        {step.kind === 'done' && (
          <p class="response-status">
            <strong>
              {step.outcome.status} {toPlainText(step.outcome.statusText)}
            </strong>{' '}
            <span class="quiet">in {step.outcome.milliseconds} ms</span>
          </p>
        )}
      </div>
      {step.kind === 'done' && <Received outcome={step.outcome} id={id} />}
    </form>
  );
}

function prefill(
  document: ApiDocument,
  { parameters }: Operation,
  candidates: readonly string[],
): Readonly<Record<string, string>> {
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
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? await readStart(response.body!) : await response.text();
  return {
    path,
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - startedAt),
    headers: [...response.headers],
    text,
  };
}

/** Reads what a stream sends in its first seconds, and closes it. */
async function readStart(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  setTimeout(() => void reader.cancel(), STREAM_MILLISECONDS);
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  return text;
}

function Received({
  outcome: { path, status, headers, text },
  id,
}: {
  readonly outcome: Outcome;
  readonly id: string;
}) {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const isImage = type.startsWith('image/') && status === 200;
  return (
    <>
      <details>
        <summary>Headers</summary>
        <pre tabIndex={0} aria-label="Response headers">
          {headers.map(([name, value]) => `${name}: ${toPlainText(value)}`).join('\n')}
        </pre>
      </details>
      <p class="buttons">
        <span>Body</span>
        <CopyButton text={text} label={`the response of ${id}`} />
      </p>
      {isImage && <img src={path} alt="The response as an image" />}
      <pre tabIndex={0} aria-label="Response body" class="body">
        {type.startsWith('application/json') ? prettyPrintJson(text) : toPlainLines(text)}
      </pre>
    </>
  );
}

function toPlainLines(text: string): string {
  return text.split('\n').map(toPlainText).join('\n');
}
