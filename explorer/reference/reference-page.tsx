/** API reference: every route of the OpenAPI document, each with a form to call it. */
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../parts/queries.ts';
import {
  findExample,
  listGroups,
  type ApiDocument,
  type ErrorHelp,
  type Operation,
  type OperationError,
} from './api-document.ts';
import { FailureNotice, InlineCode, Section, Skeleton } from '../parts/components.tsx';
import { prettyPrintJson } from '../parts/formats.ts';
import { SchemaView } from './schema-view.tsx';
import { RequestForm } from './request-form.tsx';
import { SITE_NAME } from '../parts/texts.ts';
import { useSampleIds } from './sample-ids.ts';
import { ERRORS_GUIDE, GUIDES } from './texts.ts';

export function ReferencePage() {
  const query = useQuery<ApiDocument>('/openapi.json');
  const samples = useSampleIds();
  useEffect(() => {
    document.title = `API reference | ${SITE_NAME}`;
  }, []);
  return (
    <div class="reference">
      {query.response !== undefined && samples !== undefined ? (
        <Routes document={query.response.body} samples={samples} />
      ) : (
        <>
          <nav class="contents card" aria-label="Contents" />
          <div class="reference-content">
            <Head />
            {query.failure === undefined ? (
              <Skeleton lines={12} />
            ) : (
              <FailureNotice query={query} subject="API description" />
            )}
          </div>
        </>
      )}
    </div>
  );
}

function Head() {
  return (
    <header class="card">
      <h1>API reference</h1>
      <p class="lead">All routes of this deployment. Open a route to see its responses and errors, and to call it.</p>
      <p class="note">
        For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.1</a>,{' '}
        <a href="/llms.txt">llms.txt</a>.
      </p>
    </header>
  );
}

interface RoutesProps {
  readonly document: ApiDocument;
  readonly samples: readonly string[];
}

function Routes({ document: api, samples }: RoutesProps) {
  const [open, setOpen] = useState(() => new Set([location.hash.slice(1)]));

  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1);
      setOpen((before) => new Set([...before, id]));
      if (id !== '') document.getElementById(id)?.scrollIntoView();
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  const toggle = (id: string, isOpen: boolean) => {
    if (isOpen === open.has(id)) return;
    if (isOpen) history.replaceState(null, '', `#${id}`);
    setOpen(new Set(isOpen ? [...open, id] : [...open].filter((each) => each !== id)));
  };

  const groups = listGroups(api);
  return (
    <>
      <Contents groups={groups} />
      <div class="reference-content">
        <Head />
        <Guides errors={api['x-errors'] ?? {}} />
        {groups.map(([group, operations]) => (
          <Section key={group} title={group}>
            {operations.map((operation) => (
              <details
                key={operation.id}
                id={operation.id}
                class="operation"
                open={open.has(operation.id)}
                onToggle={({ currentTarget }) => toggle(operation.id, currentTarget.open)}
              >
                <summary>
                  <span class="method">{operation.method}</span> <code>{operation.path}</code>{' '}
                  <span class="quiet">{operation.summary}</span>
                </summary>
                {open.has(operation.id) && <OperationView document={api} operation={operation} samples={samples} />}
              </details>
            ))}
          </Section>
        ))}
      </div>
    </>
  );
}

/** Links to guides and routes; the search leaves those that have all of its words. */
function Contents({ groups }: { readonly groups: ReturnType<typeof listGroups> }) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: readonly string[]) => words.every((word) => texts.join(' ').toLowerCase().includes(word));
  const guides = GUIDES.filter(({ title }) => fits(title));
  const found = groups
    .map(([group, operations]) => ({
      group,
      operations: operations.filter(({ id, method, path, summary }) => fits(group, id, method, path, summary)),
    }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav class="contents card" aria-label="Contents">
      <label>
        Search routes{' '}
        <input
          type="search"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <div class={words.length === 0 ? 'entries' : 'entries searched'}>
        {guides.length > 0 && <p class="group">Guides</p>}
        <ul>
          {guides.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
        {found.map(({ group, operations }) => (
          <div key={group}>
            <p class="group">{group}</p>
            <ul>
              {operations.map(({ id, method, path }) => (
                <li key={id}>
                  <a href={`#${id}`}>
                    <span class="method">{method}</span>{' '}
                    <code>
                      {path.split('/').map((part, at) => (
                        <Fragment key={at}>
                          {at > 1 && <wbr />}
                          {at > 0 && '/'}
                          {part}
                        </Fragment>
                      ))}
                    </code>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <p class="note" role="status">
        {words.length > 0 && found.length === 0 && 'No route matches.'}
      </p>
    </nav>
  );
}

function Guides({ errors }: { readonly errors: Readonly<Record<string, ErrorHelp>> }) {
  return (
    <>
      {GUIDES.map(({ id, title, rules }) => (
        <section key={id} id={id} class="card" aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{title}</h2>
          <ul class="rules">
            {rules.map((text) => (
              <li key={text}>
                <InlineCode text={text} />
              </li>
            ))}
          </ul>
          {id === ERRORS_GUIDE && (
            <details>
              <summary>All kinds of errors</summary>
              <dl class="errors">
                {Object.entries(errors).map(([kind, { cause, remedy }]) => (
                  <div key={kind}>
                    <dt>{kind}</dt>
                    <dd>
                      <InlineCode text={cause} />{' '}
                      <span class="quiet">
                        <InlineCode text={remedy} />
                      </span>
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </section>
      ))}
    </>
  );
}

function OperationView({ document: api, operation, samples }: RoutesProps & { readonly operation: Operation }) {
  const { body, responses, errors } = operation;
  return (
    <div class="operation-body">
      <div class="operation-request">
        <h3>Request</h3>
        <RequestForm document={api} operation={operation} samples={samples} />
        {responses.map(({ status, mediaType, schema }) => (
          <Example key={`${status} ${mediaType}`} status={status} example={findExample(api, schema)} />
        ))}
      </div>
      <div>
        {body !== undefined && (
          <>
            <h3>Request body</h3>
            <SchemaView document={api} schema={body} />
          </>
        )}
        {responses.map(({ status, mediaType, schema }) => (
          <div key={`${status} ${mediaType}`}>
            <h3>
              Response {status} <span class="quiet">{mediaType}</span>
            </h3>
            <SchemaView document={api} schema={schema} />
          </div>
        ))}
        <h3>Errors</h3>
        <Errors errors={errors} />
      </div>
    </div>
  );
}

function Example({ status, example }: { readonly status: number; readonly example: unknown }) {
  if (example === undefined) return null;
  return (
    <>
      <h3>Example of a response {status}</h3>
      <pre tabIndex={0} aria-label={`Example of a response ${status}`}>
        {typeof example === 'string' ? example : prettyPrintJson(JSON.stringify(example))}
      </pre>
    </>
  );
}

function Errors({ errors }: { readonly errors: readonly OperationError[] }) {
  return (
    <dl class="errors">
      {errors.map(({ status, texts, help }) => (
        <div key={status}>
          <dt>
            {status}{' '}
            {texts.map((text) => (
              <code key={text}>{text}</code>
            ))}
          </dt>
          {help.map(({ cause, remedy }) => (
            <dd key={cause}>
              <InlineCode text={cause} />{' '}
              <span class="quiet">
                <InlineCode text={remedy} />
              </span>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
